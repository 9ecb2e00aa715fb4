// sim/observe/profile.h: where the cycles went: per instruction, source line, function, loop, call.
//
// A cycle in which an instruction leaves ID is that instruction's. A lost cycle belongs to the
// instruction that caused it: the one before it when that held EX or redirected the fetch, the one
// behind it when that waited in ID for an operand (pulpsim_cause_behind()). So the sum over all
// instructions is exactly the sum of all cores' cycles.
#ifndef PULPSIM_PROFILE_H
#define PULPSIM_PROFILE_H

#include "observe/lines.h"
#include "sim/pulpsim.h"

// What is counted: instructions, cycles, MACs, then the causes of lost cycles.
enum {
  PROFILE_INSTRUCTIONS,
  PROFILE_CYCLES,
  PROFILE_MACS,
  PROFILE_CAUSES, // + cause - 1; cause 0 is issue, which is not lost
  PROFILE_EVENTS = PROFILE_CAUSES + PULPSIM_CAUSES - 1
};

struct profile;

// Observes `sim`, which has its program loaded and has not run. NULL on failure, with a sentence.
struct profile *profile_new(struct pulpsim *sim, struct pulpsim_error *error);
void profile_free(struct profile *profile);

// After pulpsim_observe_end(): as callgrind's output format (for KCachegrind, callgrind_annotate);
// as folded stacks (for flame graphs: "main;matmul;col 1234", in cycles); as text for people.
bool profile_write_callgrind(struct profile *p, const char *path, const char *program,
                             struct pulpsim_error *error);
bool profile_write_folded(struct profile *p, const char *path, struct pulpsim_error *error);
void profile_annotate(struct profile *p, FILE *out, bool colour);

// ---- for the writers

struct profile_place {
  uint32_t pc, word;
  uint8_t size;
  uint64_t cost[PROFILE_EVENTS];
};

// A function called from a place.
struct profile_call {
  uint32_t from, to; // pc of the call, first instruction executed
  uint64_t count;
  uint64_t cost[PROFILE_EVENTS]; // inclusive
};

// A backward jump or the end of a hardware loop: a loop from `to` to `from`.
struct profile_loop {
  uint32_t to, from;
  uint64_t count;
};

// A node of the calling context tree. Node 0 is the root.
struct profile_node {
  uint32_t function; // start address
  unsigned parent, child, sibling;
  uint64_t cycles; // in it alone
};

struct profile_data {
  struct pulpsim *sim;
  struct lines *lines;
  struct profile_place *place; // by ascending pc
  size_t places;
  struct profile_call *call; // by ascending from
  size_t calls;
  struct profile_loop *loop;
  size_t loops;
  struct profile_node *node;
  size_t nodes;
  uint64_t total[PROFILE_EVENTS];
};

// Sorts what was collected. Valid until the profile is freed.
const struct profile_data *profile_data(struct profile *p);

const char *profile_event_name(unsigned event);

// Name of the function at `pc`; "???" if the program names none.
const char *profile_function(const struct pulpsim *sim, uint32_t pc, uint32_t *start);

#endif
