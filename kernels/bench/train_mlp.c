// kernels/bench/train_mlp.c: a small network learns to tell two spirals apart, on the machine.
//
// 2 inputs, two hidden layers of tanh, 2 outputs, cross entropy, Adam, batches of 32. The spirals
// (Lang, Witbrock, "Learning to tell two spirals apart", 1988) are generated from a seed, with
// noise; every third point is held out. Prints loss and held-out accuracy as it goes, and a
// checksum of the weights: the same on any number of cores. Returns 0 if it has learned.
#include "bench.h"

#include "kernels/train/train_act.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"

#ifndef EPOCHS
#define EPOCHS 24
#endif

enum {
  POINTS = 288,
  HELD = POINTS / 3,
  BATCH = 32,
  BATCHES = (POINTS - HELD) / BATCH,
  HIDDEN = 24
};
enum { LAYERS = 3, WEIGHTS = 2 * HIDDEN + HIDDEN * HIDDEN + HIDDEN * 2, BIASES = 2 * HIDDEN + 2 };

RT_REGION(1, "epoch");

// Learned parameters: the weights of all layers, then the biases; their gradients, and Adam's
// means.
static RT_L1_BSS float parameters[WEIGHTS + BIASES], gradients[WEIGHTS + BIASES],
    mean[WEIGHTS + BIASES], square[WEIGHTS + BIASES];
static RT_L1_BSS float point[POINTS][2];
static RT_L1_BSS uint8_t label[POINTS];

// Activations of a batch, before and after tanh, and their gradients.
static const uint32_t width[LAYERS + 1] = {2, HIDDEN, HIDDEN, 2};
static RT_L1_BSS float value[LAYERS + 1][BATCH * HIDDEN], gradient[LAYERS + 1][BATCH * HIDDEN];
static RT_L1_BSS float loss, partial[TRAIN_LOSS_PARTS], loss_sum;
static RT_L1_BSS uint32_t right;

static float uniform(uint32_t *seed) {
  return (float)(int16_t)(rt_random(seed) >> 7) * 0x1p-15f;
}

// Points along both arms, half a turn apart, turning by a constant angle; arms and the held-out
// third alternate.
static void make_points(void) {
  const float c = 0.99905f, s = 0.04362f; // a step of 2.5 degrees: one turn in all
  float x = 1, y = 0;
  uint32_t seed = 2024;
  for (uint32_t i = 0; i < POINTS; i++) {
    float sign = i & 1 ? -1.0f : 1.0f;
    uint32_t step = i / 2, steps = POINTS / 2;
    float radius = 0.1f + 0.9f * (float)step / (float)steps;
    point[i][0] = 2.0f * (sign * radius * x + 0.02f * uniform(&seed));
    point[i][1] = 2.0f * (sign * radius * y + 0.02f * uniform(&seed));
    label[i] = i & 1;
    if (i & 1) {
      float turned = x * c - y * s;
      y = x * s + y * c;
      x = turned;
    }
  }
}

static bool held_out(uint32_t i) {
  return i / 2 % 3 == 2;
}

static void make_weights(void) {
  uint32_t seed = 7, at = 0;
  for (uint32_t l = 0; l < LAYERS; l++) {
    float scale = l == 0 ? 1.0f : 0.35f; // about 1.7 / sqrt(inputs)
    for (uint32_t i = 0; i < width[l] * width[l + 1]; i++)
      parameters[at++] = scale * uniform(&seed);
  }
}

static struct train_linear layer(uint32_t l, uint32_t batch) {
  uint32_t w = l == 0 ? 0 : l == 1 ? 2 * HIDDEN : 2 * HIDDEN + HIDDEN * HIDDEN;
  uint32_t b = WEIGHTS + l * HIDDEN;
  return (struct train_linear){.in = value[l],
                               .weights = parameters + w,
                               .bias = parameters + b,
                               .out = value[l + 1],
                               .out_grad = gradient[l + 1],
                               .in_grad = gradient[l],
                               .weights_grad = gradients + w,
                               .bias_grad = gradients + b,
                               .batch = batch,
                               .in_n = width[l],
                               .out_n = width[l + 1]};
}

static struct train_act act(uint32_t l, uint32_t batch) {
  return (struct train_act){value[l],       value[l], gradient[l], gradient[l],
                            batch * HIDDEN, 0,        TRAIN_F32};
}

