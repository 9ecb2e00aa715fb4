// deploy/quant/equalize.h: channels of equal weight, for scales that a whole layer shares.
//
// Where a layer's outputs go through a ReLU, or nothing, into one other layer, a channel can be
// divided by any positive number in the first and multiplied by it in the second: results stay.
// The number that makes both ranges equal leaves least unused of a common scale (Nagel et al.,
// "Data-free quantization through weight equalization and bias correction", ICCV 2019,
// section 4.1).
#ifndef EQUALIZE_H
#define EQUALIZE_H

#include "real.h"

// All such pairs, until the channels' factors no longer move. The number of pairs.
uint32_t equalize(struct real_net *real);

#endif
