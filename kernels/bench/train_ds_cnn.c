// kernels/bench/train_ds_cnn.c: a training step of MLPerf Tiny's DS-CNN for keyword spotting, its
// activations, weights and gradients in L2: input 49x10, convolution 10x4 with stride 2, four times
// depthwise 3x3 and pointwise 64 -> 64 on 25x5, average, fully connected 64 -> 12; ReLU between,
// cross entropy, stochastic gradient descent, batch 1.
//
// 7,650,304 MACs: forward 2,656,768, gradients of the weights as many, of the inputs 2,336,768 (the
// first layer's input has none). Planes lie on their side, 5x25, for long rows. No batch
// normalization, as in PULP-TrainLib's step (batch 1), and biases in the last layer alone. With
// -DTYPE=fp16 or bf16 in 16 bits, the loss scaled.
//
// It learns to tell waves of two lengths apart; it returns 0 if the loss falls by a
// quarter, and prints a checksum of the weights: the same on any number of cores.
#include "bench.h"

#include "kernels/train/train_net_half.h"
#include "kernels/train/train_typed.h"
#include "train_ds_cnn.h"

#ifndef STEPS
#define STEPS 6
#endif

RT_REGION(1, "training step");
RT_REGION(2, "first step");

// Not 0: all products by this kernel, 1 + an id of mmt_f32.h, in the same tiles. Set by the suites.
uint32_t bench_matmul;

static RT_L1_BSS float loss;
static RT_L1_BSS uint8_t label;
static RT_L1_BSS uint32_t checksums[RT_MAX_CORES];

static enum kernel_status step(void) {
  KERNEL_CHECK(train_net_forward(&ds_cnn));
  KERNEL_CHECK(train_net_backward(&ds_cnn, label, &loss));
  return train_net_descend(&ds_cnn);
}

// ---------------------------------------------------------------- data

static uint32_t depthwise_at(uint32_t block) {
  return CONV_W + block * (DW_W + PW_W);
}
static uint32_t pointwise_at(uint32_t block) {
  return depthwise_at(block) + DW_W;
}

static float uniform(uint32_t *seed) {
  return (float)(int16_t)(rt_random(seed) >> 7) * 0x1p-15f;
}

// In [-1, 1), times sqrt(6 / inputs) of each (He et al., ICCV 2015).
static void make_weights(uint32_t at, uint32_t count, uint32_t inputs) {
  float scale = __builtin_sqrtf(6.0f / (float)inputs);
  for (uint32_t i = at + rt_core_id(); i < at + count; i += rt_core_count()) {
    uint32_t seed = (i + 1) * 2654435761u; // the same on any number of cores
    rt_random(&seed);
    weights[i] = scale * uniform(&seed);
  }
}

static void make_network(void) {
  make_weights(0, CONV_W, 40);
  for (uint32_t block = 0; block < BLOCKS; block++) {
    make_weights(depthwise_at(block), DW_W, 9);
    make_weights(pointwise_at(block), PW_W, C);
  }
  make_weights(LINEAR_AT, CLASSES * C, C);
}

static void put_input(uint32_t i, float value) {
#ifdef TYPE
  if (half.type->id == TRAIN_FP16)
    train_put(input, i, value, TRAIN_FP16);
  else
    train_put(input, i, value, TRAIN_BF16);
#else
  input[i] = value;
#endif
}

// Example `which`: a triangle wave in time of its own length, each band a little later.
static void make_input(uint32_t which) {
  uint32_t period = 4u << which % EXAMPLES;
  for (uint32_t i = rt_core_id(); i < INPUTS; i += rt_core_count()) {
    uint32_t at = (i % IN_W + i / IN_W) % period;
    float value = 2.0f * (float)(at < period / 2 ? at : period - at) / (float)period - 0.5f;
    put_input(i, value);
  }
  if (rt_core_id() == 0)
    label = (uint8_t)(3 * (which % EXAMPLES));
}

static void fix_kernels(void) {
  for (uint32_t i = 0; i < LAYERS && bench_matmul; i++) {
    layers[i].fw.matmul = (uint8_t)bench_matmul;
    layers[i].wg.matmul = (uint8_t)bench_matmul;
    layers[i].ig.matmul = (uint8_t)bench_matmul;
  }
}

static uint32_t sum_weights(void) {
  uint32_t sum = 0;
  for (uint32_t i = rt_core_id(); i < WEIGHTS; i += rt_core_count())
    sum += rt_float_bits(weights[i]) * (2 * i + 1);
  checksums[rt_core_id()] = sum;
  rt_barrier();
  sum = 0;
  for (uint32_t i = 0; i < rt_core_count(); i++)
    sum += checksums[i];
  return sum;
}

int main(void) {
  float began = 0, last = 0;
  make_network();
  if (rt_core_id() == 0) {
    fix_kernels();
    ds_cnn.at_once = !ds_cnn.half && !bench_matmul;
    rt_region_macs(1, MACS);
  }
  rt_barrier();
  if (ds_cnn.half && train_net_round(&ds_cnn) != KERNEL_OK)
    return 2;
  for (uint32_t i = 0; i < STEPS; i++) {
    make_input(i);
    rt_barrier();
    rt_region_begin_if(2, i == 0);
    rt_region_begin_if(1, i == BENCH_WARM_CALLS);
    if (step() != KERNEL_OK)
      return 2;
    rt_region_end_if(1, i == BENCH_WARM_CALLS);
    rt_region_end_if(2, i == 0);
    began += i < EXAMPLES ? loss : 0;
    last += i + EXAMPLES >= STEPS ? loss : 0;
  }
  uint32_t sum = sum_weights();
  if (rt_core_id() == 0)
    rt_printf("loss %u, at first %u millionths; weights %08x\n", (unsigned)(last * 1e6f),
              (unsigned)(began * 1e6f), (unsigned)sum);
  return last < 0.75f * began ? 0 : 1;
}
