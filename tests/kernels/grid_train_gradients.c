// tests/kernels/grid_train_gradients.c: gradients of all layers by central differences.
//
// The loss is the sum of a layer's outputs weighted by out_grad. One input at a time is moved by
// +-STEP, the layer runs forward on all cores, and the difference of the losses is compared with
// the gradient that the layer gave.
#include "kernels/ref/ref_train.h"
#include "train_layers.h"

#ifdef __riscv
enum { SAMPLES = 3 };
#else
enum { SAMPLES = 40 };
#endif

#define STEP 0x1p-6f

// Adds sign * the loss.
static void add_loss(struct ref_sum *sum, float sign, const struct train_layer *l) {
  for (uint32_t i = 0; i < l->outputs; i++)
    ref_add_product(sum, sign * train_layer_get(train_space.out, i),
                    train_layer_get(train_space.out_grad, i));
}

static volatile int failed;

// Adds sign * the loss with one input moved; on all cores, and known to core 0.
static void add_loss_at(struct ref_sum *sum, float sign, const struct train_layer *l, float *value,
                        float at) {
  if (rt_core_id() == 0)
    *value = at;
  if (!train_layer_run(l->fw))
    failed = 1;
  if (rt_core_id() == 0)
    add_loss(sum, sign, l);
}

static void compare(const struct train_layer *l, int input, uint32_t i) {
  float *value = (float *)train_space.in[input] + i, middle = *value;
  float gradient = train_layer_get(train_space.grad[input], i);
  rt_barrier();
  struct ref_sum change = {0};
  add_loss_at(&change, 1, l, value, middle + STEP);
  rt_barrier();
  add_loss_at(&change, -1, l, value, middle - STEP);
  rt_barrier();
  if (rt_core_id() == 0) {
    *value = middle;
    ref_real slope = ref_value(&change) / (ref_real)(2 * STEP), error = slope - (ref_real)gradient;
    ref_real size = (ref_real)(gradient < 0 ? -gradient : gradient);
    // Truncation is of the order of STEP^2, rounding of 2^-24 / STEP.
    if (!((error < 0 ? -error : error) <= (ref_real)2e-3 * (1 + size))) {
      failed = 1;
      rt_printf("%s: input %d[%u]: gradient %d / 1000000, difference %d\n", l->name, input,
                (unsigned)i, (int)(gradient * 1e6f), (int)(slope * (ref_real)1e6));
    }
  }
  rt_barrier();
}

static void check_layer(const struct train_layer *l, uint32_t *seed) {
  if (!train_layer_run(l->fw) || !train_layer_run(l->bw))
    failed = 1;
  for (int input = 0; input < TRAIN_LAYER_INPUTS && l->sizes[input]; input++) {
    for (uint32_t n = 0; n < SAMPLES && !failed; n++)
      compare(l, input, rt_random(seed) % l->sizes[input]);
  }
  if (failed && rt_core_id() == 0)
    rt_printf("%s on %u cores\n", l->name, rt_core_count());
}

int grid_train_gradients(void) {
  uint32_t seed = 9;
  if (rt_core_id() == 0) {
    failed = 0;
    train_layer_type = TRAIN_F32;
    train_layers_take();
  }
  rt_barrier();
  for (uint32_t i = 0; i < train_layer_count && !failed; i++) {
    check_layer(&train_layers[i], &seed);
    rt_barrier();
  }
  rt_barrier();
  if (rt_core_id() == 0)
    grid_release();
  return failed;
}
