// kernels/bench/train_ds_cnn.c: a training step of MLPerf Tiny's DS-CNN for keyword spotting, its
// activations, weights and gradients in L2: input 49x10, convolution 10x4 with stride 2, four times
// depthwise 3x3 and pointwise 64 -> 64 on 25x5, average, fully connected 64 -> 12; ReLU between,
// cross entropy, stochastic gradient descent, batch 1.
//
// 7,650,304 MACs: forward 2,656,768, gradients of the weights as many, of the inputs 2,336,768 (the
// first layer's input has none). Planes lie on their side, 5x25, for long rows. No batch
// normalization, as in PULP-TrainLib's step (batch 1), and biases in the last layer alone.
//
// What is between two products of a layer is done where its tile lies in L1: a depthwise layer
// takes ReLU of its input and of its output, and their gradients.
//
// It learns to tell waves of two lengths apart; it returns 0 if the loss falls by a
// quarter, and prints a checksum of the weights: the same on any number of cores.
#include "bench.h"

#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_tiled_product.h"
#include "kernels/train/train_tiles.h"

#ifndef STEPS
#define STEPS 6
#endif
#ifndef RATE
#define RATE 0.2f
#endif

enum { IN_H = 10, IN_W = 49, INPUTS = IN_H * IN_W, H = 5, W = 25, PLANE = H * W, C = 64 };
enum { ACTS = C * PLANE, BLOCKS = 4, CLASSES = 12, EXAMPLES = 2 };
enum { CONV_W = 4 * 10 * C, DW_W = 9 * C, PW_W = C * C, FC_W = CLASSES * C + CLASSES };
enum { USED = CONV_W + BLOCKS * (DW_W + PW_W) + FC_W, STEP_PARTS = 16 };
enum { WEIGHTS = (USED + 2 * STEP_PARTS - 1) / (2 * STEP_PARTS) * 2 * STEP_PARTS }; // and zeros
enum { MACS = 7650304, L1_FLOATS = 12400 };

RT_REGION(1, "training step");
RT_REGION(2, "first step");

// Outputs: of the convolution and of each block, before ReLU, and of the depthwise layers, behind.
static float outer[BLOCKS + 1][ACTS], inner[BLOCKS][ACTS];
static float outer_grad[ACTS], inner_grad[ACTS]; // of the layer at hand
static float weights[WEIGHTS], gradients[WEIGHTS], input[INPUTS];

static RT_L1_BSS float l1[L1_FLOATS] __attribute__((aligned(8)));
static RT_L1_BSS float pooled[C], pooled_grad[C], scores[CLASSES], scores_grad[CLASSES];
static RT_L1_BSS float loss, partial[TRAIN_LOSS_PARTS];
static RT_L1_BSS uint8_t label;
static RT_L1_BSS uint32_t checksums[RT_MAX_CORES];

static uint32_t depthwise_at(uint32_t block) {
  return CONV_W + block * (DW_W + PW_W);
}
static uint32_t pointwise_at(uint32_t block) {
  return depthwise_at(block) + DW_W;
}
enum { LINEAR_AT = USED - FC_W };

// ---------------------------------------------------------------- by channels

// A pass over channels, `part` of them at a time: arrays in L2 of so many floats a channel.
enum { STREAMS = TRAIN_TILE_OPERANDS };

struct by_channels {
  uint32_t channels, part, streams;
  float *array[STREAMS];
  uint32_t floats[STREAMS]; // a channel
  uint8_t outs;
  uint8_t whole; // arrays of which each part wants all: so many floats in all
  void (*compute)(const struct by_channels *pass, uint32_t channel, float *const *at);
  float *scratch; // behind the tiles
  const void *layer;
};

static void channel_tile(const void *layer, const struct train_tile_place *step, uint32_t operand,
                         struct train_tile *tile) {
  const struct by_channels *p = layer;
  bool whole = p->whole >> operand & 1;
  uint32_t floats = (whole ? 1 : p->part) * p->floats[operand];
  uint32_t at = whole ? 0 : step->inner * floats;
  *tile = (struct train_tile){p->array[operand] + at, 1, floats * 4, floats * 4};
}

static void channel_compute(const void *layer, const struct train_tile_place *step,
                            void *const *at) {
  const struct by_channels *p = layer;
  float *floats[STREAMS];
  for (uint32_t i = 0; i < p->streams; i++)
    floats[i] = at[i];
  p->compute(p, step->inner * p->part, floats);
}

