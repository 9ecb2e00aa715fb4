// tests/kernels/grid_train_dw.c: the three passes of depthwise convolutions against double
// precision.
#include "grid_train.h"

#include "kernels/ref/ref_train_depthwise.h"

static struct train_depthwise l;
static enum { FW, WG, IG, PASSES } pass;
static void *result;
static float *before;
static uint32_t count;

static void shape(uint32_t number, uint32_t *seed) {
  bool two = number % 4 == 2, fast = number % 2 || two; // 3x3 with stride 2, and with stride 1
  l = (struct train_depthwise){.c = (uint16_t)grid_draw(seed, 1, 11),
                               .kernel_h = (uint8_t)(fast ? 3 : grid_draw(seed, 1, 4)),
                               .kernel_w = (uint8_t)(fast ? 3 : grid_draw(seed, 1, 4)),
                               .stride_h = (uint8_t)(fast ? 1u + two : grid_draw(seed, 1, 3)),
                               .stride_w = (uint8_t)(fast ? 1u + two : grid_draw(seed, 1, 3))};
  if (number % 3) {
    l.pad_top = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
    l.pad_bottom = (uint8_t)grid_draw(seed, 0, l.kernel_h - 1u);
    l.pad_left = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
    l.pad_right = (uint8_t)grid_draw(seed, 0, l.kernel_w - 1u);
  }
  if (two) {
    l.pad_top = (uint8_t)grid_draw(seed, 0, 1);
    l.pad_bottom = (uint8_t)grid_draw(seed, 0, 1);
    l.pad_left = (uint8_t)grid_draw(seed, 0, 1);
    l.pad_right = (uint8_t)grid_draw(seed, 0, 1);
  }
  l.in_h = (uint16_t)grid_draw(seed, l.kernel_h, 9);
  l.in_w = (uint16_t)grid_draw(seed, l.kernel_w, 11);
  l.add = number / 3 % 2; // each with every pass
  l.type = grid_type(seed);
  l.hwc = !two && grid_draw(seed, 0, 3) == 0;
}

static void *values(uint32_t n, uint32_t *seed) {
  return grid_values(n, l.type, seed);
}

static void prepare(uint32_t number, uint32_t seed) {
  shape(number, &seed);
  pass = number / 2 % PASSES;
  uint32_t ins = (uint32_t)l.c * l.in_h * l.in_w;
  uint32_t outs = train_depthwise_out_h(&l) * train_depthwise_out_w(&l) * l.c;
  uint32_t weights = (uint32_t)l.c * l.kernel_h * l.kernel_w;
  l.in = values(ins, &seed);
  l.weights = values(weights, &seed);
  l.out_grad = values(outs, &seed);
  l.out = values(outs, &seed);
  l.in_grad = values(ins, &seed);
  l.weights_grad = values(weights, &seed);
  l.bias = number % 5 < 2 ? values(l.c, &seed) : NULL;
  if (number % 11 == 0) // not the gradient for WG: it meets the zeros of a border
    grid_spoil((void *)(pass == IG ? l.out_grad : l.in), pass == IG ? outs : ins, l.type, &seed);
  result = pass == FW ? l.out : pass == WG ? l.weights_grad : l.in_grad;
  count = pass == FW ? outs : pass == WG ? weights : ins;
  before = grid_take(count * 4, 0);
  for (uint32_t i = 0; i < count; i++)
    before[i] = ref_typed(result, i, l.type);
  uint32_t bytes = pass == FW   ? train_depthwise_fw_buffer_size(&l)
                   : pass == WG ? train_depthwise_wg_buffer_size(&l)
                                : train_depthwise_ig_buffer_size(&l);
  l.scratch = grid_scratch(bytes);
}

static int run(void) {
  if (pass == FW)
    return (int)train_depthwise_fw(&l);
  return (int)(pass == WG ? train_depthwise_wg(&l) : train_depthwise_ig(&l));
}

static int check(void) {
  uint32_t each = l.stride_w == 2 ? 1 : GRID_EACH; // few cases, and all their edges
  for (uint32_t i = 0; i < count; i += each) {
    struct ref_sum want = pass == FW   ? ref_train_depthwise_fw(&l, i)
                          : pass == WG ? ref_train_depthwise_wg(&l, i)
                                       : ref_train_depthwise_ig(&l, i);
    if (pass == WG && l.add)
      ref_add(&want, before[i]);
    if (!ref_typed_near(result, i, l.type, &want)) {
      rt_printf("pass %u type %u hwc %u, %ux%ux%u, %ux%u: [%u] = %08x, expected %08x\n",
                (unsigned)pass, (unsigned)l.type, l.hwc, l.c, l.in_h, l.in_w, l.kernel_h,
                l.kernel_w, (unsigned)i, (unsigned)rt_float_bits(ref_typed(result, i, l.type)),
                (unsigned)rt_float_bits((float)ref_value(&want)));
      return 1;
    }
  }
  return 0;
}

int grid_train_dw(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_dw", &what);
}
