// kernels/mm/mmt_f16.c
#include "mmt_f16.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "mmt_split.h"

static const struct mmt_block blocks[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split) {u, v, MMT_##split},
#include "mmt_f32.def"
#undef MMT_F32
};

uint32_t mmt_f16_buffer_size(const struct mmt_f16 *mm) {
  uint32_t a = mm->layout == MMT_TN ? mm->n * mm->k : 0;
  uint32_t b = mm->layout == MMT_NT ? 0 : mm->m * mm->k;
  return (a + b) * 2;
}

static bool aligned(const void *pointer, uint32_t to) {
  return pointer && (uintptr_t)pointer % to == 0;
}

static enum kernel_status refuse(const struct mmt_f16 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k == 0 || mm->k % 2 || mm->lda % 2 || mm->ldb % 2 ||
      mm->layout >= MMT_LAYOUTS || mm->format >= MMT_F16_FORMATS || mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (mm->lda < (mm->layout == MMT_TN ? mm->n : mm->k) ||
      mm->ldb < (mm->layout == MMT_NT ? mm->k : mm->m))
    return KERNEL_BAD_SHAPE;
  if (!aligned(mm->a, 4) || !aligned(mm->b, 4) || !aligned(mm->c, 2) ||
      (mm->layout != MMT_NT && !aligned(mm->scratch, 4)))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// Two rows of two elements to two columns.
static void turn_four(uint32_t *left, uint32_t *right, uint32_t upper, uint32_t lower) {
  *left = (upper & 0xffff) | lower << 16;
  *right = upper >> 16 | (lower & 0xffff0000);
}

// dst[j][i] = src[i][j], rows x columns, rows even; the cores share the columns.
static void transpose(uint16_t *dst, const uint16_t *src, uint32_t ld, uint32_t rows,
                      uint32_t columns) {
  struct rt_range mine = rt_split(columns, 2);
  uint32_t pitch = rows / 2;
  for (uint32_t i = 0; i < rows; i += 2) {
    const uint16_t *upper = src + (size_t)i * ld, *lower = upper + ld;
    uint32_t *to = (uint32_t *)(void *)dst + i / 2 + (size_t)mine.begin * pitch;
    uint32_t j = mine.begin;
    for (; j + 1 < mine.end; j += 2, to += 2 * pitch)
      turn_four(to, to + pitch, *(const uint32_t *)(const void *)(upper + j),
                *(const uint32_t *)(const void *)(lower + j));
    if (j < mine.end)
      *to = (uint32_t)upper[j] | (uint32_t)lower[j] << 16;
  }
}

// The operands as NT.
static struct mmt_f16 turned(const struct mmt_f16 *mm) {
  struct mmt_f16 nt = *mm;
  uint16_t *place = mm->scratch;
  if (mm->layout == MMT_TN) {
    transpose(place, mm->a, mm->lda, mm->k, mm->n);
    nt.a = place;
    nt.lda = mm->k;
    place += (size_t)mm->n * mm->k;
  }
  if (mm->layout != MMT_NT) {
    transpose(place, mm->b, mm->ldb, mm->k, mm->m);
    nt.b = place;
    nt.ldb = mm->k;
    rt_barrier();
  }
  return nt;
}

enum kernel_status mmt_f16(enum mmt_f32_id id, const struct mmt_f16 *mm) {
  enum kernel_status status = id > MMT_F32_AUTO ? KERNEL_BAD_SHAPE : refuse(mm);
  if (status != KERNEL_OK)
    return status;
  const struct mmt_f16 nt = turned(mm);
  const struct mmt_f32 like = {.n = mm->n, .m = mm->m};
  const struct mmt_block block = blocks[id == MMT_F32_AUTO ? mmt_f32_default(&like) : id];
  const struct mmt_work work = {mm->n, mm->m, nt.lda * 2, nt.ldb * 2, 2, true, true};
  struct mmt_tile tile = {.a = {nt.a, nt.lda * 2, 0},
                          .b = {nt.b, nt.ldb * 2, 0},
                          .c = nt.c,
                          .c_step = nt.ldc * 2,
                          .k = nt.k / 2,
                          .add = nt.add};
  mmt_run(block, &work, mm->format == MMT_FP16 ? mmt_tiles_h_nt : mmt_tiles_ah_nt, &tile);
  return KERNEL_OK;
}