static void run_by_channels(struct by_channels *p) {
  struct train_tiles tiles = {.layer = p,
                              .count = {1, 1, p->channels / p->part},
                              .operands = (uint8_t)p->streams,
                              .outs = p->outs,
                              .tile = channel_tile,
                              .compute = channel_compute};
  float *at = l1;
  for (uint32_t i = 0; i < p->streams; i++)
    for (uint32_t k = 0; k < 2; k++) {
      tiles.place[i][k] = at;
      at += (p->whole >> i & 1 ? k : p->part) * p->floats[i] +
            2; // not all at one bank; 8 bytes, as the DMA moves
    }
  p->scratch = at;
  train_tiles_run(&tiles);
  rt_barrier();
}

// Floats as what they are made of: a sign and, if not zero, something else.
typedef uint32_t __attribute__((may_alias)) bits;

static void relu(void *x, uint32_t count) {
  struct rt_range mine = rt_split(count / 4, 1);
  for (bits *at = (bits *)x + 4 * mine.begin, *end = (bits *)x + 4 * mine.end; at < end; at += 4) {
    bits a = at[0], b = at[1], c = at[2], d = at[3];
    at[0] = a & ((a >> 31) - 1);
    at[1] = b & ((b >> 31) - 1);
    at[2] = c & ((c >> 31) - 1);
    at[3] = d & ((d >> 31) - 1);
  }
}

// Of what went through ReLU to `out`.
static void relu_grad(const void *out, void *grad, uint32_t count) {
  struct rt_range mine = rt_split(count / 4, 1);
  const bits *y = (const bits *)out + 4 * mine.begin;
  for (bits *at = (bits *)grad + 4 * mine.begin, *end = (bits *)grad + 4 * mine.end; at < end;
       at += 4, y += 4) {
    bits a = at[0], b = at[1], c = at[2], d = at[3];
    at[0] = a & -(-y[0] >> 31);
    at[1] = b & -(-y[1] >> 31);
    at[2] = c & -(-y[2] >> 31);
    at[3] = d & -(-y[3] >> 31);
  }
}

// ---------------------------------------------------------------- convolution

static struct train_conv2d conv_of(const float *in, uint32_t filters) {
  return (struct train_conv2d){.in = in,
                               .in_c = 1,
                               .in_h = IN_H,
                               .in_w = IN_W,
                               .out_c = (uint16_t)filters,
                               .kernel_h = 4,
                               .kernel_w = 10,
                               .stride_h = 2,
                               .stride_w = 2,
                               .pad_top = 1,
                               .pad_bottom = 1,
                               .pad_left = 4,
                               .pad_right = 5};
}

static void conv_fw(const struct by_channels *p, uint32_t channel, float *const *at) {
  (void)channel;
  struct train_conv2d conv = conv_of(at[0], p->part);
  conv.weights = at[1];
  conv.out = at[2];
  conv.scratch = p->scratch;
  train_conv2d_fw(&conv);
}

static void conv_wg(const struct by_channels *p, uint32_t channel, float *const *at) {
  (void)channel;
  struct train_conv2d conv = conv_of(at[0], p->part);
  conv.out_grad = at[1];
  conv.weights_grad = at[2];
  conv.scratch = p->scratch;
  train_conv2d_wg(&conv);
}

static void convolution_fw(void) {
  struct by_channels p = {.channels = C,
                          .part = 16,
                          .streams = 3,
                          .array = {input, weights, outer[0]},
                          .floats = {INPUTS, 40, PLANE},
                          .outs = 4,
                          .whole = 1,
                          .compute = conv_fw};
  run_by_channels(&p);
}

static void convolution_wg(void) {
  struct by_channels p = {.channels = C,
                          .part = 16,
                          .streams = 3,
                          .array = {input, outer_grad, gradients},
                          .floats = {INPUTS, PLANE, 40},
                          .outs = 4,
                          .whole = 1,
                          .compute = conv_wg};
  run_by_channels(&p);
}

// ---------------------------------------------------------------- depthwise

static struct train_depthwise dw_of(const struct by_channels *p) {
  return (struct train_depthwise){.c = (uint16_t)p->part,
                                  .in_h = H,
                                  .in_w = W,
                                  .kernel_h = 3,
                                  .kernel_w = 3,
                                  .stride_h = 1,
                                  .stride_w = 1,
                                  .pad_top = 1,
                                  .pad_bottom = 1,
                                  .pad_left = 1,
                                  .pad_right = 1,
                                  .scratch = p->scratch};
}

