// kernels/nn/nn_add.c: the split of an addition, and what is not whole groups of eight.
#include "nn_add.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_add_words.h"
#include "nn_bits.h"
#include "nn_word.h"

static int32_t element(const uint8_t *data, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(data, i, bits) : (int32_t)nn_bits_unsigned(data, i, bits);
}

// Elements by the definition. `begin` is a multiple of 8; what is left of the last byte becomes 0.
static __attribute__((noinline)) void one_by_one(const struct nn_add *l, const uint8_t *a,
                                                 const uint8_t *b, uint8_t *out, uint32_t begin,
                                                 uint32_t count) {
  int32_t least = l->out_signed ? -(1 << (l->out_bits - 1)) : 0;
  int32_t most = least + (1 << l->out_bits) - 1;
  uint32_t byte = 0, used = 0;
  out += begin * l->out_bits / 8;
  for (uint32_t i = begin; i < count; i++) {
    uint32_t sum = (uint32_t)element(a, i, l->a_bits, l->in_signed) * (uint32_t)l->scale_a +
                   (uint32_t)element(b, i, l->b_bits, l->in_signed) * (uint32_t)l->scale_b;
    int32_t y = (int32_t)(sum + (uint32_t)l->lambda) >> l->shift;
    y = y < least ? least : y > most ? most : y;
    byte |= ((uint32_t)y & ((1u << l->out_bits) - 1)) << used;
    used += l->out_bits;
    if (used == 8 || i + 1 == count) {
      *out++ = (uint8_t)byte;
      byte = used = 0;
    }
  }
}

static bool is_byte(int32_t scale) {
  return scale >= -128 && scale <= 127;
}

// Whether nn_add_halves() computes this layer.
static bool fits_halves(const struct nn_add *l) {
  return l->a_bits == 8 && l->b_bits == 8 && l->out_bits == 8 && !l->in_signed && !l->out_signed &&
         l->scale_a >= 0 && l->scale_b >= 0 && l->scale_a <= 257 && l->scale_b <= 257 &&
         l->scale_a + l->scale_b <= 257 && l->shift <= 8 && l->lambda >= 0 &&
         l->lambda < 256 << l->shift;
}

void nn_add_span(const struct nn_add *l, const uint8_t *a, const uint8_t *b, uint8_t *out,
                 uint32_t count) {
  struct nn_add_words words = {.a = a,
                               .b = b,
                               .out = out,
                               .eights = count / 8,
                               .lambda = (uint32_t)l->lambda,
                               .shift = l->shift};
  bool halves = fits_halves(l), done = halves || (is_byte(l->scale_a) && is_byte(l->scale_b));
  if (halves) {
    words.scale_a = (uint32_t)l->scale_a;
    words.scale_b = (uint32_t)l->scale_b;
    words.lambda *= 0x00010001;
    words.most = 0x00010001 * ((256u << l->shift) - 1) - words.lambda;
  } else {
    words.scale_a = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16;
  }
  if (done && words.eights > 0)
    (halves ? nn_add_halves
            : nn_add_words(l->a_bits, l->b_bits, l->out_bits, l->in_signed, l->out_signed))(&words);
  one_by_one(l, a, b, out, done ? words.eights * 8 : 0, count);
}

static enum kernel_status check(const struct nn_add *l) {
  if (!l->pixels || !l->channels || l->shift > 31 || !nn_bits_valid(l->a_bits) ||
      !nn_bits_valid(l->b_bits) || !nn_bits_valid(l->out_bits))
    return KERNEL_BAD_SHAPE;
  return l->a && l->b && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static bool apart(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
  return (uintptr_t)a + bytes <= (uintptr_t)b || (uintptr_t)b + bytes <= (uintptr_t)a;
}

// Whether a pixel's last eight elements can be a group of their own, that shares some with the one
// before: not in place, as elements are computed twice.
static bool may_overlap(const struct nn_add *l) {
  uint32_t bytes = l->pixels * nn_bits_bytes(l->channels, l->out_bits);
  return l->a_bits == l->b_bits && l->a_bits == l->out_bits && apart(l->out, l->a, bytes) &&
         apart(l->out, l->b, bytes);
}

static inline void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  if (bytes >= 4) {
    nn_word_store(to, nn_word_load(from));
    to += 4;
    from += 4;
    bytes -= 4;
  }
#pragma GCC unroll 1
  for (; bytes > 0; bytes--)
    *to++ = *from++;
}

// What pixels that end within a byte consist of: whole groups of eight elements, at least one, and
// the last elements, which are a group of their own, too: of words beside the tensors where they
// may not overlap the one before. Bytes of a pixel, and behind its whole groups.
struct odd {
  nn_add_words_fn *run;
  struct nn_add_words all, end;
  uint32_t a, b, out;
  uint32_t a_rest, b_rest, out_rest;
  uint8_t mask;      // of a pixel's last byte
  uint32_t words[6]; // beside the tensors: two of each
};

