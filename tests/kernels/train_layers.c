// tests/kernels/train_layers.c: see train_layers.h.
#include "train_layers.h"

#include "kernels/train/train_act.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_conv_transpose2d.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_gated.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_rnn.h"
#include "kernels/train/train_shape.h"
#include "kernels/train/train_softmax.h"

#define T     train_layer_type
#define x     train_space.in[0]
#define dx    train_space.grad[0]
#define w     (train_space.in + 1)
#define dw    (train_space.grad + 1)
#define y     train_space.out
#define dy    train_space.out_grad
#define spare train_space.spare

// ---- elementwise

enum { N = 37 };
static struct train_act act(void) {
  return (struct train_act){x, y, dy, dx, N, 0.125f, T};
}
#define ACT(name)                                                                                  \
  static int name##_fw(void) {                                                                     \
    const struct train_act l = act();                                                              \
    return (int)train_act_fw(TRAIN_ACT_##name, &l);                                                \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    const struct train_act l = act();                                                              \
    return (int)train_act_ig(TRAIN_ACT_##name, &l);                                                \
  }
ACT(relu)
ACT(leaky_relu)
ACT(sigmoid)
ACT(tanh)
ACT(gelu)

static int residual_fw(void) {
  const struct train_residual l = {x, w[0], y, dy, dx, dw[0], N, 0, T};
  return (int)train_residual_fw(&l);
}
static int residual_bw(void) {
  const struct train_residual l = {x, w[0], y, dy, dx, dw[0], N, 0, T};
  return (int)train_residual_ig(&l);
}
static int dropout_fw(void) {
  const struct train_dropout l = {x, y, N, 7, 0.75f, T};
  return (int)train_dropout(&l);
}
static int dropout_bw(void) {
  const struct train_dropout l = {dy, dx, N, 7, 0.75f, T};
  return (int)train_dropout(&l);
}

// ---- rows

enum { ROWS = 5, COLUMNS = 7 };
static int softmax_fw(void) {
  const struct train_softmax l = {x, y, dy, dx, ROWS, COLUMNS, T};
  return (int)train_softmax_fw(&l);
}
static int softmax_bw(void) {
  const struct train_softmax l = {x, y, dy, dx, ROWS, COLUMNS, T};
  return (int)train_softmax_ig(&l);
}
static int reduce_fw(void) {
  const struct train_reduce l = {x, y, ROWS, COLUMNS, 0.25f, T};
  return (int)train_reduce_fw(&l);
}
static int reduce_bw(void) {
  const struct train_reduce l = {dy, dx, ROWS, COLUMNS, 0.25f, T};
  return (int)train_reduce_ig(&l);
}

static struct train_norm norm(enum train_norm_kind kind) {
  struct train_norm l = {.in = x,
                         .out = y,
                         .gamma = w[0],
                         .beta = w[1],
                         .mean = spare[0],
                         .rstd = spare[1],
                         .out_grad = dy,
                         .in_grad = dx,
                         .gamma_grad = dw[0],
                         .beta_grad = dw[1],
                         .outer = kind == TRAIN_NORM_BATCH ? 3 : 1,
                         .groups = kind == TRAIN_NORM_INSTANCE ? 6 : 3,
                         .inner = 8,
                         .affine = 3,
                         .epsilon = 1e-3f,
                         .type = T};
  return l;
}
#define NORM(name, KIND)                                                                           \
  static int name##_fw(void) {                                                                     \
    const struct train_norm l = norm(TRAIN_NORM_##KIND);                                           \
    return (int)train_norm_fw(TRAIN_NORM_##KIND, &l);                                              \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    const struct train_norm l = norm(TRAIN_NORM_##KIND);                                           \
    return (int)train_norm_ig(TRAIN_NORM_##KIND, &l);                                              \
  }
NORM(batch_norm, BATCH)
NORM(instance_norm, INSTANCE)
NORM(layer_norm, LAYER)
NORM(rms_norm, RMS)
NORM(no_norm, NONE)

// ---- losses: one output, whose gradient is 1

static uint8_t labels[ROWS] = {3, 0, 6, 6, 1};
// The loss itself is a float in any type.
static struct train_loss loss(void *gradient) {
  return (struct train_loss){x, w[1], labels,  gradient, spare[7], spare[0],
                             N, ROWS, COLUMNS, T,        0.3f};
}
#define LOSS(name)                                                                                 \
  static int name##_fw(void) {                                                                     \
    const struct train_loss l = loss(NULL);                                                        \
    int status = (int)train_loss_##name(&l);                                                       \
    if (rt_core_id() == 0)                                                                         \
      train_layer_put(y, 0, *l.loss);                                                              \
    return status;                                                                                 \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    if (rt_core_id() == 0)                                                                         \
      train_layer_put(dy, 0, 1);                                                                   \
    const struct train_loss l = loss(dx);                                                          \
    return (int)train_loss_##name(&l);                                                             \
  }
LOSS(mse)
LOSS(l1)
LOSS(bce)
LOSS(cross_entropy)

// ---- planes

enum { C = 3, H = 5, W = 6 };
static struct train_pool pool(void) {
  return (struct train_pool){x, y, dy, dx, C, H, W, 2, 3, 2, 1, T};
}
#define POOL(name)                                                                                 \
  static int name##_pool_fw(void) {                                                                \
    const struct train_pool l = pool();                                                            \
    return (int)train_pool_##name##_fw(&l);                                                        \
  }                                                                                                \
  static int name##_pool_bw(void) {                                                                \
    const struct train_pool l = pool();                                                            \
    return (int)train_pool_##name##_ig(&l);                                                        \
  }
