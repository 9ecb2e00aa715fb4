// deploy/tune/options.h: the command line of `pulpsim-tune`.
#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include "deploy/tune/measure.h"
#include "deploy/tune/train_memory.h"

enum {
  TUNE_FAILED = 1,
  TUNE_USAGE = 64,
  TUNE_BAD_MODEL = 65,
  TUNE_NO_OUTPUT = 73,
  TUNE_NO_FIT = 80
};
enum { PROGRAM_L1 = 12500 * 4, PROGRAM_L2_FLOATS = 88 * 1024 }; // of kernels/bench/train_tiled.c

struct tune_options {
  struct tune_measure with;
  const char *layer, *shape, *steps, *model, *emit, *more;
  uint32_t l1_bytes;
  unsigned learn, batch;
  double rate, scale;
  enum train_type type;
  enum train_wish l3, again;
  bool published, exhaustive, json, train, untuned, mse;
};

// Fills in what is said, over defaults that are there. 0, or the status to exit with; --help exits.
int tune_options_parse(struct tune_options *options, int argc, char **argv);

// A sentence on stderr; `status`.
__attribute__((format(printf, 2, 3))) int tune_fail(int status, const char *format, ...);

#endif
