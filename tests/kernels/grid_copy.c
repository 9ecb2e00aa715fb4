// tests/kernels/grid_copy.c: block copies and clears, any length, any alignment, nothing beside.
#include "grid.h"

enum { SIZE = 600 };
static uint8_t *from, *to;
static uint32_t words, rows, stride, to_stride, to_offset;
static enum { COPY_WORDS, COPY_ROWS, ZERO_WORDS, KINDS } kind;

static void prepare(uint32_t number, uint32_t seed) {
  kind = number % KINDS;
  words = grid_draw(&seed, kind == COPY_ROWS ? 1 : 0, kind == COPY_ROWS ? 12 : 70);
  rows = kind == COPY_ROWS ? grid_draw(&seed, 1, 5) : 1;
  stride = words * 4 + grid_draw(&seed, 0, 7);
  to_stride = words * 4 + (kind == COPY_ROWS ? grid_draw(&seed, 0, 7) : 0);
  to_offset = grid_draw(&seed, 0, 7);
  from = grid_take(rows * stride + 4, grid_draw(&seed, 0, 3));
  to = grid_take(SIZE, 0);
  grid_fill(from, rows * stride + 4, &seed);
  for (uint32_t i = 0; i < SIZE; i++)
    to[i] = 0x5a;
}

static int run(void) {
  if (rt_core_id() != 0)
    return 0;
  if (kind == COPY_WORDS)
    rt_copy_words(to + to_offset, from, words);
  else if (kind == COPY_ROWS)
    rt_copy_rows(to + to_offset, from, words, rows, to_stride, stride);
  else
    rt_zero_words(to + to_offset, words);
  return 0;
}

static uint8_t expected(uint32_t i) {
  uint32_t at = i - to_offset;
  if (i < to_offset || words == 0 || at / to_stride >= rows || at % to_stride >= words * 4)
    return 0x5a;
  return kind == ZERO_WORDS ? 0 : from[at / to_stride * stride + at % to_stride];
}

static int check(void) {
  for (uint32_t i = 0; i < SIZE; i++) {
    if (to[i] != expected(i)) {
      rt_printf("copy kind %d, %u rows of %u words: byte %u is %02x, expected %02x\n", (int)kind,
                (unsigned)rows, (unsigned)words, (unsigned)i, to[i], expected(i));
      return 1;
    }
  }
  return 0;
}

int grid_copy(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("copy", &what);
}
