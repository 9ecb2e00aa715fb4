// deploy/quant/trials.h: what a network's outputs lose by other bits, for many assignments that
// differ from one in a single tensor: all before that tensor is computed once.
#ifndef TRIALS_H
#define TRIALS_H

#include "quantize.h"

struct trials;

// With the options' lists of bits. Tensors of all samples are kept if they take a gigabyte at most;
// else every trial begins with the first layer. NULL with the sentence.
struct trials *trials_new(struct real_net *real, const struct quantize_samples *samples,
                          const struct quantize_options *options, struct net_error *error);
void trials_free(struct trials *trials);

// Squared error of the outputs over the squares of the real ones, with the lists as they are now,
// which differ from the first ones in layer `first` or behind it. Negative, with the sentence, if
// the network cannot be quantized.
double trials_error(struct trials *trials, uint32_t first, struct net_error *error);

#endif
