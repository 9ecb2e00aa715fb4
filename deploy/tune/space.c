// deploy/tune/space.c: see space.h.
#include "deploy/tune/estimate.h"

#include <stdlib.h>

enum { MAX_SIZES = 2048 };

static uint32_t divide_up(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
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

// Every size there is.
static size_t all_sizes_of(uint32_t size, uint32_t *sizes) {
  size_t count = smaller(size, MAX_SIZES);
  for (size_t i = 0; i < count; i++)
    sizes[i] = size - (uint32_t)i;
  return count;
}

struct list {
  struct tune_way *ways;
  size_t count, room;
  bool out_of_memory;
  const struct tune_limits *limits;
  uint64_t least;
};

static uint64_t enough(const struct list *list) {
  double most = (double)list->least * list->limits->slack;
  return most < (double)UINT64_MAX ? (uint64_t)most : UINT64_MAX;
}

static void offer(struct list *list, const struct tune_way *way) {
  if (way->estimate < list->least)
    list->least = way->estimate;
  uint64_t below = list->limits->below;
  if (way->estimate > enough(list) || (below && way->bound >= below))
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
  bool other = list->limits->other;
  uint32_t first = other ? MMT_F32_COUNT + 1 : 1,
           last = other ? tune_kernel_count() : MMT_F32_COUNT;
  bool one = way.tile_n == p->n || way.tile_m == p->m; // either order is the same
  for (uint32_t order = 0; order < (one ? 1 : 2); order++) {
    way.rows_inner = order;
    for (uint32_t matmul = first; matmul <= last; matmul++) {
      way.matmul = (uint8_t)matmul;
      way.estimate = tune_estimate(p, machine, &way, enough(list));
      way.bound = tune_bound(p, machine, &way);
      offer(list, &way);
    }
  }
}

static int compare(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b;
}

static int by_estimate(const void *left, const void *right) {
  const struct tune_way *a = left, *b = right;
  const uint64_t keys[2][6] = {
      {a->estimate, b->tile_n, b->tile_m, b->tile_k, a->rows_inner, a->matmul},
      {b->estimate, a->tile_n, a->tile_m, a->tile_k, b->rows_inner, b->matmul}};
  for (size_t i = 0; i < 6; i++) {
    if (keys[0][i] != keys[1][i])
      return compare(keys[0][i], keys[1][i]);
  }
  return 0;
}

struct tune_way *tune_space(const struct tune_product *product, const struct tune_machine *machine,
                            const struct tune_limits *limits, size_t *count) {
  static uint32_t n[MAX_SIZES], m[MAX_SIZES], k[MAX_SIZES];
  size_t (*sizes)(uint32_t, uint32_t *) = limits->all_sizes ? all_sizes_of : sizes_of;
  size_t ns = sizes(product->n, n), ms = sizes(product->m, m), ks = sizes(product->k, k);
  struct list list = {.limits = limits, .least = UINT64_MAX};
  // The largest tiles first: the sooner there is a good one, the less of the others is looked at.
  for (size_t i = ns; i-- > 0;) {
    for (size_t j = ms; j-- > 0;) {
      for (size_t l = ks; l-- > 0;)
        offer_tile(&list, product, machine,
                   (struct tune_way){.tile_n = n[i], .tile_m = m[j], .tile_k = k[l]});
    }
  }
  if (list.count)
    qsort(list.ways, list.count, sizeof *list.ways, by_estimate);
  while (list.count && list.ways[list.count - 1].estimate > enough(&list))
    list.count--;
  *count = list.out_of_memory ? 1 : list.count;
  if (!list.out_of_memory && list.count)
    return list.ways;
  free(list.ways);
  return NULL;
}
