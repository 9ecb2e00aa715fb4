// tests/kernels/grid_nn_depthwise.c: depthwise convolutions: all layouts and precisions.
#include "grid.h"
#include "grid_requant.h"

#include "kernels/nn/nn_bits.h"
#include "kernels/ref/ref_depthwise.h"

static struct nn_depthwise layer;
static struct nn_requant_i32 scheme;
static uint32_t out_bytes;
enum { GUARD = 0xa5, GUARDS = 8 };

// The hybrid's input, HWC in L2, which strided transfers bring into CHW.
static uint8_t source[9 * 9 * 21];

static bool hybrid(void) {
  return layer.in_chw && !layer.out_chw;
}

static void fetch_planes(void) {
  uint32_t pixels = (uint32_t)layer.in_h * layer.in_w;
  for (uint32_t c = 0; c < layer.channels && rt_core_id() == 0; c++)
    rt_dma_wait(
        rt_dma_in_2d((uint8_t *)layer.in + c * pixels, source + c, pixels, 1, layer.channels));
  rt_barrier();
}

static void draw(uint32_t number, uint32_t *seed) {
  static const uint8_t bits[3] = {8, 4, 2};
  layer = (struct nn_depthwise){.in_h = (uint16_t)grid_draw(seed, 1, 9),
                                .in_w = (uint16_t)grid_draw(seed, 1, 9),
                                .channels = (uint16_t)grid_draw(seed, 1, 13),
                                .kernel_h = (uint8_t)grid_draw(seed, 1, 5),
                                .kernel_w = (uint8_t)grid_draw(seed, 1, 6),
                                .stride_h = (uint8_t)grid_draw(seed, 1, 3),
                                .stride_w = (uint8_t)grid_draw(seed, 1, 3),
                                .pad_top = (uint8_t)grid_draw(seed, 0, 3),
                                .pad_bottom = (uint8_t)grid_draw(seed, 0, 3),
                                .pad_left = (uint8_t)grid_draw(seed, 0, 3),
                                .pad_right = (uint8_t)grid_draw(seed, 0, 3),
                                .shift = (uint8_t)grid_draw(seed, 0, 24),
                                .in_bits = bits[number % 3],
                                .weight_bits = bits[number / 3 % 3],
                                .out_bits = bits[number / 9 % 3]};
  layer.in_chw = layer.in_bits == 8 && grid_draw(seed, 0, 1);
  layer.out_chw = layer.out_bits == 8 && grid_draw(seed, 0, 1);
  layer.in_signed = grid_draw(seed, 0, 1);
  layer.out_signed = grid_draw(seed, 0, 1);
  if (grid_draw(seed, 0, 3) == 0)
    layer.pad_value = (int16_t)(grid_draw(seed, 0, (1u << layer.in_bits) - 1) -
                                (layer.in_signed ? 1u << (layer.in_bits - 1) : 0));
  if (grid_draw(seed, 0, 9) == 0) {
    layer.out_bits = 32;
    layer.out_chw = layer.out_signed = false;
  }
  if (grid_draw(seed, 0, 3) > 0)
    layer.kernel_h = 3;
  if (grid_draw(seed, 0, 1))
    layer.kernel_h = layer.kernel_w = 3;
  if (grid_draw(seed, 0, 3) == 0) {
    layer.kernel_h = layer.kernel_w = 3;
    layer.stride_h = layer.stride_w = 2;
    layer.pad_top = layer.pad_left = (uint8_t)grid_draw(seed, 0, 1);
    layer.pad_bottom = layer.pad_right = 1;
  }
  if (grid_draw(seed, 0, 5) == 0)
    layer.channels = 21; // more quads than are computed in one go
  if (grid_draw(seed, 0, 7) == 0) {
    layer.in_h = 14; // bands of rows
    layer.channels = (uint16_t)grid_draw(seed, 3, 6);
  }
  if (grid_draw(seed, 0, 7) == 0 && layer.kernel_h > 2)
    layer.kernel_w = (uint8_t)grid_draw(seed, 5, 9);
  if (nn_depthwise_out_h(&layer) == 0 || nn_depthwise_out_w(&layer) == 0)
    layer.pad_top = layer.pad_left = 8;
}

