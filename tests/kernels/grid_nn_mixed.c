// tests/kernels/grid_nn_mixed.c: mixed-precision convolutions, pointwise and fully connected
// layers: the 27 combinations and sums, one after the other, over all kinds of geometry, signs and
// schemes.
#include "grid.h"
#include "grid_requant.h"

#include "kernels/nn/nn_finish.h"
#include "kernels/ref/ref_mixed.h"

static struct nn_mixed layer;
static struct nn_requant_i32 scheme;
static struct ref_mixed ref;
static void *packed;
static uint32_t out_bytes;
enum { GUARD = 0xa5, GUARDS = 8 };

static void draw(uint32_t number, uint32_t *seed) {
  static const uint8_t bits[4] = {8, 4, 2, 32};
  layer = (struct nn_mixed){.in_bits = bits[number % 3],
                            .weight_bits = bits[number / 3 % 3],
                            .out_bits = bits[number / 9 % 4]};
  layer.shape = (struct nn_conv2d){
      .in_h = (uint16_t)grid_draw(seed, 1, 7),
      .in_w = (uint16_t)grid_draw(seed, 1, 7),
      .in_c = (uint16_t)grid_draw(seed, 1, 20),
      .out_c = (uint16_t)grid_draw(seed, 1, 11),
      .kernel_h = (uint8_t)grid_draw(seed, 1, 4),
      .kernel_w = (uint8_t)grid_draw(seed, 1, 4),
      .stride_h = (uint8_t)grid_draw(seed, 1, 3),
      .stride_w = (uint8_t)grid_draw(seed, 1, 3),
      .pad_top = (uint8_t)grid_draw(seed, 0, 3),
      .pad_bottom = (uint8_t)grid_draw(seed, 0, 3),
      .pad_left = (uint8_t)grid_draw(seed, 0, 3),
      .pad_right = (uint8_t)grid_draw(seed, 0, 3),
      .shift = (uint8_t)grid_draw(seed, 0, 24),
  };
  if (number % 2 == 0) // whole words
    layer.shape.in_c = 16;
  if (number % 5 < 2) // pointwise, or fully connected
    layer.shape.kernel_h = layer.shape.kernel_w = 1;
  if (number % 5 == 0) {
    layer.shape.in_h = layer.shape.in_w = 1;
    layer.shape.in_c = (uint16_t)grid_draw(seed, 1, 90);
    layer.shape.out_c = (uint16_t)grid_draw(seed, 1, 40);
    layer.shape.pad_top = layer.shape.pad_bottom = layer.shape.pad_left = layer.shape.pad_right = 0;
  }
  layer.xpulpnn = grid_xpulpnn && grid_draw(seed, 0, 1);
  layer.in_signed = grid_draw(seed, 0, 1);
  layer.out_signed = grid_draw(seed, 0, 2) == 0;
  if (grid_draw(seed, 0, 2) == 0)
    layer.pad_value = (int16_t)(grid_draw(seed, 0, (1u << layer.in_bits) - 1) -
                                (layer.in_signed ? 1u << (layer.in_bits - 1) : 0));
  if (layer.out_signed) // half the range is added before the shift
    layer.shape.shift = (uint8_t)grid_draw(seed, 0, 20);
  if (nn_conv2d_out_h(&layer.shape) == 0 || nn_conv2d_out_w(&layer.shape) == 0)
    layer.shape.pad_top = layer.shape.pad_left = 4;
}

// Sums are below 2^24 (16 taps, 90 or 20 channels); with signed outputs nothing may pass 32 bits.
static void draw_scales(int32_t *kappa, int32_t *lambda, uint32_t *seed) {
  for (uint32_t f = 0; f < layer.shape.out_c; f++) {
    kappa[f] = (int32_t)(rt_random(seed) & 0xffff) - 0x4000;
    lambda[f] = (int32_t)rt_random(seed) >> 4;
    if (layer.out_signed) {
      kappa[f] %= 32;
      lambda[f] /= 4;
    }
  }
}

