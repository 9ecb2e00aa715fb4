// tests/kernels/grid_train_conv.c: the three passes of convolutions against double precision: all
// ways a layer can go, paddings, strides, biases, accumulation.
#include "grid_train.h"

#include "kernels/ref/ref_train_conv.h"
#include "kernels/ref/ref_train_half.h"

static struct train_conv2d l;
static enum { FW, WG, IG, PASSES } pass;
static void *result, *before;
enum { FILTERS_MOST = 64 };
static float bias_before[FILTERS_MOST];
static uint32_t count;

// Floats in CHW, 1x1, every other pixel: fours of channels, filters and columns; or as many groups
// of four rows of the product for each core.
static void lone_taps(uint32_t number, uint32_t *seed) {
  uint16_t rows = (uint16_t)(4 * rt_core_count()), columns = (uint16_t)grid_draw(seed, 1, 20);
  l = (struct train_conv2d){.in_c = number % PASSES == IG ? rows : columns,
                            .out_c = number % PASSES == IG ? columns : rows,
                            .in_h = (uint16_t)grid_draw(seed, 1, 8),
                            .in_w = (uint16_t)grid_draw(seed, 1, 8),
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .stride_h = 2,
                            .stride_w = 2,
                            .add = number / 2 % 2};
  bool first = number < 2 * 11; // several passes a row, several rows
  if (first || grid_draw(seed, 0, 2) > 0) {
    l.in_c = (uint16_t)(4 * grid_draw(seed, 1, 3));
    l.out_c = (uint16_t)(4 * grid_draw(seed, 1, 5));
    l.in_h = (uint16_t)(first ? 5 : l.in_h);
    l.in_w = (uint16_t)(8 * grid_draw(seed, first ? 2 : 1, 2) - grid_draw(seed, 0, 1));
    l.stride_h = (uint8_t)grid_draw(seed, 1, first ? 2 : 3);
  }
}

static void shape(uint32_t number, uint32_t *seed) {
  if (number % 11 == 4) {
    lone_taps(number, seed);
    return;
  }
  bool simple = number % 4 != 3; // stride 1
  l = (struct train_conv2d){.in_c = (uint16_t)grid_draw(seed, 1, 5),
                            .out_c = (uint16_t)grid_draw(seed, 1, 9),
                            .kernel_h = (uint8_t)grid_draw(seed, 1, 4),
                            .kernel_w = (uint8_t)(number % 2 ? 3 : grid_draw(seed, 1, 4)),
                            .stride_h = (uint8_t)(simple ? 1 : grid_draw(seed, 1, 3)),
                            .stride_w = (uint8_t)(simple ? 1 : grid_draw(seed, 1, 3))};
  if (number % 6 == 0)
    l.kernel_h = l.kernel_w = 1;
  bool blocks = number % 5 == 2; // floats in CHW, every other pixel
  if (blocks) {
    l.kernel_w = 3;
    l.stride_h = (uint8_t)grid_draw(seed, 1, 2);
    l.stride_w = 2;
  }
  l.pad_top = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
  l.pad_bottom = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
  l.pad_left = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
  l.pad_right = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
  l.in_h = (uint16_t)grid_draw(seed, l.kernel_h, 9);
  l.in_w = (uint16_t)grid_draw(seed, l.kernel_w, 9);
  if (number % 7 == 0) { // several blocks and parts
    l.in_h = (uint16_t)(l.kernel_h + 2);
    l.in_w = (uint16_t)grid_draw(seed, 9, 27);
    l.out_c = (uint16_t)grid_draw(seed, 1, 4);
  }
  if (blocks && number % PASSES == WG) // whole passes of three pixels
    l.in_w = (uint16_t)(13 - l.pad_left - l.pad_right);
  l.add = number / 2 % 2;
  l.type = grid_type(seed);
  l.matmul = grid_matmul(seed);
  l.hwc = grid_draw(seed, 0, 1) == 0;
  if (blocks) {
    l.type = TRAIN_F32;
    l.matmul = 0;
    l.hwc = false;
  }
}