static void dw_fw(const struct by_channels *p, uint32_t channel, float *const *at) {
  (void)channel;
  struct train_depthwise dw = dw_of(p);
  dw.in = at[0];
  dw.weights = at[1];
  dw.out = at[2];
  relu(at[0], p->part * PLANE);
  rt_barrier();
  train_depthwise_fw(&dw);
  rt_barrier();
  relu(at[2], p->part * PLANE);
}

static void dw_bw(const struct by_channels *p, uint32_t channel, float *const *at) {
  struct train_depthwise dw = dw_of(p);
  dw.in = at[0];
  dw.weights = at[1];
  dw.out_grad = at[3];
  dw.weights_grad = (float *)(uintptr_t)p->layer + channel * 9;
  dw.in_grad = at[4];
  relu(at[0], p->part * PLANE);
  relu_grad(at[2], at[3], p->part * PLANE);
  rt_barrier();
  train_depthwise_wg(&dw);
  train_depthwise_ig(&dw);
  rt_barrier();
  relu_grad(at[0], at[4], p->part * PLANE);
}

static void depthwise_fw(uint32_t block) {
  struct by_channels p = {.channels = C,
                          .part = 16,
                          .streams = 3,
                          .array = {outer[block], weights + depthwise_at(block), inner[block]},
                          .floats = {PLANE, 9, PLANE},
                          .outs = 4,
                          .compute = dw_fw};
  run_by_channels(&p);
}

static void depthwise_bw(uint32_t block) {
  struct by_channels p = {
      .channels = C,
      .part = 8,
      .streams = 5,
      .array = {outer[block], weights + depthwise_at(block), inner[block], inner_grad, outer_grad},
      .floats = {PLANE, 9, PLANE, PLANE, PLANE},
      .outs = 16,
      .compute = dw_bw,
      .layer = gradients + depthwise_at(block)};
  run_by_channels(&p);
}

// ---------------------------------------------------------------- pointwise

// Tile and kernel as pulpsim-tune layer pointwise --shape 64x25x5,64 finds them.
static void product(struct train_tiled_product *p) {
  p->l1 = l1;
  if (train_tiled_product_buffer_size(p) > sizeof l1 || train_tiled_product(p) != KERNEL_OK)
    rt_exit(1);
  rt_barrier();
}

static struct mmt_f32 planes(enum mmt_layout layout, const float *a, const float *b, float *c) {
  return (struct mmt_f32){.a = a,
                          .b = b,
                          .c = c,
                          .n = C,
                          .m = layout == MMT_NT ? C : PLANE,
                          .k = layout == MMT_NT ? PLANE : C,
                          .lda = layout == MMT_NT ? PLANE : C,
                          .ldb = PLANE,
                          .ldc = layout == MMT_NT ? C : PLANE,
                          .layout = layout};
}

static void pointwise_fw(uint32_t block) {
  struct train_tiled_product p = {
      .whole = planes(MMT_NN, weights + pointwise_at(block), inner[block], outer[block + 1]),
      .tile_n = C,
      .tile_m = 32,
      .tile_k = C,
      .matmul = 1 + MMT_F32_4x6_grid};
  product(&p);
}

static void pointwise_bw(uint32_t block) {
  struct train_tiled_product p = {
      .whole = planes(MMT_NT, outer_grad, inner[block], gradients + pointwise_at(block)),
      .tile_n = 8,
      .tile_m = C,
      .tile_k = PLANE,
      .rows_inner = true,
      .matmul = 1 + MMT_F32_4x4_grid};
  product(&p);
  p = (struct train_tiled_product){
      .whole = planes(MMT_TN, weights + pointwise_at(block), outer_grad, inner_grad),
      .tile_n = C,
      .tile_m = 32,
      .tile_k = C,
      .matmul = 1 + MMT_F32_4x6_grid};
  product(&p);
}

// ---------------------------------------------------------------- average, fully connected

static void average(const struct by_channels *p, uint32_t channel, float *const *at) {
  for (uint32_t c = rt_core_id(); c < p->part; c += rt_core_count()) {
    float sum = 0;
    for (uint32_t i = 0; i < PLANE; i++)
      sum += at[0][c * PLANE + i] > 0 ? at[0][c * PLANE + i] : 0;
    pooled[channel + c] = sum * (1.0f / PLANE);
  }
}

