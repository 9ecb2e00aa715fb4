// kernels/bench/cifar10.c: a whole quantized network, from an image in L2 to a class.
//
//   image   32x32x4 (three channels and one of zeros)     conv2   5x5, pad 2, 32 -> 16   16x16x16
//   conv1   5x5, pad 2, 4 -> 32       32x32x32            pool2   maximum 3x3, stride 2    8x8x16
//   pool1   maximum 3x3, stride 2     16x16x32            conv3   5x5, pad 2, 16 -> 32     8x8x32
//   linear  512 -> 10, 32-bit sums, then the largest      pool3   maximum 3x3, stride 2    4x4x32
//
// The topology is that of the CIFAR-10 example of CMSIS-NN (Lai et al., arXiv:1801.06601) and
// PULP-NN (Garofalo et al. 2020); ReLU is part of the requantization. Weights are random, from a
// fixed seed: cycles and arithmetic are a network's, the class means nothing.
//
// Weights lie packed in L2; core 0 has the DMA bring a layer's into L1 while the layer before runs,
// as soon as there is room. Region 1 is the second run from image to class; each layer is a region
// of its own. A third run compares every layer's output with the reference.
#include "bench.h"

#include "kernels/nn/nn_argmax.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/ref/ref_conv2d.h"
#include "kernels/ref/ref_linear.h"
#include "kernels/ref/ref_pool.h"

RT_REGION(1, "cifar10");
RT_REGION(2, "conv1 5x5 32x32x4 -> 32");
RT_REGION(3, "pool1 3x3/2");
RT_REGION(4, "conv2 5x5 16x16x32 -> 16");
RT_REGION(5, "pool2 3x3/2");
RT_REGION(6, "conv3 5x5 8x8x16 -> 32");
RT_REGION(7, "pool3 3x3/2");
RT_REGION(8, "linear 512 -> 10");

// Where things are in L1, in bytes. conv1's output is the largest tensor; what lies behind it is
// used again when it is dead, and so is it.
enum {
  CONV1_OUT = 0, // 32768
  IMAGE = 32768, // 4096
  CONV1_W = 36864,
  CONV1_COLUMNS = 40320,
  CONV2_W = 43552,
  POOL1_OUT = 32768, // 8192
  CONV2_OUT = 0,     // 4096
  CONV2_COLUMNS = 4096,
  POOL2_OUT = 4096, // 1024
  CONV3_W = 41216,
  LINEAR_W = 32768,
  CONV3_OUT = 0, // 2048
  CONV3_COLUMNS = 8192,
  POOL3_OUT = 4096, // 512
  SCORES = 4608,
  ARGMAX = 4672,
  L1_BYTES = 56480,
  IMAGE_BYTES = 32 * 32 * 4,
  INPUTS = 512,
  CLASSES = 10,
  CONVS = 3,
  MAX_FILTER = 5 * 5 * 32,
};

static RT_L1_BSS uint8_t arena[L1_BYTES] __attribute__((aligned(8)));

// In L2: image, weights as they were drawn, and packed.
static uint8_t image[IMAGE_BYTES] __attribute__((aligned(8)));
static int8_t weights[CONVS][16 * MAX_FILTER], linear_weights[CLASSES * INPUTS];
static int32_t kappa[CONVS][32], lambda[CONVS][32];
static uint32_t packed[CONVS][13056 / 4] __attribute__((aligned(8)));
static uint32_t linear_packed[8424 / 4] __attribute__((aligned(8)));
static const int32_t scale[CONVS] = {906, 321, 453}; // outputs over the whole range

// Fields: in_h = in_w, in_c, out_c; where.
static struct nn_conv2d conv_layer(uint16_t size, uint16_t in_c, uint16_t out_c,
                                   const uint32_t at[4]) {
  return (struct nn_conv2d){.in = arena + at[0],
                            .filters = arena + at[1],
                            .out = arena + at[2],
                            .scratch = arena + at[3],
                            .in_h = size,
                            .in_w = size,
                            .in_c = in_c,
                            .out_c = out_c,
                            .kernel_h = 5,
                            .kernel_w = 5,
                            .stride_h = 1,
                            .stride_w = 1,
                            .pad_top = 2,
                            .pad_bottom = 2,
                            .pad_left = 2,
                            .pad_right = 2,
                            .shift = 20};
}

static struct nn_pool pool_layer(uint16_t size, uint16_t channels, uint32_t in, uint32_t out) {
  return (struct nn_pool){.in = arena + in,
                          .out = arena + out,
                          .in_h = size,
                          .in_w = size,
                          .channels = channels,
                          .kernel_h = 3,
                          .kernel_w = 3,
                          .stride_h = 2,
                          .stride_w = 2,
                          .pad_bottom = 1,
                          .pad_right = 1,
                          .bits = 8};
}

