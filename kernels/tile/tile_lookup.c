// kernels/tile/tile_lookup.c: the inputs' tables stand in the filters' place, input by input.
#include <stddef.h>

#include "kernels/nn/nn_lookup.h"
#include "tile_kernel.h"

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  const uint8_t *tables = tile_w(l, t, l1);
  struct nn_requant_i32 requant = tile_requant_of(l, tables);
  struct nn_lookup_input inputs[TILE_INPUTS];
  bool concat = l->kind == TILE_CONCAT, up = l->kind == TILE_RESIZE;
  for (unsigned i = 0; i < l->inputs; i++) {
    const struct tile_input *more = i ? &l->more[i - 1] : NULL;
    inputs[i].in = tile_x(l, t, l1, i);
    inputs[i].table = (const int32_t *)(const void *)tables;
    inputs[i].bits = more ? more->bits : l->in_bits;
    inputs[i].channels = (uint16_t)(!concat ? t->channels : more ? more->c : l->in_c);
    inputs[i].pixel = more && more->pixel;
    tables += 4u << inputs[i].bits;
  }
  struct nn_lookup k = {.inputs = inputs,
                        .input_count = l->inputs,
                        .joint = (enum nn_joint)l->joint,
                        .out = tile_y(l, t, l1),
                        .out_h = (uint16_t)t->rows,
                        .out_w = t->columns,
                        .channels = (uint16_t)t->channels,
                        .up_h = up ? l->stride_h : 1,
                        .up_w = up ? l->stride_w : 1,
                        .apart_h = up ? l->dilation_h : 1,
                        .apart_w = up ? l->dilation_w : 1,
                        .between = (uint8_t)(l->pad_value & ((1 << l->in_bits) - 1)),
                        .phase = up ? (uint8_t)(tile_rows_at(l, t) % l->stride_h) : 0,
                        .out_bits = l->out_bits,
                        .requant = l->requant.used ? &requant : NULL};
  enum kernel_status status = nn_lookup(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

const struct tile_kernel tile_lookup = {"tile_lookup", run, NULL, NULL};
