// kernels/mm/mmt_turn.c
#include "mmt_turn.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "xpulp.h"

#ifndef __riscv
void mmt_turn_line(uint32_t *to, const uint32_t *from, uint32_t step, uint32_t words) {
  for (size_t i = 0; i < words; i++)
    to[i * (step / 4)] = from[i];
}

void mmt_turn_fours(uint32_t *dst, const uint16_t *src, uint32_t pairs) {
  for (uint32_t i = 0; i < 4 * pairs; i++) {
    const uint16_t *upper = src + i / 4 * 8 + i % 4;
    dst[i] = upper[0] | (uint32_t)upper[4] << 16;
  }
}
#endif

void mmt_turn_words(void *dst, const void *src, uint32_t ld, uint32_t rows, uint32_t columns) {
  for (uint32_t r = rt_core_id(); r < rows; r += rt_core_count())
    mmt_turn_line((uint32_t *)dst + r, (const uint32_t *)src + (size_t)r * ld, 4 * rows, columns);
}

void mmt_turn_pairs(uint32_t *dst, const uint16_t *src, uint32_t ld, uint32_t rows,
                    uint32_t columns) {
  for (uint32_t p = rt_core_id(); p < rows / 2; p += rt_core_count()) {
    const uint16_t *upper = src + (size_t)2 * p * ld, *lower = upper + ld;
    uint32_t *to = dst + (size_t)p * columns;
    uint32_t c = columns;
    for (; c >= 8; c -= 8) {
      for (uint32_t i = 0; i < 2; i++) {
        uint32_t u0 = (uint32_t)p_lw_post(upper, 4), l0 = (uint32_t)p_lw_post(lower, 4);
        uint32_t u1 = (uint32_t)p_lw_post(upper, 4), l1 = (uint32_t)p_lw_post(lower, 4);
        p_sw_post(pv_pack(l0, u0), to, 4);
        p_sw_post(pv_pack_h(l0, u0), to, 4);
        p_sw_post(pv_pack(l1, u1), to, 4);
        p_sw_post(pv_pack_h(l1, u1), to, 4);
      }
    }
    for (; c > 0; c--)
      *to++ = *upper++ | (uint32_t)*lower++ << 16;
  }
}