struct network {
  struct nn_conv2d conv[CONVS];
  struct nn_pool pool[CONVS];
  struct nn_linear linear;
  struct nn_argmax head;
};

static struct network network(void) {
  static const uint32_t at[CONVS][4] = {{IMAGE, CONV1_W, CONV1_OUT, CONV1_COLUMNS},
                                        {POOL1_OUT, CONV2_W, CONV2_OUT, CONV2_COLUMNS},
                                        {POOL2_OUT, CONV3_W, CONV3_OUT, CONV3_COLUMNS}};
  return (struct network){
      .conv = {conv_layer(32, 4, 32, at[0]), conv_layer(16, 32, 16, at[1]),
               conv_layer(8, 16, 32, at[2])},
      .pool = {pool_layer(32, 32, CONV1_OUT, POOL1_OUT), pool_layer(16, 16, CONV2_OUT, POOL2_OUT),
               pool_layer(8, 32, CONV3_OUT, POOL3_OUT)},
      .linear = {arena + POOL3_OUT, arena + LINEAR_W, arena + SCORES, INPUTS, CLASSES, 0, NULL},
      .head = {arena + SCORES, CLASSES, arena + ARGMAX, 32, false},
  };
}

static uint32_t filter_size(const struct nn_conv2d *l) {
  return (uint32_t)l->kernel_h * l->kernel_w * l->in_c;
}

// True if everything is as large as the table of places has it.
static bool fits(const struct network *n) {
  static const uint32_t room[CONVS] = {CONV1_COLUMNS - CONV1_W, L1_BYTES - CONV2_W,
                                       L1_BYTES - CONV3_W};
  static const uint32_t columns[CONVS] = {CONV2_W - CONV1_COLUMNS, POOL1_OUT - CONV2_COLUMNS,
                                          LINEAR_W - CONV3_COLUMNS};
  for (uint32_t i = 0; i < CONVS; i++) {
    if (nn_conv2d_packed_size(n->conv + i) > room[i] ||
        nn_conv2d_buffer_size(n->conv + i) > columns[i])
      return false;
  }
  return nn_linear_packed_size(&n->linear) <= sizeof linear_packed;
}

static void fill(const struct network *n) {
  uint32_t seed = 3;
  bench_fill_bytes(image, sizeof image, 1);
  for (uint32_t i = 0; i < IMAGE_BYTES; i += 4)
    image[i + 3] = 0;
  bench_fill_bytes(weights, sizeof weights, 2);
  bench_fill_bytes(linear_weights, sizeof linear_weights, 4);
  for (uint32_t i = 0; i < CONVS; i++) {
    for (uint32_t f = 0; f < 32; f++) {
      kappa[i][f] = scale[i] / 2 + (int32_t)(rt_random(&seed) % (uint32_t)scale[i]);
      lambda[i][f] = (int32_t)(rt_random(&seed) % (1 << 27)) - (1 << 26);
    }
  }
  uint64_t linear = INPUTS * CLASSES, macs[CONVS], total = linear;
  for (uint32_t i = 0; i < CONVS; i++)
    total += macs[i] = nn_conv2d_macs(n->conv + i);
  rt_region_macs(1, total);
  rt_region_macs(2, macs[0]);
  rt_region_macs(4, macs[1]);
  rt_region_macs(6, macs[2]);
  rt_region_macs(8, linear);
}

static void pack(const struct network *n) {
  for (uint32_t i = 0; i < CONVS; i++)
    nn_conv2d_pack(n->conv + i, packed[i], weights[i], kappa[i], lambda[i]);
  nn_linear_pack(&n->linear, linear_packed, linear_weights, NULL, NULL);
}

// ---- a run

enum mode { PLAIN, TIMED, CHECKED };

// Every output of a convolution; of a filter, from a copy in L1 where the columns were. On fewer
// than eight cores a sample.
static bool check_conv(const struct nn_conv2d *l, uint32_t number) {
  uint32_t size = filter_size(l), out_w = nn_conv2d_out_w(l), every = 8 / rt_core_count();
  int8_t *filter = (int8_t *)l->scratch + rt_core_id() * size;
  struct rt_range mine = rt_split(l->out_c, 1);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    for (uint32_t i = 0; i < size; i++)
      filter[i] = weights[number][f * size + i];
    const struct ref_conv2d ref = {filter, kappa[number] + f, lambda[number] + f};
    for (uint32_t p = f % every; p < nn_conv2d_out_h(l) * out_w; p += every) {
      if (!bench_equal("conv", p, f, l->out[p * l->out_c + f],
                       ref_conv2d_u8(l, &ref, p / out_w, p % out_w, 0)))
        return false;
    }
  }
  return true;
}

