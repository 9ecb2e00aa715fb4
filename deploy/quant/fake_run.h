// deploy/quant/fake_run.h: between the files that execute a fake-quantized network.
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include "fake.h"

// Tensors are planes: [c][h][w].
struct fake_run {
  const struct fake *fake;
  float **value;  // per tensor: on the grid of its codes
  float **before; // per tensor: as the layer gave it
  float **grad;   // per tensor
  float *turned;  // the output, HWC
  float *grad_in; // of one input of one layer
  void *scratch;
  float *gradients;
  const struct fake_weighted *weighted;
};

// One layer at work.
struct fake_work {
  const struct net_layer *layer;
  const struct real_layer *numbers;
  const struct fake_layer *weights;
  const struct net_tensor *in, *out;
  const struct fake_run *run;
};

struct fake_work fake_work_of(const struct fake_run *run, uint32_t layer);
const float *fake_input(const struct fake_work *work, uint32_t i);
const struct net_tensor *fake_input_tensor(const struct fake_work *work, uint32_t i);

// Layers with weights: results, gradients of weights and biases, and of the input.
size_t fake_weighted_scratch(const struct fake_work *work); // bytes
void fake_weighted_forward(const struct fake_work *work, float *out);
void fake_weighted_backward(const struct fake_work *work, const float *out_grad, float *in_grad);

// The same, as compiled for this host.
struct fake_weighted {
  size_t (*scratch)(const struct fake_work *work);
  void (*forward)(const struct fake_work *work, float *out);
  void (*backward)(const struct fake_work *work, const float *out_grad, float *in_grad);
};

// All others; `in_grad` of input i.
void fake_other_forward(const struct fake_work *work, float *out);
void fake_other_backward(const struct fake_work *work, const float *out_grad, uint32_t i,
                         float *in_grad);

#endif
