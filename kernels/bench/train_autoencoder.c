// kernels/bench/train_autoencoder.c: a training step of MLPerf Tiny's Deep Autoencoder, its weights
// in L2: 640 - 4 x 128 - 8 - 4 x 128 - 640, ReLU between the layers, mean squared error against the
// input, stochastic gradient descent, batch 1. 710,656 MACs: forward and gradients of the weights
// 264,192 each, of the inputs 182,272 (the first layer's input has none).
//
// Batch normalization is not part of the step, as in PULP-TrainLib's (batch 1). Layer sizes:
// mlcommons/tiny, benchmark/training/anomaly_detection. It learns to repeat examples of few, wide
// waves; it returns 0 if the loss falls to less than half of what it was, and prints a checksum of
// the weights: the same on any number of cores.
#include "bench.h"

#include "kernels/train/train_streamed.h"

#ifndef STEPS
#define STEPS 24
#endif
#ifndef TILE_FLOATS // of all cores
#define TILE_FLOATS 11280
#endif
#ifndef RATE
#define RATE 0.1f
#endif

enum {
  LAYERS = 10,
  INPUTS = 640,
  WIDTH = 128,
  CODE = 8,
  EXAMPLES = 4,
  HEAD = TRAIN_STREAMED_HEAD,
  GROUP_FLOATS = TRAIN_STREAMED_GROUPS * (HEAD + WIDTH),
  L1_FLOATS = GROUP_FLOATS + TILE_FLOATS
};
enum {
  PRODUCTS = 2 * INPUTS * WIDTH + 6 * WIDTH * WIDTH + 2 * WIDTH * CODE,
  OUTPUTS = 8 * WIDTH + CODE + INPUTS,
  WEIGHTS = PRODUCTS + HEAD * OUTPUTS,
  MACS = 3 * PRODUCTS - INPUTS * WIDTH
};

RT_REGION(1, "training step");
RT_REGION(2, "first step");

static const uint16_t widths[LAYERS + 1] = {INPUTS, WIDTH, WIDTH, WIDTH, WIDTH, CODE,
                                            WIDTH,  WIDTH, WIDTH, WIDTH, INPUTS};
static float weights[WEIGHTS] __attribute__((aligned(8)));
static RT_L1_BSS float tiles[L1_FLOATS] __attribute__((aligned(8)));
static RT_L1_BSS float inputs[2][HEAD + INPUTS]
    __attribute__((aligned(8))); // of this step and of the one before, in turn
static RT_L1_BSS float value[OUTPUTS - INPUTS + LAYERS * HEAD];
static RT_L1_BSS float grad[2][WIDTH]; // of a layer and of the one below, in turn
static RT_L1_BSS struct train_streamed_layer layers[LAYERS];
static RT_L1_BSS float loss_parts[8];
static RT_L1_BSS uint32_t checksums[RT_MAX_CORES];

static RT_L1 struct train_streamed net = {
    .layers = layers, .count = LAYERS, .rate = RATE, .l1 = tiles, .l1_bytes = sizeof tiles};

static float uniform(uint32_t *seed) {
  return (float)(int16_t)(rt_random(seed) >> 7) * 0x1p-15f;
}

static void make_weights(const struct train_streamed_layer *l, uint32_t number) {
  float scale = __builtin_sqrtf(6.0f / (float)l->in_n);
  for (uint32_t o = rt_core_id(); o < l->out_n; o += rt_core_count()) {
    // Each row its own: the same on any number of cores.
    uint32_t seed = (number + o + 1) * 2654435761u;
    for (uint32_t i = 0; i < l->in_n; i++)
      l->weights[train_streamed_place(l, o, i)] = scale * uniform(&seed);
  }
}

