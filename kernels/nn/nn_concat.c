// kernels/nn/nn_concat.c
#include "nn_concat.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_add.h"
#include "nn_bits.h"

static uint32_t bytes_of(const struct nn_concat *l, uint32_t part) {
  return nn_bits_bytes(l->parts[part].channels, l->bits);
}

uint32_t nn_concat_out_pixel(const struct nn_concat *l) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < l->part_count; i++)
    bytes += bytes_of(l, i);
  return bytes;
}

static enum kernel_status check(const struct nn_concat *l) {
  if (!l->part_count || !l->pixels || !nn_bits_valid(l->bits))
    return KERNEL_BAD_SHAPE;
  if (!l->parts || !l->out)
    return KERNEL_BAD_POINTER;
  for (uint32_t i = 0; i < l->part_count; i++) {
    const struct nn_concat_part *part = l->parts + i;
    if (!part->channels || (part->scaled && (part->shift > 31 || !nn_bits_valid(part->bits))) ||
        (i + 1 < l->part_count && part->channels * l->bits % 8))
      return KERNEL_BAD_SHAPE;
    if (!part->in)
      return KERNEL_BAD_POINTER;
  }
  return KERNEL_OK;
}

static void copy(uint8_t *out, const uint8_t *in, uint32_t bytes) {
  uint32_t words = bytes / 4;
  if (words > 0)
    rt_copy_words(out, in, words);
  for (uint32_t i = words * 4; i < bytes; i++)
    out[i] = in[i];
}

// `pixels` pixels of a part.
static void copied(const struct nn_concat *l, const struct nn_concat_part *part, const uint8_t *in,
                   uint8_t *out, uint32_t pixels) {
  uint32_t bytes = nn_bits_bytes(part->channels, l->bits), step = nn_concat_out_pixel(l);
  uint32_t used = part->channels * l->bits % 8u, last = used ? (1u << used) - 1 : 0xff;
  for (uint32_t p = 0; p < pixels; p++, in += bytes, out += step) {
    copy(out, in, bytes);
    out[bytes - 1] &= (uint8_t)last;
  }
}

// A sum with one term.
static void scaled(const struct nn_concat *l, const struct nn_concat_part *part, const uint8_t *in,
                   uint8_t *out, uint32_t pixels) {
  const struct nn_add sum = {.scale_a = part->kappa,
                             .lambda = part->lambda,
                             .shift = part->shift,
                             .a_bits = part->bits,
                             .b_bits = part->bits,
                             .out_bits = l->bits,
                             .in_signed = l->is_signed,
                             .out_signed = l->is_signed};
  uint32_t bytes = nn_bits_bytes(part->channels, part->bits), step = nn_concat_out_pixel(l);
  for (uint32_t p = 0; p < pixels; p++, in += bytes, out += step)
    nn_add_span(&sum, in, in, out, part->channels);
}

// The pixels of this core, one part after the other.
enum kernel_status nn_concat(const struct nn_concat *l) {
  KERNEL_CHECK(check(l));
  struct rt_range mine = rt_split(l->pixels, 1);
  uint8_t *out = l->out + (size_t)mine.begin * nn_concat_out_pixel(l);
  for (uint32_t i = 0; i < l->part_count && mine.begin < mine.end; i++) {
    const struct nn_concat_part part = l->parts[i];
    uint32_t bytes = nn_bits_bytes(part.channels, part.scaled ? part.bits : l->bits);
    (part.scaled ? scaled : copied)(l, &part, part.in + (size_t)mine.begin * bytes, out,
                                    mine.end - mine.begin);
    out += bytes_of(l, i);
  }
  return KERNEL_OK;
}
