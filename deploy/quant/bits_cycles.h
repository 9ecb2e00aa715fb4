// deploy/quant/bits_cycles.h: cycles of layers by their bits, simulated.
#ifndef BITS_CYCLES_H
#define BITS_CYCLES_H

#include "bits_program.h"
#include "deploy/emit/folder.h"

// The network with 8, 4 and 2 bits for all weights, and 8, 4 and 2 for all activations, deployed
// and run on the machine: nine programs; and with 8 bits for weights and two kinds of bits for
// activations, in turn from layer to layer: six more. Layers without weights count by their
// activations alone. What an output's bits cost is taken to be the same for all bits of weights.
//
// `folder` says where to build. False with the sentence. bits_cycles_free() in any case.
bool bits_cycles_measure(struct real_net *real, const struct bits_problem *problem,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, const struct folder *folder,
                         struct bits_cycles *cycles, struct net_error *error);
void bits_cycles_free(struct bits_cycles *cycles);

#endif
