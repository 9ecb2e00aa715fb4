// kernels/bench/train_cnn.c: a small convolutional network learns four kinds of strokes, on the
// machine.
//
// Images of 8x8 with a horizontal, vertical, rising or falling stroke at a random place, and noise,
// are generated from a seed; the second half is held out. conv 1 -> 4, ReLU, max pooling, conv 4 ->
// 8, ReLU, max pooling, fully connected 32 -> 4, cross entropy; gradients are added up over batches
// of eight images; SGD with momentum. Prints loss and held-out accuracy as it goes, and a checksum
// of the weights: the same on any number of cores. Returns 0 if it has learned.
#include "bench.h"

#include "kernels/train/train_act.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"

#ifndef EPOCHS
#define EPOCHS 8
#endif

enum { IMAGES = 192, TRAINED = IMAGES / 2, BATCH = 8, SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 4 };
enum { C1 = 4, C2 = 8, FLAT = C2 * 4 };
enum {
  W1 = 9 * C1,
  W2 = 9 * C1 * C2,
  W3 = FLAT * CLASSES,
  WEIGHTS = W1 + W2 + W3 + C1 + C2 + CLASSES
};

RT_REGION(1, "batch");

static RT_L1_BSS float weights[WEIGHTS], gradients[WEIGHTS], velocity[WEIGHTS];
static RT_L1_BSS int8_t image[IMAGES][PIXELS];
static RT_L1_BSS uint8_t label[IMAGES];

// Activations of one image and their gradients, layer after layer.
static RT_L1_BSS float x0[PIXELS], x1[C1 * PIXELS], x2[C1 * 16], x3[C2 * 16], x4[FLAT], x5[CLASSES];
static RT_L1_BSS float d1[C1 * PIXELS], d2[C1 * 16], d3[C2 * 16], d4[FLAT], d5[CLASSES];
static RT_L1_BSS float scratch[2048];
static RT_L1_BSS float loss, partial[TRAIN_LOSS_PARTS], loss_sum;
static RT_L1_BSS uint32_t right;

// Strokes five pixels long, 100 / 128 bright, over noise of up to a quarter of it.
static void make_images(void) {
  static const int8_t step[CLASSES] = {1, SIDE, SIDE + 1, SIDE - 1};
  uint32_t seed = 99;
  for (uint32_t n = 0; n < IMAGES; n++) {
    label[n] = (uint8_t)(rt_random(&seed) >> 9 & 3);
    for (uint32_t i = 0; i < PIXELS; i++)
      image[n][i] = (int8_t)(rt_random(&seed) >> 9) / 5;
    uint32_t kind = label[n], along = rt_random(&seed) % 4, across = rt_random(&seed) % 4;
    uint32_t row = kind == 0 ? along * 2 : along, column = kind == 1 ? across * 2 : across;
    if (kind == 3)
      column += 4;
    for (uint32_t i = 0; i < 5; i++)
      image[n][row * SIDE + column + i * (uint32_t)step[kind]] = 100;
  }
}

static void make_weights(void) {
  uint32_t seed = 3;
  for (uint32_t i = 0; i < W1 + W2 + W3; i++)
    weights[i] = (i < W1 ? 0.5f : 0.25f) * ((float)(int16_t)(rt_random(&seed) >> 7) * 0x1p-15f);
}

static struct train_conv2d conv(uint32_t number) {
  uint32_t w = number == 1 ? 0 : W1, b = W1 + W2 + W3 + (number == 1 ? 0 : C1);
  return (struct train_conv2d){.in = number == 1 ? x0 : x2,
                               .weights = weights + w,
                               .bias = weights + b,
                               .out = number == 1 ? x1 : x3,
                               .out_grad = number == 1 ? d1 : d3,
                               .in_grad = d2,
                               .weights_grad = gradients + w,
                               .bias_grad = gradients + b,
                               .scratch = scratch,
                               .in_c = number == 1 ? 1 : C1,
                               .in_h = number == 1 ? SIDE : 4,
                               .in_w = number == 1 ? SIDE : 4,
                               .out_c = number == 1 ? C1 : C2,
                               .kernel_h = 3,
                               .kernel_w = 3,
                               .stride_h = 1,
                               .stride_w = 1,
                               .pad_top = 1,
                               .pad_bottom = 1,
                               .pad_left = 1,
                               .pad_right = 1,
                               .add = true};
}

static struct train_act relu(uint32_t number) {
  return number == 1 ? (struct train_act){x1, x1, d1, d1, C1 * PIXELS, 0, TRAIN_F32}
                     : (struct train_act){x3, x3, d3, d3, C2 * 16, 0, TRAIN_F32};
}

