// kernels/nn/nn_dw_slide.c: what the assembly computes, in C.
#include "nn_dw_slide.h"

#include <stddef.h>

#include "nn_word.h"
#include "xpulp.h"

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_slide, stride_w) == 36, "nn_dw_slide.S knows the offsets");

#else

static void run(const struct nn_dw_slide *s, uint32_t outputs) {
  uint32_t step = outputs > 1 ? 4 : s->stride_w;
  for (uint32_t i = 0; i < s->out_h * s->out_w; i++) {
    uint32_t y = i / s->out_w, x = i % s->out_w, which = x % outputs, sum = 0;
    const uint8_t *at = s->plane + y * s->row_next + x / outputs * step;
    for (uint32_t j = 0; j < s->kernel_h * s->words; j++) {
      uint32_t word = nn_word_load(at + j / s->words * s->row + j % s->words * 4);
      sum += (uint32_t)pv_dotusp_b(word, s->filter[j * outputs + which]);
    }
    s->sums[i] = (int32_t)sum;
  }
}

void nn_dw_slide_1(const struct nn_dw_slide *s) {
  run(s, 1);
}
void nn_dw_slide_2(const struct nn_dw_slide *s) {
  run(s, 2);
}
void nn_dw_slide_4(const struct nn_dw_slide *s) {
  run(s, 4);
}

#endif
