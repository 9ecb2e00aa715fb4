// deploy/tune/measure.h: ways of a product on the simulator, several at a time.
//
// One program (kernels/bench/train_tiled.c) runs them all: shape, tile and kernel are variables of
// it. What has been measured before is taken from a file (SQLite), by a key of all that decides the
// cycles: this program, the ELF, the machine, shape and way. What is measured is put there at once.
#ifndef TUNE_MEASURE_H
#define TUNE_MEASURE_H

#include "deploy/tune/space.h"

enum {
  TUNE_SEARCH_CALL = 1, // while searching: the second call
  TUNE_WARM_CALL = 4,   // as the suites report: the fifth (kernels/bench/bench.h)
};

// Where runs are made: by processes here, by GNU parallel, as an array of jobs by Slurm (tasks.h).
enum tune_on { TUNE_LOCAL, TUNE_PARALLEL, TUNE_SLURM, TUNE_ONS };

struct tune_measure {
  const char *program;  // train_tiled.elf
  const char *machine;  // a configuration
  const char *results;  // the file; NULL: none, if runs are made here
  unsigned cores, jobs; // cores of the machine; processes at a time
  enum tune_on on;
  bool progress; // on stderr
};

struct tune_figures {
  size_t simulated, known; // runs made, and taken from the file
};

// The machine with the program loaded. NULL with the sentence.
struct pulpsim;
struct pulpsim *tune_machine_new(const struct tune_measure *with, struct net_error *error);

// Runs a way: the cycles of call `warm_call` (1 or more) and of the first one, with the transfers;
// or, in L1 alone, of a product of the tile's size, whose `warm_call` is 1.
struct tune_run {
  unsigned warm_call;
  bool in_l1;
  bool check; // the results, too: of other numbers than zeros
};
bool tune_run(const struct tune_measure *with, const struct tune_product *product,
              const struct tune_run *run, struct tune_way *way, struct net_error *error);

// The same for ways[0..count), at most TUNE_BATCH, several at a time; what the file knows is taken
// from it. `store` may be NULL.
enum { TUNE_BATCH = 256 };
struct tune_store;
bool tune_run_all(const struct tune_measure *with, struct tune_store *store,
                  const struct tune_product *product, const struct tune_run *run,
                  struct tune_way *const *ways, size_t count, struct tune_figures *figures,
                  struct net_error *error);

#endif
