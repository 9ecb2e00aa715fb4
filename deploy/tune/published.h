// deploy/tune/published.h: Algorithm 1 of PULP-TrainLib's AutoTuner, to the letter.
//
// The layer as a whole if it fits into L1; else, of all tiles whose sizes divide the layer's, the
// K_T = 5 that take the most memory: each by the 24 kernels of Table 1, in L1, without transfers.
// The least cycles of a tile win, of whatever size it is.
//
// Source: Nadalini et al., PULP-TrainLib, SAMOS 2022, section 3.3, Algorithm 1; that tiles divide
// the layer is from its public code.
#ifndef TUNE_PUBLISHED_H
#define TUNE_PUBLISHED_H

#include "deploy/tune/search.h"

enum { TUNE_PUBLISHED_TILES = 5, TUNE_PUBLISHED_KERNELS = 24 };

// The winner: its cycles are those of a tile in L1, 0 if no tile fits. False with the sentence.
bool tune_published(const struct tune_search *search, const struct tune_layer *layer,
                    enum tune_step step, uint32_t l1_bytes, struct tune_way *best,
                    struct tune_figures *figures, struct net_error *error);

// Bytes of input, weights and output.
uint64_t tune_layer_bytes(const struct tune_layer *layer);

#endif
