// kernels/nn/nn_lookup.c: about 10 cycles for an element of each input, and the requantization; 8
// for a byte of a byte, of which a fifth are conflicts in the table's banks.
#include "nn_lookup.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_word.h"
#include "xpulp.h"

enum { GROUP = 16 }; // channels: whole bytes of all precisions

static enum kernel_status check_input(const struct nn_lookup *l, const struct nn_lookup_input *in) {
  if (!in->channels || !nn_bits_valid(in->bits) ||
      (l->joint != NN_JOINT_CONCAT && in->channels != l->channels))
    return KERNEL_BAD_SHAPE;
  return in->in && in->table && (uintptr_t)in->table % 4 == 0 ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static enum kernel_status check(const struct nn_lookup *l) {
  uint32_t channels = 0;
  if (!l->input_count || l->joint > NN_JOINT_CONCAT || !l->out_h || !l->out_w || !l->channels ||
      !l->up_h || !l->up_w || l->phase >= l->up_h || !l->apart_h || !l->apart_w ||
      !(nn_bits_valid(l->out_bits) || (l->out_bits == 32 && !l->requant)) ||
      (l->requant && l->requant->bits != l->out_bits))
    return KERNEL_BAD_SHAPE;
  for (uint32_t i = 0; i < l->input_count; i++) {
    KERNEL_CHECK(check_input(l, &l->inputs[i]));
    channels += l->inputs[i].channels;
  }
  if (l->joint == NN_JOINT_CONCAT && channels != l->channels)
    return KERNEL_BAD_SHAPE;
  if (!l->inputs || !l->out || (l->out_bits == 32 && (uintptr_t)l->out % 4))
    return KERNEL_BAD_POINTER;
  return l->requant ? nn_requant_i32_check(l->requant) : KERNEL_OK;
}

// `count` values of an input's pixel from channel c on.
static inline __attribute__((always_inline)) void look_up(const struct nn_lookup_input *in,
                                                          const uint8_t *pixel, uint32_t c,
                                                          uint32_t count, int32_t *to,
                                                          uint32_t bits) {
  const int32_t *table = in->table;
  for (uint32_t i = c; i < c + count; i++)
    *to++ = table[nn_bits_unsigned(pixel, i, bits)];
}

static __attribute__((noinline)) void values(const struct nn_lookup_input *in, uint32_t p,
                                             uint32_t c, uint32_t count, int32_t *to) {
  const uint8_t *pixel = in->in;
  if (!in->pixel)
    pixel += (size_t)p * nn_bits_bytes(in->channels, in->bits);
  if (in->bits == 8)
    look_up(in, pixel, c, count, to, 8);
  else if (in->bits == 4)
    look_up(in, pixel, c, count, to, 4);
  else
    look_up(in, pixel, c, count, to, 2);
}

static void joined(const struct nn_lookup *l, uint32_t p, uint32_t c, uint32_t count, int32_t *to) {
  const struct nn_lookup_input *in = l->inputs;
  for (; c >= in->channels; in++)
    c -= in->channels;
  while (count > 0) {
    uint32_t here = in->channels - c < count ? in->channels - c : count;
    values(in++, p, c, here, to);
    to += here, count -= here, c = 0;
  }
}

static void combined(const struct nn_lookup *l, uint32_t p, uint32_t c, uint32_t count, int32_t *to,
                     int32_t *more) {
  values(&l->inputs[0], p, c, count, to);
  for (uint32_t k = 1; k < l->input_count; k++) {
    values(&l->inputs[k], p, c, count, more);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t a = (uint32_t)to[i], b = (uint32_t)more[i];
      to[i] = (int32_t)(l->joint == NN_JOINT_SUM ? a + b : a * b);
    }
  }
}

static void put(const struct nn_lookup *l, uint32_t pixel, uint32_t c, uint32_t count,
                const int32_t *from) {
  if (l->out_bits == 32) {
    int32_t *out = (int32_t *)(void *)l->out + (size_t)pixel * l->channels + c;
    for (uint32_t i = 0; i < count; i++)
      out[i] = from[i];
    return;
  }
  uint8_t *out = l->out + (size_t)pixel * nn_bits_bytes(l->channels, l->out_bits);
  if (l->requant) {
    nn_requant_i32_pixel(l->requant, from, out, c, c + count);
    return;
  }
  uint32_t bits = l->out_bits, mask = (1u << bits) - 1, byte = 0, used = 0;
  out += c * bits / 8;
  for (uint32_t i = 0; i < count; i++) {
    byte |= ((uint32_t)from[i] & mask) << used;
    used += bits;
    if (used == 8 || i + 1 == count) {
      *out++ = (uint8_t)byte;
      byte = used = 0;
    }
  }
}

