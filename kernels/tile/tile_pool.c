// kernels/tile/tile_pool.c
#include <stddef.h>

#include "kernels/nn/nn_pool.h"
#include "tile_kernel.h"

static struct nn_pool pool_of(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  return (struct nn_pool){.in = tile_x(l, t, l1, 0),
                          .out = tile_y(l, t, l1),
                          .in_h = (uint16_t)t->in_rows,
                          .in_w = t->in_columns,
                          .channels = (uint16_t)t->channels,
                          .kernel_h = l->kernel_h,
                          .kernel_w = l->kernel_w,
                          .stride_h = l->stride_h,
                          .stride_w = l->stride_w,
                          .pad_top = (uint8_t)t->top,
                          .pad_bottom = (uint8_t)t->bottom,
                          .pad_left = t->left,
                          .pad_right = t->right,
                          .bits = l->out_bits,
                          .is_signed = l->out_signed};
}

static enum kernel_status maximum(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_pool k = pool_of(l, t, l1);
  enum kernel_status status = nn_maxpool(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

static enum kernel_status average(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_pool k = pool_of(l, t, l1);
  enum kernel_status status = nn_avgpool(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

// Other divisions.
static enum kernel_status other(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_pool k = pool_of(l, t, l1);
  struct nn_average by = {l->inside, l->nearest, NULL};
  enum kernel_status status = nn_avgpool_by(&k, &by);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

const struct tile_kernel tile_maxpool = {"tile_maxpool", maximum, NULL, NULL};
const struct tile_kernel tile_avgpool = {"tile_avgpool", average, NULL, NULL};
const struct tile_kernel tile_average = {"tile_average", other, NULL, NULL};
