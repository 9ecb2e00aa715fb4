// tests/kernels/train_reference.c: forward values and optimizers against their definitions, written
// out in double precision with plain loops, hyper-parameters off their defaults. (Gradients are
// compared with differences of these forward passes: grid_train_gradients.c.)
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_optim.h"

Suite *train_reference_suite(void);

static void fill(float *to, uint32_t count, uint32_t seed) {
  for (uint32_t i = 0; i < count; i++)
    to[i] = (float)(int16_t)(rt_random(&seed) >> 7) * 0x1p-15f;
}

static void equal(const char *what, uint32_t i, float got, double want) {
  ck_assert_msg(fabs((double)got - want) <= 1e-5 * (1 + fabs(want)), "%s[%u] = %g, expected %g",
                what, i, (double)got, want);
}

// torch.optim.Adam: Kingma, Ba, algorithm 1, with weight decay as part of the gradient; epsilon is
// added to the root, not to what is under it.
START_TEST(adam_divides_by_root_plus_epsilon) {
  float w = 1, grad = 0, m = 0, v = 0;
  double want = 1, dm = 0, dv = 0;
  for (int t = 1; t <= 5; t++) {
    const struct train_optim adam = {.weights = &w,
                                     .grad = &grad,
                                     .m = &m,
                                     .v = &v,
                                     .count = 1,
                                     .rate = 0.03f,
                                     .decay = 0.2f,
                                     .beta1 = 0.7f,
                                     .beta2 = 0.95f,
                                     .epsilon = 0.05f,
                                     .correction1 = (float)(1 - pow(0.7, t)),
                                     .correction2 = (float)(1 - pow(0.95, t))};
    grad = 0.125f * (float)t - 0.5f;
    ck_assert_int_eq(train_optim_adam(&adam), KERNEL_OK);
    double g = (double)grad + 0.2 * want;
    dm = 0.7 * dm + 0.3 * g;
    dv = 0.95 * dv + 0.05 * g * g;
    double mean = dm / (1 - pow(0.7, t)), square = dv / (1 - pow(0.95, t));
    want -= 0.03 * mean / (sqrt(square) + 0.05);
    equal("adam", (uint32_t)t, w, want);
  }
}
END_TEST

// torch.nn.Dropout: what stays is divided by the probability with which it stays.
START_TEST(dropout_keeps_the_mean) {
  enum { N = 8000 };
  static const float keeps[] = {0.25f, 0.6f, 0.9f};
  float *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
  ck_assert(in && out);
  for (uint32_t i = 0; i < N; i++)
    in[i] = 0.5f + (float)(i % 7);
  for (int k = 0; k < 3; k++) {
    const struct train_dropout layer = {in, out, N, 11 + (uint32_t)k, keeps[k], TRAIN_F32};
    ck_assert_int_eq(train_dropout(&layer), KERNEL_OK);
    double kept = 0;
    for (uint32_t i = 0; i < N; i++) {
      if (out[i] != 0)
        equal("dropout", i, out[i], (double)in[i] / (double)keeps[k]);
      kept += out[i] != 0;
    }
    ck_assert_double_eq_tol(kept / N, (double)keeps[k], 0.03);
  }
  free(in);
  free(out);
}
END_TEST

// ---- attention: torch.nn.functional.scaled_dot_product_attention between four projections

enum { ROWS = 5, WIDTH = 12, HEADS = 3, EACH = WIDTH / HEADS };
typedef double matrix[ROWS][WIDTH];

static void project(matrix out, matrix in, const float *w) {
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c < WIDTH; c++) {
      out[r][c] = 0;
      for (int i = 0; i < WIDTH; i++)
        out[r][c] += in[r][i] * (double)w[c * WIDTH + i];
    }
  }
}

// Row r of head h: z = softmax(q k' / sqrt(EACH)) v.
static void attend(double *z, const double *q, matrix k, matrix v, int h) {
  double weight[ROWS], sum = 0;
  for (int s = 0; s < ROWS; s++) {
    double score = 0;
    for (int i = 0; i < EACH; i++)
      score += q[h * EACH + i] * k[s][h * EACH + i];
    weight[s] = exp(score / sqrt((double)EACH));
    sum += weight[s];
  }
  for (int i = h * EACH; i < (h + 1) * EACH; i++) {
    z[i] = 0;
    for (int s = 0; s < ROWS; s++)
      z[i] += weight[s] / sum * v[s][i];
  }
}

