// kernels/bench/train_autoencoder_tiles.c: a training step of MLPerf Tiny's Deep Autoencoder (see
// train_autoencoder.c) by the tables of train_net.h: products through tiles, each layer stepped at
// once. The suites set `bench_matmul` to take one kernel for all layers, as in Figure 6 of Nadalini
// et al., PULP-TrainLib, SAMOS 2022.
//
// It learns to repeat triangle waves; it returns 0 if the loss falls.
#include "bench.h"

#include "kernels/mm/mmt_f32.h"
#include "kernels/train/train_net.h"

enum { LAYERS = 10, INPUTS = 640, WIDTH = 128, CODE = 8, EXAMPLES = 2, STEPS = 6 };
enum { FLOATS = 2 * INPUTS * WIDTH + 6 * WIDTH * WIDTH + 2 * WIDTH * CODE };
enum { WEIGHTS = FLOATS + 8 * WIDTH + CODE + INPUTS, MACS = 3 * FLOATS - INPUTS * WIDTH };
enum { LARGEST = INPUTS * WIDTH + INPUTS, L1_FLOATS = 11800 };

RT_REGION(1, "training step");

// 0: each layer's own; else 1 + an id of mmt_f32.h whose cores split rows, as the next one's
// columns.
uint32_t bench_matmul;

static const uint16_t widths[LAYERS + 1] = {INPUTS, WIDTH, WIDTH, WIDTH, WIDTH, CODE,
                                            WIDTH,  WIDTH, WIDTH, WIDTH, INPUTS};
static float weights[WEIGHTS], gradients[LARGEST], input[INPUTS], out[8 * WIDTH + CODE + INPUTS];
static float grads[2][INPUTS];
static RT_L1_BSS float l1[L1_FLOATS] __attribute__((aligned(8)));
static RT_L1_BSS struct train_net_layer layers[LAYERS];
static RT_L1_BSS float loss;

static RT_L1 struct train_net net = {.layers = layers,
                                     .count = LAYERS,
                                     .input = input,
                                     .grads = {grads[0], grads[1]},
                                     .weights = weights,
                                     .gradients = gradients,
                                     .weight_count = WEIGHTS,
                                     .at_once = true,
                                     .target = input,
                                     .rate = 0.2f,
                                     .l1 = l1,
                                     .l1_bytes = sizeof l1};

static uint16_t at_most(uint32_t size, uint32_t most) {
  return (uint16_t)(size < most ? size : most);
}

// Tiles and kernels as pulpsim-tune finds them for the wide layers.
static struct train_net_layer layer_of(uint32_t in, uint32_t outs) {
  bool wide_in = in == INPUTS, wide_out = outs == INPUTS;
  struct train_net_layer l = {.kind = TRAIN_NET_PRODUCT, .relu = !wide_out};
  l.in_c = (uint16_t)in;
  l.out_c = (uint16_t)outs;
  l.in_h = l.in_w = l.out_h = l.out_w = 1;
  l.fw = (struct train_net_tile){at_most(outs, wide_in    ? 32
                                               : wide_out ? 40
                                                          : WIDTH),
                                 1,
                                 at_most(in, wide_in    ? 160
                                             : wide_out ? WIDTH
                                                        : 43),
                                 false,
                                 1 + (wide_in    ? MMT_F32_4x4_rows
                                      : wide_out ? MMT_F32_5x5_grid
                                                 : MMT_F32_4x1_rows)};
  l.wg = (struct train_net_tile){at_most(outs, wide_out ? 42 : 32), at_most(in, 162), 1, wide_in,
                                 1 + (wide_in    ? MMT_F32_4x6_grid
                                      : wide_out ? MMT_F32_6x4_grid
                                                 : MMT_F32_4x4_rows)};
  l.ig = (struct train_net_tile){1, at_most(in, WIDTH), at_most(outs, wide_out ? 40 : 32), false,
                                 1 + MMT_F32_1x8_cols};
  if (bench_matmul) {
    l.fw.matmul = l.wg.matmul = (uint8_t)bench_matmul;
    l.ig.matmul = (uint8_t)(bench_matmul + 1);
  }
  return l;
}

static void make_layers(void) {
  float *w = weights, *o = out;
  for (uint32_t i = 0; i < LAYERS; i++) {
    uint32_t in = widths[i], outs = widths[i + 1];
    layers[i] = layer_of(in, outs);
    layers[i].weights = w;
    layers[i].bias = w + in * outs;
    layers[i].out = o;
    w += (in + 1) * outs;
    o += outs;
  }
}

// In [-1, 1), times sqrt(6 / inputs) of each (He et al., ICCV 2015); biases are 0.
static void make_weights(void) {
  for (uint32_t l = 0; l < LAYERS; l++) {
    uint32_t in = widths[l], count = in * widths[l + 1];
    float scale = __builtin_sqrtf(6.0f / (float)in);
    for (uint32_t i = rt_core_id(); i < count; i += rt_core_count()) {
      uint32_t seed = ((uint32_t)(layers[l].weights - weights) + i + 1) * 2654435761u;
      rt_random(&seed);
      layers[l].weights[i] = scale * (float)(int16_t)(rt_random(&seed) >> 7) * 0x1p-15f;
    }
  }
}

// Example `which`: a triangle wave of its own length.
static void make_input(uint32_t which) {
  uint32_t period = 64u << which % EXAMPLES;
  for (uint32_t i = rt_core_id(); i < INPUTS; i += rt_core_count()) {
    uint32_t at = i % period;
    input[i] = (float)(at < period / 2 ? at : period - at) / (float)period;
  }
}

int main(void) {
  float began = 0, last = 0;
  if (rt_core_id() == 0) {
    make_layers();
    rt_region_macs(1, MACS);
  }
  rt_barrier();
  make_weights();
  for (uint32_t i = 0; i < STEPS; i++) {
    make_input(i);
    rt_barrier();
    rt_region_begin_if(1, i == BENCH_WARM_CALLS);
    if (train_net_forward(&net) != KERNEL_OK || train_net_backward(&net, 0, &loss) != KERNEL_OK)
      return 2;
    rt_region_end_if(1, i == BENCH_WARM_CALLS);
    began += i < EXAMPLES ? loss : 0;
    last += i + EXAMPLES >= STEPS ? loss : 0;
    rt_barrier();
  }
  if (rt_core_id() == 0)
    rt_printf("loss %u, at first %u millionths\n", (unsigned)(last * 1e6f),
              (unsigned)(began * 1e6f));
  return last < began ? 0 : 1;
}
