// tests/kernels/grid_nn_map.c: pooling, addition and fully connected layers, the latter also by
// schemes behind their sums, in turn.
#include "grid.h"
#include "grid_requant.h"

#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_bits.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/nn/nn_requant.h"
#include "kernels/ref/ref_add.h"
#include "kernels/ref/ref_linear.h"
#include "kernels/ref/ref_pool.h"
#include "kernels/ref/ref_requant.h"

enum kind { MAX, AVERAGE, ADD, LINEAR, LINEAR_SUMS, LINEAR_SCHEME, KINDS };
enum { GUARD = 0xa5, GUARDS = 8 };

static enum kind kind;
static struct nn_pool pool;
static struct nn_add sum;
static struct nn_add_tflite tflite;
static bool by_tflite;
static struct nn_average average;
static bool by_average;
static struct nn_linear linear;
static struct nn_requant_i32 scheme;
static int32_t *sums; // of LINEAR_SCHEME
static int8_t *weights;
static int32_t *kappa, *lambda;
static uint8_t *out;
static const uint8_t *kept;       // the first summand of an addition in place; else NULL
static uint32_t count, out_bytes; // outputs; what they take
static const uint8_t any_bits[3] = {8, 4, 2};

static uint8_t *filled(uint32_t bytes, uint32_t offset, uint32_t *seed) {
  uint8_t *place = grid_take(bytes, offset);
  grid_fill_ends(place, bytes, seed);
  return place;
}

static void draw_pool(uint32_t *seed) {
  pool = (struct nn_pool){.in_h = (uint16_t)grid_draw(seed, 1, 20),
                          .in_w = (uint16_t)grid_draw(seed, 1, 20),
                          .kernel_h = (uint16_t)grid_draw(seed, 1, 4),
                          .kernel_w = (uint16_t)grid_draw(seed, 1, 4),
                          .stride_h = (uint8_t)grid_draw(seed, 1, 3),
                          .stride_w = (uint8_t)grid_draw(seed, 1, 3),
                          .bits = any_bits[grid_draw(seed, 0, 2)],
                          .is_signed = grid_draw(seed, 0, 1)};
  pool.channels = (uint16_t)grid_draw(seed, 1, 13u * 8 / pool.bits);
  if (grid_draw(seed, 0, 3) == 0) { // global
    pool.kernel_h = pool.in_h;
    pool.kernel_w = pool.in_w;
  } else if (grid_draw(seed, 0, 1)) {
    pool.kernel_h = pool.kernel_w = 2;
  }
  pool.pad_top = (uint8_t)grid_draw(seed, 0, pool.kernel_h - 1u);
  pool.pad_left = (uint8_t)grid_draw(seed, 0, pool.kernel_w - 1u);
  average = (struct nn_average){.inside = grid_draw(seed, 0, 1), .nearest = grid_draw(seed, 0, 1)};
  if (grid_draw(seed, 0, 1)) {
    scheme = grid_requant(pool.bits, pool.is_signed, pool.channels, seed);
    average.requant = &scheme;
  }
  by_average = grid_draw(seed, 0, 1);
  pool.pad_bottom = (uint8_t)(pool.kernel_h - 1);
  pool.pad_right = (uint8_t)(pool.kernel_w - 1);
}

static void fill_pool(uint32_t *seed) {
  uint32_t pixel = nn_bits_bytes(pool.channels, pool.bits);
  pool.in = filled((uint32_t)pool.in_h * pool.in_w * pixel, grid_draw(seed, 0, 3), seed);
  count = nn_pool_out_h(&pool) * nn_pool_out_w(&pool) * pool.channels;
  out_bytes = nn_pool_out_h(&pool) * nn_pool_out_w(&pool) * pixel;
}

// Scales of a byte, not negative ones whose sums fit 16 bits, or wide ones.
static void draw_scales(uint32_t *seed) {
  uint32_t range = grid_draw(seed, 0, 2) ? 255 : 4000;
  sum.scale_a = (int32_t)grid_draw(seed, 0, range) - (int32_t)(range + 1) / 2;
  sum.scale_b = (int32_t)grid_draw(seed, 0, range) - (int32_t)(range + 1) / 2;
  sum.lambda = (int32_t)grid_draw(seed, 0, 60000) - 20000;
  sum.shift = (uint8_t)grid_draw(seed, 0, 12);
  if (grid_draw(seed, 0, 2) > 0)
    return;
  sum.scale_a = (int32_t)grid_draw(seed, 0, 257);
  sum.scale_b = (int32_t)grid_draw(seed, 0, 258u - (uint32_t)sum.scale_a); // one too much at times
  sum.shift = (uint8_t)grid_draw(seed, 0, 9);
  sum.lambda = (int32_t)grid_draw(seed, 0, 260u << sum.shift) - 1;
}

