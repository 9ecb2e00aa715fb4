// tests/kernels/grid_train_gradients.c: gradients of all layers by central differences.
//
// Every layer is a function of some inputs; the loss is the sum of its outputs weighted by
// out_grad. One input at a time is moved by +-STEP, the layer runs forward on all cores, and the
// difference of the losses is compared with the gradient that the layer gave.
#include "grid_train.h"

#include <stddef.h>

#include "kernels/train/train_act.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_conv_transpose2d.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_rnn.h"
#include "kernels/train/train_shape.h"
#include "kernels/train/train_softmax.h"

#ifdef __riscv
enum { SAMPLES = 3 };
#else
enum { SAMPLES = 40 };
#endif

#define STEP 0x1p-6f

enum { MAX_INPUTS = 6, MAX_VALUES = 512 };

// Space for a layer: core 0 takes it, all share it.
static float *x, *y, *dx, *dy, *w[5], *dw[5], *spare[8];
static float *const *const inputs[MAX_INPUTS] = {&x, &w[0], &w[1], &w[2], &w[3], &w[4]};
static float *const *const gradients[MAX_INPUTS] = {&dx, &dw[0], &dw[1], &dw[2], &dw[3], &dw[4]};

// The layers. Sizes of the inputs in the order of `inputs`; 0 ends them.
struct layer {
  const char *name;
  int (*fw)(void), (*bw)(void);
  uint32_t outputs;
  uint32_t sizes[MAX_INPUTS];
};

// ---- elementwise

enum { N = 37 };
static struct train_act act(void) {
  return (struct train_act){x, y, dy, dx, N, 0.125f};
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
  const struct train_residual l = {x, w[0], y, dy, dx, dw[0], N, 0};
  return (int)train_residual_fw(&l);
}
static int residual_bw(void) {
  const struct train_residual l = {x, w[0], y, dy, dx, dw[0], N, 0};
  return (int)train_residual_ig(&l);
}
static int dropout_fw(void) {
  const struct train_dropout l = {x, y, N, 7, 0.75f};
  return (int)train_dropout(&l);
}
static int dropout_bw(void) {
  const struct train_dropout l = {dy, dx, N, 7, 0.75f};
  return (int)train_dropout(&l);
}

// ---- rows

enum { ROWS = 5, COLUMNS = 7 };
static int softmax_fw(void) {
  const struct train_softmax l = {x, y, dy, dx, ROWS, COLUMNS};
  return (int)train_softmax_fw(&l);
}
static int softmax_bw(void) {
  const struct train_softmax l = {x, y, dy, dx, ROWS, COLUMNS};
  return (int)train_softmax_ig(&l);
}
static int reduce_fw(void) {
  const struct train_reduce l = {x, y, ROWS, COLUMNS, 0.25f};
  return (int)train_reduce_fw(&l);
}
static int reduce_bw(void) {
  const struct train_reduce l = {dy, dx, ROWS, COLUMNS, 0.25f};
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
                         .epsilon = 1e-3f};
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

// ---- losses: one output, whose gradient is 1

static uint8_t labels[ROWS] = {3, 0, 6, 6, 1};
static struct train_loss loss(float *gradient) {
  return (struct train_loss){x, w[1], labels, gradient, y, spare[0], N, ROWS, COLUMNS};
}
#define LOSS(name)                                                                                 \
  static int name##_fw(void) {                                                                     \
    const struct train_loss l = loss(NULL);                                                        \
    return (int)train_loss_##name(&l);                                                             \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    if (rt_core_id() == 0)                                                                         \
      dy[0] = 1;                                                                                   \
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
  return (struct train_pool){x, y, dy, dx, C, H, W, 2, 3, 2, 1};
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
    const struct train_resize l = {x, y, C, H, W, 8, 4};                                           \
    return (int)train_resize_##name##_fw(&l);                                                      \
  }                                                                                                \
  static int name##_bw(void) {                                                                     \
    const struct train_resize l = {dy, dx, C, H, W, 8, 4};                                         \
    return (int)train_resize_##name##_ig(&l);                                                      \
  }
RESIZE(nearest)
RESIZE(bilinear)

static int pad_fw(void) {
  const struct train_pad l = {x, y, C, H, W, 1, 2, 3, 0};
  return (int)train_pad_fw(&l);
}
static int pad_bw(void) {
  const struct train_pad l = {dy, dx, C, H, W, 1, 2, 3, 0};
  return (int)train_pad_ig(&l);
}
static int permute_fw(void) {
  const struct train_permute l = {x, y, {C, H, W}, {1, 2, 0}};
  return (int)train_permute(&l);
}
static int permute_bw(void) {
  const struct train_permute l = {dy, dx, {H, W, C}, {2, 0, 1}};
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
                               .pad_right = 1};
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
                                  .heads = HEADS};
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
                            .state_n = 9};
}
static int rnn_fw(void) {
  const struct train_rnn l = rnn();
  return (int)train_rnn_fw(&l);
}
static int rnn_bw(void) {
  const struct train_rnn l = rnn();
  return (int)train_rnn_bw(&l);
}

