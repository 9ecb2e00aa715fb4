// deploy/quant/quantize.h: a network in real numbers to one in integers, after training, with
// inputs as it will meet them, and no labels.
//
// Activations are unsigned codes with a zero point (0 behind a ReLU), weights signed with the zero
// 0, a scale for each filter or each layer; sums become codes by integer channel normalization
// (NET_ICN, Rusci et al., MLSys 2020, Eqs. 3 to 5), rounded to nearest by its bias. Zero points of
// inputs are in lambda, and pixels outside have that code.
#ifndef QUANTIZE_H
#define QUANTIZE_H

#include "bits.h"
#include "ranges.h"
#include "real.h"

struct quantize_options {
  uint8_t weight_bits, activation_bits;     // 8, 4, 2; inputs and outputs of the network have 8
  const uint8_t *weight_list, *output_list; // of the layers with weights; NULL: all the same. With
                                            // a list, others give what their first input has
  uint32_t list_count;
  enum ranges_method range;
  // One scale of weights for a layer whose scheme is BITS_FOLDED; BITS_ICN has a factor for each
  // filter, and with it a scale. bits.h says which layers have which.
  bool per_layer;
  enum bits_scheme scheme;
  uint8_t point; // of ICN's biases, so many bits are behind the point: 0, 1, 2
  // Where a layer has one scale: of the weights as they were trained; the factors of the batch
  // normalization behind them are in the requantization, one for each filter.
  bool keep_norms;
  bool whole_weights;  // their scales clip nothing; else those that are best are searched
  bool no_equalize;    // equalize.h is for weights of fewer than 8 bits
  bool no_reconstruct; // weights are rounded one by one; else rounding.h
};

// Inputs of a network with one input, in HWC order.
struct quantize_samples {
  float **values;
  int32_t *labels; // NULL: not known
  uint32_t count;
};

// What the integers of a layer with weights came from: a filter's weights are scale * code.
struct quantize_numbers {
  float *scales;  // [filters]; NULL: a layer without weights
  double *biases; // [filters], of the sums in real numbers
};

struct quantized {
  struct net *net;                  // NET_ICN
  struct quantize_numbers *numbers; // per layer
  struct ranges *ranges;            // per tensor of the real network
};

// False with the sentence. The real network's weights may be changed by equalization, which its
// results do not tell. quantized_free() in any case.
bool quantize_begin(struct real_net *real, const struct quantize_samples *samples,
                    const struct quantize_options *options, struct quantized *quantized,
                    struct net_error *error);
// The same network and samples with other bits in one layer with weights, or in its output: the
// weights of all others and the ranges are those that `before` has, and biases behind the layer
// take up what it changes. Nothing is equalized again.
bool quantize_again(struct real_net *real, const struct quantize_samples *samples,
                    const struct quantize_options *options, const struct quantized *before,
                    uint32_t layer, struct quantized *quantized, struct net_error *error);
// The same results by the requantization that the options ask for; the net is the caller's.
struct net *quantize_end(struct quantized *quantized, const struct quantize_options *options);
void quantized_free(struct quantized *quantized);
// Both. NULL with the sentence.
struct net *quantize(struct real_net *real, const struct quantize_samples *samples,
                     const struct quantize_options *options, struct net_error *error);

// Whether a layer's outputs have the codes of its first input, whose bits are known.
bool quantize_keeps_codes(const struct real_net *real, uint32_t layer, const struct net *net);

#endif
