// bench/layer.h: what a layer's shape alone says: its MACs, the bytes of its tensors.
//
//   matmul     N M K
//   linear     IN OUT
//   conv2d     H W IN_C OUT_C KERNEL_H KERNEL_W STRIDE PAD
//   depthwise  H W C KERNEL_H KERNEL_W STRIDE PAD
//   vector     COUNT           one MAC per element of two vectors, the second written back
//
// `bits` of input, weight and output elements. Padding counts as MACs, as everywhere in the
// literature.
#ifndef BENCH_LAYER_H
#define BENCH_LAYER_H

#include <stdbool.h>
#include <stdint.h>

struct layer {
  uint64_t macs;
  double bytes; // of input, weights and output, each once
};

// False if `text` is none of the above.
bool layer_parse(struct layer *layer, const char *text, const unsigned bits[3]);

#endif
