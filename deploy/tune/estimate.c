// deploy/tune/estimate.c: see estimate.h.
#include "deploy/tune/estimate.h"

#include "kernels/mm/mmt_split.h"

// Fitted to 2,000 ways of 12 products on machine trainlib, 8 cores.
enum {
  CALL = 4000,        // cycles of a run outside its steps
  STEP = 1500,        // of a step outside its blocks: barrier, transfers, where the tiles are
  BLOCK_HALVES = 100, // half cycles of a block outside its loop, as mmt_split.c has it
  TRANSFER = 60,      // until the first bytes of a transfer have come
  LINE = 2,           // of each line of a tile, besides its bytes
  DMA_BYTES = 8,      // a cycle, each way
  CONFLICTS = 17,     // sixteenths of the time without waiting for banks
};

static uint32_t divide_up(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// The dimensions of a tile.
struct size {
  uint32_t n, m, k;
};

// ---------------------------------------------------------------- compute

static struct mmt_block block_of(const struct tune_way *way, const struct size *tile) {
  struct mmt_f32 like = {.n = tile->n, .m = tile->m, .k = tile->k};
  return way->matmul ? tune_kernel_block(way->matmul) : mmt_blocks[mmt_f32_default(&like)];
}

// Half slots that the pointers of a block take in a step of k (mmt_f32_tile.S).
static uint32_t pointers_of(enum mmt_layout layout, struct mmt_block block) {
  return layout == MMT_NN ? block.u + 2u : layout == MMT_TN ? 4u : (uint32_t)block.u + block.v;
}

// Half slots of the busiest core of `high` x `wide`: multiplications, loads, pointers, blocks.
static uint64_t halves(struct mmt_block block, uint32_t pointers, const struct size *t,
                       uint32_t high, uint32_t wide) {
  uint64_t r = divide_up(t->n, high), c = divide_up(t->m, wide);
  uint64_t down = divide_up((uint32_t)r, block.u), across = divide_up((uint32_t)c, block.v);
  return 2 * t->k * ((r + down) * c + across * r) +
         down * across * (t->k * pointers + BLOCK_HALVES);
}

static uint64_t busiest(struct mmt_block block, uint32_t pointers, uint32_t cores,
                        const struct size *tile) {
  if (block.split != MMT_GRID)
    return block.split == MMT_ROWS ? halves(block, pointers, tile, cores, 1)
                                   : halves(block, pointers, tile, 1, cores);
  uint64_t least = UINT64_MAX;
  for (uint32_t wide = 1; wide <= cores; wide *= 2) {
    uint64_t price = halves(block, pointers, tile, divide_up(cores, wide), wide);
    least = price < least ? price : least;
  }
  return least;
}

static uint64_t compute(const struct tune_product *p, const struct tune_machine *machine,
                        const struct tune_way *way, const struct size *tile) {
  struct mmt_block block = block_of(way, tile);
  uint64_t price = busiest(block, pointers_of(p->layout, block), machine->cores, tile);
  return STEP + price * CONFLICTS / (2 * 16);
}

// ---------------------------------------------------------------- the whole

// The steps of a way are those of kernels/train/train_tiled_product.c.
struct walk {
  struct size tiles, tile, whole; // how many, of which size, of which product
  bool rows_inner;
};

static struct walk walk_of(const struct tune_product *p, const struct tune_way *way) {
  return (struct walk){
      {divide_up(p->n, way->tile_n), divide_up(p->m, way->tile_m), divide_up(p->k, way->tile_k)},
      {way->tile_n, way->tile_m, way->tile_k},
      {p->n, p->m, p->k},
      way->rows_inner};
}

static uint64_t steps_of(const struct walk *w) {
  return (uint64_t)w->tiles.n * w->tiles.m * w->tiles.k;
}

static struct size place_of(const struct walk *w, uint64_t step) {
  uint64_t inner = w->rows_inner ? w->tiles.n : w->tiles.m, at = step / w->tiles.k;
  uint32_t fast = (uint32_t)(at % inner), slow = (uint32_t)(at / inner);
  uint32_t k = (uint32_t)(step % w->tiles.k);
  return w->rows_inner ? (struct size){fast, slow, k} : (struct size){slow, fast, k};
}

static struct size size_at(const struct walk *w, const struct size *at) {
  return (struct size){smaller(w->tile.n, w->whole.n - at->n * w->tile.n),
                       smaller(w->tile.m, w->whole.m - at->m * w->tile.m),
                       smaller(w->tile.k, w->whole.k - at->k * w->tile.k)};
}

// A tile of rows x columns, as lines of one or the other.
static uint64_t transfer(uint32_t lines, uint32_t line) {
  return TRANSFER + (uint64_t)lines * LINE + (uint64_t)lines * line * 4 / DMA_BYTES;
}

// What comes in for `to` when the tiles of `from` are there (NULL: none).
static uint64_t comes(const struct tune_product *p, const struct walk *w, const struct size *from,
                      const struct size *to) {
  struct size s = size_at(w, to);
  uint64_t cycles = 0;
  if (!from || from->n != to->n || from->k != to->k)
    cycles += p->layout == MMT_TN ? transfer(s.k, s.n) : transfer(s.n, s.k);
  if (!from || from->m != to->m || from->k != to->k)
    cycles += p->layout == MMT_NT ? transfer(s.m, s.k) : transfer(s.k, s.m);
  return cycles;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

uint64_t tune_estimate(const struct tune_product *p, const struct tune_machine *machine,
                       const struct tune_way *way, uint64_t enough) {
  struct walk w = walk_of(p, way);
  uint64_t steps = steps_of(&w), leaves = 0;
  if (steps * STEP > enough)
    return steps * STEP;
  struct size at = place_of(&w, 0), tile = {0, 0, 0};
  uint64_t cycles = CALL + comes(p, &w, NULL, &at), computes = 0;
  for (uint64_t step = 0; step < steps && cycles < enough; step++) {
    struct size next = place_of(&w, step + 1);
    bool last = step + 1 == steps, done = last || next.n != at.n || next.m != at.m;
    uint64_t in = last ? 0 : comes(p, &w, &at, &next);
    struct size now = size_at(&w, &at);
    if (now.n != tile.n || now.m != tile.m || now.k != tile.k) // most are alike
      computes = compute(p, machine, way, &now);
    tile = now;
    cycles += larger(computes, larger(in, leaves));
    leaves = done ? transfer(tile.n, tile.m) : 0;
    at = next;
  }
  return cycles + leaves;
}

uint64_t tune_bound(const struct tune_product *p, const struct tune_machine *machine,
                    const struct tune_way *way) {
  struct walk w = walk_of(p, way);
  uint64_t a = (uint64_t)p->n * p->k * 4, b = (uint64_t)p->m * p->k * 4;
  // The operand of the inner loop is read again for each tile of the outer one, unless it is one
  // tile; that of the outer loop only where k is cut.
  bool rows = way->rows_inner, one_k = w.tiles.k == 1;
  uint64_t a_reads = (rows ? w.tiles.n == 1 : true) && one_k ? 1 : w.tiles.m;
  uint64_t b_reads = (rows ? true : w.tiles.m == 1) && one_k ? 1 : w.tiles.n;
  uint64_t in = (a * a_reads + b * b_reads) / DMA_BYTES,
           out = (uint64_t)p->n * p->m * 4 / DMA_BYTES;
  const struct size end = {w.tiles.n - 1, w.tiles.m - 1, w.tiles.k - 1}, last = size_at(&w, &end);
  uint64_t first = ((uint64_t)way->tile_n + way->tile_m) * way->tile_k * 4 / DMA_BYTES;
  uint64_t behind = (uint64_t)last.n * last.m * 4 / DMA_BYTES;
  // A core multiplies once a cycle; a block's operands are loaded once for each step of k.
  struct mmt_block block = block_of(way, &w.tile);
  uint64_t macs = (uint64_t)p->n * p->m * p->k;
  uint64_t slots = (macs + macs / block.v + macs / block.u) / machine->cores;
  return larger(slots + first + behind, larger(in + behind, out + first));
}