static void forward(uint32_t batch) {
  for (uint32_t l = 0; l < LAYERS; l++) {
    const struct train_linear linear = layer(l, batch);
    train_linear_fw(&linear);
    rt_barrier();
    if (l + 1 < LAYERS) {
      const struct train_act tanh = act(l + 1, batch);
      train_act_fw(TRAIN_ACT_tanh, &tanh);
      rt_barrier();
    }
  }
}

static void backward(uint32_t batch) {
  for (uint32_t l = LAYERS; l-- > 0;) {
    const struct train_linear linear = layer(l, batch);
    train_linear_wg(&linear);
    rt_barrier();
    if (l == 0)
      break;
    train_linear_ig(&linear);
    rt_barrier();
    const struct train_act tanh = act(l, batch);
    train_act_ig(TRAIN_ACT_tanh, &tanh);
    rt_barrier();
  }
}

// Copies the next points that are held out, or are not, to the input; returns where it stopped.
static uint32_t load(uint32_t from, bool held, uint8_t *labels, uint32_t *count) {
  uint32_t n = 0;
  for (; from < POINTS && n < BATCH; from++) {
    uint32_t i = from * 89 % POINTS; // all over the spirals
    if (held_out(i) != held)
      continue;
    if (rt_core_id() == 0) {
      value[0][2 * n] = point[i][0];
      value[0][2 * n + 1] = point[i][1];
      labels[n] = label[i];
    }
    n++;
  }
  *count = n;
  rt_barrier();
  return from;
}

static void step(uint32_t number, const uint8_t *labels, uint32_t count) {
  const struct train_loss ce = {value[LAYERS], NULL, labels,   gradient[LAYERS], &loss, partial, 0,
                                count,         2,    TRAIN_F32};
  forward(count);
  train_loss_cross_entropy(&ce);
  if (rt_core_id() == 0)
    loss_sum += loss;
  backward(count);
  static RT_L1_BSS float power[2];
  if (rt_core_id() == 0) {
    power[0] = number == 1 ? 0.9f : power[0] * 0.9f;
    power[1] = number == 1 ? 0.99f : power[1] * 0.99f;
  }
  rt_barrier();
  const struct train_optim adam = {
      parameters, gradients, mean,  square, WEIGHTS + BIASES, 0.01f,        0,
      0,          0.9f,      0.99f, 1e-8f,  1 - power[0],     1 - power[1], TRAIN_F32};
  train_optim_adam(&adam);
  rt_barrier();
}

// Thousandths of the held-out points that are told right.
static uint32_t accuracy(uint8_t *labels) {
  uint32_t count;
  if (rt_core_id() == 0)
    right = 0;
  for (uint32_t from = 0; from < POINTS;) {
    from = load(from, true, labels, &count);
    if (count == 0)
      break;
    forward(count);
    for (uint32_t i = 0; rt_core_id() == 0 && i < count; i++)
      right += (value[LAYERS][2 * i + 1] > value[LAYERS][2 * i]) == labels[i];
    rt_barrier();
  }
  return right * 1000 / HELD;
}

int main(void) {
  static RT_L1_BSS uint8_t labels[BATCH];
  if (rt_core_id() == 0) {
    make_points();
    make_weights();
  }
  rt_barrier();
  uint32_t number = 0, count, correct = 0;
  for (uint32_t epoch = 1; epoch <= EPOCHS; epoch++) {
    if (rt_core_id() == 0)
      loss_sum = 0;
    rt_region_begin(1);
    for (uint32_t from = 0, b = 0; b < BATCHES; b++) {
      from = load(from, false, labels, &count);
      step(++number, labels, count);
    }
    rt_region_end(1);
    if (epoch % (EPOCHS / 6) != 0)
      continue;
    correct = accuracy(labels);
    if (rt_core_id() == 0)
      rt_printf("epoch %3u: loss 0.%06u, held-out accuracy %u.%u %%\n", (unsigned)epoch,
                (unsigned)(loss_sum / BATCHES * 1e6f), (unsigned)(correct / 10),
                (unsigned)(correct % 10));
    rt_barrier();
  }
  if (rt_core_id() == 0) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WEIGHTS + BIASES; i++)
      sum = sum * 31 + rt_float_bits(parameters[i]);
    rt_printf("weights %08x\n", (unsigned)sum);
  }
  rt_barrier();
  return correct >= 900 ? 0 : 1;
}