static bool check_pool(const struct nn_pool *l) {
  uint32_t out_w = nn_pool_out_w(l);
  struct rt_range mine = rt_split(nn_pool_out_h(l) * out_w, 1);
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    for (uint32_t c = 0; c < l->channels; c++) {
      if (!bench_equal("pool", p, c, l->out[p * l->channels + c],
                       ref_maxpool(l, p / out_w, p % out_w, c)))
        return false;
    }
  }
  return true;
}

static bool check_scores(const struct network *n) {
  const int32_t *scores = n->linear.out;
  uint32_t best = 0;
  for (uint32_t f = 0; f < CLASSES; f++) {
    if (!bench_equal("score", f, 0, (uint32_t)scores[f],
                     (uint32_t)ref_linear_sum(n->linear.in, linear_weights + f * INPUTS, INPUTS)))
      return false;
    best = scores[f] > scores[best] ? f : best;
  }
  return bench_equal("class", 0, 0, nn_argmax_index(&n->head), best);
}

static unsigned load(uint32_t at, const void *from, uint32_t bytes) {
  return rt_core_id() == 0 ? rt_dma_in(arena + at, from, bytes) : 0;
}
static void await(unsigned transfer) {
  if (rt_core_id() == 0)
    rt_dma_wait(transfer);
}

// One layer: wait for the others, run, wait, check.
#define LAYER(id, call, right)                                                                     \
  do {                                                                                             \
    if (mode == TIMED)                                                                             \
      rt_region_begin(id);                                                                         \
    ok = ok && (call) == KERNEL_OK;                                                                \
    rt_barrier();                                                                                  \
    if (mode == TIMED)                                                                             \
      rt_region_end(id);                                                                           \
    if (mode == CHECKED) {                                                                         \
      ok = ok && (right);                                                                          \
      rt_barrier();                                                                                \
    }                                                                                              \
  } while (0)

static __attribute__((noinline)) bool run(const struct network *n, enum mode mode) {
  bool ok = true;
  unsigned picture = load(IMAGE, image, sizeof image);
  unsigned w1 = load(CONV1_W, packed[0], nn_conv2d_packed_size(n->conv));
  unsigned w2 = load(CONV2_W, packed[1], nn_conv2d_packed_size(n->conv + 1));
  await(picture);
  await(w1);
  rt_barrier();
  LAYER(2, nn_conv2d_u8_i8_u8(n->conv), check_conv(n->conv, 0));
  LAYER(3, nn_maxpool(n->pool), check_pool(n->pool));
  await(w2);
  rt_barrier();
  LAYER(4, nn_conv2d_u8_i8_u8(n->conv + 1), check_conv(n->conv + 1, 1));
  unsigned w3 = load(CONV3_W, packed[2], nn_conv2d_packed_size(n->conv + 2));
  unsigned w4 = load(LINEAR_W, linear_packed, nn_linear_packed_size(&n->linear));
  LAYER(5, nn_maxpool(n->pool + 1), check_pool(n->pool + 1));
  await(w3);
  rt_barrier();
  LAYER(6, nn_conv2d_u8_i8_u8(n->conv + 2), check_conv(n->conv + 2, 2));
  LAYER(7, nn_maxpool(n->pool + 2), check_pool(n->pool + 2));
  await(w4);
  rt_barrier();
  LAYER(8, nn_linear_u8_i8_i32(&n->linear), true);
  ok = nn_argmax(&n->head) == KERNEL_OK && ok;
  rt_barrier();
  return ok && (mode != CHECKED || rt_core_id() != 0 || check_scores(n));
}

int main(void) {
  const struct network n = network();
  if (!fits(&n)) {
    rt_printf("cifar10: a layer is larger than its place\n");
    return 1;
  }
  if (rt_core_id() == 0)
    fill(&n);
  rt_barrier();
  pack(&n);
  rt_barrier();
  run(&n, PLAIN);
  rt_region_begin(1);
  bool ok = run(&n, TIMED);
  rt_region_end(1);
  if (rt_core_id() == 0)
    rt_printf("class %u\n", (unsigned)nn_argmax_index(&n.head));
  rt_barrier();
  return ok && run(&n, CHECKED) ? 0 : 1;
}
