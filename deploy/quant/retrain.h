// deploy/quant/retrain.h: quantization-aware retraining, after quantization.
//
// Begins with the integers that there are. Forwards everything has its codes' numbers, backwards
// gradients pass the rounding (fake.h); weights, biases and scales learn by Adam, at rates that
// fall to 0 along a cosine. What they learn is what the real network gives for the same inputs
// (squared distance of the outputs: distillation, Hinton et al., arXiv:1503.02531; no labels are
// asked for). If that distance ends up larger than it was, on the samples, all stays as it was.
//
// The result is the same, bit for bit, on any number of threads.
#ifndef RETRAIN_H
#define RETRAIN_H

#include "quantize.h"

enum { RETRAIN_EPOCHS = 2, RETRAIN_SAMPLES = 8000 };

struct retrain_options {
  uint32_t epochs, threads;
  FILE *progress; // a line an epoch; NULL: none
};

// Samples without labels. False with the sentence.
bool retrain(const struct real_net *real, struct quantized *quantized,
             const struct quantize_options *how, const struct quantize_samples *data,
             const struct retrain_options *options, struct net_error *error);

#endif
