// kernels/bench/train_cnn.c: a small convolutional network learns to tell images apart, on the
// machine.
//
// conv 1 -> 4, ReLU, max pooling, conv 4 -> 8, ReLU, max pooling, fully connected, cross entropy;
// gradients are added up over batches of eight images; SGD with momentum. The data of data.h.
// Prints loss and held-out accuracy as it goes, and a checksum of the weights: the same on any
// number of cores. Returns 0 if it has learned: ENOUGH thousandths of the held-out images.
#ifndef DATA
#define DATA fashion
#endif
#include "data.h"

#include "kernels/train/train_act.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"

#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef REPORTS
#define REPORTS 2
#endif
#ifndef ENOUGH
#define ENOUGH 550
#endif
#ifndef RATE
#define RATE 0.02f
#endif

enum { BATCH = 8, CLASSES = DATA_CLASSES, SIDE = DATA_SIDE, HALF = SIDE / 2, QUARTER = HALF / 2 };
enum { PIXELS = SIDE * SIDE, POOLED = HALF * HALF, C1 = 4, C2 = 8, FLAT = C2 * QUARTER * QUARTER };
enum {
  W1 = 9 * C1,
  W2 = 9 * C1 * C2,
  W3 = FLAT * CLASSES,
  WEIGHTS = W1 + W2 + W3 + C1 + C2 + CLASSES
};

RT_REGION(1, "batch");

static RT_L1_BSS float weights[WEIGHTS], gradients[WEIGHTS], velocity[WEIGHTS];

// Activations of one image and their gradients, layer after layer.
static RT_L1_BSS float x0[PIXELS], x1[C1 * PIXELS], x2[C1 * POOLED], x3[C2 * POOLED], x4[FLAT],
    x5[CLASSES];
static RT_L1_BSS float d1[C1 * PIXELS], d2[C1 * POOLED], d3[C2 * POOLED], d4[FLAT], d5[CLASSES];
static RT_L1_BSS float scratch[2048];
static RT_L1_BSS uint8_t label;
static RT_L1_BSS float loss, partial[TRAIN_LOSS_PARTS], loss_sum;
static RT_L1_BSS uint32_t right;

static void make_weights(void) {
  uint32_t seed = 3;
  for (uint32_t i = 0; i < W1 + W2 + W3; i++)
    weights[i] = (i < W1 ? 0.5f : 0.25f) * data_uniform(&seed);
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
                               .in_h = number == 1 ? SIDE : HALF,
                               .in_w = number == 1 ? SIDE : HALF,
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
                     : (struct train_act){x3, x3, d3, d3, C2 * POOLED, 0, TRAIN_F32};
}

static struct train_pool pool(uint32_t number) {
  return number == 1 ? (struct train_pool){x1, x2, d2, d1, C1, SIDE, SIDE, 2, 2, 2, 2, TRAIN_F32}
                     : (struct train_pool){x3, x4, d4, d3, C2, HALF, HALF, 2, 2, 2, 2, TRAIN_F32};
}

static struct train_linear linear(void) {
  uint32_t w = W1 + W2, b = W1 + W2 + W3 + C1 + C2;
  return (struct train_linear){.in = x4,
                               .weights = weights + w,
                               .bias = weights + b,
                               .out = x5,
                               .out_grad = d5,
                               .in_grad = d4,
                               .weights_grad = gradients + w,
                               .bias_grad = gradients + b,
                               .batch = 1,
                               .in_n = FLAT,
                               .out_n = CLASSES,
                               .add = true};
}

// Example n through the network.
static void forward(uint32_t n) {
  if (rt_core_id() == 0) {
    data_get(n, x0);
    label = data_label(n);
  }
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
    const struct train_loss ce = {.in = x5,
                                  .labels = &label,
                                  .in_grad = d5,
                                  .loss = &loss,
                                  .partial = partial,
                                  .rows = 1,
                                  .columns = CLASSES};
    forward(n);
    train_loss_cross_entropy(&ce);
    if (rt_core_id() == 0)
      loss_sum += loss;
    backward();
  }
  const struct train_optim sgd = {.weights = weights,
                                  .grad = gradients,
                                  .v = velocity,
                                  .count = WEIGHTS,
                                  .rate = RATE / BATCH,
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
  for (uint32_t n = DATA_TRAINED; n < DATA_TRAINED + DATA_HELD; n++) {
    forward(n);
    if (rt_core_id() == 0)
      right += best() == label;
    rt_barrier();
  }
  return data_thousandths(right, DATA_HELD);
}

int main(void) {
  if (rt_core_id() == 0) {
    data_make();
    make_weights();
  }
  rt_barrier();
  uint32_t correct = 0;
  for (uint32_t epoch = 1; epoch <= EPOCHS; epoch++) {
    if (rt_core_id() == 0)
      loss_sum = 0;
    for (uint32_t first = 0; first < DATA_TRAINED; first += BATCH) {
      rt_region_begin(1);
      train_batch(first);
      rt_region_end(1);
    }
    if (epoch % (EPOCHS / REPORTS) != 0)
      continue;
    correct = accuracy();
    data_report(epoch, loss_sum / DATA_TRAINED, correct);
    rt_barrier();
  }
  data_report_weights(weights, WEIGHTS);
  rt_barrier();
  return correct >= ENOUGH ? 0 : 1;
}
