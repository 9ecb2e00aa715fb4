// kernels/nn/nn_concat.c
#include "nn_concat.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_requant.h"

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
    if (!part->channels || part->shift > 31 || (part->scaled && l->bits != 8) ||
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

// The pixels of this core, one part after the other.
enum kernel_status nn_concat(const struct nn_concat *l) {
  KERNEL_CHECK(check(l));
  struct rt_range mine = rt_split(l->pixels, 1);
  uint32_t step = nn_concat_out_pixel(l);
  uint8_t *first = l->out + (size_t)mine.begin * step;
  for (uint32_t i = 0; i < l->part_count; i++) {
    const struct nn_concat_part part = l->parts[i];
    uint32_t bytes = bytes_of(l, i);
    const uint8_t *in = part.in + (size_t)mine.begin * bytes;
    uint8_t *out = first;
    for (uint32_t p = mine.begin; p < mine.end; p++, in += bytes, out += step) {
      for (uint32_t c = 0; c < bytes && part.scaled; c++)
        out[c] = nn_requant_u8(in[c], part.kappa, part.lambda, part.shift);
      if (!part.scaled)
        copy(out, in, bytes);
    }
    first += bytes;
  }
  return KERNEL_OK;
}
