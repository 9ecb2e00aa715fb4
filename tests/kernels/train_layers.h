// tests/kernels/train_layers.h: every layer as a function of its inputs, for grids that test them
// all alike: gradients, element types, NaN.
//
// Core 0 takes the space and frees it (grid_release()); all cores call the passes.
#ifndef TESTS_TRAIN_LAYERS_H
#define TESTS_TRAIN_LAYERS_H

#include "grid_train.h"
#include "kernels/train/train_type.h"

enum { TRAIN_LAYER_INPUTS = 6, TRAIN_LAYER_VALUES = 512, TRAIN_LAYER_SPARE = 8 };

enum {
  TRAIN_LAYER_FLOATS = 1, // has no other types
  TRAIN_LAYER_ROUNDS = 4, // keeps intermediate results in its type
  TRAIN_LAYER_ZEROS = 2,  // multiplies weights by zeros: a border, probabilities that vanish
};

struct train_layer {
  const char *name;
  int (*fw)(void), (*bw)(void); // from the inputs to the output; from out_grad to the gradients
  uint32_t outputs;
  uint32_t sizes[TRAIN_LAYER_INPUTS]; // of the inputs; 0 ends them
  uint32_t flags;
};

extern const struct train_layer train_layers[];
extern const uint32_t train_layer_count;

// Element type of the next passes, and the layers' memory.
extern enum train_type train_layer_type;
struct train_layer_space {
  void *in[TRAIN_LAYER_INPUTS], *grad[TRAIN_LAYER_INPUTS]; // [0]: activations, else weights
  void *out, *out_grad;
  void *spare[TRAIN_LAYER_SPARE]; // 160 floats; [2] and [5]: 2200
};
extern struct train_layer_space train_space;

// Takes the memory and fills it with numbers that all types have: activations distinct, 2^-6 and
// more from 0 and less than 1.6; weights a quarter of that; out_grad multiples of 2^-7 in [-1, 1).
void train_layers_take(void);

float train_layer_get(const void *values, uint32_t i);
void train_layer_put(void *values, uint32_t i, float value);

// Runs a pass between two barriers; true if the layer took it.
bool train_layer_run(int (*pass)(void));

#endif
