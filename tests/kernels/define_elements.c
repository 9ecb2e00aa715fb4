// Operators of elements and rows, and losses, each beside its definition.
#include <check.h>
#include <math.h>

#include "kernels/train/train_act.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_shape.h"
#include "kernels/train/train_softmax.h"
#include "kernels/train_definition.h"

static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;

// ---- elements

enum { N = 60 };
static enum train_act_id kind;

// torch.nn.functional: relu, leaky_relu (slope 0.2), sigmoid, tanh, gelu with
// approximate='tanh'.
static void activation(double *o, const double *p) {
  for (int i = 0; i < N; i++) {
    double v = p[i], cube = v + 0.044715 * v * v * v;
    o[i] = kind == TRAIN_ACT_relu         ? fmax(v, 0)
           : kind == TRAIN_ACT_leaky_relu ? (v > 0 ? v : (double)0.2f * v)
           : kind == TRAIN_ACT_sigmoid    ? 1 / (1 + exp(-v))
           : kind == TRAIN_ACT_tanh       ? tanh(v)
                                          : 0.5 * v * (1 + tanh(sqrt(2 / M_PI) * cube));
  }
}

START_TEST(activations) {
  kind = (enum train_act_id)_i;
  definition_begin(N, N);
  for (int i = 0; i < N; i++)
    in[i] *= 3;
  const struct train_act l = {in, out, out_grad, grad, N, 0.2f, TRAIN_F32};
  OK(train_act_fw(kind, &l));
  OK(train_act_ig(kind, &l));
  definition_matches(train_act_names[kind], activation, N, N);
}
END_TEST

static void sum_of_two(double *o, const double *p) {
  for (int i = 0; i < N; i++)
    o[i] = p[i] + p[N + i];
}

START_TEST(residual_additions) {
  definition_begin(2 * N, N);
  const struct train_residual l = {in, in + N, out, out_grad, grad, grad + N, N, 0, TRAIN_F32};
  OK(train_residual_fw(&l));
  OK(train_residual_ig(&l));
  definition_matches("residual", sum_of_two, 2 * N, N);
}
END_TEST

// Shazeer 2020, equation 6: (Swish(a) * b), Swish(a) = a / (1 + exp(-a)).
static void swiglu(double *o, const double *p) {
  for (int i = 0; i < N; i++)
    o[i] = p[i] / (1 + exp(-p[i])) * p[N + i];
}

START_TEST(gated_units) {
  definition_begin(2 * N, N);
  for (int i = 0; i < N; i++)
    in[i] *= 4;
  const struct train_swiglu l = {in, in + N, out, out_grad, grad, grad + N, N, TRAIN_F32};
  OK(train_swiglu_fw(&l));
  OK(train_swiglu_ig(&l));
  definition_matches("swiglu", swiglu, 2 * N, N);
}
END_TEST

// The gradient passes where the input did, with the same factor.
START_TEST(dropout_gradient) {
  definition_begin(N, N);
  const struct train_dropout fw = {in, out, N, 5, 0.7f, TRAIN_F32};
  const struct train_dropout ig = {out_grad, grad, N, 5, 0.7f, TRAIN_F32};
  OK(train_dropout(&fw));
  OK(train_dropout(&ig));
  for (uint32_t i = 0; i < N; i++)
    definition_equal("dropout", i, (double)grad[i], out[i] != 0 ? (double)out_grad[i] / 0.7 : 0,
                     1e-6);
}
END_TEST

// ---- rows

enum { ROWS = 4, COLUMNS = 6, ALL = ROWS * COLUMNS };

static void softmax(double *o, const double *p) {
  for (int r = 0; r < ROWS; r++) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
      sum += exp(p[r * COLUMNS + i]);
    for (int i = 0; i < COLUMNS; i++)
      o[r * COLUMNS + i] = exp(p[r * COLUMNS + i]) / sum;
  }
}

START_TEST(softmax_rows) {
  definition_begin(ALL, ALL);
  const struct train_softmax l = {in, out, out_grad, grad, ROWS, COLUMNS, TRAIN_F32};
  OK(train_softmax_fw(&l));
  OK(train_softmax_ig(&l));
  definition_matches("softmax", softmax, ALL, ALL);
}
END_TEST