static void spread(const struct by_channels *p, uint32_t channel, float *const *at) {
  for (uint32_t c = rt_core_id(); c < p->part; c += rt_core_count()) {
    float grad = pooled_grad[channel + c] * (1.0f / PLANE);
    for (uint32_t i = c * PLANE; i < (c + 1) * PLANE; i++)
      at[1][i] = at[0][i] > 0 ? grad : 0;
  }
}

static void average_both(bool backward) {
  struct by_channels p = {.channels = C,
                          .part = 16,
                          .streams = backward ? 2 : 1,
                          .array = {outer[BLOCKS], outer_grad},
                          .floats = {PLANE, PLANE},
                          .outs = 2,
                          .compute = backward ? spread : average};
  run_by_channels(&p);
}

static void move(bool in, float *there, uint32_t floats) {
  if (rt_core_id() == 0)
    rt_dma_wait(in ? rt_dma_in(l1, there, floats * 4) : rt_dma_out(there, l1, floats * 4));
  rt_barrier();
}

static struct train_linear linear(void) {
  float *grad = l1 + FC_W;
  return (struct train_linear){.in = pooled,
                               .weights = l1,
                               .bias = l1 + CLASSES * C,
                               .out = scores,
                               .out_grad = scores_grad,
                               .in_grad = pooled_grad,
                               .weights_grad = grad,
                               .bias_grad = grad + CLASSES * C,
                               .batch = 1,
                               .in_n = C,
                               .out_n = CLASSES};
}

static void classify_and_learn(void) {
  const struct train_linear l = linear();
  const struct train_loss ce = {.in = scores,
                                .labels = &label,
                                .in_grad = scores_grad,
                                .loss = &loss,
                                .partial = partial,
                                .rows = 1,
                                .columns = CLASSES};
  move(true, weights + LINEAR_AT, FC_W);
  train_linear_fw(&l);
  rt_barrier();
  train_loss_cross_entropy(&ce);
  rt_barrier();
  train_linear_ig(&l);
  train_linear_wg(&l);
  rt_barrier();
  for (uint32_t i = rt_core_id(); i < FC_W; i += rt_core_count())
    l1[i] = l1[FC_W + i];
  rt_barrier();
  move(false, gradients + LINEAR_AT, FC_W);
}

// ---------------------------------------------------------------- a step

static void step_down(const struct by_channels *p, uint32_t part, float *const *at) {
  struct rt_range mine = rt_split(p->floats[0], 1);
  (void)part;
  for (uint32_t i = mine.begin; i < mine.end; i++)
    at[2][i] = __builtin_fmaf(-RATE, at[1][i], at[0][i]);
}

static void descend(void) {
  struct by_channels p = {
      .channels = STEP_PARTS,
      .part = 1,
      .streams = 3,
      .array = {weights, gradients, weights},
      .floats = {WEIGHTS / STEP_PARTS, WEIGHTS / STEP_PARTS, WEIGHTS / STEP_PARTS},
      .outs = 4,
      .compute = step_down};
  run_by_channels(&p);
}

static void step(void) {
  convolution_fw();
  for (uint32_t block = 0; block < BLOCKS; block++) {
    depthwise_fw(block);
    pointwise_fw(block);
  }
  average_both(false);
  classify_and_learn();
  average_both(true);
  for (uint32_t block = BLOCKS; block-- > 0;) {
    pointwise_bw(block);
    depthwise_bw(block);
  }
  convolution_wg();
  descend();
}

// ---------------------------------------------------------------- data

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

// Example `which`: a triangle wave in time of its own length, each band a little later.
static void make_input(uint32_t which) {
  uint32_t period = 4u << which % EXAMPLES;
  for (uint32_t i = rt_core_id(); i < INPUTS; i += rt_core_count()) {
    uint32_t at = (i % IN_W + i / IN_W) % period;
    input[i] = 2.0f * (float)(at < period / 2 ? at : period - at) / (float)period - 0.5f;
  }
  if (rt_core_id() == 0)
    label = (uint8_t)(3 * (which % EXAMPLES));
}

static uint32_t sum_weights(void) {
  uint32_t sum = 0;
  for (uint32_t i = rt_core_id(); i < USED; i += rt_core_count())
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
  if (rt_core_id() == 0)
    rt_region_macs(1, MACS);
  rt_barrier();
  for (uint32_t i = 0; i < STEPS; i++) {
    make_input(i);
    rt_barrier();
    rt_region_begin_if(2, i == 0);
    rt_region_begin_if(1, i == BENCH_WARM_CALLS);
    step();
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