static void *values(uint32_t n, uint32_t *seed) {
  return grid_values(n, l.type, seed);
}

static void prepare(uint32_t number, uint32_t seed) {
  shape(number, &seed);
  pass = number % PASSES;
  uint32_t ins = (uint32_t)l.in_c * l.in_h * l.in_w;
  uint32_t outs = train_conv2d_out_h(&l) * train_conv2d_out_w(&l) * l.out_c;
  uint32_t weights = (uint32_t)l.in_c * l.out_c * l.kernel_h * l.kernel_w;
  l.in = values(ins, &seed);
  l.weights = values(weights, &seed);
  l.out_grad = values(outs, &seed);
  l.out = values(outs, &seed);
  l.in_grad = values(ins, &seed);
  l.weights_grad = values(weights, &seed);
  l.bias = number % 5 < 2 ? values(l.out_c, &seed) : NULL;
  l.bias_grad = number % 5 < 3 ? values(l.out_c, &seed) : NULL;
  if (number % 11 == 0) // not the gradient for WG: it meets the zeros of a border
    grid_spoil((void *)(pass == IG ? l.out_grad : l.in), pass == IG ? outs : ins, l.type, &seed);
  result = pass == FW ? l.out : pass == WG ? l.weights_grad : l.in_grad;
  count = pass == FW ? outs : pass == WG ? weights : ins;
  before = grid_take(count * 4, 0);
  for (uint32_t i = 0; i < count; i++)
    ((float *)before)[i] = ref_typed(result, i, l.type);
  for (uint32_t i = 0; l.bias_grad && i < l.out_c; i++)
    bias_before[i] = ref_typed(l.bias_grad, i, l.type);
  uint32_t bytes = pass == FW   ? train_conv2d_fw_buffer_size(&l)
                   : pass == WG ? train_conv2d_wg_buffer_size(&l)
                                : train_conv2d_ig_buffer_size(&l);
  l.scratch = grid_scratch(bytes);
}

static int run(void) {
  if (pass == FW)
    return (int)train_conv2d_fw(&l);
  return (int)(pass == WG ? train_conv2d_wg(&l) : train_conv2d_ig(&l));
}

static int check_bias(void) {
  uint32_t plane = train_conv2d_out_h(&l) * train_conv2d_out_w(&l);
  for (uint32_t f = 0; pass == WG && l.bias_grad && f < l.out_c; f++) {
    struct ref_sum want = {0};
    for (uint32_t i = 0; i < plane; i++)
      ref_add(&want, ref_typed(l.out_grad, l.hwc ? i * l.out_c + f : f * plane + i, l.type));
    if (l.add)
      ref_add(&want, bias_before[f]);
    if (!ref_typed_near(l.bias_grad, f, l.type, &want)) {
      rt_printf("bias_grad[%u]\n", (unsigned)f);
      return 1;
    }
  }
  return 0;
}

static int check(void) {
  for (uint32_t i = 0; i < count; i += GRID_EACH) {
    struct ref_sum want = pass == FW   ? ref_train_conv2d_fw(&l, i)
                          : pass == WG ? ref_train_conv2d_wg(&l, i)
                                       : ref_train_conv2d_ig(&l, i);
    if (pass == WG && l.add)
      ref_add(&want, ((float *)before)[i]);
    if (!ref_typed_near(result, i, l.type, &want)) {
      rt_printf("pass %u type %u hwc %u, %ux%ux%u -> %u, %ux%u: [%u] = %08x, expected %08x\n",
                (unsigned)pass, (unsigned)l.type, l.hwc, l.in_c, l.in_h, l.in_w, l.out_c,
                l.kernel_h, l.kernel_w, (unsigned)i,
                (unsigned)rt_float_bits(ref_typed(result, i, l.type)),
                (unsigned)rt_float_bits((float)ref_value(&want)));
      return 1;
    }
  }
  return check_bias();
}

int grid_train_conv(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_conv", &what);
}