static const uint32_t places[ROWS] = {2, 0, 3, 2, 2};
static int embedding_fw(void) {
  const struct train_embedding l = {x, NULL, places, NULL, y, 4, COLUMNS, ROWS};
  return (int)train_embedding_fw(&l);
}
static int embedding_bw(void) {
  const struct train_embedding l = {NULL, dx, places, dy, NULL, 4, COLUMNS, ROWS};
  struct rt_range mine = rt_split(4 * COLUMNS, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    dx[i] = 0;
  rt_barrier();
  return (int)train_embedding_wg(&l);
}

#define LAYER(name, outputs, ...)                                                                  \
  {                                                                                                \
#name, name##_fw, name##_bw, outputs, {                                                        \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
static const struct layer layers[] = {
    LAYER(relu, N, N),
    LAYER(leaky_relu, N, N),
    LAYER(sigmoid, N, N),
    LAYER(tanh, N, N),
    LAYER(gelu, N, N),
    LAYER(residual, N, N, N),
    LAYER(dropout, N, N),
    LAYER(softmax, ROWS *COLUMNS, ROWS *COLUMNS),
    LAYER(reduce, ROWS, ROWS *COLUMNS),
    LAYER(batch_norm, 72, 72, 3, 3),
    LAYER(instance_norm, 48, 48, 3, 3),
    LAYER(layer_norm, 24, 24, 8, 8),
    LAYER(rms_norm, 24, 24, 8),
    LAYER(mse, 1, N),
    LAYER(l1, 1, N),
    LAYER(bce, 1, N),
    LAYER(cross_entropy, 1, ROWS *COLUMNS),
    LAYER(max_pool, 24, C *H *W),
    LAYER(avg_pool, 24, C *H *W),
    LAYER(nearest, C * 32, C *H *W),
    LAYER(bilinear, C * 32, C *H *W),
    LAYER(pad, C * 8 * 9, C *H *W),
    LAYER(permute, C *H *W, C *H *W),
    LAYER(transposed, 264, C *H *W, 54),
    LAYER(attention, STEPS *WIDTH, STEPS *WIDTH, 64, 64, 64, 64),
    LAYER(rnn, STEPS * 9, STEPS * 5, 45, 81),
    LAYER(embedding, ROWS *COLUMNS, 4 * COLUMNS),
};
enum { LAYER_COUNT = sizeof layers / sizeof *layers };

// ---- differences

// Values that are a step and more from each other and from 0, so that no kink is crossed.
static void spread(float *values, uint32_t count, uint32_t seed) {
  for (uint32_t i = 0; i < count; i++)
    values[i] = (float)((int32_t)((i * 37 + seed) % 101) - 50) * 0x1p-5f + 0x1p-6f;
}

// All from one piece of memory.
static float *carve(float **left, uint32_t count) {
  float *place = *left;
  *left += count;
  return place;
}

static void take_all(void) {
  uint32_t seed = 5;
  float *left = grid_floats(4 * MAX_VALUES + 10 * (MAX_VALUES / 4) + 2 * 2200 + 6 * 160, &seed);
  x = carve(&left, MAX_VALUES);
  y = carve(&left, MAX_VALUES);
  dx = carve(&left, MAX_VALUES);
  dy = carve(&left, MAX_VALUES);
  spread(x, MAX_VALUES, 3);
  for (int i = 0; i < 5; i++) {
    w[i] = carve(&left, MAX_VALUES / 4);
    dw[i] = carve(&left, MAX_VALUES / 4);
  }
  for (int i = 0; i < 8; i++)
    spare[i] = carve(&left, i == 2 || i == 5 ? 2200 : 160);
}

static double weighted_sum(const struct layer *l) {
  double sum = 0;
  for (uint32_t i = 0; i < l->outputs; i++)
    sum += (double)y[i] * (double)dy[i];
  return sum;
}

static volatile int failed;

// The loss with one input moved; on all cores, and known to core 0.
static double loss_at(const struct layer *l, float *value, float at) {
  if (rt_core_id() == 0)
    *value = at;
  rt_barrier();
  int status = l->fw();
  rt_barrier();
  if (status != 0)
    failed = 1;
  return rt_core_id() == 0 ? weighted_sum(l) : 0;
}

static void compare(const struct layer *l, int input, uint32_t i, float gradient) {
  float *value = *inputs[input] + i, middle = *value;
  rt_barrier();
  double up = loss_at(l, value, middle + STEP);
  rt_barrier();
  double down = loss_at(l, value, middle - STEP);
  rt_barrier();
  if (rt_core_id() == 0) {
    *value = middle;
    double slope = (up - down) / (2 * (double)STEP), error = slope - (double)gradient;
    double size = gradient < 0 ? -(double)gradient : (double)gradient;
    // Truncation is of the order of STEP^2, rounding of 2^-24 / STEP.
    if (!((error < 0 ? -error : error) <= 2e-3 * (1 + size))) {
      failed = 1;
      rt_printf("%s: input %d[%u]: gradient %d / 1000000, difference %d\n", l->name, input,
                (unsigned)i, (int)(gradient * 1e6f), (int)(slope * 1e6));
    }
  }
  rt_barrier();
}

static void check_layer(const struct layer *l, uint32_t *seed) {
  int status = l->fw();
  rt_barrier();
  status |= l->bw();
  rt_barrier();
  if (status != 0)
    failed = 1;
  for (int input = 0; input < MAX_INPUTS && l->sizes[input]; input++) {
    for (uint32_t n = 0; n < SAMPLES && !failed; n++) {
      uint32_t i = rt_random(seed) % l->sizes[input];
      compare(l, input, i, (*gradients[input])[i]);
    }
  }
  if (failed && rt_core_id() == 0)
    rt_printf("%s on %u cores, status %d\n", l->name, rt_core_count(), status);
}

int grid_train_gradients(void) {
  uint32_t seed = 9;
  if (rt_core_id() == 0) {
    failed = 0;
    take_all();
  }
  rt_barrier();
  for (uint32_t i = 0; i < LAYER_COUNT && !failed; i++) {
    check_layer(&layers[i], &seed);
    rt_barrier();
  }
  rt_barrier();
  if (rt_core_id() == 0)
    grid_release();
  return failed;
}
