// deploy/tune/space.c: see space.h.
#include "deploy/tune/space.h"

#include <stdlib.h>

enum { ROWS, COLS, GRID, DMA_BYTES = 8, MAX_SIZES = 2048 };

static const struct kernel {
  const char *name;
  uint8_t u, v, split;
} kernels[1 + MMT_F32_COUNT] = {
    {"auto", 4, 6, GRID}, // no kernel has larger blocks
#define MMT_F32(name, u, v, split, unroll) {#name, u, v, split},
#include "kernels/mm/mmt_f32.def"
#undef MMT_F32
};

const char *tune_kernel_name(uint8_t matmul) {
  return kernels[matmul].name;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// Loads and multiply-accumulates of rows x columns results for one step of k, in blocks of u x v:
// a block's operands are loaded once for it.
static uint64_t block_slots(const struct kernel *kernel, uint64_t rows, uint64_t columns) {
  uint64_t down = divide_up(rows, kernel->u), across = divide_up(columns, kernel->v);
  return rows * columns + down * columns + across * rows;
}

// Of the busiest core, in one tile.
static uint64_t tile_slots(const struct kernel *kernel, uint32_t cores, uint32_t n, uint32_t m,
                           uint32_t k) {
  if (kernel->split == ROWS)
    return k * block_slots(kernel, divide_up(n, cores), m);
  if (kernel->split == COLS)
    return k * block_slots(kernel, n, divide_up(m, cores));
  return divide_up(k * block_slots(kernel, n, m), cores);
}

// One dimension in tiles: so many whole ones, and what is left.
struct cut {
  uint32_t whole, rest, tiles, tile;
};

static struct cut cut(uint32_t size, uint32_t tile) {
  return (struct cut){size / tile, size % tile, (uint32_t)divide_up(size, tile), tile};
}

static uint64_t all_slots(const struct kernel *kernel, uint32_t cores, const struct cut *n,
                          const struct cut *m, uint32_t k) {
  uint64_t sum = (uint64_t)n->whole * m->whole * tile_slots(kernel, cores, n->tile, m->tile, k);
  if (n->rest)
    sum += m->whole * tile_slots(kernel, cores, n->rest, m->tile, k);
  if (m->rest)
    sum += n->whole * tile_slots(kernel, cores, n->tile, m->rest, k);
  if (n->rest && m->rest)
    sum += tile_slots(kernel, cores, n->rest, m->rest, k);
  return sum;
}

uint64_t tune_bound(const struct tune_product *p, const struct tune_machine *machine,
                    const struct tune_way *way) {
  struct cut n = cut(p->n, way->tile_n), m = cut(p->m, way->tile_m), k = cut(p->k, way->tile_k);
  uint64_t a = (uint64_t)p->n * p->k * 4, b = (uint64_t)p->m * p->k * 4;
  uint64_t c = (uint64_t)p->n * p->m * 4;
  // The operand of the inner loop is read again for each tile of the outer one, unless it is one
  // tile; that of the outer loop only where k is cut.
  uint64_t a_reads =
      way->rows_inner ? (n.tiles * k.tiles == 1 ? 1 : m.tiles) : (k.tiles == 1 ? 1 : m.tiles);
  uint64_t b_reads =
      way->rows_inner ? (k.tiles == 1 ? 1 : n.tiles) : (m.tiles * k.tiles == 1 ? 1 : n.tiles);
  uint64_t in = (a * a_reads + b * b_reads) / DMA_BYTES, out = c / DMA_BYTES;
  uint64_t first = ((uint64_t)way->tile_n + way->tile_m) * way->tile_k * 4 / DMA_BYTES;
  uint64_t last = (uint64_t)(n.rest ? n.rest : n.tile) * (m.rest ? m.rest : m.tile) * 4 / DMA_BYTES;
  uint64_t slots = all_slots(&kernels[way->matmul], machine->cores, &n, &m, p->k) + first + last;
  uint64_t moved = in + last > out + first ? in + last : out + first;
  return slots > moved ? slots : moved;
}

uint32_t tune_l1(const struct tune_product *p, const struct tune_way *way) {
  struct train_tiled_product tiled = {
      .whole = {.n = p->n, .m = p->m, .k = p->k, .layout = p->layout},
      .tile_n = way->tile_n,
      .tile_m = way->tile_m,
      .tile_k = way->tile_k};
  return train_tiled_product_buffer_size(&tiled);
}

static int by_size(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b ? -1
                                                     : *(const uint32_t *)a > *(const uint32_t *)b;
}

// Sizes of tiles worth a look: for each number of tiles the smallest size, which leaves the fullest
// border, and the next whole numbers of blocks above it. Returns how many.
static size_t sizes_of(uint32_t size, uint32_t *sizes) {
  static const uint8_t blocks[] = {1, 2, 4, 5, 6, 8};
  size_t count = 0, kept = 0;
  for (uint32_t tiles = 1; tiles <= size && count + sizeof blocks <= MAX_SIZES; tiles++) {
    uint32_t tile = (uint32_t)divide_up(size, tiles);
    for (size_t i = 0; i < sizeof blocks; i++)
      sizes[count++] = smaller((uint32_t)divide_up(tile, blocks[i]) * blocks[i], size);
    tiles = (uint32_t)divide_up(size, tile); // the most tiles that this size makes
  }
  qsort(sizes, count, sizeof *sizes, by_size);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || sizes[i] != sizes[kept - 1])
      sizes[kept++] = sizes[i];
  }
  return kept;
}

