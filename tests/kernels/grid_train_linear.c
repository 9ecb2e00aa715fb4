// tests/kernels/grid_train_linear.c: the three passes of fully connected layers against double
// precision, batches of one and more.
#include "grid_train.h"

#include "kernels/ref/ref_train_linear.h"

static struct train_linear l;
static enum { FW, WG, IG, PASSES } pass;
static float *result, *before;
static uint32_t count;

static void prepare(uint32_t number, uint32_t seed) {
  pass = number % PASSES;
  l = (struct train_linear){.batch = number % 2 ? 1 : grid_draw(&seed, 2, 9),
                            .in_n = grid_draw(&seed, 1, number % 7 == 0 ? 3 : 61),
                            .out_n = grid_draw(&seed, 1, number % 5 == 0 ? 3 : 33),
                            .add = number / 4 % 2};
  if (number % 8 == 3)
    l.in_n = 32; // rows begin at one bank
  uint32_t ins = l.batch * l.in_n, outs = l.batch * l.out_n, weights = l.in_n * l.out_n;
  l.in = grid_floats(ins, &seed);
  l.weights = grid_floats(weights, &seed);
  l.bias = number % 5 < 2 ? grid_floats(l.out_n, &seed) : NULL;
  l.out_grad = grid_floats(outs, &seed);
  l.out = grid_floats(outs, &seed);
  l.in_grad = grid_floats(ins, &seed);
  l.weights_grad = grid_floats(weights, &seed);
  l.bias_grad = number % 5 < 3 ? grid_floats(l.out_n, &seed) : NULL;
  result = pass == FW ? l.out : pass == WG ? l.weights_grad : l.in_grad;
  count = pass == FW ? outs : pass == WG ? weights : ins;
  before = grid_take(count * 4, 0);
  for (uint32_t i = 0; i < count; i++)
    before[i] = result[i];
}

static int run(void) {
  if (pass == FW)
    return (int)train_linear_fw(&l);
  return (int)(pass == WG ? train_linear_wg(&l) : train_linear_ig(&l));
}

static int check(void) {
  for (uint32_t i = 0; i < count; i += GRID_EACH) {
    struct ref_sum want = pass == FW   ? ref_train_linear_fw(&l, i)
                          : pass == WG ? ref_train_linear_wg(&l, i)
                                       : ref_train_linear_ig(&l, i);
    if (pass == WG && l.add)
      ref_add(&want, before[i]);
    if (!ref_near(result[i], &want)) {
      rt_printf("pass %u, %u x %u -> %u: [%u] = %08x, expected %08x\n", (unsigned)pass,
                (unsigned)l.batch, (unsigned)l.in_n, (unsigned)l.out_n, (unsigned)i,
                (unsigned)rt_float_bits(result[i]), (unsigned)rt_float_bits((float)want.value));
      return 1;
    }
  }
  return 0;
}

int grid_train_linear(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_linear", &what);
}
