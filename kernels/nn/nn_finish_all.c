// kernels/nn/nn_finish_all.c: the ends by scheme, precision and pixels. A program that defines
// nn_finish() itself, with those that it needs, does without the others.
#include "nn_finish_names.h"

// By end, bits (2, 4, 8 at 0, 1, 2), pixels.
#define ENTRY(s, b, u) [(b) / 4][(u)-1] = NAME(s, b, u),
nn_finish_fn *nn_finish(enum nn_end_kind end, uint32_t bits, uint32_t pixels) {
  static nn_finish_fn *const all[][3][4] = {[NN_END_SCALE] = {ALL(ENTRY, scale)},
                                            [NN_END_ICN] = {ALL(ENTRY, icn)},
                                            [NN_END_ICN_LEFT] = {ALL(ENTRY, icn_left)},
                                            [NN_END_THRESHOLDS] = {ALL(ENTRY, thresholds)},
                                            [NN_END_FOLDED] = {ALL(ENTRY, folded)},
                                            [NN_END_TFLITE] = {ALL(ENTRY, tflite)},
                                            [NN_END_TFLITE_RELU] = {PIXELS(ENTRY, tflite_relu, 8)}};
  return all[end][bits / 4][pixels - 1];
}