static struct nn_add_rescale draw_rescale(uint32_t *seed) {
  return (struct nn_add_rescale){.factor = (int32_t)(rt_random(seed) >> 1),
                                 .shift = (int8_t)((int32_t)grid_draw(seed, 0, 20) - 17),
                                 .zero = (int16_t)((int32_t)grid_draw(seed, 0, 255) - 128)};
}

// Outputs over the whole range, and saturated.
static void draw_tflite(uint32_t *seed) {
  int32_t least = sum.out_signed ? -(1 << (sum.out_bits - 1)) : 0, top = (1 << sum.out_bits) - 1;
  int32_t low = (int32_t)grid_draw(seed, 0, 1) * top / 3;
  tflite = (struct nn_add_tflite){.a = draw_rescale(seed),
                                  .b = draw_rescale(seed),
                                  .out = draw_rescale(seed),
                                  .left = (uint8_t)grid_draw(seed, 0, 20),
                                  .low = (int16_t)(least + low),
                                  .high = (int16_t)(least + top - low)};
  by_tflite = true;
}

static void draw_add(uint32_t *seed) {
  sum = (struct nn_add){.pixels = grid_draw(seed, 1, 20),
                        .channels = grid_draw(seed, 1, 70),
                        .a_bits = any_bits[grid_draw(seed, 0, 2)],
                        .b_bits = any_bits[grid_draw(seed, 0, 2)],
                        .out_bits = any_bits[grid_draw(seed, 0, 2)]};
  if (grid_draw(seed, 0, 1))
    sum.a_bits = sum.b_bits = sum.out_bits = 8;
  if (grid_draw(seed, 0, 1))
    sum.in_signed = sum.out_signed = true;
  else if (grid_draw(seed, 0, 2) == 0)
    sum.in_signed = !(sum.out_signed = grid_draw(seed, 0, 1));
  if (grid_draw(seed, 0, 1))
    draw_tflite(seed);
  if (grid_draw(seed, 0, 1))
    sum.channels = (sum.channels + 3) / 4 * 4;
  draw_scales(seed);
}

static void fill_add(uint32_t *seed) {
  sum.a = filled(sum.pixels * nn_bits_bytes(sum.channels, sum.a_bits), grid_draw(seed, 0, 3), seed);
  sum.b = filled(sum.pixels * nn_bits_bytes(sum.channels, sum.b_bits), grid_draw(seed, 0, 3), seed);
  count = sum.pixels * sum.channels;
  out_bytes = sum.pixels * nn_bits_bytes(sum.channels, sum.out_bits);
}

static uint32_t outputs; // of a variant, 0: drawn; 5: two blocks

static void prepare_linear(uint32_t *seed) {
  linear = (struct nn_linear){.inputs = (uint16_t)grid_draw(seed, 1, 60),
                              .outputs = (uint16_t)grid_draw(seed, 1, 160),
                              .shift = (uint8_t)grid_draw(seed, 0, 20)};
  if (grid_draw(seed, 0, 3) == 0) { // inputs that the cores share
    linear.inputs = (uint16_t)grid_draw(seed, 380, 500);
    linear.outputs = (uint16_t)grid_draw(seed, 1, 20);
  }
  if (outputs > 0)
    linear.outputs = (uint16_t)(outputs == 5 ? 16 : outputs);
  count = linear.outputs;
  out_bytes = count * (kind == LINEAR_SUMS ? 4 : 1);
  linear.in = filled((linear.inputs + 3u) / 4 * 4, 0, seed);
  weights = (int8_t *)filled((uint32_t)linear.inputs * linear.outputs, 0, seed);
  kappa = grid_take(count * 4, 0);
  lambda = grid_take(count * 4, 0);
  for (uint32_t f = 0; f < count; f++) {
    kappa[f] = (int32_t)(rt_random(seed) & 0xffff) - 0x4000;
    lambda[f] = (int32_t)rt_random(seed) >> 4;
  }
  linear.filters = grid_take(nn_linear_packed_size(&linear), 0);
  if (grid_draw(seed, 0, 3) > 0)
    linear.scratch = grid_take(nn_linear_buffer_size(&linear), 0);
  if (kind == LINEAR_SCHEME) {
    scheme = grid_requant(any_bits[grid_draw(seed, 0, 2)], grid_draw(seed, 0, 1), count, seed);
    sums = grid_take(count * 4, 0);
    out_bytes = nn_bits_bytes(count, scheme.bits);
  }
}