static struct train_pool pool(uint32_t number) {
  return number == 1 ? (struct train_pool){x1, x2, d2, d1, C1, SIDE, SIDE, 2, 2, 2, 2, TRAIN_F32}
                     : (struct train_pool){x3, x4, d4, d3, C2, 4, 4, 2, 2, 2, 2, TRAIN_F32};
}

static struct train_linear linear(void) {
  uint32_t w = W1 + W2, b = W1 + W2 + W3 + C1 + C2;
  return (struct train_linear){x4,      weights + w,   weights + b,   x5,       d5,
                               d4,      gradients + w, gradients + b, 1,        FLAT,
                               CLASSES, true,          NULL,          TRAIN_F32};
}

static void forward(const int8_t *pixels) {
  struct rt_range mine = rt_split(PIXELS, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    x0[i] = (float)pixels[i] * 0x1p-7f;
  rt_barrier();
  for (uint32_t number = 1; number <= 2; number++) {
    const struct train_conv2d c = conv(number);
    const struct train_act a = relu(number);
    const struct train_pool p = pool(number);
    train_conv2d_fw(&c);
    rt_barrier();
    train_act_fw(TRAIN_ACT_relu, &a);
    rt_barrier();
    train_pool_max_fw(&p);
    rt_barrier();
  }
  const struct train_linear l = linear();
  train_linear_fw(&l);
  rt_barrier();
}

static void backward(void) {
  const struct train_linear l = linear();
  train_linear_wg(&l);
  rt_barrier();
  train_linear_ig(&l);
  rt_barrier();
  for (uint32_t number = 2; number >= 1; number--) {
    const struct train_conv2d c = conv(number);
    const struct train_act a = relu(number);
    const struct train_pool p = pool(number);
    train_pool_max_ig(&p);
    rt_barrier();
    train_act_ig(TRAIN_ACT_relu, &a);
    rt_barrier();
    train_conv2d_wg(&c);
    rt_barrier();
    if (number == 2)
      train_conv2d_ig(&c);
    rt_barrier();
  }
}

static void train_batch(uint32_t first) {
  struct rt_range mine = rt_split(WEIGHTS, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    gradients[i] = 0;
  rt_barrier();
  for (uint32_t n = first; n < first + BATCH; n++) {
    const struct train_loss ce = {x5,      NULL, label + n, d5,      &loss,
                                  partial, 0,    1,         CLASSES, TRAIN_F32};
    forward(image[n]);
    train_loss_cross_entropy(&ce);
    if (rt_core_id() == 0)
      loss_sum += loss;
    backward();
  }
  const struct train_optim sgd = {.weights = weights,
                                  .grad = gradients,
                                  .v = velocity,
                                  .count = WEIGHTS,
                                  .rate = 0.05f / BATCH,
                                  .momentum = 0.9f};
  train_optim_sgd(&sgd);
  rt_barrier();
}

static uint32_t best(void) {
  uint32_t at = 0;
  for (uint32_t i = 1; i < CLASSES; i++)
    at = x5[i] > x5[at] ? i : at;
  return at;
}

// Thousandths of the held-out images that are told right.
static uint32_t accuracy(void) {
  if (rt_core_id() == 0)
    right = 0;
  for (uint32_t n = TRAINED; n < IMAGES; n++) {
    forward(image[n]);
    if (rt_core_id() == 0)
      right += best() == label[n];
    rt_barrier();
  }
  return right * 1000 / (IMAGES - TRAINED);
}

int main(void) {
  if (rt_core_id() == 0) {
    make_images();
    make_weights();
  }
  rt_barrier();
  uint32_t correct = 0;
  for (uint32_t epoch = 1; epoch <= EPOCHS; epoch++) {
    if (rt_core_id() == 0)
      loss_sum = 0;
    for (uint32_t first = 0; first < TRAINED; first += BATCH) {
      rt_region_begin(1);
      train_batch(first);
      rt_region_end(1);
    }
    if (epoch % 4 != 0)
      continue;
    correct = accuracy();
    if (rt_core_id() == 0)
      rt_printf("epoch %u: loss %u.%03u, held-out accuracy %u.%u %%\n", (unsigned)epoch,
                (unsigned)(loss_sum / TRAINED), (unsigned)(loss_sum / TRAINED * 1000) % 1000,
                (unsigned)(correct / 10), (unsigned)(correct % 10));
    rt_barrier();
  }
  if (rt_core_id() == 0) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WEIGHTS; i++)
      sum = sum * 31 + rt_float_bits(weights[i]);
    rt_printf("weights %08x\n", (unsigned)sum);
  }
  rt_barrier();
  return correct >= 900 ? 0 : 1;
}