POOL(max)
POOL(avg)

#define RESIZE(name)                                                                               \
  static int name##_fw(void) {                                                                     \
    const struct train_resize l = {x, y, C, H, W, 8, 4, T};                                        \
    return (int)train_resize_##name##_fw(&l);                                                      \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    const struct train_resize l = {dy, dx, C, H, W, 8, 4, T};                                      \
    return (int)train_resize_##name##_ig(&l);                                                      \
  }
RESIZE(nearest)
RESIZE(bilinear)

static int pad_fw(void) {
  const struct train_pad l = {x, y, C, H, W, 1, 2, 3, 0, T};
  return (int)train_pad_fw(&l);
}
static int pad_bw(void) {
  const struct train_pad l = {dy, dx, C, H, W, 1, 2, 3, 0, T};
  return (int)train_pad_ig(&l);
}
static int permute_fw(void) {
  const struct train_permute l = {x, y, {C, H, W}, {1, 2, 0}, T};
  return (int)train_permute(&l);
}
static int permute_bw(void) {
  const struct train_permute l = {dy, dx, {H, W, C}, {2, 0, 1}, T};
  return (int)train_permute(&l);
}

// Transposed convolution of C planes to 2: the convolution of 2 planes of 11x12 to C of HxW.
static struct train_conv2d transposed(void) {
  return (struct train_conv2d){.in = dy,
                               .weights = w[0],
                               .out = dx,
                               .out_grad = x,
                               .in_grad = y,
                               .weights_grad = dw[0],
                               .scratch = spare[2],
                               .in_c = 2,
                               .in_h = 11,
                               .in_w = 12,
                               .out_c = C,
                               .kernel_h = 3,
                               .kernel_w = 3,
                               .stride_h = 2,
                               .stride_w = 2,
                               .pad_right = 1,
                               .type = T};
}
static int transposed_fw(void) {
  const struct train_conv2d l = transposed();
  return (int)train_conv_transpose2d_fw(&l);
}
static int transposed_bw(void) {
  const struct train_conv2d l = transposed();
  int status = (int)train_conv_transpose2d_wg(&l);
  rt_barrier();
  return status | (int)train_conv_transpose2d_ig(&l);
}

// ---- sequences

enum { STEPS = 6, WIDTH = 8, HEADS = 2 };
static struct train_attention attention(void) {
  return (struct train_attention){.in = x,
                                  .wq = w[0],
                                  .wk = w[1],
                                  .wv = w[2],
                                  .wo = w[3],
                                  .q = spare[0],
                                  .k = spare[1],
                                  .v = spare[2],
                                  .z = spare[3],
                                  .p = spare[4],
                                  .out = y,
                                  .out_grad = dy,
                                  .in_grad = dx,
                                  .wq_grad = dw[0],
                                  .wk_grad = dw[1],
                                  .wv_grad = dw[2],
                                  .wo_grad = dw[3],
                                  .scratch = spare[5],
                                  .rows = STEPS,
                                  .width = WIDTH,
                                  .heads = HEADS,
                                  .type = T};
}
static int attention_fw(void) {
  const struct train_attention l = attention();
  return (int)train_attention_fw(&l);
}
static int attention_bw(void) {
  const struct train_attention l = attention();
  return (int)train_attention_bw(&l);
}

static struct train_rnn rnn(void) {
  return (struct train_rnn){.in = x,
                            .wx = w[0],
                            .wh = w[1],
                            .start = spare[6],
                            .out = y,
                            .out_grad = dy,
                            .in_grad = dx,
                            .wx_grad = dw[0],
                            .wh_grad = dw[1],
                            .scratch = spare[5],
                            .steps = STEPS,
                            .in_n = 5,
                            .state_n = 9,
                            .type = T};
}
static int rnn_fw(void) {
  const struct train_rnn l = rnn();
  return (int)train_rnn_fw(&l);
}
static int rnn_bw(void) {
  const struct train_rnn l = rnn();
  return (int)train_rnn_bw(&l);
}

