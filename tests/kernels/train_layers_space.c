// tests/kernels/train_layers_space.c: the memory of the layers, and elements of any type; see
// train_layers.h.
#include "train_layers.h"

#include "kernels/ref/ref_train_half.h"

enum train_type train_layer_type;
struct train_layer_space train_space;

static enum mmt_f16_format format(void) {
  return train_layer_type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16;
}

float train_layer_get(const void *values, uint32_t i) {
  return train_layer_type == TRAIN_F32 ? ((const float *)values)[i]
                                       : ref_half_value(((const uint16_t *)values)[i], format());
}

void train_layer_put(void *values, uint32_t i, float value) {
  if (train_layer_type == TRAIN_F32)
    ((float *)values)[i] = value;
  else
    ((uint16_t *)values)[i] = ref_half_round(value, format());
}

bool train_layer_run(int (*pass)(void)) {
  rt_barrier();
  int status = pass();
  rt_barrier();
  return status == 0;
}

// All from one piece of memory, in floats.
static void *carve(float **left, uint32_t count) {
  float *place = *left;
  *left += count;
  return place;
}

// Distinct among 101 neighbours, in (-51 * step, 51 * step).
static void spread(void *values, uint32_t count, uint32_t seed, float step) {
  int32_t place = (int32_t)(seed % 101);
  for (uint32_t i = 0; i < count; i++) {
    train_layer_put(values, i, ((float)(place - 50) + 0.5f) * step);
    place = (place + 37) % 101;
  }
}

void train_layers_take(void) {
  enum { VALUES = TRAIN_LAYER_VALUES, FEW = VALUES / 4, SCRATCH = 2200, OTHER = 160 };
  struct train_layer_space *s = &train_space;
  uint32_t seed = 5;
  float *left = grid_floats(4 * VALUES + 10 * FEW + 2 * SCRATCH + 6 * OTHER, &seed);
  s->in[0] = carve(&left, VALUES);
  s->out = carve(&left, VALUES);
  s->grad[0] = carve(&left, VALUES);
  s->out_grad = carve(&left, VALUES);
  spread(s->in[0], VALUES, 3, 0x1p-5f);
  for (uint32_t i = 0; i < VALUES; i++)
    train_layer_put(s->out_grad, i, (float)(int8_t)(rt_random(&seed) >> 7) * 0x1p-7f);
  for (uint32_t i = 1; i < TRAIN_LAYER_INPUTS; i++) {
    s->in[i] = carve(&left, FEW);
    s->grad[i] = carve(&left, FEW);
    spread(s->in[i], FEW, 31 * (i - 1) + 11, 0x1p-7f);
  }
  for (int i = 0; i < TRAIN_LAYER_SPARE; i++) {
    s->spare[i] = carve(&left, i == 2 || i == 5 ? SCRATCH : OTHER);
    spread(s->spare[i], OTHER, 7, 0x1p-7f);
  }
}
