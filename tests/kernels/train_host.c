// tests/kernels/train_host.c: the training kernels compiled for this machine, on 1..8 threads;
// elementary functions; what the kernels refuse.
#include <check.h>
#include <math.h>

#include "grid_train.h"
#include "kernels/mm/mmt_f16.h"
#include "kernels/ref/ref_pair.h"
#include "kernels/train/train_act.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_math.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_optim.h"

#define HOST_GRIDS(GRID)   TRAIN_GRIDS(GRID)
#define HOST_GRIDS_PROGRAM "/tests/grids_sanitized train"
#include "host_grids.h"

Suite *train_host_suite(void);

static void near(const char *name, float x, float got, double want, double bound) {
  double error = fabs((double)got - want);
  ck_assert_msg(error <= bound * fabs(want), "%s(%a) = %a, expected %a: error %g", name, (double)x,
                (double)got, want, error / fabs(want));
}

START_TEST(functions_are_accurate) {
  for (int i = -8600; i <= 8800; i++) {
    float x = (float)i * 0.01003f;
    near("exp", x, train_exp(x), exp((double)x), 2.5e-7);
    near("sigmoid", x, train_sigmoid(x), 1 / (1 + exp(-(double)x)), 5e-7);
    near("tanh", x * 0.02f, train_tanh(x * 0.02f), tanh((double)(x * 0.02f)), 5e-7);
  }
  float x = 1.2e-38f;
  while (x < 3e38f) {
    near("log", x, train_log(x), log((double)x), 2.5e-7);
    x *= 1.0037f;
  }
}
END_TEST

START_TEST(functions_at_the_ends) {
  ck_assert(isinf(train_exp(INFINITY)) && isinf(train_exp(89)));
  ck_assert(train_exp(-INFINITY) == 0 && isnan(train_exp(NAN)));
  ck_assert(train_exp(88.7f) > 3e38f && train_exp(0) == 1);
  ck_assert(isinf(train_log(0)) && isnan(train_log(-1)) && isnan(train_log(NAN)));
  ck_assert(isinf(train_log(INFINITY)));
  ck_assert(train_tanh(50) == 1 && train_tanh(-INFINITY) == -1 && isnan(train_tanh(NAN)));
  ck_assert(train_sigmoid(-INFINITY) == 0 && train_sigmoid(INFINITY) == 1);
}
END_TEST

// At 0, far out, and for NaN: what the function is, and its slope.
START_TEST(activations_at_the_ends) {
  static const struct {
    enum train_act_id id;
    float below, above, slope_below; // at -inf and +inf; slope at +inf: 1 where `above` is inf
  } want[] = {{TRAIN_ACT_relu, 0, INFINITY, 0},
              {TRAIN_ACT_leaky_relu, -INFINITY, INFINITY, 0.25f},
              {TRAIN_ACT_sigmoid, 0, 1, 0},
              {TRAIN_ACT_tanh, -1, 1, 0},
              {TRAIN_ACT_gelu, 0, INFINITY, 0}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    float in[4] = {-INFINITY, INFINITY, NAN, 0}, out[4], one[4] = {1, 1, 1, 1}, grad[4];
    const struct train_act act = {in, out, one, grad, 4, 0.25f, TRAIN_F32};
    ck_assert_int_eq(train_act_fw(want[i].id, &act), KERNEL_OK);
    ck_assert_int_eq(train_act_ig(want[i].id, &act), KERNEL_OK);
    const char *name = train_act_names[want[i].id];
    ck_assert_msg(out[0] == want[i].below && out[1] == want[i].above, "%s: %f %f", name,
                  (double)out[0], (double)out[1]);
    ck_assert_msg(grad[0] == want[i].slope_below && grad[1] == (isinf(want[i].above) ? 1 : 0),
                  "%s: slopes %f %f", name, (double)grad[0], (double)grad[1]);
    ck_assert_msg(isnan(out[2]) && isnan(grad[2]) && isfinite(out[3]) && isfinite(grad[3]), "%s",
                  name);
  }
}
END_TEST

// The simulated machine's reference against doubles: sums that cancel and sums that do not.
START_TEST(pairs_are_sums_in_double_precision) {
  uint32_t seed = 3;
  for (int n = 1; n <= 400; n++) {
    struct ref_pair pair = {0, 0};
    double sum = 0, magnitude = 0;
    for (int i = 0; i < n; i++) {
      float a = (float)((int32_t)rt_random(&seed) >> 7) * 0x1p-24f;
      float b = (float)((int32_t)rt_random(&seed) >> 7) * (n % 2 ? 0x1p-24f : 0x1p-12f);
      ref_pair_add_product(&pair, a, b);
      ref_pair_add(&pair, b);
      sum += (double)a * (double)b + (double)b;
      magnitude += fabs((double)a * (double)b) + fabs((double)b);
    }
    double error = fabs((double)pair.high + (double)pair.low - sum);
    ck_assert_msg(error <= 4.0 * n * n * 0x1p-48 * magnitude, "%d terms: error %g", n, error);
  }
}
END_TEST