static struct train_gated gated(void) {
  return (struct train_gated){.in = x,
                              .wx = w[0],
                              .wh = w[1],
                              .bx = w[2],
                              .bh = w[3],
                              .start = spare[6],
                              .out = y,
                              .tape = spare[0],
                              .cells = spare[1],
                              .out_grad = dy,
                              .in_grad = dx,
                              .wx_grad = dw[0],
                              .wh_grad = dw[1],
                              .bx_grad = dw[2],
                              .bh_grad = dw[3],
                              .scratch = spare[5],
                              .steps = STEPS,
                              .in_n = 4,
                              .state_n = 5,
                              .type = T};
}
#define GATED(name, KIND)                                                                          \
  static int name##_fw(void) {                                                                     \
    const struct train_gated l = gated();                                                          \
    return (int)train_gated_fw(TRAIN_GATED_##KIND, &l);                                            \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    const struct train_gated l = gated();                                                          \
    return (int)train_gated_bw(TRAIN_GATED_##KIND, &l);                                            \
  }
GATED(gru, GRU)
GATED(lstm, LSTM)

static int swiglu_fw(void) {
  const struct train_swiglu l = {x, w[0], y, dy, dx, dw[0], N, T};
  return (int)train_swiglu_fw(&l);
}
static int swiglu_bw(void) {
  const struct train_swiglu l = {x, w[0], y, dy, dx, dw[0], N, T};
  return (int)train_swiglu_ig(&l);
}

static const uint32_t places[ROWS] = {2, 0, 3, 2, 2};
static int embedding_fw(void) {
  const struct train_embedding l = {x, NULL, places, NULL, y, 4, COLUMNS, ROWS, T};
  return (int)train_embedding_fw(&l);
}
static int embedding_bw(void) {
  const struct train_embedding l = {NULL, dx, places, dy, NULL, 4, COLUMNS, ROWS, T};
  struct rt_range mine = rt_split(4 * COLUMNS, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    train_layer_put(dx, i, 0);
  rt_barrier();
  return (int)train_embedding_wg(&l);
}

#define LAYER(name, flags, outputs, ...)                                                           \
  { #name, name##_fw, name##_bw, outputs, {__VA_ARGS__ }, flags }
#define ZEROS  TRAIN_LAYER_ZEROS
#define ROUNDS TRAIN_LAYER_ROUNDS
const struct train_layer train_layers[] = {
    LAYER(relu, 0, N, N),
    LAYER(leaky_relu, 0, N, N),
    LAYER(sigmoid, 0, N, N),
    LAYER(tanh, 0, N, N),
    LAYER(gelu, 0, N, N),
    LAYER(residual, 0, N, N, N),
    LAYER(dropout, 0, N, N),
    LAYER(softmax, 0, ROWS *COLUMNS, ROWS *COLUMNS),
    LAYER(reduce, 0, ROWS, ROWS *COLUMNS),
    LAYER(batch_norm, 0, 72, 72, 3, 3),
    LAYER(instance_norm, 0, 48, 48, 3, 3),
    LAYER(layer_norm, 0, 24, 24, 8, 8),
    LAYER(rms_norm, 0, 24, 24, 8),
    LAYER(no_norm, 0, 24, 24, 8, 8),
    LAYER(mse, 0, 1, N),
    LAYER(l1, 0, 1, N),
    LAYER(bce, 0, 1, N),
    LAYER(cross_entropy, 0, 1, ROWS *COLUMNS),
    LAYER(max_pool, 0, 24, C *H *W),
    LAYER(avg_pool, 0, 24, C *H *W),
    LAYER(nearest, 0, C * 32, C *H *W),
    LAYER(bilinear, 0, C * 32, C *H *W),
    LAYER(pad, 0, C * 8 * 9, C *H *W),
    LAYER(permute, 0, C *H *W, C *H *W),
    LAYER(transposed, ZEROS, 264, C *H *W, 54),
    LAYER(attention, ZEROS | ROUNDS, STEPS *WIDTH, STEPS *WIDTH, 64, 64, 64, 64),
    LAYER(rnn, ROUNDS, STEPS * 9, STEPS * 5, 45, 81),
    LAYER(gru, ZEROS | ROUNDS, STEPS * 5, STEPS * 4, 60, 75, 15, 15),
    LAYER(lstm, ZEROS | ROUNDS, STEPS * 5, STEPS * 4, 80, 100, 20, 20),
    LAYER(swiglu, 0, N, N, N),
    LAYER(embedding, 0, ROWS *COLUMNS, 4 * COLUMNS),
};
const uint32_t train_layer_count = sizeof train_layers / sizeof *train_layers;