// A row's largest value is its own: the next row's would leave nothing of its exponentials.
START_TEST(softmax_of_rows_far_apart) {
  definition_begin(ALL, ALL);
  const struct train_softmax l = {in, out, out_grad, grad, ROWS, COLUMNS, TRAIN_F32};
  double p[ALL], o[ALL];
  for (uint32_t i = 0; i < ALL; i++) {
    uint32_t row = i / COLUMNS;
    in[i] += 200.0f * (float)row;
    p[i] = (double)in[i];
  }
  OK(train_softmax_fw(&l));
  softmax(o, p);
  for (uint32_t i = 0; i < ALL; i++)
    definition_equal("softmax", i, (double)out[i], o[i], 1e-6);
}
END_TEST

static void reduction(double *o, const double *p) {
  for (int r = 0; r < ROWS; r++) {
    o[r] = 0;
    for (int i = 0; i < COLUMNS; i++)
      o[r] += (double)0.3f * p[r * COLUMNS + i];
  }
}

START_TEST(reductions) {
  definition_begin(ALL, ROWS);
  const struct train_reduce fw = {in, out, ROWS, COLUMNS, 0.3f, TRAIN_F32};
  const struct train_reduce ig = {out_grad, grad, ROWS, COLUMNS, 0.3f, TRAIN_F32};
  OK(train_reduce_fw(&fw));
  OK(train_reduce_ig(&ig));
  definition_matches("reduce", reduction, ALL, ROWS);
}
END_TEST

// torch.nn.BatchNorm2d in training, InstanceNorm2d with affine, LayerNorm,
// RMSNorm; epsilon 0.3. Elements [outer][groups][inner], then gamma, beta.
static struct norm {
  enum train_norm_kind kind;
  int outer, groups, inner, affine; // affine: of gamma and beta
} norms[] = {{TRAIN_NORM_BATCH, 3, 4, 5, 4},
             {TRAIN_NORM_INSTANCE, 1, 6, 5, 3},
             {TRAIN_NORM_LAYER, 1, 4, 7, 7},
             {TRAIN_NORM_RMS, 1, 4, 7, 7},
             {TRAIN_NORM_NONE, 1, 4, 7, 7}};
static const struct norm *norm;

static void normalization(double *o, const double *p) {
  int total = norm->outer * norm->groups * norm->inner, n = norm->outer * norm->inner;
  const double *gamma = p + total, *beta = gamma + norm->affine;
  for (int i = 0; i < total; i++) {
    int g = i / norm->inner % norm->groups;
    double mean = 0, variance = 0;
    for (int k = 0; k < total; k++)
      mean += k / norm->inner % norm->groups == g ? p[k] / n : 0;
    if (norm->kind == TRAIN_NORM_RMS)
      mean = 0;
    for (int k = 0; k < total; k++)
      variance += k / norm->inner % norm->groups == g ? (p[k] - mean) * (p[k] - mean) / n : 0;
    int a = norm->kind <= TRAIN_NORM_INSTANCE ? g % norm->affine : i % norm->inner;
    double h = norm->kind == TRAIN_NORM_NONE ? p[i] : (p[i] - mean) / sqrt(variance + (double)0.3f);
    o[i] = gamma[a] * h + (norm->kind == TRAIN_NORM_RMS ? 0 : beta[a]);
  }
}

START_TEST(normalizations) {
  norm = &norms[_i];
  uint32_t total = (uint32_t)(norm->outer * norm->groups * norm->inner);
  uint32_t affine = (uint32_t)norm->affine, inputs = total + 2 * affine;
  float mean[8], rstd[8];
  definition_begin(inputs, total);
  const struct train_norm l = {.in = in,
                               .out = out,
                               .gamma = in + total,
                               .beta = in + total + affine,
                               .mean = mean,
                               .rstd = rstd,
                               .out_grad = out_grad,
                               .in_grad = grad,
                               .gamma_grad = grad + total,
                               .beta_grad = grad + total + affine,
                               .outer = (uint32_t)norm->outer,
                               .groups = (uint32_t)norm->groups,
                               .inner = (uint32_t)norm->inner,
                               .affine = affine,
                               .epsilon = 0.3f};
  OK(train_norm_fw(norm->kind, &l));
  OK(train_norm_ig(norm->kind, &l));
  if (norm->kind == TRAIN_NORM_RMS)
    inputs -= affine;
  definition_matches("norm", normalization, inputs, total);
}
END_TEST

