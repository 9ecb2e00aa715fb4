// deploy/quant/requant.h: a network of integers whose sums become codes in 32 bits.
//
// TensorFlow Lite and integer channel normalization multiply sums by factors of 31 bits, which
// takes a product of 64 and, on RI5CY, five cycles for its high word. With kappa = round(f * 2^d)
// and d as large as no sum leaves 32 bits,
//   clip((kappa * sum + lambda) >> d)
// (Burrello et al., DORY, IEEE TC 70(8), 2021, section 3) takes one, and is what the fastest
// kernels have (nn_conv2d.h). Results differ from those in real numbers by what rounding kappa does
// to the largest sum that is not clipped; where that is more than a code, and where sums wrap, the
// layer stays as it is.
//
// Those kernels take unsigned codes: unsigned.h makes them.
#ifndef REQUANT_H
#define REQUANT_H

#include "deploy/net/net.h"

struct requant_count {
  uint32_t changed, kept; // layers with weights and a product of 64 bits: changed, left
  uint32_t unsigned_now;  // tensors
};

// The network must have passed net_check(), and passes it afterwards.
struct requant_count requant(struct net *net);

#endif
