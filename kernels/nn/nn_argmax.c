// kernels/nn/nn_argmax.c
#include "nn_argmax.h"

#include "kernels/rt/rt.h"
#include "nn_bits.h"

// A core's largest score; the index is `count` if it had none to look at.
struct best {
  int32_t score;
  uint32_t index;
};

uint32_t nn_argmax_buffer_size(void) {
  return rt_core_count() * (uint32_t)sizeof(struct best);
}

static enum kernel_status check(const struct nn_argmax *l) {
  if (!l->count || !(nn_bits_valid(l->bits) || l->bits == 32))
    return KERNEL_BAD_SHAPE;
  if (!l->scores || !l->scratch || (uintptr_t)l->scratch % 4 ||
      (l->bits == 32 && (uintptr_t)l->scores % 4))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

static inline int32_t score_at(const struct nn_argmax *l, uint32_t i) {
  if (l->bits == 32)
    return ((const int32_t *)l->scores)[i];
  return l->is_signed ? nn_bits_signed(l->scores, i, l->bits)
                      : (int32_t)nn_bits_unsigned(l->scores, i, l->bits);
}

enum kernel_status nn_argmax(const struct nn_argmax *given) {
  KERNEL_CHECK(check(given));
  const struct nn_argmax layer = *given, *l = &layer;
  struct rt_range mine = rt_split(l->count, 1);
  struct best best = {INT32_MIN, l->count};
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    int32_t score = score_at(l, i);
    if (i == mine.begin || score > best.score)
      best = (struct best){score, i};
  }
  ((struct best *)l->scratch)[rt_core_id()] = best;
  return KERNEL_OK;
}

uint32_t nn_argmax_index(const struct nn_argmax *l) {
  const struct best *of = l->scratch, *best = of; // core 0 has the first of the scores
  for (uint32_t i = 1; i < rt_core_count(); i++) {
    if (of[i].index < l->count && of[i].score > best->score)
      best = of + i;
  }
  return best->index;
}
