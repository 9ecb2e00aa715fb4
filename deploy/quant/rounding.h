// deploy/quant/rounding.h: the weights of one filter as integers.
//
// What counts is not the distance of each weight but the filter's results on the inputs that it
// meets: with H the second moments of its taps (of the integer network's activations) and g their
// moments with the results of the real network, the squared error is w'Hw - 2 w'g. The integers are
// those that descent by single steps reaches, from the rounded weights and from the rounded least
// squares solution, over a range of scales (layer reconstruction: Nagel et al., "Up or down?
// Adaptive rounding for post-training quantization", ICML 2020, whose objective this is; Hubara et
// al., ICML 2021, for the moments of the quantized inputs).
#ifndef ROUNDING_H
#define ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rounding {
  size_t taps;
  uint32_t bits;
  const double *h; // [taps][taps], about the means; NULL: weights are rounded one by one
  bool whole;      // the scale is that of min and max: nothing is clipped
};

// The least scale at which no weight is clipped; negative ones have one code more.
float rounding_whole(uint32_t bits, const float *weights, size_t count);

// Weights to codes, in -2^(bits - 1)..2^(bits - 1) - 1, and the scale that goes with them. g may be
// NULL where h is. The error is returned: of the weights, or of the results.
double rounding_filter(const struct rounding *rounding, const float *weights, const double *g,
                       int8_t *codes, float *scale);

// ... at a given scale, as per-layer quantization has it.
double rounding_at(const struct rounding *rounding, const float *weights, const double *g,
                   float scale, int8_t *codes);

#endif
