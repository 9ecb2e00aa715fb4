// kernels/nn/nn_finish_names.h: the ends of nn_finish.h by their names: nn_finish_icn_4_u2 is that
// of NN_ICN, with outputs of 4 bits, for two pixels.
#ifndef NN_FINISH_NAMES_H
#define NN_FINISH_NAMES_H

#include "nn_finish.h"

#define NAME(scheme, bits, pixels) nn_finish_##scheme##_##bits##_u##pixels
#define PIXELS(M, s, b)            M(s, b, 1) M(s, b, 2) M(s, b, 3) M(s, b, 4)
#define ALL(M, s)                  PIXELS(M, s, 2) PIXELS(M, s, 4) PIXELS(M, s, 8)

#define DECLARE(s, b, u) nn_finish_fn NAME(s, b, u);
ALL(DECLARE, scale)
ALL(DECLARE, icn)
ALL(DECLARE, icn_left)
ALL(DECLARE, thresholds)
ALL(DECLARE, folded)
ALL(DECLARE, tflite)
PIXELS(DECLARE, tflite_relu, 8)
#undef DECLARE

#endif
