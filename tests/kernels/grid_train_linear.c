// tests/kernels/grid_train_linear.c: the three passes of fully connected layers against double
// precision, batches of one and more.
#include "grid_train.h"

#include "kernels/ref/ref_train_linear.h"

static struct train_linear l;
static enum { FW, WG, IG, PASSES } pass;
static void *result;
static float *before, bias_before[33];
static uint32_t count;

static void *values(uint32_t n, uint32_t *seed) {
  return grid_values(n, l.type, seed);
}

static void prepare(uint32_t number, uint32_t seed) {
  pass = number % PASSES;
  l = (struct train_linear){.batch = number % 2 ? 1 : grid_draw(&seed, 2, 9),
                            .in_n = grid_draw(&seed, 1, number % 7 == 0 ? 3 : 61),
                            .out_n = grid_draw(&seed, 1, number % 5 == 0 ? 3 : 33),
                            .add = number / 4 % 2};
  l.type = grid_type(&seed);
  l.matmul = grid_matmul(&seed);
  if (number % 8 == 3)
    l.in_n = 32;          // rows begin at one bank
  if (number % 13 == 5) { // 16 bits, every other row begins within a word
    l.batch = 1;
    l.in_n |= 1;
    l.type = number / 13 % 2 ? TRAIN_FP16 : TRAIN_BF16;
    l.add = number / 26 % 2;
    l.matmul = 0;
  }
  uint32_t ins = l.batch * l.in_n, outs = l.batch * l.out_n, weights = l.in_n * l.out_n;
  l.in = values(ins, &seed);
  l.weights = values(weights, &seed);
  l.bias = number % 5 < 2 ? values(l.out_n, &seed) : NULL;
  l.out_grad = values(outs, &seed);
  l.out = values(outs, &seed);
  l.in_grad = values(ins, &seed);
  l.weights_grad = values(weights, &seed);
  l.bias_grad = number % 5 < 3 ? values(l.out_n, &seed) : NULL;
  if (number % 11 == 0)
    grid_spoil((void *)(pass == FW ? l.in : l.out_grad), pass == FW ? ins : outs, l.type, &seed);
  result = pass == FW ? l.out : pass == WG ? l.weights_grad : l.in_grad;
  count = pass == FW ? outs : pass == WG ? weights : ins;
  before = grid_take(count * 4, 0);
  for (uint32_t i = 0; i < count; i++)
    before[i] = ref_typed(result, i, l.type);
  for (uint32_t i = 0; l.bias_grad && i < l.out_n; i++)
    bias_before[i] = ref_typed(l.bias_grad, i, l.type);
  uint32_t bytes = pass == FW   ? train_linear_fw_buffer_size(&l)
                   : pass == WG ? train_linear_wg_buffer_size(&l)
                                : train_linear_ig_buffer_size(&l);
  l.scratch = grid_scratch(bytes);
}

static int run(void) {
  if (pass == FW)
    return (int)train_linear_fw(&l);
  return (int)(pass == WG ? train_linear_wg(&l) : train_linear_ig(&l));
}

static int check_bias(void) {
  for (uint32_t o = 0; pass == WG && l.bias_grad && o < l.out_n; o++) {
    struct ref_sum want = {0};
    for (uint32_t b = 0; b < l.batch; b++)
      ref_add(&want, ref_typed(l.out_grad, b * l.out_n + o, l.type));
    if (l.add)
      ref_add(&want, bias_before[o]);
    if (!ref_typed_near(l.bias_grad, o, l.type, &want)) {
      rt_printf("bias_grad[%u]\n", (unsigned)o);
      return 1;
    }
  }
  return 0;
}

static int check(void) {
  for (uint32_t i = 0; i < count; i += GRID_EACH) {
    struct ref_sum want = pass == FW   ? ref_train_linear_fw(&l, i)
                          : pass == WG ? ref_train_linear_wg(&l, i)
                                       : ref_train_linear_ig(&l, i);
    if (pass == WG && l.add)
      ref_add(&want, before[i]);
    if (!ref_typed_near(result, i, l.type, &want)) {
      rt_printf("pass %u type %u, %u x %u -> %u: [%u] = %08x, expected %08x\n", (unsigned)pass,
                (unsigned)l.type, (unsigned)l.batch, (unsigned)l.in_n, (unsigned)l.out_n,
                (unsigned)i, (unsigned)rt_float_bits(ref_typed(result, i, l.type)),
                (unsigned)rt_float_bits((float)ref_value(&want)));
      return 1;
    }
  }
  return check_bias();
}

int grid_train_linear(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_linear", &what);
}