static void make_layers(void) {
  float *w = weights, *v = value;
  uint32_t number = 0;
  for (uint32_t l = 0; l < LAYERS; l++) {
    uint32_t in_n = widths[l], out_n = widths[l + 1];
    bool last = l + 1 == LAYERS; // has its values elsewhere: main()
    if (rt_core_id() == 0)
      layers[l] = (struct train_streamed_layer){.weights = w,
                                                .value = v,
                                                .grad = grad[l % 2],
                                                .in_n = in_n,
                                                .out_n = out_n,
                                                .rows = TRAIN_STREAMED_ROWS,
                                                .relu = !last};
    rt_barrier();
    if (!last)
      train_streamed_head(v, out_n);
    make_weights(&layers[l], number);
    number += in_n * out_n;
    w += train_streamed_floats(&layers[l]);
    v += train_streamed_vector(out_n);
  }
}

// Example `which`: a triangle wave of its own length.
static void make_input(uint32_t which) {
  float *input = inputs[which % 2] + HEAD;
  train_streamed_head(inputs[which % 2], INPUTS);
  uint32_t period = 64u << which % EXAMPLES;
  for (uint32_t i = rt_core_id(); i < INPUTS; i += rt_core_count()) {
    uint32_t at = i % period;
    input[i] = (float)(at < period / 2 ? at : period - at) / (float)period;
  }
}

// Mean squared error by parts of 80 outputs, whoever computes them: of the gradients, 2 / INPUTS
// times the errors.
static float loss(void) {
  enum { PART = INPUTS / 8 };
  const float *grads = layers[LAYERS - 1].grad;
  for (uint32_t part = rt_core_id(); part < INPUTS / PART; part += rt_core_count()) {
    float sum = 0;
    for (uint32_t i = part * PART; i < (part + 1) * PART; i++)
      sum = __builtin_fmaf(grads[i], grads[i], sum);
    loss_parts[part] = sum;
  }
  rt_barrier();
  float sum = 0;
  for (uint32_t part = 0; part < INPUTS / PART; part++)
    sum += loss_parts[part];
  return sum * (INPUTS / 4.0f);
}

static enum kernel_status step(float *mean) {
  enum kernel_status status = train_streamed_step(&net);
  rt_barrier();
  *mean = loss();
  return status;
}

// Of all weights, each core's part added up: no order matters.
static void sum_weights(void) {
  uint32_t sum = 0;
  for (uint32_t i = rt_core_id(); i < WEIGHTS; i += rt_core_count())
    sum += rt_float_bits(weights[i]) * (2 * i + 1);
  checksums[rt_core_id()] = sum;
}

int main(void) {
  float mean = 0, first[EXAMPLES] = {0}, last = 0, began = 0;
  make_layers();
  if (rt_core_id() == 0)
    rt_region_macs(1, MACS);
  rt_barrier();
  for (uint32_t i = 0; i < STEPS; i++) {
    make_input(i);
    if (rt_core_id() == 0) {
      net.input = inputs[i % 2];
      net.target = net.input + HEAD;
      // The forward pass is done with the input of the step before when it comes to the last
      // layer, whose values, and then gradients, take its place.
      layers[LAYERS - 1].value = inputs[(i + 1) % 2];
      layers[LAYERS - 1].grad = inputs[(i + 1) % 2] + HEAD;
      net.step_input = inputs[(i + 1) % 2];
    }
    rt_barrier();
    rt_region_begin_if(2, i == 0);
    rt_region_begin_if(1, i == BENCH_WARM_CALLS);
    if (step(&mean) != KERNEL_OK)
      return 1;
    rt_region_end_if(1, i == BENCH_WARM_CALLS);
    rt_region_end_if(2, i == 0);
    if (i < EXAMPLES)
      first[i] = mean;
    if (i + EXAMPLES >= STEPS)
      last += mean;
  }
  for (uint32_t i = 0; i < EXAMPLES; i++)
    began += first[i];
  if (train_streamed_finish(&net) != KERNEL_OK)
    return 1;
  rt_barrier();
  sum_weights();
  rt_barrier();
  uint32_t sum = 0;
  for (uint32_t i = 0; i < rt_core_count(); i++)
    sum += checksums[i];
  if (rt_core_id() == 0)
    rt_printf("loss %u, at first %u millionths; weights %08x\n", (unsigned)(last * 1e6f),
              (unsigned)(began * 1e6f), (unsigned)sum);
  return last < began / 2 ? 0 : 1;
}