// Additions by the bits and signs of three tensors, and one in halves of a register; pools by two
// kinds of window, bits and sign, maximum and average; linear layers, of 1 to 4 outputs and others;
// averages of bytes: of windows that begin outside, that do not touch, that share most columns.
enum { ADDS = 27 * 4 + 1, POOLS = 2 * 3 * 2 * 2, LINEARS = 12 };
enum { AVERAGES = ADDS + POOLS + LINEARS, VARIANTS = AVERAGES + 1 + 6 };

static void draw_add_variant(uint32_t number) {
  bool halves = number == ADDS - 1;
  sum = (struct nn_add){.pixels = 2,
                        .channels = 20, // two groups of eight, and a rest
                        .scale_a = halves ? 200 : -100,
                        .scale_b = halves ? 50 : 120,
                        .lambda = 700,
                        .shift = 8,
                        .a_bits = any_bits[number % 3],
                        .b_bits = any_bits[number / 3 % 3],
                        .out_bits = any_bits[number / 9 % 3],
                        .in_signed = number / 27 % 2,
                        .out_signed = number / 54 % 2};
}

static void draw_pool_variant(uint32_t number) {
  pool = (struct nn_pool){.in_h = 5,
                          .in_w = 5,
                          .kernel_h = number % 2 ? 2 : 3,
                          .kernel_w = number % 2 ? 2 : 3,
                          .stride_h = 1,
                          .stride_w = 2,
                          .channels = 70,
                          .bits = any_bits[number / 2 % 3],
                          .is_signed = number / 6 % 2};
}

// Rounded to the nearest or down, signed or not.
static void draw_average_variant(uint32_t number) {
  draw_pool_variant(0);
  if (number == 0) { // less than eight bytes
    pool.channels = 6;
    return;
  }
  pool.bits = 8;
  pool.in_w = 9;
  pool.channels = 11;
  pool.pad_left = number % 3 == 1;
  pool.stride_w = (uint8_t[]){1, 2, 4}[number % 3];
  pool.is_signed = number > 3;
  average = (struct nn_average){.inside = false, .nearest = true};
  by_average = number > 3 || number % 3 != 1;
}

