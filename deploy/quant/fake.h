// deploy/quant/fake.h: a quantized network in real numbers, forwards and backwards
// ("fake-quantized").
//
// Weights and tensors hold exactly the numbers that codes stand for; sums, factors and biases are
// floats, never rounded. It is what an integer network is measured against, and what retraining
// changes: gradients go through the rounding as if it were not there, and stop where a code is
// clipped (straight-through estimator, Bengio et al., arXiv:1308.3432); scales learn as in Esser et
// al., "Learned step size quantization", ICLR 2020, Eq. 3, of which a ReLU with a learned clip
// (PACT, Choi et al., arXiv:1805.06085) is the case of unsigned codes. Batch normalizations are
// folded into weights and biases: their statistics stay as they are.
//
// Planes (CHW), one sample at a time, by the kernels of kernels/train/.
#ifndef FAKE_H
#define FAKE_H

#include "quantize.h"
#include "real.h"

// Parameters, in one list: weights in units of their scale; biases in units of the output's;
// logarithms of the weights' scales, then of the tensors', over the first ones.
enum fake_part { FAKE_WEIGHTS, FAKE_BIASES, FAKE_WEIGHT_SCALES, FAKE_SCALES, FAKE_PARTS };

struct fake_layer {
  uint32_t weights, bias, scale; // places in the list
  uint32_t filters, scales;      // scales: as many factors as the net has
  size_t taps, scratch;          // scratch: bytes for the kernels
  float *first;                  // [filters]: the scales at the start
  float *unit, *bias0;           // [filters]: of the bias
  float *rounded, *bias_now;     // what the forward pass uses, [filters][c][kernel_h][kernel_w]
  uint32_t *order;               // the list's element that is weight i in net.h's order
};

struct fake {
  const struct real_net *real;
  const struct net *net; // bits, zeros, first scales
  struct fake_layer *layers;
  uint32_t *owner;  // per tensor: the one whose scale it has
  uint32_t *places; // per tensor that owns a scale that learns: in the list; else UINT32_MAX
  float *scale;     // per tensor, now
  uint32_t parts[FAKE_PARTS + 1]; // where each begins in the list
  float *parameters;
};

// The network's integers as they are. NULL, with the sentence, if a layer has no backward pass.
struct fake *fake_new(const struct real_net *real, const struct net *net,
                      const struct quantize_numbers *numbers, struct net_error *error);
void fake_free(struct fake *fake);
void fake_prepare(struct fake *fake); // after the parameters have changed
// Codes of a layer's weights in net.h's order, and its scales and biases, as they are now.
void fake_codes(const struct fake *fake, uint32_t layer, int8_t *codes, float *scales,
                double *biases);

// A thread's memory, and its part of the gradients.
struct fake_run;
struct fake_run *fake_run_new(const struct fake *fake);
void fake_run_free(struct fake_run *run);
void fake_forward(struct fake_run *run, const float *input); // as the net's samples: HWC
const float *fake_output(const struct fake_run *run);        // HWC
// Adds this sample's gradients to the run's, from that of the output (HWC).
void fake_backward(struct fake_run *run, const float *output_grad);
// Gradients of the rounded weights, of biases and of scales: [parts[FAKE_PARTS]].
float *fake_gradients(const struct fake_run *run);
// ... of many samples, once for all, into those of the parameters.
void fake_finish(const struct fake *fake, float *gradients);

#endif
