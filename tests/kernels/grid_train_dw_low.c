// tests/kernels/grid_train_dw_low.c: low planes of depthwise convolutions (train_dw_low.h)
// against double precision; all sums of these values are exact. Planes at any word, both passes,
// with and without ReLU and step; what lies around the results stays as it is.
#include "grid_train.h"

#include "kernels/train/train_dw_low.h"

enum { MARK = 0x5a5a5a5a };

static struct train_dw_low_fw fw;
static struct train_dw_low_both both;
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
  fw = (struct train_dw_low_fw){.x = plane(seed),
                                .w = grid_floats(9, seed),
                                .bias = grid_floats(1, seed),
                                .y = result(rows * columns),
                                .columns = columns,
                                .floor = grid_draw(seed, 0, 2) ? TRAIN_DW_RELU : TRAIN_DW_NO_RELU};
  if (number % 11 == 0) // goes where it belongs
    ((float *)fw.x)[grid_draw(seed, 0, rows * columns - 1)] = __builtin_nanf("");
}

static void prepare_both(uint32_t number, uint32_t *seed) {
  both =
      (struct train_dw_low_both){.in = plane(seed),
                                 .w = grid_floats(9, seed),
                                 .out = plane(seed),
                                 .out_grad = plane(seed),
                                 .turned = result(train_dw_low_turned_floats(rows, columns)),
                                 .in_grad = result(rows * columns),
                                 .w_grad = result(9),
                                 .columns = columns,
                                 .floor = grid_draw(seed, 0, 2) ? TRAIN_DW_RELU : TRAIN_DW_NO_RELU,
                                 .factor = grid_draw(seed, 0, 1) ? -0.25F : 0};
  if (number % 11 == 0)
    grid_spoil((float *)both.out_grad, rows * columns, TRAIN_F32, seed);
  rt_zero_words(both.turned, rows);
  rt_zero_words(both.turned + rows * (columns + 1), rows);
}

static void prepare(uint32_t number, uint32_t seed) {
  rows = TRAIN_DW_LOW_LEAST + number / 2 % (TRAIN_DW_LOW_MOST - TRAIN_DW_LOW_LEAST + 1);
  columns = grid_draw(&seed, 1, 30);
  backward = number % 2;
  if (backward)
    prepare_both(number, &seed);
  else
    prepare_fw(number, &seed);
}

static int run(void) {
  if (rt_core_id() == 0) {
    if (backward)
      train_dw_low_both[rows - TRAIN_DW_LOW_LEAST](&both);
    else
      train_dw_low_fw[rows - TRAIN_DW_LOW_LEAST](&fw);
  }
  return 0;
}

// ---------------------------------------------------------------- reference

static bool above(float value, int32_t floor) {
  return (int32_t)rt_float_bits(value) > floor;
}

// The element of a plane with zeros around it.
static double padded(const float *x, int y, int column) {
  bool inside = y >= 0 && y < (int)rows && column >= 0 && column < (int)columns;
  return inside ? (double)x[y * (int)columns + column] : 0;
}

static double gated_gradient(int y, int column) {
  bool inside = y >= 0 && y < (int)rows && column >= 0 && column < (int)columns;
  uint32_t at = (uint32_t)(y * (int)columns + column);
  return inside && above(both.out[at], both.floor) ? (double)both.out_grad[at] : 0;
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
    double want = (double)*fw.bias;
    for (int tap = 0; tap < 9; tap++)
      want += (double)fw.w[tap] * padded(fw.x, y + tap / 3 - 1, x + tap % 3 - 1);
    if (differs("fw", i, fw.y[i], fw.floor == TRAIN_DW_RELU && want <= 0 ? 0 : want))
      return 1;
  }
  return marked(fw.y, rows * columns) ? 0 : 1;
}

static int check_in_grad(void) {
  for (uint32_t i = 0; i < rows * columns; i++) {
    int y = (int)(i / columns), x = (int)(i % columns);
    double want = 0;
    for (int tap = 0; tap < 9; tap++)
      want += (double)both.w[tap] * gated_gradient(y + 1 - tap / 3, x + 1 - tap % 3);
    if (differs("in_grad", i, both.in_grad[i], above(both.in[i], 0) ? want : 0))
      return 1;
  }
  return marked(both.in_grad, rows * columns) ? 0 : 1;
}

static int check_w_grad(void) {
  for (int tap = 0; tap < 9; tap++) {
    double sum = 0;
    for (uint32_t i = 0; i < rows * columns; i++)
      sum += (double)both.in[i] *
             gated_gradient((int)(i / columns) + 1 - tap / 3, (int)(i % columns) + 1 - tap % 3);
    double want = both.factor == 0 ? sum : (double)both.w[tap] + (double)both.factor * sum;
    if (differs("w_grad", (uint32_t)tap, both.w_grad[tap], want))
      return 1;
  }
  uint32_t turned = train_dw_low_turned_floats(rows, columns);
  return marked(both.w_grad, 9) && marked(both.turned, turned) ? 0 : 1;
}

static int check(void) {
  return backward ? check_in_grad() || check_w_grad() : check_fw();
}

int grid_train_dw_low(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_dw_low", &what);
}
