// kernels/train/train_tiled_product.c: see train_tiled_product.h.
#include "train_tiled_product.h"

#include "kernels/train/train_product.h"
#include "kernels/train/train_tiles.h"

enum { A, B, C, OPERANDS };

// Number of the tile along each dimension.
struct place {
  uint32_t n, m, k;
};

static uint32_t tiles_of(uint32_t size, uint32_t tile) {
  return (size + tile - 1) / tile;
}

static uint32_t extent(uint32_t size, uint32_t tile, uint32_t number) {
  uint32_t left = size - number * tile;
  return left < tile ? left : tile;
}

static struct place place_of(const struct train_tiled_product *p,
                             const struct train_tile_place *step) {
  return p->rows_inner ? (struct place){step->middle, step->outer, step->inner}
                       : (struct place){step->outer, step->middle, step->inner};
}

// Rows x columns of an operand of dimensions (r, c), in a matrix with lines of `ld` floats.
static struct train_tile part(const float *base, uint32_t ld, uint32_t row, uint32_t column,
                              uint32_t rows, uint32_t columns) {
  return (struct train_tile){(void *)(uintptr_t)(base + row * ld + column), rows, columns * 4,
                             ld * 4};
}

static void tile(const void *layer, const struct train_tile_place *step, uint32_t operand,
                 struct train_tile *out) {
  const struct train_tiled_product *p = layer;
  const struct mmt_f32 *w = &p->whole;
  struct place at = place_of(p, step);
  uint32_t i = at.n * p->tile_n, j = at.m * p->tile_m, k = at.k * p->tile_k;
  uint32_t n = extent(w->n, p->tile_n, at.n), m = extent(w->m, p->tile_m, at.m);
  uint32_t depth = extent(w->k, p->tile_k, at.k);
  if (operand == A)
    *out = w->layout == MMT_TN ? part(w->a, w->lda, k, i, depth, n)
                               : part(w->a, w->lda, i, k, n, depth);
  else if (operand == B)
    *out = w->layout == MMT_NT ? part(w->b, w->ldb, j, k, m, depth)
                               : part(w->b, w->ldb, k, j, depth, m);
  else
    *out = part(w->c, w->ldc, i, j, n, m);
}

static void compute(const void *layer, const struct train_tile_place *step, void *const *l1) {
  const struct train_tiled_product *p = layer;
  const struct mmt_f32 *w = &p->whole;
  struct place at = place_of(p, step);
  struct mmt_f32 mm = {.a = l1[A], .b = l1[B], .c = l1[C], .layout = w->layout, .add = at.k > 0};
  mm.n = extent(w->n, p->tile_n, at.n);
  mm.m = extent(w->m, p->tile_m, at.m);
  mm.k = extent(w->k, p->tile_k, at.k);
  mm.lda = w->layout == MMT_TN ? mm.n : mm.k;
  mm.ldb = w->layout == MMT_NT ? mm.k : mm.m;
  mm.ldc = mm.m;
  mmt_f32_unchecked(train_matmul(p->matmul), &mm);
}

// Floats between the places of operands: their lines do not begin at one bank.
enum { GAP = 1 };

// Puts operand `number`, of so many floats, behind *used; twice, unless one place holds it all.
static void take(struct train_tiles *tiles, float *l1, uint32_t *used, uint32_t number,
                 uint32_t floats, bool once) {
  for (uint32_t i = 0; i < 2; i++) {
    tiles->place[number][i] = l1 + *used;
    if (i == 1 || !once)
      *used += floats + GAP;
  }
}

static uint32_t plan(const struct train_tiled_product *p, struct train_tiles *tiles) {
  const struct mmt_f32 *w = &p->whole;
  bool one_n = p->tile_n == w->n, one_m = p->tile_m == w->m, one_k = p->tile_k == w->k;
  uint32_t used = 0;
  take(tiles, p->l1, &used, A, p->tile_n * p->tile_k, one_n && one_k);
  take(tiles, p->l1, &used, B, p->tile_m * p->tile_k, one_m && one_k);
  take(tiles, p->l1, &used, C, p->tile_n * p->tile_m, one_n && one_m);
  return used * 4;
}

uint32_t train_tiled_product_buffer_size(const struct train_tiled_product *product) {
  struct train_tiles tiles;
  return plan(product, &tiles);
}

static enum kernel_status check(const struct train_tiled_product *p) {
  KERNEL_CHECK(mmt_f32_check(&p->whole));
  bool tile_ok =
      p->tile_n - 1 < p->whole.n && p->tile_m - 1 < p->whole.m && p->tile_k - 1 < p->whole.k;
  if (!tile_ok || p->whole.add || train_bad_matmul(p->matmul))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  if (!p->l1 || (uintptr_t)p->l1 % 4)
    return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  return KERNEL_OK;
}

enum kernel_status train_tiled_product(const struct train_tiled_product *product) {
  KERNEL_CHECK(check(product));
  const struct mmt_f32 *w = &product->whole;
  uint32_t n = tiles_of(w->n, product->tile_n), m = tiles_of(w->m, product->tile_m);
  bool rows = product->rows_inner;
  struct train_tiles tiles = {
      .layer = product,
      .count = {rows ? m : n, rows ? n : m, tiles_of(w->k, product->tile_k)},
      .operands = OPERANDS,
      .outs = 1 << C,
      .tile = tile,
      .compute = compute};
  plan(product, &tiles);
  train_tiles_run(&tiles);
  return KERNEL_OK;
}