// Three steps of both optimizers against the formulas in double precision.
START_TEST(optimizers_follow_their_formulas) {
  float w[2] = {0.5f, -1.25f}, m[2] = {0}, v[2] = {0}, velocity[2] = {0}, s[2] = {0.5f, -1.25f};
  double dw[2] = {0.5, -1.25}, dm[2] = {0}, dv[2] = {0}, dvel[2] = {0}, ds[2] = {0.5, -1.25};
  for (int t = 1; t <= 3; t++) {
    float grad[2] = {0.25f * (float)t, 1.0f / (float)t};
    struct train_optim adam = {w,
                               grad,
                               m,
                               v,
                               2,
                               0.01f,
                               0.1f,
                               0,
                               0.9f,
                               0.999f,
                               1e-8f,
                               1 - powf(0.9f, (float)t),
                               1 - powf(0.999f, (float)t),
                               TRAIN_F32,
                               NULL,
                               0};
    struct train_optim sgd = {.weights = s,
                              .grad = grad,
                              .v = velocity,
                              .count = 2,
                              .rate = 0.05f,
                              .decay = 0.01f,
                              .momentum = 0.9f};
    ck_assert_int_eq(train_optim_adam(&adam), KERNEL_OK);
    ck_assert_int_eq(train_optim_sgd(&sgd), KERNEL_OK);
    for (int i = 0; i < 2; i++) {
      double g = (double)grad[i] + 0.1 * dw[i];
      dm[i] = 0.9 * dm[i] + 0.1 * g;
      dv[i] = 0.999 * dv[i] + 0.001 * g * g;
      dw[i] -= 0.01 * dm[i] / (1 - pow(0.9, t)) / (sqrt(dv[i] / (1 - pow(0.999, t))) + 1e-8);
      dvel[i] = 0.9 * dvel[i] + (double)grad[i] + 0.01 * ds[i];
      ds[i] -= 0.05 * dvel[i];
      ck_assert_double_eq_tol((double)w[i], dw[i], 2e-6);
      ck_assert_double_eq_tol((double)s[i], ds[i], 2e-6);
    }
  }
}
END_TEST

START_TEST(products_refuse) {
  float a[16], b[16], c[16];
  const struct mmt_f32 good = {a, b, c, 4, 4, 4, 4, 4, 4, MMT_TN, false};
  struct mmt_f32 bad = good;
  ck_assert_int_eq(mmt_f32(MMT_F32_AUTO + 1, &good), KERNEL_BAD_SHAPE);
  bad.n = 5; // TN: lda counts rows
  ck_assert_int_eq(mmt_f32(MMT_F32_AUTO, &bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.b = (const float *)(const void *)((const char *)b + 2);
  ck_assert_int_eq(mmt_f32(MMT_F32_AUTO, &bad), KERNEL_BAD_POINTER);
  _Alignas(4) uint16_t h[16];
  const struct mmt_f16 half = {h, h, h, 2, 2, 4, 4, 4, 2, MMT_NT, MMT_FP16, false, NULL};
  struct mmt_f16 odd = half;
  odd.k = 3;
  ck_assert_int_eq(mmt_f16(MMT_F32_AUTO, &odd), KERNEL_BAD_SHAPE);
  odd = half;
  odd.layout = MMT_NN; // needs scratch
  ck_assert_int_eq(mmt_f16(MMT_F32_AUTO, &odd), KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(layers_refuse) {
  float a[64] = {0};
  const struct train_conv2d conv = {.in = a,
                                    .weights = a,
                                    .out = a,
                                    .in_c = 1,
                                    .in_h = 3,
                                    .in_w = 3,
                                    .out_c = 1,
                                    .kernel_h = 3,
                                    .kernel_w = 3,
                                    .stride_h = 1,
                                    .stride_w = 1};
  struct train_conv2d bad = conv;
  bad.pad_left = 3;
  ck_assert_int_eq(train_conv2d_fw(&bad), KERNEL_BAD_SHAPE);
  bad = conv;
  bad.in_w = 2;
  ck_assert_int_eq(train_conv2d_fw(&bad), KERNEL_BAD_SHAPE);
  bad = conv;
  bad.pad_top = 1; // needs scratch
  ck_assert_int_eq(train_conv2d_fw(&bad), KERNEL_BAD_POINTER);
  ck_assert_int_eq(train_conv2d_wg(&conv), KERNEL_BAD_POINTER); // no gradients
  const struct train_linear linear = {.in = a, .weights = a, .out = a, .in_n = 1, .out_n = 1};
  ck_assert_int_eq(train_linear_fw(&linear), KERNEL_BAD_SHAPE); // no batch
  uint8_t label = 4;
  const struct train_loss loss = {
      .in = a, .labels = &label, .loss = a, .partial = a, .rows = 1, .columns = 4};
  ck_assert_int_eq(train_loss_cross_entropy(&loss), KERNEL_BAD_SHAPE); // label beyond the columns
  const struct train_norm norm = {.in = a,
                                  .out = a,
                                  .gamma = a,
                                  .beta = a,
                                  .mean = a,
                                  .rstd = a,
                                  .outer = 2,
                                  .groups = 1,
                                  .inner = 1,
                                  .epsilon = 1e-5f};
  ck_assert_int_eq(train_norm_fw(TRAIN_NORM_LAYER, &norm), KERNEL_BAD_SHAPE);
}
END_TEST

Suite *train_host_suite(void) {
  Suite *suite = suite_create("train_host");
  add_grids(suite);
  TCase *parts = tcase_create("parts");
  tcase_add_test(parts, functions_are_accurate);
  tcase_add_test(parts, pairs_are_sums_in_double_precision);
  tcase_add_test(parts, functions_at_the_ends);
  tcase_add_test(parts, activations_at_the_ends);
  tcase_add_test(parts, optimizers_follow_their_formulas);
  suite_add_tcase(suite, parts);
  TCase *refuse = tcase_create("refusals");
  tcase_add_test(refuse, products_refuse);
  tcase_add_test(refuse, layers_refuse);
  suite_add_tcase(suite, refuse);
  return suite;
}
