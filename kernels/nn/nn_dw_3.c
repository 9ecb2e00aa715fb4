// kernels/nn/nn_dw_3.c: the loops by kernel and signs, and what they compute, in C.
#include "nn_dw_3.h"

#include <stddef.h>

#include "nn_word.h"
#include "xpulp.h"

#define NAMES(signs) nn_dw_3_fn nn_dw_3_s1_##signs, nn_dw_3_s2_##signs, nn_dw_3_pairs_##signs;
NAMES(uu)
NAMES(us)
NAMES(su)
NAMES(ss)

nn_dw_3_fn *nn_dw_3_find(uint32_t kernel_w, uint32_t stride_w, bool in_signed, bool out_signed) {
  static nn_dw_3_fn *const all[3][4] = {
      {nn_dw_3_s1_uu, nn_dw_3_s1_us, nn_dw_3_s1_su, nn_dw_3_s1_ss},
      {nn_dw_3_s2_uu, nn_dw_3_s2_us, nn_dw_3_s2_su, nn_dw_3_s2_ss},
      {nn_dw_3_pairs_uu, nn_dw_3_pairs_us, nn_dw_3_pairs_su, nn_dw_3_pairs_ss},
  };
  return all[stride_w == 1 && kernel_w <= 3 ? 2 : stride_w - 1][in_signed * 2 + out_signed];
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_3, shift) == 48, "nn_dw_3.S knows the offsets");

#else

static void run(const struct nn_dw_3 *s, uint32_t stride, bool in_signed, bool out_signed) {
  for (uint32_t i = 0; i < s->out_h * s->out_w; i++) {
    uint32_t y = i / s->out_w, x = i % s->out_w, sum = 0;
    for (uint32_t j = 0; j < 3; j++) {
      const uint8_t *at = s->plane + y * (s->next + s->out_w * stride) + j * s->row + x * stride;
      uint32_t word = nn_word_load(at);
      sum +=
          (uint32_t)(in_signed ? pv_dotsp_b(word, s->filter[j]) : pv_dotusp_b(word, s->filter[j]));
    }
    int32_t y32 = (int32_t)(sum * (uint32_t)s->kappa + (uint32_t)s->lambda) >> s->shift;
    int32_t least = out_signed ? -128 : 0;
    s->out[i * s->step] = (uint8_t)(y32 < least ? least : y32 > least + 255 ? least + 255 : y32);
  }
}

#define DEFINE(signs, in_signed, out_signed)                                                       \
  void nn_dw_3_s1_##signs(const struct nn_dw_3 *s) {                                               \
    run(s, 1, in_signed, out_signed);                                                              \
  }                                                                                                \
  void nn_dw_3_s2_##signs(const struct nn_dw_3 *s) {                                               \
    run(s, 2, in_signed, out_signed);                                                              \
  }                                                                                                \
  void nn_dw_3_pairs_##signs(const struct nn_dw_3 *s) {                                            \
    run(s, 1, in_signed, out_signed);                                                              \
  }
DEFINE(uu, false, false)
DEFINE(us, false, true)
DEFINE(su, true, false)
DEFINE(ss, true, true)

#endif
