// tests/kernels/grid_train_types.c: the layers in 16-bit types give what they give in floats,
// rounded.
//
// Core 0 fills a layer's inputs in a 16-bit type; the layer runs in it and, with the same values,
// in floats. Both do the same arithmetic, so that results differ by the rounding of what is
// written, once, or once per addition where a gradient is added up in memory; and by the backward
// pass reading outputs that were rounded.
#include "train_layers.h"

enum { WRITES = 12 }; // additions to one element of a gradient, at most

static volatile int failed;
static float kept[TRAIN_LAYER_INPUTS + 1][TRAIN_LAYER_VALUES];

static void prepare(enum train_type type) {
  rt_barrier();
  if (rt_core_id() == 0) {
    grid_release();
    train_layer_type = type;
    train_layers_take();
  }
  rt_barrier();
}

static bool both_passes(const struct train_layer *l) {
  return train_layer_run(l->fw) && train_layer_run(l->bw);
}

// Results 0..5 are the gradients, 6 the output.
static uint32_t size_of(const struct train_layer *l, int result) {
  return result == TRAIN_LAYER_INPUTS ? l->outputs : l->sizes[result];
}

static const void *place_of(int result) {
  return result == TRAIN_LAYER_INPUTS ? train_space.out : train_space.grad[result];
}

static void keep(const struct train_layer *l) {
  for (int r = 0; r <= TRAIN_LAYER_INPUTS; r++) {
    for (uint32_t i = 0; i < size_of(l, r); i++)
      kept[r][i] = train_layer_get(place_of(r), i);
  }
}

static float size(float value) {
  return value < 0 ? -value : value;
}

// The largest of a tensor's magnitudes scales the bound: a sum may cancel.
static void compare(const struct train_layer *l, enum train_type type) {
  float unit = type == TRAIN_FP16 ? 0x1p-11f : 0x1p-8f;
  for (int r = 0; r <= TRAIN_LAYER_INPUTS && !failed; r++) {
    float largest = 0;
    for (uint32_t i = 0; i < size_of(l, r); i++)
      largest = size(train_layer_get(place_of(r), i)) > largest
                    ? size(train_layer_get(place_of(r), i))
                    : largest;
    for (uint32_t i = 0; i < size_of(l, r) && !failed; i++) {
      float want = train_layer_get(place_of(r), i), bound = size(want) * unit * 1.01f + 0x1p-24f;
      if (r < TRAIN_LAYER_INPUTS || l->flags & TRAIN_LAYER_ROUNDS)
        bound = WRITES * unit * largest;
      failed = !(size(kept[r][i] - want) <= bound);
      if (failed)
        rt_printf("%s, type %u, result %d[%u]: %08x, as floats %08x\n", l->name, (unsigned)type, r,
                  (unsigned)i, (unsigned)rt_float_bits(kept[r][i]), (unsigned)rt_float_bits(want));
    }
  }
}

static void check_layer(const struct train_layer *l, enum train_type type) {
  prepare(type);
  bool taken = both_passes(l);
  if (rt_core_id() == 0)
    keep(l);
  prepare(TRAIN_F32);
  taken = both_passes(l) && taken;
  if (rt_core_id() == 0) {
    if (taken)
      compare(l, type);
    else
      failed = 1;
  }
  rt_barrier();
}

int grid_train_types(void) {
  if (rt_core_id() == 0)
    failed = 0;
  rt_barrier();
  for (uint32_t i = 0; i < 2 * train_layer_count && !failed; i++) {
    const struct train_layer *l = &train_layers[i / 2];
    if (!(l->flags & TRAIN_LAYER_FLOATS))
      check_layer(l, i % 2 ? TRAIN_BF16 : TRAIN_FP16);
    rt_barrier();
  }
  if (rt_core_id() == 0)
    grid_release();
  rt_barrier();
  return failed;
}