// A call of its own, as in nn_window.h: not behind a taken branch.
static __attribute__((noinline)) uint32_t divide(uint32_t a, uint32_t b) {
  return a / b;
}

// Whether output (y, x) lies between the input's pixels.
static bool between(const struct nn_lookup *l, uint32_t y, uint32_t x) {
  y += l->phase;
  return (l->apart_h > 1 && y - divide(y, l->apart_h) * l->apart_h) ||
         (l->apart_w > 1 && x - divide(x, l->apart_w) * l->apart_w);
}

// The input's pixel under output (y, x).
static uint32_t source(const struct nn_lookup *l, uint32_t y, uint32_t x) {
  if (l->up_h == 1 && l->up_w == 1)
    return y * l->out_w + x;
  uint32_t width = divide(l->out_w, l->up_w);
  return divide(y + l->phase, l->up_h) * width + divide(x, l->up_w);
}

// Whether each byte of the output is that of the table for the same byte of the input.
static bool is_of_bytes(const struct nn_lookup *l) {
  return l->input_count == 1 && l->inputs->bits == 8 && !l->inputs->pixel && l->out_bits == 8 &&
         !l->requant && l->up_h == 1 && l->up_w == 1 && l->apart_h == 1 && l->apart_w == 1;
}

static uint32_t four(const int32_t *table, uint32_t word) {
  uint32_t a = (uint32_t)table[word & 255], b = (uint32_t)table[word >> 8 & 255],
           c = (uint32_t)table[word >> 16 & 255], d = (uint32_t)table[word >> 24];
  return (uint32_t)pv_packhi_b(pv_packlo_b(0, b, a), d, c);
}

static void bytes(const struct nn_lookup *l) {
  const int32_t *table = l->inputs->table;
  struct rt_range mine = rt_split((uint32_t)l->out_h * l->out_w * l->channels, 4);
  const uint8_t *in = l->inputs->in + mine.begin;
  uint8_t *out = l->out + mine.begin;
  uint32_t words = (mine.end - mine.begin) / 4, rest = (mine.end - mine.begin) % 4;
  for (uint32_t i = 0; i < words; i++, in += 4, out += 4)
    nn_word_store(out, four(table, nn_word_load(in)));
  if (rest > 0)
    nn_word_store_part(out, four(table, nn_word_load_part(in, rest)), rest);
}

enum kernel_status nn_lookup(const struct nn_lookup *given) {
  KERNEL_CHECK(check(given));
  const struct nn_lookup layer = *given, *l = &layer;
  if (is_of_bytes(l)) {
    bytes(l);
    return KERNEL_OK;
  }
  uint32_t groups = (l->channels + GROUP - 1u) / GROUP, pixels = (uint32_t)l->out_h * l->out_w;
  struct rt_range mine = rt_split(pixels * groups, 1);
  uint32_t pixel = mine.begin / groups, group = mine.begin - pixel * groups;
  uint32_t y = pixel / l->out_w, x = pixel - y * l->out_w;
  int32_t sums[GROUP] = {0}, more[GROUP] = {0};
  for (uint32_t at = mine.begin; at < mine.end; at++) {
    uint32_t c = group * GROUP, count = l->channels - c < GROUP ? l->channels - c : GROUP;
    uint32_t from = source(l, y, x);
    if (between(l, y, x))
      for (uint32_t i = 0; i < count; i++)
        sums[i] = l->inputs->table[l->between];
    else if (l->joint == NN_JOINT_CONCAT)
      joined(l, from, c, count, sums);
    else
      combined(l, from, c, count, sums, more);
    put(l, pixel, c, count, sums);
    if (++group == groups) {
      group = 0, pixel++;
      if (++x == l->out_w)
        x = 0, y++;
    }
  }
  return KERNEL_OK;
}
