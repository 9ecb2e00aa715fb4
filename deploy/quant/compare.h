// deploy/quant/compare.h: what becomes of a network on its way from floats to integers.
#ifndef COMPARE_H
#define COMPARE_H

#include "quantize.h"

// Inputs recognized (the largest element of the first output), of so many: by the real network, by
// the fake-quantized one (fake.h), by its integers. Between the last two: inputs of the same class,
// and the part of all outputs' codes that are the same.
struct compared {
  uint32_t inputs, real, fake, integer, same_class;
  double same_code;
};

// Samples with labels. False with the sentence.
bool compare(const struct real_net *real, const struct quantized *quantized,
             const struct quantize_samples *samples, struct compared *compared,
             struct net_error *error);

#endif
