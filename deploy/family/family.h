// deploy/family/family.h: networks by name, in integers, for whoever has no trained file at hand.
//
//   mobilenet_v1:RES:ALPHA   RES 32..224, a multiple of 32; ALPHA 0.25, 0.5, 0.75, 1.0
//   mobilenet_v2:RES:ALPHA   the same
//   vww                      MobileNetV1 0.25 on 96 x 96 with two classes   } the four networks of
//   ds_cnn                   keyword spotting, 49 x 10 x 1                  } MLPerf Tiny
//   resnet8                  CIFAR-10's, 32 x 32 x 3                        } (mlcommons/tiny,
//   autoencoder              640-128-128-128-128-8-128-128-128-128-640      } 1afd2c9)
//
// Weights are drawn from a seed: shapes, bytes and cycles are those of the networks, classes mean
// nothing. Requantizations are chosen such that activations neither die nor saturate: what a layer
// gets wrong is seen behind it. All activations are uint8, weights int8; behind the last layer
// stand its int32 sums.
//
// Sources of the shapes: Howard et al., arXiv:1704.04861, table 1; Sandler et al., CVPR 2018,
// table 2; Banbury et al., "MLPerf Tiny Benchmark", NeurIPS 2021.
#ifndef FAMILY_H
#define FAMILY_H

#include "deploy/net/net.h"

// Whether a name is meant (and no file): it is one of the above up to its first colon.
bool family_named(const char *name);

// NULL, with the sentence, if there is none of that name or its numbers are out of range.
struct net *family_build(const char *name, struct net_error *error);

#endif
