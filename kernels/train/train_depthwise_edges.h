// kernels/train/train_depthwise_edges.h: 3x3 depthwise convolution in CHW, stride 1 with any border
// and stride 2 with borders of one, any type, on the planes where they are; for train_depthwise.c.
// A core's scratch is a row of zeros and one that nobody reads. Sizes in bytes.
#ifndef TRAIN_DEPTHWISE_EDGES_H
#define TRAIN_DEPTHWISE_EDGES_H

#include <stdbool.h>

#include "kernels/train/train_depthwise.h"

// Whether a pass goes this way: fw (in 16 bits without a bias) and wg, and ig.
bool train_depthwise_edges_fits(const struct train_depthwise *layer);
bool train_depthwise_edges_ig_fits(const struct train_depthwise *layer);

uint32_t train_depthwise_edges_size(const struct train_depthwise *layer); // of any pass
void train_depthwise_edges_fw(const struct train_depthwise *layer);
void train_depthwise_edges_wg(const struct train_depthwise *layer);
void train_depthwise_edges_ig(const struct train_depthwise *layer);

#endif
