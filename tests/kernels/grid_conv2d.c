// tests/kernels/grid_conv2d.c: convolutions of all kinds of geometry, 1x1 and odd ones included.
#include "grid.h"

#include "kernels/nn/nn_conv2d_scalar.h"
#include "kernels/ref/ref_conv2d.h"

static struct nn_conv2d layer;
static struct ref_conv2d ref;
static void *packed;
static uint32_t out_bytes;
static bool scalar; // the plain C baseline instead
enum { GUARD = 0xa5, GUARDS = 8 };

static void draw_geometry(uint32_t number, uint32_t *seed) {
  layer = (struct nn_conv2d){
      .in_h = (uint16_t)grid_draw(seed, 1, 9),
      .in_w = (uint16_t)grid_draw(seed, 1, 9),
      .in_c = (uint16_t)grid_draw(seed, 1, 20),
      .out_c = (uint16_t)grid_draw(seed, 1, 14),
      .kernel_h = (uint8_t)grid_draw(seed, 1, 4),
      .kernel_w = (uint8_t)grid_draw(seed, 1, 4),
      .stride_h = (uint8_t)grid_draw(seed, 1, 3),
      .stride_w = (uint8_t)grid_draw(seed, 1, 3),
      .pad_top = (uint8_t)grid_draw(seed, 0, 3),
      .pad_bottom = (uint8_t)grid_draw(seed, 0, 3),
      .pad_left = (uint8_t)grid_draw(seed, 0, 3),
      .pad_right = (uint8_t)grid_draw(seed, 0, 3),
      .shift = (uint8_t)grid_draw(seed, 0, 24),
      .fours = (uint8_t)grid_draw(seed, 0, 3),
  };
  if (number % 3 == 0) // whole words
    layer.in_c = (uint16_t)(layer.in_c / 4 * 4 + 4);
  if (number % 5 == 0) { // pointwise
    layer.kernel_h = layer.kernel_w = layer.stride_h = layer.stride_w = 1;
    layer.pad_top = layer.pad_bottom = layer.pad_left = layer.pad_right = 0;
    layer.out_c = (uint16_t)grid_draw(seed, 1, 70); // few pixels, many filters
  }
  if (number % 7 == 3) { // a first layer
    layer.in_c = layer.kernel_h = layer.kernel_w = 3;
    layer.in_w = (uint16_t)grid_draw(seed, 1, 40);
  }
  if (number % 11 == 5) { // one output pixel
    layer.in_h = layer.kernel_h;
    layer.in_w = (uint16_t)(number % 2 ? layer.kernel_w : 1);
    layer.pad_top = layer.pad_bottom = 0;
    layer.pad_left = layer.pad_right = (uint8_t)(number % 2 ? 0 : layer.kernel_w / 2);
  }
  if (nn_conv2d_out_h(&layer) == 0 || nn_conv2d_out_w(&layer) == 0)
    layer.pad_top = layer.pad_left = 4; // now the kernel fits
}

// Pointwise or with padding above, and one to three pixels beside twice four; whole words per pixel
// and padding to the left; three channels under 3x3, five
// under 3x4.
enum { VARIANTS = 2 * 3 + 3 };

static void draw_variant(uint32_t number) {
  layer = (struct nn_conv2d){.in_h = 1,
                             .in_w = (uint16_t)(9 + number / 2),
                             .in_c = number % 2 ? 8 : (uint16_t)(5 + 2 * number),
                             .out_c = number % 2 ? 9 : 6,
                             .kernel_h = number % 2 ? 1 : 2,
                             .kernel_w = 1,
                             .stride_h = 1,
                             .stride_w = 1,
                             .pad_top = number % 2 ? 0 : 1,
                             .shift = 16,
                             .fours = 2};
  if (number == VARIANTS - 3) {
    layer.in_c = 8;
    layer.kernel_w = 2;
    layer.pad_left = 1;
  }
  if (number >= VARIANTS - 2) {
    layer.in_c = layer.kernel_h = layer.kernel_w = layer.in_h = 3;
    layer.pad_top = layer.pad_bottom = layer.pad_left = layer.pad_right = 1;
    layer.in_w = 14; // more than the cores' share of the filters is worth
  }
  if (number == VARIANTS - 1) {
    layer.in_c = 5;
    layer.kernel_w = 4;
  }
}

static void prepare_drawn(uint32_t seed) {
  uint32_t in_bytes = (uint32_t)layer.in_h * layer.in_w * layer.in_c;
  uint32_t weight_bytes = (uint32_t)layer.out_c * layer.kernel_h * layer.kernel_w * layer.in_c;
  uint8_t *in = grid_take(in_bytes, grid_draw(&seed, 0, 3));
  int8_t *weights = grid_take(weight_bytes, 0);
  int32_t *kappa = grid_take(layer.out_c * 4u, 0), *lambda = grid_take(layer.out_c * 4u, 0);
  grid_fill_ends(in, in_bytes, &seed);
  grid_fill_ends(weights, weight_bytes, &seed);
  for (uint32_t f = 0; f < layer.out_c; f++) {
    kappa[f] = (int32_t)(rt_random(&seed) & 0xffff) - 0x4000;
    lambda[f] = (int32_t)rt_random(&seed) >> 2;
  }
  ref = (struct ref_conv2d){weights, kappa, lambda};
  packed = grid_take(nn_conv2d_packed_size(&layer), 0);
  out_bytes = nn_conv2d_out_h(&layer) * nn_conv2d_out_w(&layer) * layer.out_c;
  layer.in = in;
  layer.filters = packed;
  layer.out = grid_take(out_bytes + GUARDS, grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    layer.out[i] = GUARD;
  uint32_t scratch = nn_conv2d_buffer_size(&layer);
  layer.scratch = scratch ? grid_take(scratch, 0) : NULL;
}

static void prepare(uint32_t number, uint32_t seed) {
  draw_geometry(number, &seed);
  scalar = number % 4 == 1;
  prepare_drawn(seed);
}

static void prepare_variant(uint32_t number, uint32_t seed) {
  draw_variant(number);
  scalar = false;
  prepare_drawn(seed);
}

static int run(void) {
  if (scalar)
    return (int)nn_conv2d_scalar(&layer, ref.weights, ref.kappa, ref.lambda);
  nn_conv2d_pack(&layer, packed, ref.weights, ref.kappa, ref.lambda);
  rt_barrier();
  return (int)nn_conv2d_u8_i8_u8(&layer);
}

static uint8_t expected(uint32_t i) {
  if (i >= out_bytes)
    return GUARD;
  uint32_t pixel = i / layer.out_c, out_w = nn_conv2d_out_w(&layer);
  return ref_conv2d_u8(&layer, &ref, pixel / out_w, pixel % out_w, i % layer.out_c);
}

static int check(void) {
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++) {
    if (layer.out[i] != expected(i)) {
      rt_printf("conv2d %ux%ux%u -> %u, kernel %ux%u: output %u of %u = %u, expected %u\n",
                layer.in_h, layer.in_w, layer.in_c, layer.out_c, layer.kernel_h, layer.kernel_w,
                (unsigned)i, (unsigned)out_bytes, layer.out[i], expected(i));
      return 1;
    }
  }
  return 0;
}

int grid_conv2d(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("conv2d", &what);
}

int grid_conv2d_variants(void) {
  static const struct grid_case what = {prepare_variant, run, check};
  return grid_run_variants("conv2d_variants", &what, VARIANTS);
}
