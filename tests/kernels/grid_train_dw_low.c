// tests/kernels/grid_train_dw_low.c: low planes of depthwise convolutions (train_dw_low.h)
// against double precision; all sums of these values are exact. Planes at any word, both passes,
// with and without ReLU and step; what lies around the results stays as it is.
#include "grid_train.h"

#include "kernels/train/train_dw_low.h"

enum { MARK = 0x5a5a5a5a };

static struct train_dw_low low;
static float *at[TRAIN_DW_LOW_ARRAYS];
static uint32_t rows, columns;
static int backward;

static float *plane(uint32_t *seed) {
  grid_take(4 * grid_draw(seed, 0, 1), 0); // an odd word now and then
  return grid_floats(rows * columns, seed);
}

static void *mark(void *words, uint32_t before) {
  ((uint32_t *)words)[0] = ((uint32_t *)words)[before + 1] = MARK;
  return (uint32_t *)words + 1;
}

static bool marked(const void *words, uint32_t count) {
  return ((const uint32_t *)words)[-1] == MARK && ((const uint32_t *)words)[count] == MARK;
}

static void *result(uint32_t count) {
  return mark(grid_scratch(4 * (count + 2)), count);
}

static void prepare_fw(uint32_t number, uint32_t *seed) {
  at[TRAIN_DW_LOW_BIAS] = grid_draw(seed, 0, 2) ? grid_floats(1, seed) : NULL;
  at[TRAIN_DW_LOW_OUT] = result(rows * columns);
  if (number % 11 == 0) // goes where it belongs
    at[TRAIN_DW_LOW_IN][grid_draw(seed, 0, rows * columns - 1)] = __builtin_nanf("");
}

static void prepare_both(uint32_t number, uint32_t *seed) {
  uint32_t turned = train_dw_low_turned_floats(rows, columns);
  at[TRAIN_DW_LOW_OUT] = low.floor == TRAIN_DW_RELU ? plane(seed) : NULL;
  at[TRAIN_DW_LOW_OUT_GRAD] = plane(seed);
  at[TRAIN_DW_LOW_IN_GRAD] = result(rows * columns);
  at[TRAIN_DW_LOW_WEIGHTS_GRAD] = result(9);
  low.factor = grid_draw(seed, 0, 1) ? -0.25F : 0;
  low.turned = result(turned);
  if (number % 11 == 0)
    grid_spoil(at[TRAIN_DW_LOW_OUT_GRAD], rows * columns, TRAIN_F32, seed);
  rt_zero_words(low.turned, rows);
  rt_zero_words(low.turned + turned - rows, rows);
}

static void prepare(uint32_t number, uint32_t seed) {
  rows = TRAIN_DW_LOW_LEAST + number / 2 % (TRAIN_DW_LOW_MOST - TRAIN_DW_LOW_LEAST + 1);
  low.columns = columns =
      grid_draw(&seed, 0, 3) ? grid_draw(&seed, 1, 30) : TRAIN_DW_LOW_OWN_COLUMNS;
  low.floor = grid_draw(&seed, 0, 2) ? TRAIN_DW_RELU : TRAIN_DW_NO_RELU;
  backward = number % 2;
  at[TRAIN_DW_LOW_IN] = plane(&seed);
  at[TRAIN_DW_LOW_WEIGHTS] = grid_floats(9, &seed);
  if (backward)
    prepare_both(number, &seed);
  else
    prepare_fw(number, &seed);
}

static int run(void) {
  if (rt_core_id() == 0)
    (backward ? train_dw_low_both : train_dw_low_fw)[train_dw_low_kernel(rows, columns)](&low, at);
  return 0;
}

// ---------------------------------------------------------------- reference

static bool positive(float value) {
  return (int32_t)rt_float_bits(value) > 0;
}

// The element of a plane with zeros around it.
static double padded(const float *x, int y, int column) {
  bool inside = y >= 0 && y < (int)rows && column >= 0 && column < (int)columns;
  return inside ? (double)x[y * (int)columns + column] : 0;
}

static double gated_gradient(int y, int column) {
  bool inside = y >= 0 && y < (int)rows && column >= 0 && column < (int)columns;
  uint32_t i = (uint32_t)(y * (int)columns + column);
  bool open = inside && (low.floor != TRAIN_DW_RELU || positive(at[TRAIN_DW_LOW_OUT][i]));
  return open ? (double)at[TRAIN_DW_LOW_OUT_GRAD][i] : 0;
}

static bool same(double got, double want) {
  return got == want || (got != got && want != want);
}

static int differs(const char *what, uint32_t i, float got, double want) {
  if (same((double)got, (double)(float)want))
    return 0;
  rt_printf("%s %ux%u [%u] = %08x, expected %08x\n", what, (unsigned)rows, (unsigned)columns,
            (unsigned)i, (unsigned)rt_float_bits(got), (unsigned)rt_float_bits((float)want));
  return 1;
}

static int check_fw(void) {
  for (uint32_t i = 0; i < rows * columns; i++) {
    int y = (int)(i / columns), x = (int)(i % columns);
    double want = at[TRAIN_DW_LOW_BIAS] ? (double)*at[TRAIN_DW_LOW_BIAS] : 0;
    for (int tap = 0; tap < 9; tap++)
      want += (double)at[TRAIN_DW_LOW_WEIGHTS][tap] *
              padded(at[TRAIN_DW_LOW_IN], y + tap / 3 - 1, x + tap % 3 - 1);
    if (low.floor == TRAIN_DW_RELU && want <= 0)
      want = 0;
    if (differs("fw", i, at[TRAIN_DW_LOW_OUT][i], want))
      return 1;
  }
  return marked(at[TRAIN_DW_LOW_OUT], rows * columns) ? 0 : 1;
}

static int check_in_grad(void) {
  for (uint32_t i = 0; i < rows * columns; i++) {
    int y = (int)(i / columns), x = (int)(i % columns);
    double want = 0;
    for (int tap = 0; tap < 9; tap++)
      want +=
          (double)at[TRAIN_DW_LOW_WEIGHTS][tap] * gated_gradient(y + 1 - tap / 3, x + 1 - tap % 3);
    if (differs("in_grad", i, at[TRAIN_DW_LOW_IN_GRAD][i],
                positive(at[TRAIN_DW_LOW_IN][i]) ? want : 0))
      return 1;
  }
  return marked(at[TRAIN_DW_LOW_IN_GRAD], rows * columns) ? 0 : 1;
}

static double tap_sum(int tap) {
  double sum = 0;
  for (int y = 0; y < (int)rows; y++) {
    for (int x = 0; x < (int)columns; x++)
      sum += padded(at[TRAIN_DW_LOW_IN], y, x) * gated_gradient(y + 1 - tap / 3, x + 1 - tap % 3);
  }
  return sum;
}

static int check_w_grad(void) {
  for (int tap = 0; tap < 9; tap++) {
    double sum = tap_sum(tap), want = sum;
    if (low.factor != 0)
      want = (double)at[TRAIN_DW_LOW_WEIGHTS][tap] + (double)low.factor * sum;
    if (differs("weights_grad", (uint32_t)tap, at[TRAIN_DW_LOW_WEIGHTS_GRAD][tap], want))
      return 1;
  }
  uint32_t turned = train_dw_low_turned_floats(rows, columns);
  return marked(at[TRAIN_DW_LOW_WEIGHTS_GRAD], 9) && marked(low.turned, turned) ? 0 : 1;
}

static int check(void) {
  return backward ? check_in_grad() || check_w_grad() : check_fw();
}

int grid_train_dw_low(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_dw_low", &what);
}