// Kernels of 3x3 or 3x4, strides, signs, padding to the left; then what follows sums: none, or
// NN_TFLITE rounding twice or once, columns one or two apart, the last one three; then the same
// with a ReLU, over the whole range; then columns two apart, by signs, padding and bits: halves of
// bytes, or bytes.
enum { PLAIN_VARIANTS = 2 * 2 * 4 * 2, RELU_VARIANTS = PLAIN_VARIANTS + 8 };
enum { QUAD_VARIANTS = RELU_VARIANTS + 8, VARIANTS = QUAD_VARIANTS + 4 * 4 * 2 };

static void draw_variant(uint32_t number, uint32_t *seed) {
  draw(0, seed); // all 8 bits
  layer.kernel_h = 3;
  layer.kernel_w = number % 2 ? 4 : 3;
  layer.stride_w = number / 2 % 2 ? 2 : 1;
  layer.in_signed = number / 4 % 2;
  layer.out_signed = number / 8 % 2;
  layer.in_chw = layer.out_chw = false;
  layer.out_bits = 8;
  layer.pad_value = 0;
  layer.stride_h = layer.pad_top = layer.pad_bottom = 1;
  layer.pad_left = layer.pad_right = number / 16 % 2;
  layer.in_h = 3;
  if (number % 32 == 31) // packed outputs
    layer.out_bits = 4;
  layer.in_w = number / 4 % 2 ? 11 : layer.stride_w == 1 ? 8 : 10; // odd and even outputs
  layer.channels = 9;
}

