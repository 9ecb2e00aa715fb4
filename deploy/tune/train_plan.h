// deploy/tune/train_plan.h: a network as kernels/train/train_net.h trains it.
//
// Taken are chains of convolutions, depthwise, pointwise and fully connected layers, maximum and
// average pools without padding; a clip at 0 is a ReLU. Layers are planes (CHW); where planes are
// higher than wide they lie on their side (x before y), as rows are what kernels run along.
#ifndef TUNE_TRAIN_PLAN_H
#define TUNE_TRAIN_PLAN_H

#include "deploy/quant/real.h"
#include "kernels/train/train_net.h"
#include "kernels/train/train_type.h"

struct train_plan_layer {
  struct train_net_layer layer; // its pointers NULL
  char name[64];
  float *weights, *bias; // in the order of train_net.h; bias NULL: none
  uint32_t weight_count; // without the bias
  // Where things are (train_memory.h).
  bool far;    // its weights, in L3
  bool shared; // its output: in one place with others, computed again where that was overwritten
  bool passes; // its output: of interest to the layer above, forward, alone
};

struct train_plan {
  struct train_plan_layer *layers;
  uint32_t count;
  bool turned; // planes lie on their side, the input's too
  bool random; // there were no weights: these were drawn (He et al., ICCV 2015)
  enum train_type type;
};

struct train_plan_options {
  uint32_t cores, l1_bytes; // of the machine; for tiles
  uint32_t learn;           // the last so many layers with weights; 0: all
  bool mse;                 // the loss is the mean squared error, not cross entropy
  enum train_type type;     // of activations and gradients
};

// Of a file of real numbers, a quantized one, whose codes are taken for the numbers that they
// stand for, or a name (family.h). Tiles along channels are chosen; those of products are the whole
// matrices. False with the sentence.
bool train_plan_read(struct train_plan *plan, const char *model,
                     const struct train_plan_options *options, struct net_error *error);
void train_plan_free(struct train_plan *plan);

// Floats of weights and bias in L2: an even number.
uint32_t train_plan_floats(const struct train_plan_layer *layer);
uint64_t train_plan_macs(const struct train_plan *plan); // of a step
// Elements of a layer's output, and of the input of the first.
uint32_t train_plan_out(const struct train_plan *plan, uint32_t layer);
uint32_t train_plan_in(const struct train_plan *plan);
// Whether a gradient of the layer's input is wanted.
bool train_plan_has_ig(const struct train_plan *plan, uint32_t layer);

#endif
