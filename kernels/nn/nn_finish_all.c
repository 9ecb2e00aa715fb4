// kernels/nn/nn_finish_all.c: the ends by scheme, precision and pixels. A program that defines
// nn_finish() itself, with those that it needs, does without the others.
#include "nn_finish_names.h"

// By scheme, bits (2, 4, 8 at 0, 1, 2), pixels.
#define ENTRY(s, b, u) [(b) / 4][(u)-1] = NAME(s, b, u),
nn_finish_fn *nn_finish(const struct nn_requant_i32 *rq, uint32_t pixels) {
  static nn_finish_fn *const all[][3][4] = {[NN_SCALE] = {ALL(ENTRY, scale)},
                                            [NN_ICN] = {ALL(ENTRY, icn)},
                                            [NN_THRESHOLDS] = {ALL(ENTRY, thresholds)},
                                            [NN_FOLDED] = {ALL(ENTRY, folded)},
                                            [NN_TFLITE] = {ALL(ENTRY, tflite)}};
  return all[rq->scheme][rq->bits / 4][pixels - 1];
}
