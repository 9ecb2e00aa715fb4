// kernels/mm/mmt_turn.c
#include "mmt_turn.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "xpulp.h"

void mmt_turn_words(void *dst, const void *src, uint32_t ld, uint32_t rows, uint32_t columns) {
  uint32_t step = 4 * rows;
  for (uint32_t r = rt_core_id(); r < rows; r += rt_core_count()) {
    const uint32_t *from = (const uint32_t *)src + (size_t)r * ld;
    uint32_t *to = (uint32_t *)dst + r;
    uint32_t c = columns;
    for (; c >= 8; c -= 8) {
      int32_t w[8];
      for (uint32_t i = 0; i < 8; i++)
        w[i] = p_lw_post(from, 4);
      for (uint32_t i = 0; i < 8; i++)
        p_sw_rrpost(w[i], to, step);
    }
    for (; c > 0; c--) {
      int32_t w = p_lw_post(from, 4);
      p_sw_rrpost(w, to, step);
    }
  }
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