// Lambdas that bring a pixel of their filter to an edge of the clip, or of rounding.
static void draw_edges(int32_t *lambda, uint32_t *seed) {
  struct nn_mixed sums = layer;
  const struct ref_mixed plain = {ref.weights, NULL, NULL};
  sums.out_bits = 32;
  sums.requant = NULL;
  uint32_t y = grid_draw(seed, 0, nn_conv2d_out_h(&layer.shape) - 1);
  uint32_t x = grid_draw(seed, 0, nn_conv2d_out_w(&layer.shape) - 1);
  for (uint32_t f = 0; f < layer.shape.out_c; f++)
    lambda[f] = grid_edge((int32_t)ref_mixed(&sums, &plain, y, x, f), ref.kappa[f],
                          layer.shape.shift % 16, layer.out_bits, seed);
  layer.shape.shift %= 16;
}

// By the bits and lanes, with signed bytes apart: outputs of three widths by kappa and lambda or
// one of seven ends, or sums; and one to three pixels beside twice four.
enum { OUTPUTS = 25, RESTS = 3, LANES = 12, VARIANTS = LANES * OUTPUTS * RESTS };

static uint32_t outputs_of(uint32_t number) {
  return number / LANES % OUTPUTS;
}

static void draw_variant(uint32_t number, uint32_t *seed) {
  static const uint8_t bits[3] = {8, 4, 2};
  uint32_t outputs = outputs_of(number), rest = number / (LANES * OUTPUTS) + 1;
  uint32_t lanes = number % LANES, in = lanes < 9 ? lanes % 3 : 0;
  layer = (struct nn_mixed){.in_bits = bits[in],
                            .weight_bits = bits[lanes / 3 % 3],
                            .out_bits = outputs == OUTPUTS - 1 ? 32 : bits[outputs % 3],
                            .xpulpnn = grid_xpulpnn,
                            .in_signed = in == 0 ? lanes >= 9 : (outputs + rest) % 2};
  if (lanes >= 9)
    layer.weight_bits = bits[lanes - 9];
  // With whole blocks of filters a strip goes on to the next one itself.
  layer.shape = (struct nn_conv2d){
      .in_h = 1,
      .in_w = (uint16_t)(8 + rest),
      .in_c = (uint16_t)(outputs / 3 % 2 ? 4 * grid_draw(seed, 1, 3) : grid_draw(seed, 1, 9)),
      .out_c = rest == 1 ? 8 : (uint16_t)grid_draw(seed, 1, 5),
      .kernel_h = 1,
      .kernel_w = 1,
      .stride_h = 1,
      .stride_w = 1,
      .shift = (uint8_t)grid_draw(seed, 0, 16)};
}

static uint32_t sums_within(void) {
  const struct nn_conv2d *s = &layer.shape;
  return nn_end_sums((uint32_t)s->kernel_h * s->kernel_w * s->in_c, layer.in_bits,
                     layer.weight_bits);
}

static struct nn_requant_i32 draw_left(uint32_t *seed) {
  uint32_t most = 2, sums = sums_within();
  while (sums <= 1u << 27 >> most)
    most++;
  return grid_icn_left(layer.out_bits, layer.shape.out_c, most, seed);
}

static struct nn_requant_i32 draw_scheme(uint32_t number, bool variant, uint32_t *seed) {
  static const enum nn_scheme with_ends[OUTPUTS / 3 - 2] = {
      [1] = NN_SCALE, [2] = NN_ICN, [3] = NN_THRESHOLDS, [4] = NN_FOLDED, [5] = NN_TFLITE};
  uint32_t by = outputs_of(number) / 3;
  if (variant ? by == OUTPUTS / 3 - 1 : number % 7 == 0 && !layer.out_signed)
    return draw_left(seed);
  if (!variant)
    return grid_requant(layer.out_bits, layer.out_signed, layer.shape.out_c, seed);
  if (by == OUTPUTS / 3 - 2)
    return grid_relu(layer.out_bits, layer.out_signed, layer.shape.out_c, seed);
  struct nn_requant_i32 rq = grid_requant_of(with_ends[by], true, layer.out_bits, layer.out_signed,
                                             layer.shape.out_c, seed);
  rq.round_once = false;
  return rq;
}

static void draw_requant(uint32_t number, bool variant, int32_t *lambda, uint32_t *seed) {
  int32_t sums = (int32_t)sums_within();
  scheme = draw_scheme(number, variant, seed);
  layer.requant = &scheme;
  if (grid_draw(seed, 0, 1)) // known before
    scheme.end = nn_end_of(&scheme, layer.shape.out_c, (uint32_t)sums);
  for (uint32_t f = 0; f < layer.shape.out_c; f++)
    lambda[f] %= sums;
}

