// kernels/train/train_product.c
#include "train_product.h"

#include <stddef.h>

#include "kernels/mm/mmt_f16.h"
#include "kernels/rt/rt.h"

static uint32_t even(uint32_t k) {
  return k + k % 2;
}

uint32_t train_product_buffer_size(uint32_t n, uint32_t m, uint32_t k, enum train_type type) {
  return type == TRAIN_F32 ? 0 : (n + m) * even(k) * 2;
}

static bool in_words(const struct train_product *p) {
  return p->k % 2 == 0 && p->lda % 2 == 0 && p->ldb % 2 == 0 &&
         ((uintptr_t)p->a | (uintptr_t)p->b) % 4 == 0;
}

// An operand, element (i, k) at src[i * line + k * step].
struct operand {
  const uint16_t *src;
  size_t line, step;
};

// `lines` rows of k elements, and a zero behind an odd k; the cores share the rows.
static void pack(uint16_t *dst, const struct operand *from, uint32_t lines, uint32_t k) {
  struct rt_range mine = rt_share(lines);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    const uint16_t *src = from->src + i * from->line;
    uint16_t *to = dst + (size_t)i * even(k);
    for (uint32_t j = 0; j < k; j++, src += from->step)
      to[j] = *src;
    if (k % 2)
      to[k] = 0;
  }
}

// Both operands to scratch, as NT.
static void pack_both(struct mmt_f16 *mm) {
  bool turned_a = mm->layout == MMT_TN, turned_b = mm->layout != MMT_NT;
  const struct operand a = {mm->a, turned_a ? 1 : mm->lda, turned_a ? mm->lda : 1};
  const struct operand b = {mm->b, turned_b ? 1 : mm->ldb, turned_b ? mm->ldb : 1};
  uint16_t *to = mm->scratch;
  pack(to, &a, mm->n, mm->k);
  mm->a = to;
  to += (size_t)mm->n * even(mm->k);
  pack(to, &b, mm->m, mm->k);
  mm->b = to;
  mm->k = mm->lda = mm->ldb = even(mm->k);
  mm->layout = MMT_NT;
  mm->scratch = NULL; // taken
  rt_barrier();
}

// Functions of their own: stacks have less than 1 kB.
static __attribute__((noinline)) enum kernel_status floats(const struct train_product *p) {
  const struct mmt_f32 mm = {p->a,   p->b,   p->c,   p->n,      p->m,  p->k,
                             p->lda, p->ldb, p->ldc, p->layout, p->add};
  return mmt_f32(train_matmul(p->matmul), &mm);
}

static __attribute__((noinline)) enum kernel_status halves(const struct train_product *p) {
  struct mmt_f16 mm = {.a = p->a,
                       .b = p->b,
                       .c = p->c,
                       .n = p->n,
                       .m = p->m,
                       .k = p->k,
                       .lda = p->lda,
                       .ldb = p->ldb,
                       .ldc = p->ldc,
                       .layout = p->layout,
                       .format = p->type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16,
                       .add = p->add,
                       .scratch = p->scratch};
  if (!in_words(p))
    pack_both(&mm);
  enum kernel_status status = mmt_f16(train_matmul(p->matmul), &mm);
  rt_barrier(); // before the scratch is used again
  return status;
}

enum kernel_status train_product(const struct train_product *p) {
  if (p->type >= TRAIN_TYPES || train_bad_matmul(p->matmul) || !p->n || !p->m || !p->k)
    return KERNEL_BAD_SHAPE;
  if (p->type == TRAIN_F32)
    return floats(p);
  if (!p->scratch || (uintptr_t)p->scratch % 4)
    return KERNEL_BAD_POINTER;
  return halves(p);
}
