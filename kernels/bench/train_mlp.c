// kernels/bench/train_mlp.c: a small network of fully connected layers learns to tell classes
// apart, on the machine.
//
// LAYERS layers, tanh between them, HIDDEN wide; cross entropy, Adam, batches of BATCH, the data of
// data.h. Prints loss and held-out accuracy as it goes, and a checksum of the weights: the same on
// any number of cores. Returns 0 if it has learned: ENOUGH thousandths of the held-out examples.
#ifndef DATA
#define DATA spirals
#endif
#include "data.h"

#include "kernels/train/train_act.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"

#ifndef EPOCHS
#define EPOCHS 24
#endif
#ifndef REPORTS
#define REPORTS 6
#endif
#ifndef ENOUGH
#define ENOUGH 900
#endif
#ifndef SIZES
#define SIZES 32, 24, 3 // batch, width of hidden layers, layers
#endif
#ifndef RATE
#define RATE 0.01f
#endif

#define FIRST_OF_(a, b, c)  a
#define SECOND_OF_(a, b, c) b
#define THIRD_OF_(a, b, c)  c
#define PICK(which, ...)    which(__VA_ARGS__)
enum {
  BATCH = PICK(FIRST_OF_, SIZES),
  HIDDEN = PICK(SECOND_OF_, SIZES),
  LAYERS = PICK(THIRD_OF_, SIZES),
  BATCHES = (DATA_TRAINED + BATCH - 1) / BATCH,
  WEIGHTS = DATA_INPUTS * HIDDEN + (LAYERS - 2) * HIDDEN * HIDDEN + HIDDEN * DATA_CLASSES,
  BIASES = (LAYERS - 1) * HIDDEN + DATA_CLASSES
};

RT_REGION(1, "epoch");

// Learned parameters: the weights of all layers, then the biases; their gradients, and Adam's
// means.
static RT_L1_BSS float parameters[WEIGHTS + BIASES], gradients[WEIGHTS + BIASES],
    mean[WEIGHTS + BIASES], square[WEIGHTS + BIASES];

// The inputs of a batch; activations before and after tanh, and their gradients.
static RT_L1_BSS float input[BATCH * DATA_INPUTS];
enum { WIDEST = (int)HIDDEN > (int)DATA_CLASSES ? (int)HIDDEN : (int)DATA_CLASSES };
static RT_L1_BSS float value[LAYERS][BATCH * WIDEST], gradient[LAYERS][BATCH * WIDEST];
static RT_L1_BSS uint8_t labels[BATCH];
static RT_L1_BSS float loss, partial[TRAIN_LOSS_PARTS], loss_sum;
static RT_L1_BSS uint32_t right;

static uint32_t inputs_of(uint32_t l) {
  return l == 0 ? DATA_INPUTS : HIDDEN;
}

static uint32_t outputs_of(uint32_t l) {
  return l + 1 < LAYERS ? HIDDEN : DATA_CLASSES;
}

static uint32_t weights_before(uint32_t l) {
  return l == 0 ? 0 : DATA_INPUTS * HIDDEN + (l - 1) * HIDDEN * HIDDEN;
}

static void make_weights(void) {
  uint32_t seed = 7;
  for (uint32_t l = 0; l < LAYERS; l++) {
    float scale = 1.7f / __builtin_sqrtf((float)inputs_of(l));
    for (uint32_t i = 0; i < inputs_of(l) * outputs_of(l); i++)
      parameters[weights_before(l) + i] = scale * data_uniform(&seed);
  }
}

static struct train_linear layer(uint32_t l, uint32_t batch) {
  uint32_t w = weights_before(l), b = WEIGHTS + l * HIDDEN;
  return (struct train_linear){.in = l == 0 ? input : value[l - 1],
                               .weights = parameters + w,
                               .bias = parameters + b,
                               .out = value[l],
                               .out_grad = gradient[l],
                               .in_grad = l == 0 ? NULL : gradient[l - 1],
                               .weights_grad = gradients + w,
                               .bias_grad = gradients + b,
                               .batch = batch,
                               .in_n = inputs_of(l),
                               .out_n = outputs_of(l)};
}

