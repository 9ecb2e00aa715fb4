// kernels/nn/nn_dw_filter.c
#include "nn_dw_filter.h"

#include <stddef.h>

#include "nn_bits.h"
#include "nn_dw_3.h"
#include "nn_planes.h"
#include "nn_word.h"
#include "xpulp.h"

// Packed ones.
static uint32_t unpacked(const uint8_t *w, uint32_t at, uint32_t count, uint32_t bits) {
  uint32_t first = at * bits, last = first + count * bits - 1, word = w[first / 8];
  if (last / 8 > first / 8)
    word |= (uint32_t)w[first / 8 + 1] << 8;
  if (last / 8 > first / 8 + 1)
    word |= (uint32_t)w[first / 8 + 2] << 16;
  word = word >> first % 8 & ((1u << count * bits) - 1);
  uint32_t sign = (1u << (bits - 1)) * 0x01010101;
  if (bits == 2)
    word = (word & 3) | (word & 12) << 2 | (word & 48) << 4 | (word & 192) << 6; // to nibbles
  word = (word | word << 8) & 0x00ff00ff;
  word = (word | word << 4) & 0x0f0f0f0f;
  return (uint32_t)pv_sub_b(word ^ sign, sign);
}

// Bytes that end a word inside the filter are loaded as that word.
uint32_t nn_dw_weights(const uint8_t *w, uint32_t at, uint32_t count, uint32_t bits) {
  if (bits < 8)
    return unpacked(w, at, count, bits);
  if (at + count >= 4)
    return nn_word_load(w + at + count - 4) >> (32 - 8 * count);
  return nn_word_load_part(w + at, count);
}

static const uint8_t *filter_of(const struct nn_depthwise *l, uint32_t c) {
  uint32_t taps = (uint32_t)l->kernel_h * l->kernel_w;
  return (const uint8_t *)l->weights + c * nn_bits_bytes(taps, l->weight_bits);
}

// Of signed activations (nn_planes.h); `sums`: before kappa.
static void take_off(uint32_t *to, uint32_t count, uint32_t flip, bool sums) {
#pragma GCC unroll 1
  for (; count > 0; count--, to += NN_DW_3_WORDS) {
    int32_t total = pv_dotsp_b(to[2], 0x01010101);
    total = pv_sdotsp_b(total, to[3], 0x01010101);
    to[1] -= (sums ? 1 : to[0]) * flip * (uint32_t)pv_sdotsp_b(total, to[4], 0x01010101);
  }
}

// Three taps, in bytes.
static inline uint32_t three(int32_t first, int32_t second, int32_t third) {
  int32_t word = p_insert((int32_t)((uint32_t)third << 16), (uint32_t)second, 7, 8);
  return (uint32_t)p_insert(word, (uint32_t)first, 7, 0) & 0xffffff;
}
// Of `bits` bits from bit `at` on.
#define THREE(word, at, bits)                                                                      \
  three(p_extract(word, (bits)-1, at), p_extract(word, (bits)-1, (at) + (bits)),                   \
        p_extract(word, (bits)-1, (at) + 2 * (bits)))

// 3x3 taps of 4 or 2 bits.
static inline void nine_4(uint32_t *to, const uint8_t *w) {
  uint32_t low = nn_word_load(w), high = low >> 24 | (uint32_t)w[4] << 8;
  to[0] = THREE(low, 0, 4);
  to[1] = THREE(low, 12, 4);
  to[2] = THREE(high, 0, 4);
}
static inline void nine_2(uint32_t *to, const uint8_t *w) {
  uint32_t all = nn_word_load_part(w, 3);
  to[0] = THREE(all, 0, 2);
  to[1] = THREE(all, 6, 2);
  to[2] = THREE(all, 12, 2);
}

// Any three rows.
static void any_3(const struct nn_depthwise *l, uint32_t *to, const uint8_t *w, uint32_t count,
                  const int32_t *kappa, const int32_t *lambda) {
  uint32_t kernel_w = l->kernel_w, bits = l->weight_bits;
#pragma GCC unroll 1
  for (; count > 0; count--, w += nn_bits_bytes(3 * kernel_w, bits)) {
    *to++ = kappa ? (uint32_t)*kappa++ : 1;
    *to++ = lambda ? (uint32_t)*lambda++ : 0;
    if (kernel_w == 3 && bits == 4) {
      nine_4(to, w);
    } else if (kernel_w == 3 && bits == 2) {
      nine_2(to, w);
    } else {
#pragma GCC unroll 1
      for (uint32_t i = 0; i < 3; i++)
        to[i] = nn_dw_weights(w, i * kernel_w, kernel_w, bits);
    }
    to += 3;
  }
}

static inline __attribute__((always_inline)) void filters_3(const struct nn_depthwise *l,
                                                            uint32_t *to, uint32_t c,
                                                            uint32_t count, const int32_t *kappa,
                                                            const int32_t *lambda, bool sums) {
  const uint8_t *w = filter_of(l, c);
  uint32_t flip = nn_planes_flip(l);
  if (l->weight_bits == 8 && l->kernel_w == 3 && kappa && lambda)
    nn_dw_3_filters(to, w, count, kappa, lambda);
  else
    any_3(l, to, w, count, kappa, lambda);
  if (flip > 0)
    take_off(to, count, flip, sums);
}

void nn_dw_filters_3(const struct nn_depthwise *l, uint32_t *to, uint32_t c, uint32_t count,
                     bool sums) {
  filters_3(l, to, c, count, sums ? NULL : l->kappa + c, l->lambda ? l->lambda + c : NULL, sums);
}

void nn_dw_filters_3_tflite(const struct nn_depthwise *l, uint32_t *to, uint32_t c,
                            uint32_t count) {
  const struct nn_requant_i32 *rq = l->requant;
  filters_3(l, to, c, count, rq->bias + c, rq->bias + c, true); // kappa is replaced
#pragma GCC unroll 1
  for (; count > 0; count--, c++, to += NN_DW_3_WORDS) {
    to[0] = (uint32_t)rq->factor[rq->per_channel ? c : 0] * 2;
    to[1] += l->lambda ? (uint32_t)l->lambda[c] : 0;
  }
}

void nn_dw_filter_slide(const struct nn_depthwise *l, uint32_t *to, uint32_t c, bool sums,
                        uint32_t words, uint32_t outputs) {
  const uint8_t *w = filter_of(l, c);
  uint32_t *next = to + 2;
  int32_t total = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    uint32_t before = 0;
    for (uint32_t j = 0; j < words; j++) {
      uint32_t left = l->kernel_w > 4 * j ? l->kernel_w - 4 * j : 0, word = 0;
      if (left > 0)
        word = nn_dw_weights(w, i * l->kernel_w + 4 * j, left < 4 ? left : 4, l->weight_bits);
      total = pv_sdotsp_b(total, word, 0x01010101);
      *next++ = word;
#pragma GCC unroll 1
      for (uint32_t k = 1; k < outputs; k++) {
        uint32_t by = 8 * k * l->stride_w;
        *next++ = word << by | before >> (32 - by);
      }
      before = word;
    }
  }
  to[0] = sums ? 1 : (uint32_t)l->kappa[c];
  to[1] = l->lambda ? (uint32_t)l->lambda[c] : 0;
  to[1] -= to[0] * nn_planes_flip(l) * (uint32_t)total;
}
