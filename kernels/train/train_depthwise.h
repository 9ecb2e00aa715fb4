// kernels/train/train_depthwise.h: depthwise convolution with its gradients, batch of one: every
// channel has a filter of its own.
//
//   out[c][y][x] = bias[c] + sum over i, j of
//                  weights[c][i][j] * in[c][y * stride_h + i - pad_top][x * stride_w + j -
//                  pad_left]
//
// Planes (CHW) as above, or pixels (HWC): in[y][x][c], out[y][x][c], weights[i][j][c]. Ranges,
// paddings, alignment, `add` and passes as in train_conv2d.h. The work is split by channels. 3x3 in
// CHW, of any type, with stride 1, or with stride 2 and paddings of at most one, goes through
// train_dw.S on the planes where they are (in 16 bits forward without a bias). Otherwise each core
// takes a channel as a plane of floats with its border in scratch: 3x3 with stride 1 through
// train_dw.S, any other window through train_depthwise_window.c. Sums are binary32 in any type and
// rounded once.
//
// Operators and gradients: Nadalini et al., PULP-TrainLib, SAMOS 2022, section 3.
#ifndef TRAIN_DEPTHWISE_H
#define TRAIN_DEPTHWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_depthwise {
  const void *in;       // [c][in_h][in_w]            fw, wg
  const void *weights;  // [c][kernel_h][kernel_w]    fw, ig
  const void *bias;     // [c] or NULL                fw
  void *out;            // [c][out_h][out_w]          fw
  const void *out_grad; // as out                     wg, ig
  void *in_grad;        // as in                      ig
  void *weights_grad;   // as weights                 wg
  void *bias_grad;      // [c] or NULL                wg
  void *scratch;        // of the size that the pass asks for; NULL if that is 0
  uint16_t c, in_h, in_w;
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  bool add, hwc;
  enum train_type type;
};

uint32_t train_depthwise_out_h(const struct train_depthwise *layer);
uint32_t train_depthwise_out_w(const struct train_depthwise *layer);
uint64_t train_depthwise_macs(const struct train_depthwise *layer); // of each of the three passes

// Bytes of scratch on this number of cores.
uint32_t train_depthwise_fw_buffer_size(const struct train_depthwise *layer);
uint32_t train_depthwise_wg_buffer_size(const struct train_depthwise *layer);
uint32_t train_depthwise_ig_buffer_size(const struct train_depthwise *layer);

enum kernel_status train_depthwise_fw(const struct train_depthwise *layer);
enum kernel_status train_depthwise_wg(const struct train_depthwise *layer);
enum kernel_status train_depthwise_ig(const struct train_depthwise *layer);

#endif