static void fill_kind(uint32_t seed) {
  (kind <= AVERAGE ? fill_pool : kind == ADD ? fill_add : prepare_linear)(&seed);
  out = grid_take(out_bytes + GUARDS, kind == LINEAR_SUMS ? 0 : grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    out[i] = GUARD;
  pool.out = sum.out = out;
  linear.out = kind == LINEAR_SCHEME ? (void *)sums : out;
  kept = NULL;
  if (kind == ADD && !by_tflite && sum.a_bits == sum.out_bits && grid_draw(&seed, 0, 2) == 0) {
    kept = sum.a;
    for (uint32_t i = 0; i < out_bytes; i++)
      out[i] = kept[i];
    sum.a = out;
  }
}

static void prepare_variant(uint32_t number, uint32_t seed) {
  by_tflite = by_average = false;
  if (number < ADDS) {
    kind = ADD;
    draw_add_variant(number);
  } else if (number < ADDS + POOLS) {
    kind = (number - ADDS) / 12 ? AVERAGE : MAX;
    draw_pool_variant(number - ADDS);
  } else if (number >= AVERAGES) {
    kind = AVERAGE;
    draw_average_variant(number - AVERAGES);
  } else {
    kind = (number - ADDS - POOLS) % 2 ? LINEAR_SUMS : LINEAR;
    outputs = (number - ADDS - POOLS) / 2;
  }
  fill_kind(seed);
  outputs = 0;
}

static void prepare(uint32_t number, uint32_t seed) {
  kind = (enum kind)(number % KINDS);
  by_tflite = by_average = false;
  if (kind <= AVERAGE)
    draw_pool(&seed);
  else if (kind == ADD)
    draw_add(&seed);
  fill_kind(seed);
}

static int run(void) {
  if (kind >= LINEAR) {
    nn_linear_pack(&linear, (void *)linear.filters, weights, kappa, lambda);
    rt_barrier();
  }
  if (kind == LINEAR_SCHEME) {
    int status = (int)nn_linear_u8_i8_i32(&linear);
    rt_barrier();
    return status ? status : (int)nn_requant_i32(&scheme, sums, out, 1, count);
  }
  if (kind == AVERAGE && by_average)
    return (int)nn_avgpool_by(&pool, &average);
  if (kind == ADD && by_tflite)
    return (int)nn_add_tflite(&sum, &tflite);
  return (int)(kind == MAX       ? nn_maxpool(&pool)
               : kind == AVERAGE ? nn_avgpool(&pool)
               : kind == ADD     ? nn_add(&sum)
               : kind == LINEAR  ? nn_linear_u8_i8_u8(&linear)
                                 : nn_linear_u8_i8_i32(&linear));
}

// NOLINTBEGIN(clang-analyzer-core.DivideZero): an output that exists has a window and a line
static uint32_t pooled(uint32_t i) {
  uint32_t out_w = nn_pool_out_w(&pool), p = i / pool.channels;
  if (kind == AVERAGE && by_average)
    return ref_avgpool_by(&pool, &average, p / out_w, p % out_w, i % pool.channels);
  return (kind == MAX ? ref_maxpool : ref_avgpool)(&pool, p / out_w, p % out_w, i % pool.channels);
}
// NOLINTEND(clang-analyzer-core.DivideZero)

static uint32_t expected(uint32_t i) {
  if (kind <= AVERAGE)
    return pooled(i);
  if (kind == ADD && by_tflite)
    return ref_add_tflite(&sum, &tflite, i / sum.channels, i % sum.channels);
  if (kind == ADD)
    return ref_add(&sum, i / sum.channels, i % sum.channels);
  int32_t total = ref_linear_sum(linear.in, weights + i * linear.inputs, linear.inputs);
  if (kind == LINEAR_SCHEME)
    return ref_requant_i32(&scheme, total, i);
  return kind == LINEAR ? nn_requant_u8(total, kappa[i], lambda[i], linear.shift) : (uint32_t)total;
}

static int wrong(uint32_t i, uint32_t got, uint32_t want) {
  if (got != want)
    rt_printf("kind %d, %u %u %u %u bits: output %u of %u = %u, expected %u\n", (int)kind,
              pool.bits, sum.a_bits, sum.b_bits, sum.out_bits, (unsigned)i, (unsigned)count,
              (unsigned)got, (unsigned)want);
  return got != want;
}

// Pixels of packed elements, and zeros behind them.
static int check_packed(uint32_t channels, uint32_t bits) {
  uint32_t pixel = nn_bits_bytes(channels, bits);
  for (uint32_t i = 0; i < out_bytes * 8 / bits; i++) {
    uint32_t p = i / (pixel * 8 / bits), c = i % (pixel * 8 / bits);
    uint32_t want = c < channels ? expected(p * channels + c) : 0;
    if (wrong(i, nn_bits_unsigned(out, i, bits), want))
      return 1;
  }
  return 0;
}

static int check(void) {
  sum.a = kept ? kept : sum.a;
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (wrong(count, out[out_bytes + i], GUARD))
      return 1;
  }
  if (kind < LINEAR)
    return kind == ADD ? check_packed(sum.channels, sum.out_bits)
                       : check_packed(pool.channels, pool.bits);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t got = kind == LINEAR_SCHEME ? nn_bits_unsigned(out, i, scheme.bits)
                   : kind == LINEAR_SUMS ? ((const uint32_t *)(const void *)out)[i]
                                         : out[i];
    if (wrong(i, got, expected(i)))
      return 1;
  }
  return 0;
}

int grid_nn_map(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run_by_cores("nn_map", &what);
}

int grid_nn_map_variants(void) {
  static const struct grid_case what = {prepare_variant, run, check};
  return grid_run_variants("nn_map_variants", &what, VARIANTS);
}
