// tests/kernels/grid_nn_requant.c: requantization of sums in memory, by all schemes; sums over the
// whole range, the extreme ones and the thresholds themselves among them.
#include "grid_requant.h"

#include "kernels/nn/nn_bits.h"
#include "kernels/ref/ref_requant.h"

static struct nn_requant_i32 scheme;
static int32_t *sums;
static uint8_t *out;
static uint32_t pixels, channels, out_bytes;
enum { GUARD = 0xa5, GUARDS = 8 };

static int32_t draw_sum(uint32_t *seed) {
  static const int32_t edges[] = {0, -1, 1, INT32_MIN, INT32_MAX};
  uint32_t kind = grid_draw(seed, 0, 7);
  if (kind < 5)
    return kind == 4 ? edges[grid_draw(seed, 0, 4)]
                     : (int32_t)rt_random(seed) >> grid_draw(seed, 0, 24);
  if (scheme.scheme != NN_THRESHOLDS)
    return (int32_t)rt_random(seed);
  return scheme.thresholds[grid_draw(seed, 0, (1u << scheme.bits) - 2)] + (int32_t)kind - 6;
}

static void prepare(uint32_t number, uint32_t seed) {
  static const uint8_t bits[3] = {8, 4, 2};
  pixels = grid_draw(&seed, 1, 12);
  channels = grid_draw(&seed, 1, 13);
  scheme = grid_requant(bits[number % 3], grid_draw(&seed, 0, 1), channels, &seed);
  sums = grid_take(pixels * channels * 4, 0);
  for (uint32_t i = 0; i < pixels * channels; i++)
    sums[i] = draw_sum(&seed);
  out_bytes = pixels * nn_bits_bytes(channels, scheme.bits);
  out = grid_take(out_bytes + GUARDS, grid_draw(&seed, 0, 3));
  for (uint32_t i = 0; i < out_bytes + GUARDS; i++)
    out[i] = GUARD;
}

static int run(void) {
  return (int)nn_requant_i32(&scheme, sums, out, pixels, channels);
}

static int wrong(uint32_t pixel, uint32_t c, uint32_t got, uint32_t want) {
  if (got != want)
    rt_printf("scheme %d, %u bits: pixel %u channel %u = %u, expected %u\n", (int)scheme.scheme,
              scheme.bits, (unsigned)pixel, (unsigned)c, (unsigned)got, (unsigned)want);
  return got != want;
}

static int check(void) {
  uint32_t bytes = nn_bits_bytes(channels, scheme.bits);
  for (uint32_t i = 0; i < pixels * channels; i++) {
    uint32_t p = i / channels, c = i % channels;
    if (wrong(p, c, nn_bits_unsigned(out + p * bytes, c, scheme.bits),
              ref_requant_i32(&scheme, sums[i], c)))
      return 1;
  }
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (wrong(pixels, i, out[out_bytes + i], GUARD))
      return 1;
  }
  return 0;
}

int grid_nn_requant(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("nn_requant", &what);
}
