// tests/kernels/grid_nn_map.c: pooling, addition and fully connected layers, in turn.
#include "grid.h"

#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/nn/nn_requant.h"
#include "kernels/ref/ref_linear.h"
#include "kernels/ref/ref_pool.h"

enum kind { MAX, AVERAGE, ADD, LINEAR, LINEAR_SUMS, KINDS };
enum { GUARD = 0xa5, GUARDS = 8 };

static enum kind kind;
static struct nn_pool pool;
static struct nn_add sum;
static struct nn_linear linear;
static int8_t *weights;
static int32_t *kappa, *lambda;
static uint8_t *out;
static uint32_t count, size; // outputs, bytes of one

static uint8_t *filled(uint32_t bytes, uint32_t offset, uint32_t *seed) {
  uint8_t *place = grid_take(bytes, offset);
  grid_fill_ends(place, bytes, seed);
  return place;
}

static void prepare_pool(uint32_t *seed) {
  pool = (struct nn_pool){.in_h = (uint16_t)grid_draw(seed, 1, 20),
                          .in_w = (uint16_t)grid_draw(seed, 1, 20),
                          .channels = (uint16_t)grid_draw(seed, 1, 13),
                          .kernel_h = (uint16_t)grid_draw(seed, 1, 4),
                          .kernel_w = (uint16_t)grid_draw(seed, 1, 4),
                          .stride_h = (uint8_t)grid_draw(seed, 1, 3),
                          .stride_w = (uint8_t)grid_draw(seed, 1, 3)};
  if (grid_draw(seed, 0, 3) == 0) { // global
    pool.kernel_h = pool.in_h;
    pool.kernel_w = pool.in_w;
  } else if (grid_draw(seed, 0, 1)) {
    pool.kernel_h = pool.kernel_w = 2;
  }
  pool.pad_top = (uint8_t)grid_draw(seed, 0, pool.kernel_h - 1u);
  pool.pad_left = (uint8_t)grid_draw(seed, 0, pool.kernel_w - 1u);
  pool.pad_bottom = (uint8_t)(pool.kernel_h - 1);
  pool.pad_right = (uint8_t)(pool.kernel_w - 1);
  pool.in = filled((uint32_t)pool.in_h * pool.in_w * pool.channels, grid_draw(seed, 0, 3), seed);
  count = nn_pool_out_h(&pool) * nn_pool_out_w(&pool) * pool.channels;
}

static void prepare_add(uint32_t *seed) {
  uint32_t range = grid_draw(seed, 0, 1) ? 255 : 4000;
  count = grid_draw(seed, 1, 90);
  sum = (struct nn_add){.a = filled(count, grid_draw(seed, 0, 3), seed),
                        .b = filled(count, grid_draw(seed, 0, 3), seed),
                        .count = count,
                        .scale_a = (int32_t)grid_draw(seed, 0, range) - (int32_t)(range + 1) / 2,
                        .scale_b = (int32_t)grid_draw(seed, 0, range) - (int32_t)(range + 1) / 2,
                        .lambda = (int32_t)grid_draw(seed, 0, 60000) - 20000,
                        .shift = (uint8_t)grid_draw(seed, 0, 12)};
}

static void prepare_linear(uint32_t *seed) {
  linear = (struct nn_linear){.inputs = (uint16_t)grid_draw(seed, 1, 60),
                              .outputs = (uint16_t)grid_draw(seed, 1, 40),
                              .shift = (uint8_t)grid_draw(seed, 0, 20)};
  count = linear.outputs;
  linear.in = filled((linear.inputs + 3u) / 4 * 4, 0, seed);
  weights = (int8_t *)filled((uint32_t)linear.inputs * linear.outputs, 0, seed);
  kappa = grid_take(count * 4, 0);
  lambda = grid_take(count * 4, 0);
  for (uint32_t f = 0; f < count; f++) {
    kappa[f] = (int32_t)(rt_random(seed) & 0xffff) - 0x4000;
    lambda[f] = (int32_t)rt_random(seed) >> 4;
  }
  linear.filters = grid_take(nn_linear_packed_size(&linear), 0);
}

static void prepare(uint32_t number, uint32_t seed) {
  kind = (enum kind)(number % KINDS);
  (kind <= AVERAGE ? prepare_pool : kind == ADD ? prepare_add : prepare_linear)(&seed);
  size = kind == LINEAR_SUMS ? 4 : 1;
  out = grid_take(count * size + GUARDS, kind == LINEAR_SUMS ? 0 : grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < count * size + GUARDS; i++)
    out[i] = GUARD;
  pool.out = sum.out = out;
  linear.out = out;
}

static int run(void) {
  if (kind >= LINEAR) {
    nn_linear_pack(&linear, (void *)linear.filters, weights, kappa, lambda);
    rt_barrier();
  }
  return (int)(kind == MAX       ? nn_maxpool_u8(&pool)
               : kind == AVERAGE ? nn_avgpool_u8(&pool)
               : kind == ADD     ? nn_add_u8(&sum)
               : kind == LINEAR  ? nn_linear_u8_i8_u8(&linear)
                                 : nn_linear_u8_i8_i32(&linear));
}

// NOLINTBEGIN(clang-analyzer-core.DivideZero): an output that exists has a window and a line
static uint32_t pooled(uint32_t i) {
  uint32_t out_w = nn_pool_out_w(&pool), p = i / pool.channels;
  return (kind == MAX ? ref_maxpool_u8 : ref_avgpool_u8)(&pool, p / out_w, p % out_w,
                                                         i % pool.channels);
}
// NOLINTEND(clang-analyzer-core.DivideZero)

static uint32_t expected(uint32_t i) {
  if (kind <= AVERAGE)
    return pooled(i);
  if (kind == ADD)
    return nn_requant_u8(sum.a[i] * sum.scale_a + sum.b[i] * sum.scale_b, 1, sum.lambda, sum.shift);
  int32_t total = ref_linear_sum(linear.in, weights + i * linear.inputs, linear.inputs);
  return kind == LINEAR ? nn_requant_u8(total, kappa[i], lambda[i], linear.shift) : (uint32_t)total;
}

static int check(void) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t got = size == 4 ? ((const uint32_t *)(const void *)out)[i] : out[i];
    if (got != expected(i)) {
      rt_printf("kind %d: output %u of %u = %u, expected %u\n", (int)kind, (unsigned)i,
                (unsigned)count, (unsigned)got, (unsigned)expected(i));
      return 1;
    }
  }
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (out[count * size + i] != GUARD)
      return 1;
  }
  return 0;
}

int grid_nn_map(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("nn_map", &what);
}
