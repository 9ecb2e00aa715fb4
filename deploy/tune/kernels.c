// deploy/tune/kernels.c: see kernels.h.
#include "deploy/tune/kernels.h"

#include <string.h>

#include "kernels/mm/mmt_f32_tiles.h"

static const char *const listed[1 + MMT_F32_COUNT] = {
    "auto",
#define MMT_F32(name, u, v, split, unroll) #name,
#include "kernels/mm/mmt_f32.def"
#undef MMT_F32
};

#define BLOCK(kind, rows, columns) {rows, columns},
static const uint8_t blocks[][2] = {MMT_TILES(BLOCK, any)};
static const uint8_t published[][2] = {MMT_TILES_PUBLISHED(BLOCK, any)};
#undef BLOCK
enum { BLOCKS = sizeof blocks / sizeof *blocks, PUBLISHED = sizeof published / sizeof *published };

// The others, made at first use.
static struct {
  struct mmt_block block[TUNE_KERNELS_MOST - MMT_F32_COUNT];
  char name[TUNE_KERNELS_MOST - MMT_F32_COUNT][16];
  unsigned count;
} other;

static bool is_listed(const struct mmt_block *b) {
  for (unsigned i = 0; i < MMT_F32_COUNT; i++)
    if (memcmp(b, &mmt_blocks[i], sizeof *b) == 0)
      return true;
  return false;
}

static const char *const splits[] = {[MMT_ROWS] = "rows", [MMT_COLS] = "cols", [MMT_GRID] = "grid"};

static void add(const uint8_t *size, unsigned split, uint8_t unroll) {
  const struct mmt_block b = {size[0], size[1], (uint8_t)split, unroll};
  if (is_listed(&b))
    return;
  snprintf(other.name[other.count], sizeof *other.name, "%ux%u_%s%s", b.u, b.v, splits[split],
           unroll ? "_1" : "_0");
  other.block[other.count++] = b;
}

unsigned tune_kernel_count(void) {
  if (other.count)
    return MMT_F32_COUNT + other.count;
  for (unsigned i = 0; i < BLOCKS; i++)
    for (unsigned split = MMT_ROWS; split <= MMT_GRID; split++)
      add(blocks[i], split, 0);
  for (unsigned i = 0; i < PUBLISHED; i++)
    add(published[i], MMT_GRID, 1);
  return MMT_F32_COUNT + other.count;
}

// Its number among the others.
static unsigned number_of(uint8_t matmul) {
  (void)tune_kernel_count();
  return matmul - 1u - MMT_F32_COUNT;
}

struct mmt_block tune_kernel_block(uint8_t matmul) {
  return tune_kernel_is_listed(matmul) ? mmt_blocks[matmul - 1] : other.block[number_of(matmul)];
}

const char *tune_kernel_name(uint8_t matmul) {
  return tune_kernel_is_listed(matmul) ? listed[matmul] : other.name[number_of(matmul)];
}

// Whether a line of the file is `entry`.
static bool has(const char *path, const char *entry) {
  char line[200];
  bool found = false;
  FILE *file = fopen(path, "r");
  while (file && !found && fgets(line, sizeof line, file))
    found = strcmp(line, entry) == 0;
  if (file)
    fclose(file);
  return found;
}

bool tune_kernel_save(uint8_t matmul, const char *path, struct net_error *error) {
  static const char *const names[] = {
      [MMT_ROWS] = "ROWS", [MMT_COLS] = "COLS", [MMT_GRID] = "GRID"};
  const struct mmt_block b = tune_kernel_block(matmul);
  char entry[100];
  snprintf(entry, sizeof entry, "MMT_F32(%s, %u, %u, %s, %u)\n", tune_kernel_name(matmul), b.u, b.v,
           names[b.split], b.unroll);
  if (has(path, entry))
    return true;
  FILE *file = fopen(path, "a");
  bool written = file && fputs(entry, file) >= 0;
  if (!file || fclose(file) != 0 || !written)
    return net_fail(error, "%.400s cannot be written", path);
  return true;
}
