// tests/kernels/grid_train_dw_half.c: planes of 16-bit elements by pairs, forward and both
// gradients, against double precision.
#include "grid_train.h"

#include "kernels/ref/ref_train_depthwise.h"
#include "kernels/train/train_dw_half.h"

static struct train_depthwise l;
static struct train_dw_half plane;
static struct train_dw_half_pad rows;
static bool backward, relu, gated;

static void shape(uint32_t *seed) {
  l = (struct train_depthwise){.c = 1, .kernel_h = 3, .kernel_w = 3, .stride_h = 1, .stride_w = 1};
  l.pad_top = (uint8_t)grid_draw(seed, 0, 2);
  l.pad_bottom = (uint8_t)grid_draw(seed, 0, 2);
  l.pad_left = (uint8_t)grid_draw(seed, 0, 2);
  l.pad_right = (uint8_t)grid_draw(seed, 0, 2);
  uint32_t padding_h = (uint32_t)l.pad_top + l.pad_bottom;
  uint32_t padding_w = (uint32_t)l.pad_left + l.pad_right;
  l.in_h = (uint16_t)grid_draw(seed, padding_h < 2 ? 3 - padding_h : 1, 11);
  l.in_w = (uint16_t)grid_draw(seed, padding_w < 2 ? 3 - padding_w : 1, 12);
  l.type = grid_draw(seed, 0, 1) ? TRAIN_FP16 : TRAIN_BF16;
}

// What the window sees, with the zeros around it.
static void surround(uint32_t top, uint32_t left) {
  uint32_t bytes = train_dw_half_bytes(plane.h, plane.width);
  uint16_t *padded = grid_take(bytes, 0);
  for (uint32_t i = 0; i < bytes / 2; i++)
    padded[i] = 0;
  plane.pitch = rows.pitch = train_dw_half_pitch(plane.width);
  plane.x = padded + 1;
  rows.to = padded + 1 + top * (plane.pitch / 2) + left;
}

static void prepare(uint32_t number, uint32_t seed) {
  shape(&seed);
  backward = number % 2;
  relu = number / 2 % 2;
  gated = number / 4 % 2;
  uint32_t h = train_depthwise_out_h(&l), w = train_depthwise_out_w(&l);
  uint32_t ins = (uint32_t)l.in_h * l.in_w, outs = h * w;
  l.in = grid_values(ins + 1, l.type, &seed);
  l.weights = grid_values(9, l.type, &seed);
  l.out_grad = grid_values(outs, l.type, &seed);
  l.out = grid_values(outs + 1, l.type, &seed); // one more is written
  l.in_grad = grid_values(ins + 1, l.type, &seed);
  l.weights_grad = grid_values(9, l.type, &seed);
  plane = (struct train_dw_half){.w = l.weights, .floor = relu ? 0 : TRAIN_DW_HALF_ANY};
  plane.h = backward ? l.in_h : h;
  plane.width = backward ? l.in_w : w;
  plane.y = backward ? l.in_grad : l.out;
  plane.in = l.in;
  plane.w_grad = l.weights_grad;
  rows.from = backward ? l.out_grad : l.in;
  rows.gate = gated ? grid_values(backward ? outs : ins, l.type, &seed) : NULL;
  rows.h = backward ? h : l.in_h;
  rows.width = backward ? w : l.in_w;
  if (backward)
    surround(2u - l.pad_top, 2u - l.pad_left);
  else
    surround(l.pad_top, l.pad_left);
}

static int run(void) {
  if (rt_core_id() != 0)
    return 0;
  (gated ? train_dw_half_pad_gated : train_dw_half_pad)(&rows);
  if (backward)
    (l.type == TRAIN_FP16 ? train_dw_half_both_h : train_dw_half_both_ah)(&plane);
  else
    (l.type == TRAIN_FP16 ? train_dw_half_fw_h : train_dw_half_fw_ah)(&plane);
  return 0;
}

static int wrong(const char *what, uint32_t i) {
  rt_printf("%s type %u, %ux%u, borders %u %u %u %u, relu %u, gated %u: [%u]\n", what,
            (unsigned)l.type, l.in_h, l.in_w, l.pad_top, l.pad_bottom, l.pad_left, l.pad_right,
            relu, gated, (unsigned)i);
  return 1;
}

// As the gate left it.
static void gate(uint16_t *tensor, uint32_t count) {
  for (uint32_t i = 0; gated && i < count; i++)
    tensor[i] = ref_typed(rows.gate, i, l.type) > 0 ? tensor[i] : 0;
}

static int check_forward(void) {
  for (uint32_t i = 0; i < plane.h * plane.width; i++) {
    struct ref_sum want = ref_train_depthwise_fw(&l, i);
    bool zero = relu && ref_value(&want) < 0 && ref_typed(l.out, i, l.type) == 0;
    if (!zero && !ref_typed_near(l.out, i, l.type, &want))
      return wrong("forward", i);
    if (relu && ref_typed(l.out, i, l.type) < 0)
      return wrong("relu", i);
  }
  return 0;
}

static int check_backward(void) {
  for (uint32_t i = 0; i < plane.h * plane.width; i++) {
    struct ref_sum want = ref_train_depthwise_ig(&l, i);
    bool zero = ref_typed(l.in, i, l.type) <= 0;
    if (zero ? ref_typed(l.in_grad, i, l.type) != 0 : !ref_typed_near(l.in_grad, i, l.type, &want))
      return wrong("input's gradient", i);
  }
  for (uint32_t i = 0; i < 9; i++) {
    struct ref_sum want = ref_train_depthwise_wg(&l, i);
    if (!ref_typed_near(l.weights_grad, i, l.type, &want))
      return wrong("weights' gradient", i);
  }
  return 0;
}

static int check(void) {
  gate((uint16_t *)(uintptr_t)rows.from, rows.h * rows.width);
  return backward ? check_backward() : check_forward();
}

int grid_train_dw_half(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_dw_half", &what);
}
