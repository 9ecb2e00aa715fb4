// tests/kernels/grid_train_packed.c: blocks of products whose operands lie side by side or in lines
// of one length (mmt_f32_tile.h: kinds tnp, tns, ntp of floats), with what happens where their sums
// are stored: a ReLU, or a step of weights. Bit for bit, with numbers that are none, too.
#include "grid_train.h"

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/mm/mmt_f32_tiles.h"

enum kind { TNP, TNS, NTP, KINDS };

static const struct {
  uint8_t rows, cols;
} blocks_of[KINDS][4] = {
    [TNP] = {{4, 4}, {5, 4}, {6, 4}, {6, 4}},
    [TNS] = {{4, 4}, {5, 4}, {6, 4}, {6, 4}},
    [NTP] = {{5, 4}, {6, 4}, {4, 5}, {5, 5}},
};

static enum kind kind;
static uint32_t rows, cols, count; // of a block; floats of C
static struct mmt_tile tile;
static float *before;

// Places of operands: A's rows, or B's columns, and their steps of k. In floats.
static uint32_t a_at(uint32_t block, uint32_t row, uint32_t k) {
  uint32_t next = block * tile.a.next / 4;
  return next + (kind == NTP ? row * MMT_TILE_PITCH + k : k * (tile.a.step / 4) + row);
}
static uint32_t b_at(uint32_t col, uint32_t k) {
  return kind == NTP ? col * MMT_TILE_PITCH + k : k * 4 + col;
}

static void place_operands(void) {
  if (kind == NTP) {
    tile.a.next = 4 * rows * MMT_TILE_PITCH;
    return;
  }
  tile.a.step = 4 * (kind == TNS ? MMT_TILE_STEP : rows);
  tile.a.next = 4 * rows * (kind == TNS ? 1 : tile.k);
  tile.b.step = 4 * cols;
}

// Those of lines are odd, as lines are.
static uint32_t steps_of_k(uint32_t number, uint32_t *seed) {
  uint32_t k = grid_draw(seed, 1, number % 5 == 0 ? MMT_TILE_PITCH : 9);
  return kind == NTP ? k | 1 : k;
}

static void end_of_sums(uint32_t number, uint32_t *seed) {
  tile.add = number % 2;
  if (kind == NTP)
    tile.factor = (float)grid_draw(seed, 1, 7) * -0x1p-4f;
  else
    tile.relu = kind == TNP && !tile.add && number / 6 % 2;
}

static void prepare(uint32_t number, uint32_t seed) {
  kind = (enum kind)(number / 2 % KINDS);
  uint32_t which = grid_draw(&seed, 0, 3);
  rows = blocks_of[kind][which].rows;
  cols = blocks_of[kind][which].cols;
  tile = (struct mmt_tile){.k = steps_of_k(number, &seed), .blocks = grid_draw(&seed, 1, 3)};
  end_of_sums(number, &seed);
  place_operands();
  tile.c_step = 4 * (cols + grid_draw(&seed, 0, 2));
  tile.c_next = rows * tile.c_step;
  count = tile.blocks * tile.c_next / 4;
  uint32_t a_floats = a_at(tile.blocks - 1, rows - 1, tile.k - 1) + 1;
  float *a = grid_floats(a_floats, &seed);
  if (number % 7 == 0 && a_floats > 0)
    grid_spoil(a, a_floats, TRAIN_F32, &seed);
  tile.a.at = a;
  tile.b.at = grid_floats(b_at(cols - 1, tile.k - 1) + 1, &seed);
  float *c = grid_floats(count, &seed);
  tile.c = c;
  before = grid_take(4 * count, 0);
  for (uint32_t i = 0; i < count; i++)
    before[i] = c[i];
}

static int run(void) {
  mmt_tile_fn *const *tiles = kind == NTP   ? &mmt_tiles_s_ntp[0][0]
                              : kind == TNS ? &mmt_tiles_s_tns[0][0]
                                            : &mmt_tiles_s_tnp[0][0];
  if (rt_core_id() == 0)
    tiles[(rows - 1) * MMT_TILE_COLS + cols - 1](&tile);
  return 0;
}

static float expected(uint32_t i) {
  uint32_t line = i / (tile.c_step / 4), col = i % (tile.c_step / 4), block = line / rows;
  const float *a = tile.a.at, *b = tile.b.at;
  if (col >= cols)
    return before[i];
  float sum = tile.add && kind != NTP ? before[i] : 0;
  for (uint32_t k = 0; k < tile.k; k++)
    sum = __builtin_fmaf(a[a_at(block, line % rows, k)], b[b_at(col, k)], sum);
  if (kind == NTP)
    return tile.add ? __builtin_fmaf(tile.factor, sum, before[i]) : sum;
  return tile.relu && sum <= 0 ? 0 : sum;
}

static int check(void) {
  const float *c = tile.c;
  for (uint32_t i = 0; i < count; i++) {
    float want = expected(i);
    if (rt_float_bits(c[i]) == rt_float_bits(want) || (c[i] != c[i] && want != want))
      continue;
    rt_printf("kind %u %ux%u k %u blocks %u add %u: C[%u] = %08x, expected %08x\n", (unsigned)kind,
              (unsigned)rows, (unsigned)cols, (unsigned)tile.k, (unsigned)tile.blocks,
              (unsigned)tile.add, (unsigned)i, (unsigned)rt_float_bits(c[i]),
              (unsigned)rt_float_bits(want));
    return 1;
  }
  return 0;
}

int grid_train_packed(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_packed", &what);
}
