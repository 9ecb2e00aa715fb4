// kernels/tile/tile_clip.c: by itself, so that networks that clip nothing can do without.
#include "kernels/nn/nn_act.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

enum kernel_status tile_clip(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  uint8_t *out = tile_y(l, t, l1);
  uint32_t bytes = t->rows * t->columns * tile_out_pixel(l, t->channels);
  struct nn_act act = {.in = out,
                       .out = out,
                       .count = bytes * 8 / l->out_bits,
                       .bits = l->out_bits,
                       .is_signed = l->out_signed};
  rt_barrier();
  return nn_clip(&act, l->low, l->high);
}
