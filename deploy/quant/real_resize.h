// deploy/quant/real_resize.h: pictures of twice the size, interpolated linearly, in layers that the
// integer form has: each element twice (NET_RESIZE), then averages of two neighbours, of which
// those outside do not count. With coordinates that begin at the corner (ONNX: asymmetric) element
// 2 i + 1 is the average of x[i] and x[i + 1]; with half pixels the average of two such averages,
// one with the element before, one with that behind: 3/4 of the nearer, 1/4 of the other.
#ifndef REAL_RESIZE_H
#define REAL_RESIZE_H

#include "real.h"

// `input` to `output`, each direction once or twice as large; false: another factor, nothing is
// added. Layers and tensors between are named after `name`, which no others are.
bool real_resize_linear(struct real_net *real, const char *name, int input, int output,
                        bool half_pixels);

#endif
