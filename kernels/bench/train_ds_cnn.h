// kernels/bench/train_ds_cnn.h: MLPerf Tiny's DS-CNN as train_net.h takes it, for its program and
// for the test that holds its gradients against doubles. To be included once in a program. With a
// TYPE, fp16 or bf16: in 16 bits.
#ifndef TRAIN_DS_CNN_H
#define TRAIN_DS_CNN_H

#include <stddef.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_net.h"

#ifndef RATE
#define RATE 0.2f
#endif

enum { IN_H = 10, IN_W = 49, INPUTS = IN_H * IN_W, H = 5, W = 25, PLANE = H * W, C = 64 };
enum { PATCH = 4 * 10, BLOCKS = 4, CLASSES = 12, EXAMPLES = 2 };
enum { CONV_W = PATCH * C, DW_W = 9 * C, PW_W = C * C, FC_W = CLASSES * C + CLASSES };
enum { WEIGHTS = CONV_W + BLOCKS * (DW_W + PW_W) + FC_W, LINEAR_AT = WEIGHTS - FC_W };
enum { LAYERS = 2 + 2 * BLOCKS + 2, MACS = 7650304 };

#ifdef TYPE
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
typedef uint16_t element;
enum { PITCH = PLANE + 1, L1_FLOATS = 12296 }; // in words
static uint16_t half_weights[WEIGHTS], half_gradients[WEIGHTS];
static RT_L1 struct train_net_half half = {.type = &JOIN(train_half_, TYPE),
                                           .weights = half_weights,
                                           .gradients = half_gradients,
                                           .scale = 1024,
                                           .growth = 1000};
#define GRADIENTS NULL, .half = &half
#else
typedef float element;
enum { PITCH = PLANE, L1_FLOATS = 12536 };
static float gradients[WEIGHTS];
#define GRADIENTS gradients
#endif
static element patches[PATCH * PITCH], acts[1 + 2 * BLOCKS][C * PITCH], pooled[C], scores[CLASSES];
static element grads[2][C * PITCH], input[INPUTS];
#ifdef TYPE
#define KEPT(block) NULL
#else
static float kept_grads[BLOCKS][C * PLANE];
#define KEPT(block) kept_grads[block]
#endif
static float weights[WEIGHTS];

static RT_L1_BSS float l1[L1_FLOATS] __attribute__((aligned(8)));

// ---------------------------------------------------------------- network

#define CONV                                                                                       \
  {                                                                                                \
    .kind = TRAIN_NET_PATCHES, .in_c = 1, .in_h = IN_H, .in_w = IN_W, .out_c = PATCH, .out_h = H,  \
    .out_w = W, .kernel_h = 4, .kernel_w = 10, .stride_h = 2, .stride_w = 2, .pad_top = 1,         \
    .pad_bottom = 1, .pad_left = 4, .pad_right = 5, .part_fw = 1, .part_bw = 1, .out = patches     \
  }
#define DW(block)                                                                                  \
  {                                                                                                \
    .kind = TRAIN_NET_DEPTHWISE, .relu = true, .in_c = C, .in_h = H, .in_w = W, .out_c = C,        \
    .out_h = H, .out_w = W, .kernel_h = 3, .kernel_w = 3, .stride_h = 1, .stride_w = 1,            \
    .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1, .part_fw = 16, .part_bw = 8,     \
    .weights = weights + CONV_W + (block) * (DW_W + PW_W), .out = acts[1 + 2 * (block)]            \
  }
#define FW_TILE(in)                                                                                \
  { C, 32, (in), false, 0 }
#define WG_TILE(in)                                                                                \
  { 8, (in), PLANE, true, 0 }
// Tiles and kernels as pulpsim-tune layer pointwise finds them.
#define PW(in, at, result, grad)                                                                   \
  {                                                                                                \
    .kind = TRAIN_NET_PRODUCT, .relu = true, .in_c = (in), .in_h = H, .in_w = W, .out_c = C,       \
    .out_h = H, .out_w = W, .weights = weights + (at), .out = (result), .fw = FW_TILE(in),         \
    .wg = WG_TILE(in), .ig = FW_TILE(in), .out_grad = (grad)                                       \
  }
#define BLOCK(i) DW(i), PW(C, CONV_W + (i) * (DW_W + PW_W) + DW_W, acts[2 + 2 * (i)], KEPT(i))

// In L1: a word from L2 takes 20 cycles.
static RT_L1 struct train_net_layer layers[LAYERS] = {
    CONV,
    PW(PATCH, 0, acts[0], NULL),
    BLOCK(0),
    BLOCK(1),
    BLOCK(2),
    BLOCK(3),
    {.kind = TRAIN_NET_MEAN,
     .in_c = C,
     .in_h = H,
     .in_w = W,
     .out_c = C,
     .out_h = 1,
     .out_w = 1,
     .part_fw = 16,
     .part_bw = 16,
     .out = pooled},
    {.kind = TRAIN_NET_PRODUCT,
     .in_c = C,
     .in_h = 1,
     .in_w = 1,
     .out_c = CLASSES,
     .out_h = 1,
     .out_w = 1,
     .weights = weights + LINEAR_AT,
     .bias = weights + LINEAR_AT + CLASSES * C,
     .out = scores,
     .fw = {CLASSES, 1, C, false, 0},
     .wg = {CLASSES, C, 1, false, 0},
     .ig = {1, C, CLASSES, false, 0}},
};

static RT_L1 struct train_net ds_cnn = {.layers = layers,
                                        .count = LAYERS,
                                        .input = input,
                                        .grads = {grads[0], grads[1]},
                                        .weights = weights,
                                        .gradients = GRADIENTS,
                                        .weight_count = WEIGHTS,
                                        .rate = RATE,
                                        .l1 = l1,
                                        .l1_bytes = sizeof l1};

#endif