static struct train_act act(uint32_t l, uint32_t batch) {
  return (struct train_act){.in = value[l],
                            .out = value[l],
                            .out_grad = gradient[l],
                            .in_grad = gradient[l],
                            .count = batch * HIDDEN};
}

static void forward(uint32_t batch) {
  for (uint32_t l = 0; l < LAYERS; l++) {
    const struct train_linear linear = layer(l, batch);
    train_linear_fw(&linear);
    rt_barrier();
    if (l + 1 < LAYERS) {
      const struct train_act tanh = act(l, batch);
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
    const struct train_act tanh = act(l - 1, batch);
    train_act_ig(TRAIN_ACT_tanh, &tanh);
    rt_barrier();
  }
}

// Examples first .. first + count - 1 to the input.
static void load(uint32_t first, uint32_t count) {
  struct rt_range mine = rt_split(count, 1);
  for (uint32_t n = mine.begin; n < mine.end; n++) {
    data_get(first + n, input + n * DATA_INPUTS);
    labels[n] = data_label(first + n);
  }
  rt_barrier();
}

static uint32_t up_to_batch(uint32_t count) {
  return count < BATCH ? count : BATCH;
}

static void step(uint32_t number, uint32_t count) {
  static RT_L1_BSS float power[2];
  const struct train_loss ce = {.in = value[LAYERS - 1],
                                .labels = labels,
                                .in_grad = gradient[LAYERS - 1],
                                .loss = &loss,
                                .partial = partial,
                                .rows = count,
                                .columns = DATA_CLASSES};
  forward(count);
  train_loss_cross_entropy(&ce);
  if (rt_core_id() == 0)
    loss_sum += loss;
  backward(count);
  if (rt_core_id() == 0) {
    power[0] = number == 1 ? 0.9f : power[0] * 0.9f;
    power[1] = number == 1 ? 0.99f : power[1] * 0.99f;
  }
  rt_barrier();
  const struct train_optim adam = {.weights = parameters,
                                   .grad = gradients,
                                   .m = mean,
                                   .v = square,
                                   .count = WEIGHTS + BIASES,
                                   .rate = RATE,
                                   .beta1 = 0.9f,
                                   .beta2 = 0.99f,
                                   .epsilon = 1e-8f,
                                   .correction1 = 1 - power[0],
                                   .correction2 = 1 - power[1]};
  train_optim_adam(&adam);
  rt_barrier();
}

static uint32_t best(const float *output) {
  uint32_t at = 0;
  for (uint32_t i = 1; i < DATA_CLASSES; i++)
    at = output[i] > output[at] ? i : at;
  return at;
}

// Thousandths of the held-out examples that are told right.
static uint32_t accuracy(void) {
  if (rt_core_id() == 0)
    right = 0;
  for (uint32_t n = 0; n < DATA_HELD; n += BATCH) {
    uint32_t count = up_to_batch(DATA_HELD - n);
    load(DATA_TRAINED + n, count);
    forward(count);
    for (uint32_t i = 0; rt_core_id() == 0 && i < count; i++)
      right += best(value[LAYERS - 1] + i * DATA_CLASSES) == labels[i];
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
  uint32_t number = 0, correct = 0;
  for (uint32_t epoch = 1; epoch <= EPOCHS; epoch++) {
    if (rt_core_id() == 0)
      loss_sum = 0;
    rt_region_begin(1);
    for (uint32_t n = 0; n < DATA_TRAINED; n += BATCH) {
      uint32_t count = up_to_batch(DATA_TRAINED - n);
      load(n, count);
      step(++number, count);
    }
    rt_region_end(1);
    if (epoch % (EPOCHS / REPORTS) != 0)
      continue;
    correct = accuracy();
    data_report(epoch, loss_sum / BATCHES, correct);
    rt_barrier();
  }
  data_report_weights(parameters, WEIGHTS + BIASES);
  rt_barrier();
  return correct >= ENOUGH ? 0 : 1;
}
