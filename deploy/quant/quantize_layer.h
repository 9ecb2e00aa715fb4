// deploy/quant/quantize_layer.h: one layer in integers.
#ifndef QUANTIZE_LAYER_H
#define QUANTIZE_LAYER_H

#include "moments.h"
#include "quantize.h"

// The integer counterpart of a real layer, whose tensors have their codes: requantization, scaled
// inputs, table; weights rounded one by one.
struct net_layer quantize_layer(const struct real_net *real, uint32_t number, const struct net *net,
                                const struct quantize_options *options, uint8_t weight_bits,
                                struct quantize_numbers *numbers);

// Weights, biases and requantization once more, for the inputs that the layer meets.
void quantize_weights(const struct real_net *real, uint32_t number, const struct net *net,
                      struct net_layer *layer, const struct quantize_options *options,
                      const struct moments *moments, struct quantize_numbers *numbers);

// Biases and requantization alone.
void quantize_biases(const struct net *net, struct net_layer *layer,
                     const struct quantize_options *options, const struct moments *moments,
                     struct quantize_numbers *numbers);

// The requantization once more, after tensors' scales have changed: of a layer with weights for
// these numbers, of others what depends on scales.
void quantize_rescale(const struct real_net *real, uint32_t number, const struct net *net,
                      struct net_layer *layer, const struct quantize_options *options,
                      const struct quantize_numbers *numbers);

// The sums at which the code rises instead of a multiplication: the same results.
void quantize_to_thresholds(const struct net *net, struct net_layer *layer);

#endif
