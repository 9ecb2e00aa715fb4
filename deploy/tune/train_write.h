// deploy/tune/train_write.h: the program that trains a network, as C.
#ifndef TUNE_TRAIN_WRITE_H
#define TUNE_TRAIN_WRITE_H

#include "deploy/tune/train_memory.h"

struct train_write_options {
  const char *name; // of the network
  uint32_t l1_bytes, batch;
  double rate;
  bool mse;
  double scale; // of the loss, in 16 bits
  struct train_memory memory;
};

enum { TRAIN_WRITE_L2 = 0x1f8000 - 0x38000 }; // bytes that programs leave of L2

// One file: tables for kernels/train/train_net.h, weights, train_example() and train_descend(), and
// a main() that trains on examples made from a seed (left out with -DTRAIN_NO_MAIN). Says in its
// head how to build it.
void train_write(FILE *out, const struct train_plan *plan,
                 const struct train_write_options *options);

#endif
