// bench/fronts.h: accuracy, bytes and cycles of quantized networks, as bench/fronts.sh has measured
// them: a file of lines with tabs between
//   network, assignment, scale (layer, channel), right, inputs, bytes, peak, cycles, weights,
//   outputs
// the last two being lists of bits; bytes are those of weights and parameters, peak those of a
// layer's inputs and outputs.
#ifndef BENCH_FRONTS_H
#define BENCH_FRONTS_H

#include <stdbool.h>
#include <stddef.h>

#define FRONTS_MACHINE "gap8" // that the cycles are of

enum { FRONT_NAME = 32, FRONT_LISTS = 512 };

struct front_point {
  char network[FRONT_NAME], how[FRONT_NAME];
  bool per_channel;
  unsigned right, inputs;
  unsigned long bytes, peak, cycles;
  char lists[FRONT_LISTS];
};

struct fronts { // the points of a network behind one another
  struct front_point *points;
  size_t count;
};

// False with one sentence in `error`, if there is no such file, or it is not one. To be freed
// either way.
bool fronts_read(struct fronts *fronts, const char *path, char *error, size_t error_size);
void fronts_free(struct fronts *fronts);

double front_accuracy(const struct front_point *point); // percent

// Points of the network that point `first` is the first of.
size_t fronts_of_network(const struct fronts *fronts, size_t first);

// The point with the same bits and a scale a layer; NULL: none.
const struct front_point *fronts_by_layer(const struct fronts *fronts,
                                          const struct front_point *point);

#endif
