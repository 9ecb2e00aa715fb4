// kernels/tile/tile_add.c
#include <stddef.h>

#include "kernels/nn/nn_add.h"
#include "tile_kernel.h"

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_add k = {.a = tile_x(l, t, l1, 0),
                     .b = tile_x(l, t, l1, 1),
                     .out = tile_y(l, t, l1),
                     .pixels = t->rows * t->columns,
                     .channels = t->channels,
                     .scale_a = l->scale_a,
                     .scale_b = l->scale_b,
                     .lambda = l->lambda,
                     .shift = l->shift,
                     .a_bits = l->in_bits,
                     .b_bits = l->more[0].bits,
                     .out_bits = l->out_bits,
                     .in_signed = l->in_signed,
                     .out_signed = l->out_signed};
  enum kernel_status status = nn_add(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

const struct tile_kernel tile_add = {"tile_add", run, NULL, NULL};
