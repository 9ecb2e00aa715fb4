// kernels/tile/tile_parts.c: a convolution or linear layer whose input's channels come in parts:
// the sums of each by nn_mixed.h, added up in L1, and requantized behind the last.
#include "kernels/nn/nn_mixed.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

static uint32_t sums_bytes(const struct tile *t) {
  return 4u * t->rows * t->columns * t->channels;
}

static struct nn_mixed mixed_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_mixed){.shape = {.in_h = t->in_rows,
                                     .in_w = t->in_columns,
                                     .in_c = (uint16_t)tile_part_channels(l, t),
                                     .out_c = t->channels,
                                     .kernel_h = l->kernel_h,
                                     .kernel_w = l->kernel_w,
                                     .stride_h = l->stride_h,
                                     .stride_w = l->stride_w,
                                     .pad_top = t->top,
                                     .pad_bottom = t->bottom,
                                     .pad_left = t->left,
                                     .pad_right = t->right},
                           .in_bits = l->in_bits,
                           .weight_bits = l->weight_bits,
                           .out_bits = 32,
                           .in_signed = l->in_signed,
                           .pad_value = l->pad_value};
}

// The sums so far, those of this part, what the kernel wants.
static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_mixed k = mixed_of(l, t);
  return 2 * sums_bytes(t) + nn_mixed_buffer_size(&k);
}

static void add_up(int32_t *total, const int32_t *more, uint32_t count) {
  struct rt_range mine = rt_share(count);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    total[i] = (int32_t)((uint32_t)total[i] + (uint32_t)more[i]);
}

// As they are, and lambda, which stands behind the filters.
static void put_sums(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                     const int32_t *total) {
  const int32_t *lambda = (const int32_t *)(const void *)(tile_w(l, t, l1) + l->filter_bytes);
  int32_t *out = (int32_t *)(void *)tile_y(l, t, l1);
  struct rt_range mine = rt_share((uint32_t)t->rows * t->columns);
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    for (uint32_t c = 0; c < t->channels; c++)
      out[p * t->channels + c] =
          (int32_t)((uint32_t)total[p * t->channels + c] + (uint32_t)lambda[c]);
  }
}

static enum kernel_status finish(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                                 const int32_t *total) {
  rt_barrier();
  if (!l->requant.used) {
    put_sums(l, t, l1, total);
    return KERNEL_OK;
  }
  struct nn_requant_i32 requant = tile_requant_of(l, tile_w(l, t, l1));
  enum kernel_status status = nn_requant_i32(&requant, total, tile_y(l, t, l1),
                                             (uint32_t)t->rows * t->columns, t->channels);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_mixed k = mixed_of(l, t);
  uint8_t *total = l1 + l->scratch, *part = total + sums_bytes(t);
  k.shape.in = tile_x(l, t, l1, 0), k.shape.filters = tile_w(l, t, l1);
  k.shape.out = t->part ? part : total;
  k.shape.scratch = part + sums_bytes(t);
  enum kernel_status status = nn_mixed_conv2d(&k);
  if (status != KERNEL_OK)
    return status;
  if (t->part > 0) {
    rt_barrier();
    add_up((int32_t *)(void *)total, (const int32_t *)(const void *)part, sums_bytes(t) / 4);
  }
  return t->part + 1 == l->tiles.parts ? finish(l, t, l1, (const int32_t *)(const void *)total)
                                       : KERNEL_OK;
}

const struct tile_kernel tile_parts = {"tile_parts", run, TILE_PLANS(scratch), NULL};