static void prepare_drawn(uint32_t seed, bool by_scheme) {
  uint32_t pixels = (uint32_t)layer.in_h * layer.in_w, n = layer.channels;
  uint32_t in_bytes = pixels * nn_bits_bytes(n, layer.in_bits);
  uint32_t weight_bytes =
      n * nn_bits_bytes((uint32_t)layer.kernel_h * layer.kernel_w, layer.weight_bits);
  uint8_t *in = grid_take(in_bytes, grid_draw(&seed, 0, 3)), *weights = grid_take(weight_bytes, 0);
  int32_t *kappa = grid_take(n * 4, 0), *lambda = grid_take(n * 4, 0);
  grid_fill_ends(in, in_bytes, &seed);
  grid_fill_ends(weights, weight_bytes, &seed);
  for (uint32_t c = 0; c < n; c++) {
    kappa[c] = (int32_t)(rt_random(&seed) & 0xffff) - 0x4000;
    lambda[c] = (int32_t)rt_random(&seed) >> 4;
    if (by_scheme)
      lambda[c] %= layer.kernel_h * layer.kernel_w << (layer.in_bits + layer.weight_bits - 1);
  }
  out_bytes =
      nn_depthwise_out_h(&layer) * nn_depthwise_out_w(&layer) * nn_bits_bytes(n, layer.out_bits);
  layer.in = in;
  if (hybrid())
    grid_fill_ends(source, in_bytes, &seed);
  layer.weights = weights;
  if (layer.out_bits < 32 && by_scheme) {
    scheme = grid_requant(layer.out_bits, layer.out_signed, n, &seed);
    layer.requant = &scheme;
  }
  layer.kappa = kappa;
  layer.lambda = lambda;
  if ((layer.requant || layer.out_bits == 32) && grid_draw(&seed, 0, 1))
    layer.kappa = layer.lambda = NULL;
  layer.out = grid_take(out_bytes + GUARDS, layer.out_bits == 32 ? 0 : grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    layer.out[i] = GUARD;
  layer.scratch = grid_take(nn_depthwise_buffer_size(&layer), 0);
}

static void prepare(uint32_t number, uint32_t seed) {
  draw(number, &seed);
  prepare_drawn(seed, grid_draw(&seed, 0, 1));
}

static void prepare_relu(uint32_t number, uint32_t seed) {
  layer.kernel_w = 3;
  layer.stride_w = (uint8_t)(1 + number % 2);
  layer.out_signed = number / 2 % 2;
  layer.in_w = number / 4 % 2 ? 11 : layer.stride_w == 1 ? 8 : 10;
  prepare_drawn(seed, true);
  scheme = grid_relu(8, layer.out_signed, layer.channels, &seed);
  scheme.zero = scheme.low = layer.out_signed ? INT8_MIN : 0;
  scheme.high = (int16_t)(scheme.low + UINT8_MAX);
  layer.requant = &scheme;
  layer.scratch = grid_take(nn_depthwise_buffer_size(&layer), 0);
}

// Columns outside on neither side, to the right, on both; a single window, in rows of many
// channels.
static void prepare_quads(uint32_t number, uint32_t seed) {
  uint32_t columns = number / 4 % 4;
  layer.kernel_w = 3;
  layer.stride_w = 2;
  layer.in_bits = layer.out_bits = number / 16 % 2 ? 8 : 4;
  layer.in_signed = number % 2;
  layer.out_signed = number / 2 % 2;
  layer.pad_left = columns == 2;
  layer.pad_right = columns > 0;
  layer.in_w = columns == 3 ? 2 : columns == 1 ? 10 : 11;
  if (columns == 3)
    layer.channels = 68;
  prepare_drawn(seed, false);
}

static void prepare_variant(uint32_t number, uint32_t seed) {
  draw_variant(number, &seed);
  if (number >= QUAD_VARIANTS) {
    prepare_quads(number, seed);
    return;
  }
  if (number >= RELU_VARIANTS) {
    prepare_relu(number, seed);
    return;
  }
  if (number == PLAIN_VARIANTS) { // a kernel that takes sums first
    layer.kernel_w = 4;
    layer.out_bits = 32;
    layer.out_signed = false;
  }
  if (number > PLAIN_VARIANTS) {
    static const uint8_t bits[] = {8, 8, 4, 2, 8, 8, 8};
    layer.in_bits = bits[number - PLAIN_VARIANTS - 1];
    layer.in_w = number == PLAIN_VARIANTS + 2 ? 12 : 11; // three pixels behind groups of four
    layer.kernel_w = 3;
    layer.stride_w = (uint8_t)(number + 3 == RELU_VARIANTS ? 3 : 1 + number % 2);
  }
  prepare_drawn(seed, false);
  layer.lambda = number > PLAIN_VARIANTS ? NULL : layer.lambda;
  if (number > PLAIN_VARIANTS) {
    enum nn_scheme by = number + 3 > RELU_VARIANTS ? NN_ICN : NN_TFLITE;
    scheme = grid_requant_of(by, true, 8, layer.out_signed, layer.channels, &seed);
    scheme.round_once = number > PLAIN_VARIANTS + 2;
    if (number + 1 == RELU_VARIANTS) { // factors of 1 and more
      static const int32_t factor = 3 << 29;
      static const int8_t shifts = 2;
      scheme.per_channel = false;
      scheme.factor = &factor;
      scheme.shifts = &shifts;
    }
    layer.requant = &scheme;
    layer.scratch = grid_take(nn_depthwise_buffer_size(&layer), 0);
  }
}

static int run(void) {
  if (hybrid())
    fetch_planes();
  return (int)nn_depthwise(&layer);
}

static int check_planes(void) {
  uint32_t pixels = (uint32_t)layer.in_h * layer.in_w;
  for (uint32_t i = 0; i < pixels * layer.channels; i++) {
    if (layer.in[i] != source[i % pixels * layer.channels + i / pixels]) {
      rt_printf("depthwise: byte %u of the planes\n", (unsigned)i);
      return 1;
    }
  }
  return 0;
}

static int check(void) {
  if (hybrid() && check_planes())
    return 1;
  uint32_t out_w = nn_depthwise_out_w(&layer), pixels = nn_depthwise_out_h(&layer) * out_w;
  for (uint32_t i = 0; i < pixels * layer.channels; i++) {
    uint32_t p = i / layer.channels, c = i % layer.channels;
    uint32_t got = ref_depthwise_got(&layer, p / out_w, p % out_w, c);
    uint32_t want = ref_depthwise(&layer, p / out_w, p % out_w, c);
    if (got != want) {
      rt_printf("depthwise %ux%ux%u, kernel %ux%u, %u %u %u bits, scheme %d: pixel %u channel %u = "
                "%u, expected "
                "%u\n",
                layer.in_h, layer.in_w, layer.channels, layer.kernel_h, layer.kernel_w,
                layer.in_bits, layer.weight_bits, layer.out_bits,
                layer.requant ? (int)scheme.scheme : -1, (unsigned)p, (unsigned)c, (unsigned)got,
                (unsigned)want);
      return 1;
    }
  }
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (layer.out[out_bytes + i] != GUARD)
      return 1;
  }
  return 0;
}

int grid_nn_depthwise(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("nn_depthwise", &what);
}

int grid_nn_depthwise_variants(void) {
  static const struct grid_case what = {prepare_variant, run, check};
  return grid_run_variants("nn_depthwise_variants", &what, VARIANTS);
}