static void prepare_drawn(uint32_t number, bool variant, uint32_t seed) {
  struct nn_conv2d *s = &layer.shape;
  uint32_t in_bytes = (uint32_t)s->in_h * s->in_w * nn_bits_bytes(s->in_c, layer.in_bits);
  uint32_t weight_bytes =
      (uint32_t)s->out_c * s->kernel_h * s->kernel_w * nn_bits_bytes(s->in_c, layer.weight_bits);
  uint8_t *in = grid_take(in_bytes, grid_draw(&seed, 0, 3));
  void *weights = grid_take(weight_bytes, 0);
  int32_t *kappa = grid_take(s->out_c * 4u, 0), *lambda = grid_take(s->out_c * 4u, 0);
  grid_fill_ends(in, in_bytes, &seed);
  grid_fill_ends(weights, weight_bytes, &seed);
  draw_scales(kappa, lambda, &seed);
  bool by_scheme = variant ? outputs_of(number) >= 3 : grid_draw(&seed, 0, 1);
  if (by_scheme && layer.out_bits < 32) {
    draw_requant(number, variant, lambda, &seed);
    if (grid_draw(&seed, 0, 1))
      lambda = NULL;
  }
  ref = (struct ref_mixed){weights, kappa, lambda};
  s->in = in;
  if (!layer.requant && !layer.out_signed && layer.out_bits < 32 && grid_draw(&seed, 0, 1))
    draw_edges(lambda, &seed);
  packed = grid_take(nn_mixed_packed_size(&layer), 0);
  out_bytes = nn_conv2d_out_h(s) * nn_conv2d_out_w(s) * nn_mixed_out_pixel(&layer);
  s->filters = packed;
  s->out = grid_take(out_bytes + GUARDS, layer.out_bits == 32 ? 0 : grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    s->out[i] = GUARD;
  s->scratch = grid_take(nn_mixed_buffer_size(&layer), 0);
}

static void prepare(uint32_t number, uint32_t seed) {
  draw(number, &seed);
  prepare_drawn(number, false, seed);
}

static void prepare_variant(uint32_t number, uint32_t seed) {
  draw_variant(number, &seed);
  prepare_drawn(number, true, seed);
}

static int run(void) {
  nn_mixed_pack(&layer, packed, ref.weights, ref.kappa, ref.lambda);
  rt_barrier();
  return (int)nn_mixed_conv2d(&layer);
}

static int wrong(uint32_t pixel, uint32_t f, uint32_t got, uint32_t want) {
  if (got != want)
    rt_printf("mixed %u %u %u bits, XpulpNN %u, signs %u %u, scheme %d, %ux%ux%u -> %u, kernel "
              "%ux%u: pixel %u "
              "filter %u = %u, expected %u\n",
              layer.in_bits, layer.weight_bits, layer.out_bits, layer.xpulpnn, layer.in_signed,
              layer.out_signed, layer.requant ? (int)scheme.scheme : -1, layer.shape.in_h,
              layer.shape.in_w, layer.shape.in_c, layer.shape.out_c, layer.shape.kernel_h,
              layer.shape.kernel_w, (unsigned)pixel, (unsigned)f, (unsigned)got, (unsigned)want);
  return got != want;
}

static int check(void) {
  const struct nn_conv2d *s = &layer.shape;
  uint32_t out_w = nn_conv2d_out_w(s), pixels = nn_conv2d_out_h(s) * out_w;
  for (uint32_t p = 0; p < pixels; p++) {
    const uint8_t *at = s->out + p * nn_mixed_out_pixel(&layer);
    for (uint32_t f = 0; f < s->out_c; f++) {
      uint32_t got = layer.out_bits == 32 ? ((const uint32_t *)(const void *)at)[f]
                                          : nn_bits_unsigned(at, f, layer.out_bits);
      if (wrong(p, f, got, ref_mixed(&layer, &ref, p / out_w, p % out_w, f)))
        return 1;
    }
  }
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (wrong(pixels, i, s->out[out_bytes + i], GUARD))
      return 1;
  }
  return 0;
}

int grid_nn_mixed(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run_by_cores("nn_mixed", &what);
}

int grid_nn_mixed_variants(void) {
  static const struct grid_case what = {prepare_variant, run, check};
  return grid_run_variants("nn_mixed_variants", &what, VARIANTS);
}