struct list {
  struct tune_way *ways;
  size_t count, room;
  bool out_of_memory;
  double slack;
  uint64_t least;
};

static void offer(struct list *list, const struct tune_way *way) {
  if (way->bound < list->least)
    list->least = way->bound;
  if ((double)way->bound > (double)list->least * list->slack)
    return;
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 1024;
    struct tune_way *more = realloc(list->ways, room * sizeof *more);
    if (!more) {
      list->out_of_memory = true;
      return;
    }
    list->ways = more;
    list->room = room;
  }
  list->ways[list->count++] = *way;
}

static void offer_tile(struct list *list, const struct tune_product *p,
                       const struct tune_machine *machine, struct tune_way way) {
  if (tune_l1(p, &way) > machine->l1_bytes)
    return;
  bool one = way.tile_n == p->n || way.tile_m == p->m; // either order is the same
  for (uint32_t order = 0; order < (one ? 1 : 2); order++) {
    way.rows_inner = order;
    for (uint32_t matmul = 0; matmul <= MMT_F32_COUNT; matmul++) {
      way.matmul = (uint8_t)matmul;
      way.bound = tune_bound(p, machine, &way);
      offer(list, &way);
    }
  }
}

static int compare(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b;
}

static int by_bound(const void *left, const void *right) {
  const struct tune_way *a = left, *b = right;
  const uint64_t keys[2][6] = {
      {a->bound, b->tile_n, b->tile_m, b->tile_k, a->rows_inner, a->matmul},
      {b->bound, a->tile_n, a->tile_m, a->tile_k, b->rows_inner, b->matmul}};
  for (size_t i = 0; i < 6; i++) {
    if (keys[0][i] != keys[1][i])
      return compare(keys[0][i], keys[1][i]);
  }
  return 0;
}

struct tune_way *tune_space(const struct tune_product *product, const struct tune_machine *machine,
                            double slack, size_t *count) {
  static uint32_t n[MAX_SIZES], m[MAX_SIZES], k[MAX_SIZES];
  size_t ns = sizes_of(product->n, n), ms = sizes_of(product->m, m), ks = sizes_of(product->k, k);
  struct list list = {.slack = slack, .least = UINT64_MAX};
  for (size_t i = 0; i < ns; i++) {
    for (size_t j = 0; j < ms; j++) {
      for (size_t l = 0; l < ks; l++)
        offer_tile(&list, product, machine, (struct tune_way){n[i], m[j], k[l], false, 0, 0, 0, 0});
    }
  }
  qsort(list.ways, list.count, sizeof *list.ways, by_bound);
  while (list.count && (double)list.ways[list.count - 1].bound > (double)list.least * slack)
    list.count--;
  *count = list.out_of_memory ? 1 : list.count;
  if (!list.out_of_memory && list.count)
    return list.ways;
  free(list.ways);
  return NULL;
}