// ---- losses: one output; torch.nn MSELoss, L1Loss, BCEWithLogitsLoss,
// CrossEntropyLoss; berHu

enum loss { MSE, L1, BCE, BERHU, LOSSES };
static enum loss which;
static double threshold; // berHu's, a constant for the gradient

static void element_loss(double *o, const double *p) {
  *o = 0;
  for (int i = 0; i < N; i++) {
    double d = p[i] - p[N + i], one = d * d;
    if (which == L1 || (which == BERHU && fabs(d) <= threshold))
      one = fabs(d);
    else if (which == BERHU)
      one = (d * d + threshold * threshold) / (2 * threshold);
    else if (which == BCE)
      one = -(p[N + i] * log(1 / (1 + exp(-p[i]))) + (1 - p[N + i]) * log(1 / (1 + exp(p[i]))));
    *o += one / N;
  }
}

START_TEST(losses_of_elements) {
  float partial[TRAIN_LOSS_PARTS];
  which = (enum loss)_i;
  definition_begin(2 * N, 1);
  definition_fill(in + N, N, 77, 0.9);
  in[2 * N] = 100; // not one of them
  out_grad[0] = 1;
  threshold = 0;
  for (int i = 0; i < N; i++) {
    if (which == BCE)
      in[N + i] = fabsf(in[N + i]);
    threshold = fmax(threshold, (double)0.35f * fabs((double)in[i] - (double)in[N + i]));
  }
  const struct train_loss l = {.in = in,
                               .target = in + N,
                               .in_grad = grad,
                               .loss = out,
                               .partial = partial,
                               .count = N,
                               .share = 0.35f};
  OK((which == MSE   ? train_loss_mse
      : which == L1  ? train_loss_l1
      : which == BCE ? train_loss_bce
                     : train_loss_berhu)(&l));
  definition_outputs_match("loss", element_loss, 2 * N, 1);
  definition_gradients_match("loss", element_loss, 2 * N, 1, 0, N);
}
END_TEST

static const uint8_t labels[ROWS] = {3, 0, 5, 3};

static void cross_entropy(double *o, const double *p) {
  double q[ALL];
  softmax(q, p);
  *o = 0;
  for (int r = 0; r < ROWS; r++)
    *o -= log(q[r * COLUMNS + labels[r]]) / ROWS;
}

START_TEST(cross_entropy_of_rows) {
  float partial[TRAIN_LOSS_PARTS];
  definition_begin(ALL, 1);
  out_grad[0] = 1;
  const struct train_loss l = {.in = in,
                               .labels = labels,
                               .in_grad = grad,
                               .loss = out,
                               .partial = partial,
                               .rows = ROWS,
                               .columns = COLUMNS};
  OK(train_loss_cross_entropy(&l));
  definition_matches("cross entropy", cross_entropy, ALL, 1);
}
END_TEST

TCase *define_elements_case(void) {
  TCase *c = tcase_create("elements");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, activations, 0, TRAIN_ACT_COUNT);
  tcase_add_test(c, residual_additions);
  tcase_add_test(c, gated_units);
  tcase_add_test(c, dropout_gradient);
  tcase_add_test(c, softmax_rows);
  tcase_add_test(c, softmax_of_rows_far_apart);
  tcase_add_test(c, reductions);
  tcase_add_loop_test(c, normalizations, 0, TRAIN_NORM_KINDS);
  tcase_add_loop_test(c, losses_of_elements, 0, LOSSES);
  tcase_add_test(c, cross_entropy_of_rows);
  return c;
}
