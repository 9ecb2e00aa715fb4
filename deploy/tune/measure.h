// deploy/tune/measure.h: ways of a product on the simulator, several at a time.
//
// One program (kernels/bench/train_tiled.c) runs them all: shape, tile and kernel are variables of
// it. What has been measured before is taken from a file (SQLite), by a key of all that decides the
// cycles: this program, the ELF, the machine, shape and way. What is measured is put there at once.
#ifndef TUNE_MEASURE_H
#define TUNE_MEASURE_H

#include "deploy/tune/space.h"

struct tune_measure {
  const char *program;  // train_tiled.elf
  const char *machine;  // a configuration
  const char *results;  // the file; NULL: none
  unsigned cores, jobs; // cores of the machine; processes at a time
  bool progress;        // on stderr
};

struct tune_figures {
  size_t simulated, known; // runs made, and taken from the file
};

// The machine with the program loaded. NULL with the sentence.
struct pulpsim;
struct pulpsim *tune_machine_new(const struct tune_measure *with, struct net_error *error);

// Measures ways, which are in the order of their bounds, until no other can be faster than the
// fastest. Its number; -1 with the sentence.
int tune_search(const struct tune_measure *with, const struct tune_product *product,
                struct tune_way *ways, size_t count, struct tune_figures *figures,
                struct net_error *error);

// One way: its cycles and its first call's.
bool tune_run(const struct tune_measure *with, const struct tune_product *product,
              struct tune_way *way, struct net_error *error);

#endif
