// tests/kernels/grid_train_special.c: NaN goes where a value goes, and nowhere else.
//
// What depends on an input is what changes when the input does. With a NaN in its place, all of
// that must be NaN and the rest what it was. The same holds for out_grad and the gradients. (In
// 16 bits, rounding hides small changes: there may be more NaN.)
#include "train_layers.h"

#ifdef __riscv
enum { SAMPLES = 1 };
#else
enum { SAMPLES = 12 };
#endif

#define FAR 4.0f // larger than all differences between inputs, so that a maximum moves

static volatile int failed;
static float before[TRAIN_LAYER_VALUES], moved[TRAIN_LAYER_VALUES];

static void keep(float *kept, const void *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    kept[i] = train_layer_get(values, i);
}

// Runs `pass` with element i of `input` at `value`; core 0 has the result in `kept`, if any.
static void run_at(int (*pass)(void), void *input, uint32_t i, float value, float *kept,
                   const void *result, uint32_t count) {
  rt_barrier();
  if (rt_core_id() == 0)
    train_layer_put(input, i, value);
  if (!train_layer_run(pass))
    failed = 1;
  if (rt_core_id() == 0 && kept)
    keep(kept, result, count);
}

// `loose`: there may be more NaN.
static void compare(const char *name, const char *input, uint32_t i, const void *result,
                    uint32_t count, bool loose) {
  for (uint32_t n = 0; n < count && !failed; n++) {
    float got = train_layer_get(result, n);
    bool depends = moved[n] != before[n];
    failed = depends ? got == got : got != before[n] && !(loose && got != got);
    if (failed)
      rt_printf("%s: NaN in %s[%u]: result [%u] is %08x, was %08x and %08x\n", name, input,
                (unsigned)i, (unsigned)n, (unsigned)rt_float_bits(got),
                (unsigned)rt_float_bits(before[n]), (unsigned)rt_float_bits(moved[n]));
  }
}

static void check(const struct train_layer *l, int (*pass)(void), const char *name, void *input,
                  uint32_t i, const void *result, uint32_t count) {
  float middle = train_layer_get(input, i);
  run_at(pass, input, i, middle, before, result, count);
  run_at(pass, input, i, middle + FAR, moved, result, count);
  run_at(pass, input, i, __builtin_nanf(""), NULL, result, count);
  if (rt_core_id() == 0) {
    bool zeros = input != train_space.in[0] && l->flags & TRAIN_LAYER_ZEROS;
    compare(l->name, name, i, result, count, zeros || train_layer_type != TRAIN_F32);
    train_layer_put(input, i, middle);
  }
  rt_barrier();
}

static void check_layer(const struct train_layer *l, uint32_t *seed) {
  const struct train_layer_space *s = &train_space;
  for (uint32_t n = 0; n < SAMPLES && !failed; n++) {
    for (int input = 0; input < TRAIN_LAYER_INPUTS && l->sizes[input]; input++)
      check(l, l->fw, input ? "weights" : "in", s->in[input], rt_random(seed) % l->sizes[input],
            s->out, l->outputs);
    if (!train_layer_run(l->fw))
      failed = 1;
    if (l->outputs > 1)
      check(l, l->bw, "out_grad", s->out_grad, rt_random(seed) % l->outputs, s->grad[0],
            l->sizes[0]);
  }
}

int grid_train_special(void) {
  uint32_t seed = 21;
  for (uint32_t type = 0; type < TRAIN_TYPES; type++) {
    if (rt_core_id() == 0) {
      failed = 0;
      train_layer_type = (enum train_type)type;
      train_layers_take();
    }
    rt_barrier();
    for (uint32_t i = 0; i < train_layer_count && !failed; i++) {
      if (!(train_layers[i].flags & TRAIN_LAYER_FLOATS) || type == TRAIN_F32)
        check_layer(&train_layers[i], &seed);
      rt_barrier();
    }
    if (rt_core_id() == 0)
      grid_release();
    rt_barrier();
    if (failed)
      break;
  }
  return failed;
}