START_TEST(attention_scales_by_the_root_of_its_width) {
  float in[ROWS * WIDTH], w[4][WIDTH * WIDTH], q[ROWS * WIDTH], k[ROWS * WIDTH], v[ROWS * WIDTH],
      z[ROWS * WIDTH], p[HEADS * ROWS * ROWS], out[ROWS * WIDTH];
  fill(in, ROWS * WIDTH, 5);
  for (uint32_t i = 0; i < 4; i++)
    fill(w[i], WIDTH * WIDTH, 6 + i);
  const struct train_attention layer = {.in = in,
                                        .wq = w[0],
                                        .wk = w[1],
                                        .wv = w[2],
                                        .wo = w[3],
                                        .q = q,
                                        .k = k,
                                        .v = v,
                                        .z = z,
                                        .p = p,
                                        .out = out,
                                        .rows = ROWS,
                                        .width = WIDTH,
                                        .heads = HEADS};
  ck_assert_int_eq(train_attention_fw(&layer), KERNEL_OK);
  matrix x, dq, dk, dv, dz, want;
  for (int i = 0; i < ROWS * WIDTH; i++)
    x[i / WIDTH][i % WIDTH] = (double)in[i];
  project(dq, x, w[0]);
  project(dk, x, w[1]);
  project(dv, x, w[2]);
  for (int r = 0; r < ROWS; r++) {
    for (int h = 0; h < HEADS; h++)
      attend(dz[r], dq[r], dk, dv, h);
  }
  project(want, dz, w[3]);
  for (uint32_t i = 0; i < ROWS * WIDTH; i++)
    equal("attention", i, out[i], want[i / WIDTH][i % WIDTH]);
}
END_TEST

// ---- normalization: torch.nn.BatchNorm2d, LayerNorm, RMSNorm, with a large epsilon

enum { OUTER = 3, GROUPS = 4, INNER = 5, ALL = OUTER * GROUPS * INNER };

static void norm_matches(enum train_norm_kind kind, int outer) {
  float in[ALL], out[ALL], gamma[INNER], beta[INNER], mean[GROUPS], rstd[GROUPS];
  fill(in, ALL, 21);
  fill(gamma, INNER, 22);
  fill(beta, INNER, 23);
  const struct train_norm layer = {.in = in,
                                   .out = out,
                                   .gamma = gamma,
                                   .beta = beta,
                                   .mean = mean,
                                   .rstd = rstd,
                                   .outer = (uint32_t)outer,
                                   .groups = GROUPS,
                                   .inner = INNER,
                                   .epsilon = 0.3f};
  ck_assert_int_eq(train_norm_fw(kind, &layer), KERNEL_OK);
  for (int g = 0; g < GROUPS; g++) {
    double sum = 0, squares = 0, n = outer * INNER;
    for (int i = 0; i < outer * INNER; i++) {
      double x = (double)in[(i / INNER * GROUPS + g) * INNER + i % INNER];
      sum += x;
      squares += x * x;
    }
    double middle = kind == TRAIN_NORM_RMS ? 0 : sum / n;
    double variance = squares / n - middle * middle;
    for (int i = 0; i < outer * INNER; i++) {
      int at = (i / INNER * GROUPS + g) * INNER + i % INNER;
      int a = kind == TRAIN_NORM_BATCH ? g : i % INNER;
      double shift = kind == TRAIN_NORM_RMS ? 0 : (double)beta[a];
      equal("norm", (uint32_t)at, out[at],
            (double)gamma[a] * ((double)in[at] - middle) / sqrt(variance + (double)0.3f) + shift);
    }
  }
}

START_TEST(norms_divide_by_the_root_of_variance_plus_epsilon) {
  norm_matches(TRAIN_NORM_BATCH, OUTER);
  norm_matches(TRAIN_NORM_LAYER, 1);
  norm_matches(TRAIN_NORM_RMS, 1);
}
END_TEST

Suite *train_reference_suite(void) {
  Suite *suite = suite_create("train_reference");
  TCase *all = tcase_create("definitions");
  tcase_add_test(all, adam_divides_by_root_plus_epsilon);
  tcase_add_test(all, dropout_keeps_the_mean);
  tcase_add_test(all, attention_scales_by_the_root_of_its_width);
  tcase_add_test(all, norms_divide_by_the_root_of_variance_plus_epsilon);
  suite_add_tcase(suite, all);
  return suite;
}
