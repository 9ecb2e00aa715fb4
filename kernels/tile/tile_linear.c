// kernels/tile/tile_linear.c
#include <stddef.h>

#include "kernels/nn/nn_linear.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

static struct nn_linear linear_of(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  return (struct nn_linear){.in = tile_x(l, t, l1, 0),
                            .filters = tile_w(l, t, l1),
                            .out = tile_y(l, t, l1),
                            .inputs = l->in_c,
                            .outputs = (uint16_t)t->channels,
                            .shift = l->shift,
                            .scratch = l1 + l->scratch};
}

static enum kernel_status linear(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_linear k = linear_of(l, t, l1);
  return nn_linear_u8_i8_u8(&k);
}

// Behind a tile's filters stands lambda, which that kernel does not add.
static enum kernel_status sums(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_linear k = linear_of(l, t, l1);
  enum kernel_status status = nn_linear_u8_i8_i32(&k);
  int32_t *sum = (int32_t *)(void *)(tile_y(l, t, l1));
  const int32_t *lambda =
      (const int32_t *)(const void *)(tile_w(l, t, l1) + l->weight_bytes) - l->tile_c;
  rt_barrier();
  struct rt_range mine = rt_share(t->channels);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)lambda[i]);
  return status;
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  const struct nn_linear k = {.inputs = l->in_c, .outputs = (uint16_t)t->channels};
  return nn_linear_buffer_size(&k);
}

const struct tile_kernel tile_linear = {"tile_linear", linear, TILE_PLANS(scratch), NULL};
const struct tile_kernel tile_sums = {"tile_sums", sums, TILE_PLANS(scratch), NULL};
