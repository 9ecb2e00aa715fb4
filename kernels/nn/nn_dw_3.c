// kernels/nn/nn_dw_3.c: what the assembly computes, in C.
#include "nn_dw_3.h"

#include <stddef.h>

#include "nn_rescale.h"
#include "nn_word.h"
#include "xpulp.h"

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_3, shifts_step) == 56, "nn_dw_3.S knows the offsets");

#else

enum kind { BYTES, SIGNED_BYTES, SUMS, TFLITE, SIGNED_TFLITE };

static uint8_t rescaled(const struct nn_dw_3 *s, const uint32_t *filter, uint32_t c, uint32_t sum) {
  int32_t y = nn_rescale_twice((int32_t)(sum + filter[1]), (int32_t)(filter[0] / 2),
                               s->shifts[c * s->shifts_step]);
  return (uint8_t)(y < 0 ? 0 : y > UINT8_MAX ? UINT8_MAX : y);
}

static void finish(const struct nn_dw_3 *s, const uint32_t *filter, uint8_t *out, uint32_t sum,
                   enum kind kind) {
  int32_t y = (int32_t)(sum * filter[0] + filter[1]) >> s->shift;
  int32_t least = kind == SIGNED_BYTES ? -s->most - 1 : 0;
  if (kind == SUMS)
    *(uint32_t *)(void *)out = sum + filter[1];
  else
    *out = (uint8_t)(y < least ? least : y > s->most ? s->most : y);
}

static void run(struct nn_dw_3 *s, uint32_t stride, enum kind kind) {
  uint32_t outputs = s->out_h * s->out_w;
  for (uint32_t i = 0; i < s->count * outputs; i++) {
    uint32_t c = i / outputs, p = i % outputs, y = p / s->out_w, x = p % s->out_w, sum = 0;
    const uint8_t *at = s->plane + c * s->plane_next + y * s->row_next + x * stride;
    const uint32_t *filter = s->filters + (size_t)c * NN_DW_3_WORDS;
    for (uint32_t j = 0; j < 3; j++)
      sum += (uint32_t)pv_dotusp_b(nn_word_load(at + j * s->row), filter[2 + j]);
    uint8_t *out = s->out + c * s->out_next + p * s->step;
    if (kind >= TFLITE)
      *out = (uint8_t)(rescaled(s, filter, c, sum) - (kind == SIGNED_TFLITE ? 128 : 0));
    else
      finish(s, filter, out, sum, kind);
  }
  s->plane += (size_t)s->count * s->plane_next;
  s->out += (size_t)s->count * s->out_next;
  s->filters += (size_t)s->count * NN_DW_3_WORDS;
  s->shifts += (size_t)s->count * s->shifts_step;
  s->count = 0;
}

void nn_dw_3_filters(uint32_t *filters, const uint8_t *w, uint32_t channels, const int32_t *kappa,
                     const int32_t *lambda) {
  for (uint32_t c = 0; c < channels; c++, w += 9, filters += NN_DW_3_WORDS) {
    filters[0] = (uint32_t)kappa[c];
    filters[1] = (uint32_t)lambda[c];
    filters[2] = nn_word_load_part(w, 3);
    filters[3] = nn_word_load_part(w + 3, 3);
    filters[4] = nn_word_load_part(w + 6, 3);
  }
}

#define DEFINE(name, stride, kind)                                                                 \
  void nn_dw_3_##name(struct nn_dw_3 *s) {                                                         \
    run(s, stride, kind);                                                                          \
  }
DEFINE(s1_u, 1, BYTES)
DEFINE(s1_s, 1, SIGNED_BYTES)
DEFINE(s1_sums, 1, SUMS)
DEFINE(s1_tflite_u, 1, TFLITE)
DEFINE(s1_tflite_s, 1, SIGNED_TFLITE)
DEFINE(s2_u, 2, BYTES)
DEFINE(s2_s, 2, SIGNED_BYTES)
DEFINE(s2_sums, 2, SUMS)
DEFINE(s2_tflite_u, 2, TFLITE)
DEFINE(s2_tflite_s, 2, SIGNED_TFLITE)

#endif