static void overlapping(struct odd *o, uint32_t bits, uint32_t pixels) {
  uint32_t bytes = o->out, back = bytes - bits;
  nn_add_words_fn *run = o->run;
  struct nn_add_words *all = &o->all, *end = &o->end;
  end->a += back;
  end->b += back;
  end->out += back;
  for (; pixels > 0; pixels--) {
    run(all);
    run(end);
    end->out[bits - 1] &= o->mask;
    all->a += bytes;
    all->b += bytes;
    all->out += bytes;
    end->a += bytes;
    end->b += bytes;
    end->out += bytes;
  }
}

// A group that begins with a pixel's last elements ends in the next pixel; `ends`: behind the last
// one nothing may be read.
static void beside(struct odd *o, uint32_t pixels, bool ends) {
  uint8_t *a = (uint8_t *)o->words, *b = a + 8, *out = b + 8;
  uint32_t a_rest = o->a_rest, b_rest = o->b_rest, out_rest = o->out_rest;
  nn_add_words_fn *run = o->run;
  struct nn_add_words *all = &o->all, *end = &o->end;
  end->out = out;
  for (; pixels > 0; pixels--) {
    const uint8_t *a_next = all->a + o->a, *b_next = all->b + o->b;
    uint8_t *out_next = all->out + o->out;
    end->a = a_next - a_rest;
    end->b = b_next - b_rest;
    if (ends && pixels == 1) {
      copy_bytes(a, end->a, a_rest);
      copy_bytes(b, end->b, b_rest);
      end->a = a;
      end->b = b;
    }
    run(end);
    run(all);
    out[out_rest - 1] &= o->mask;
    copy_bytes(out_next - out_rest, out, out_rest);
    all->a = a_next;
    all->b = b_next;
    all->out = out_next;
  }
}

// Pixels that end within a byte of a tensor.
static __attribute__((noinline)) void odd_pixels(const struct nn_add *l, struct rt_range mine) {
  uint32_t channels = l->channels, rest = channels % 8, used = rest * l->out_bits % 8;
  struct odd o = {.run =
                      nn_add_words(l->a_bits, l->b_bits, l->out_bits, l->in_signed, l->out_signed),
                  .a = nn_bits_bytes(channels, l->a_bits),
                  .b = nn_bits_bytes(channels, l->b_bits),
                  .out = nn_bits_bytes(channels, l->out_bits),
                  .a_rest = nn_bits_bytes(rest, l->a_bits),
                  .b_rest = nn_bits_bytes(rest, l->b_bits),
                  .out_rest = nn_bits_bytes(rest, l->out_bits),
                  .mask = (uint8_t)(used ? (1u << used) - 1 : 0xff)};
  o.all = (struct nn_add_words){.a = l->a + mine.begin * o.a,
                                .b = l->b + mine.begin * o.b,
                                .out = l->out + mine.begin * o.out,
                                .eights = channels / 8,
                                .lambda = (uint32_t)l->lambda,
                                .shift = l->shift};
  o.all.scale_a = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16;
  o.end = o.all;
  o.end.eights = 1;
  if (may_overlap(l))
    overlapping(&o, l->a_bits, mine.end - mine.begin);
  else
    beside(&o, mine.end - mine.begin, mine.end == l->pixels);
}

enum kernel_status nn_add(const struct nn_add *l) {
  KERNEL_CHECK(check(l));
  uint32_t bits = l->a_bits < l->b_bits ? l->a_bits : l->b_bits;
  bits = l->out_bits < bits ? l->out_bits : bits;
  bool flat = l->channels * bits % 8 == 0 || l->pixels == 1;
  uint32_t step = flat ? 8 : l->channels; // elements from span to span
  uint32_t a = flat ? l->a_bits : nn_bits_bytes(step, l->a_bits);
  uint32_t b = flat ? l->b_bits : nn_bits_bytes(step, l->b_bits);
  uint32_t out = flat ? l->out_bits : nn_bits_bytes(step, l->out_bits); // bytes
  if (flat) {
    struct rt_range mine = rt_split(l->pixels * l->channels, 16);
    uint32_t at = mine.begin / 8;
    nn_add_span(l, l->a + at * a, l->b + at * b, l->out + at * out, mine.end - mine.begin);
    return KERNEL_OK;
  }
  struct rt_range mine = rt_split(l->pixels, 1);
  if (l->channels >= 8 && is_byte(l->scale_a) && is_byte(l->scale_b)) {
    odd_pixels(l, mine);
    return KERNEL_OK;
  }
  for (uint32_t p = mine.begin; p < mine.end; p++)
    nn_add_span(l, l->a + p * a, l->b + p * b, l->out + p * out, step);
  return KERNEL_OK;
}
