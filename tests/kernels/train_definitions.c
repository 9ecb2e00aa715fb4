// tests/kernels/train_definitions.c: every training operator against its
// definition, written once more in double precision with plain loops (named:
// the operator of PyTorch or ONNX it follows), hyper-parameters off their
// defaults. Outputs are compared with the definition, gradients with its
// central differences.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt_host.h"
#include "kernels/train/train_act.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_broadcast.h"
#include "kernels/train/train_conv_transpose2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_gated.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_rnn.h"
#include "kernels/train/train_shape.h"
#include "kernels/train/train_softmax.h"

Suite *train_definitions_suite(void);

// An operator: outputs of all that it reads, which stands in one array.
typedef void definition(double *out, const double *in);

enum { MOST = 1200 };
static float in[MOST], out[MOST], grad[MOST], out_grad[MOST], scratch[16384];
static double x[MOST], y[MOST], near_y[MOST];

// Distinct numbers, some 0.01 and more from zero and from each other in small
// ranges.
static void fill(float *to, uint32_t count, uint32_t seed, double size) {
  for (uint32_t i = 0; i < count; i++)
    to[i] = (float)((((double)((i * 37 + seed * 11) % 101) - 50) + 0.25) / 50 * size);
}

static void begin(uint32_t inputs, uint32_t outputs) {
  ck_assert(inputs <= MOST && outputs <= MOST);
  fill(in, inputs, 3, 0.9);
  fill(out_grad, outputs, 8, 0.7);
  for (uint32_t i = 0; i < MOST; i++)
    out[i] = grad[i] = NAN;
  for (uint32_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
    scratch[i] = NAN;
}

static void equal(const char *what, uint32_t i, double got, double want, double tolerance) {
  ck_assert_msg(fabs(got - want) <= tolerance * (1 + fabs(want)), "%s[%u] = %g, expected %g", what,
                i, got, want);
}

static void outputs_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs) {
  for (uint32_t i = 0; i < inputs; i++)
    x[i] = (double)in[i];
  f(y, x);
  for (uint32_t i = 0; i < outputs; i++)
    equal(what, i, (double)out[i], y[i], 4e-6);
}

// Of inputs begin to end: the sum of out_grad * outputs moves by grad.
static void gradients_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs,
                            uint32_t begin, uint32_t end) {
  const double h = 1e-5;
  for (uint32_t i = 0; i < inputs; i++)
    x[i] = (double)in[i];
  for (uint32_t i = begin; i < end; i++) {
    double middle = x[i], want = 0;
    x[i] = middle + h;
    f(y, x);
    x[i] = middle - h;
    f(near_y, x);
    x[i] = middle;
    for (uint32_t o = 0; o < outputs; o++)
      want += (double)out_grad[o] * (y[o] - near_y[o]) / (2 * h);
    equal(what, i, (double)grad[i], want, 2e-5);
  }
}

static void matches(const char *what, definition *f, uint32_t inputs, uint32_t outputs) {
  outputs_match(what, f, inputs, outputs);
  gradients_match(what, f, inputs, outputs, 0, inputs);
}

#define OK(call) ck_assert_int_eq((call), KERNEL_OK)

// ---- linear: torch.nn.Linear

enum { BATCH = 3, IN = 5, OUT = 4, LINEAR_W = BATCH * IN, LINEAR_B = LINEAR_W + IN * OUT };

static void linear(double *o, const double *p) {
  for (int b = 0; b < BATCH; b++) {
    for (int j = 0; j < OUT; j++) {
      o[b * OUT + j] = p[LINEAR_B + j];
      for (int i = 0; i < IN; i++)
        o[b * OUT + j] += p[b * IN + i] * p[LINEAR_W + j * IN + i];
    }
  }
}

START_TEST(linear_layer) {
  const struct train_linear l = {.in = in,
                                 .weights = in + LINEAR_W,
                                 .bias = in + LINEAR_B,
                                 .out = out,
                                 .out_grad = out_grad,
                                 .in_grad = grad,
                                 .weights_grad = grad + LINEAR_W,
                                 .bias_grad = grad + LINEAR_B,
                                 .batch = BATCH,
                                 .in_n = IN,
                                 .out_n = OUT};
  begin(LINEAR_B + OUT, BATCH * OUT);
  OK(train_linear_fw(&l));
  OK(train_linear_wg(&l));
  OK(train_linear_ig(&l));
  matches("linear", linear, LINEAR_B + OUT, BATCH * OUT);
}
END_TEST

// ---- convolutions: torch.nn.Conv2d, groups, ConvTranspose2d; ONNX Conv for
// unequal paddings

static const struct window {
  int c, h, w, f, kh, kw, sh, sw, top, bottom, left, right;
} windows[] = {
    {2, 7, 8, 3, 3, 3, 1, 1, 1, 1, 1, 1},  {2, 7, 8, 3, 3, 3, 2, 2, 1, 1, 1, 1},
    {3, 6, 13, 2, 3, 3, 2, 2, 0, 1, 0, 1}, {2, 9, 7, 3, 3, 3, 2, 1, 2, 0, 1, 2},
    {2, 8, 8, 2, 5, 5, 1, 1, 2, 2, 2, 2},  {2, 9, 9, 2, 5, 5, 2, 2, 2, 1, 1, 2},
    {5, 6, 5, 4, 1, 1, 2, 2, 0, 0, 0, 0},  {3, 8, 7, 2, 2, 2, 2, 2, 0, 0, 0, 1},
    {2, 9, 8, 3, 2, 3, 3, 3, 1, 0, 2, 1},  {2, 5, 11, 2, 1, 4, 1, 3, 0, 0, 3, 0},
    {1, 4, 27, 2, 3, 3, 2, 2, 1, 1, 1, 1}, {3, 13, 13, 2, 10, 10, 1, 1, 0, 0, 0, 0},
    {2, 4, 1, 2, 2, 2, 2, 2, 0, 1, 1, 0},
};
enum { WINDOWS = sizeof windows / sizeof *windows };
static const struct window *now;

static int rows(void) {
  return (now->h + now->top + now->bottom - now->kh) / now->sh + 1;
}
static int columns(void) {
  return (now->w + now->left + now->right - now->kw) / now->sw + 1;
}

// What filter weights w [kh][kw] see of a plane at output (r, s).
static double seen(const double *plane, const double *w, int r, int s) {
  double sum = 0;
  for (int i = 0; i < now->kh; i++) {
    for (int j = 0; j < now->kw; j++) {
      int a = r * now->sh + i - now->top, b = s * now->sw + j - now->left;
      if (a >= 0 && a < now->h && b >= 0 && b < now->w)
        sum += w[i * now->kw + j] * plane[a * now->w + b];
    }
  }
  return sum;
}

static void convolution(double *o, const double *p) {
  const double *w = p + now->c * now->h * now->w, *b = w + now->f * now->c * now->kh * now->kw;
  for (int f = 0; f < now->f; f++) {
    for (int i = 0; i < rows() * columns(); i++) {
      double *to = o + f * rows() * columns() + i;
      *to = b[f];
      for (int c = 0; c < now->c; c++)
        *to += seen(p + c * now->h * now->w, w + (f * now->c + c) * now->kh * now->kw,
                    i / columns(), i % columns());
    }
  }
}

static struct train_conv2d conv2d(uint32_t weights, uint32_t bias) {
  return (struct train_conv2d){.in = in,
                               .weights = in + weights,
                               .bias = in + bias,
                               .out = out,
                               .out_grad = out_grad,
                               .in_grad = grad,
                               .weights_grad = grad + weights,
                               .bias_grad = grad + bias,
                               .scratch = scratch,
                               .in_c = (uint16_t)now->c,
                               .in_h = (uint16_t)now->h,
                               .in_w = (uint16_t)now->w,
                               .out_c = (uint16_t)now->f,
                               .kernel_h = (uint8_t)now->kh,
                               .kernel_w = (uint8_t)now->kw,
                               .stride_h = (uint8_t)now->sh,
                               .stride_w = (uint8_t)now->sw,
                               .pad_top = (uint8_t)now->top,
                               .pad_bottom = (uint8_t)now->bottom,
                               .pad_left = (uint8_t)now->left,
                               .pad_right = (uint8_t)now->right};
}

START_TEST(convolutions) {
  now = &windows[_i];
  uint32_t weights = (uint32_t)(now->c * now->h * now->w);
  uint32_t bias = weights + (uint32_t)(now->c * now->f * now->kh * now->kw);
  uint32_t outs = (uint32_t)(now->f * rows() * columns());
  const struct train_conv2d l = conv2d(weights, bias);
  begin(bias + l.out_c, outs);
  OK(train_conv2d_fw(&l));
  OK(train_conv2d_wg(&l));
  OK(train_conv2d_ig(&l));
  matches("conv2d", convolution, bias + l.out_c, outs);
}
END_TEST

static void depthwise(double *o, const double *p) {
  const double *w = p + now->c * now->h * now->w, *b = w + now->c * now->kh * now->kw;
  for (int c = 0; c < now->c; c++) {
    for (int i = 0; i < rows() * columns(); i++)
      o[c * rows() * columns() + i] =
          b[c] +
          seen(p + c * now->h * now->w, w + c * now->kh * now->kw, i / columns(), i % columns());
  }
}

START_TEST(depthwise_convolutions) {
  now = &windows[_i];
  uint32_t weights = (uint32_t)(now->c * now->h * now->w);
  uint32_t bias = weights + (uint32_t)(now->c * now->kh * now->kw);
  uint32_t outs = (uint32_t)(now->c * rows() * columns());
  const struct train_conv2d c = conv2d(weights, bias);
  const struct train_depthwise l = {.in = c.in,
                                    .weights = c.weights,
                                    .bias = c.bias,
                                    .out = c.out,
                                    .out_grad = c.out_grad,
                                    .in_grad = c.in_grad,
                                    .weights_grad = c.weights_grad,
                                    .bias_grad = c.bias_grad,
                                    .scratch = scratch,
                                    .c = c.in_c,
                                    .in_h = c.in_h,
                                    .in_w = c.in_w,
                                    .kernel_h = c.kernel_h,
                                    .kernel_w = c.kernel_w,
                                    .stride_h = c.stride_h,
                                    .stride_w = c.stride_w,
                                    .pad_top = c.pad_top,
                                    .pad_bottom = c.pad_bottom,
                                    .pad_left = c.pad_left,
                                    .pad_right = c.pad_right};
  begin(bias + l.c, outs);
  OK(train_depthwise_fw(&l));
  OK(train_depthwise_wg(&l));
  OK(train_depthwise_ig(&l));
  matches("depthwise", depthwise, bias + l.c, outs);
}
END_TEST

// Each input is spread over the window, to channels c of h x w: inputs
// [f][rows][columns].
static void transposed(double *o, const double *p) {
  int planes = now->f * rows() * columns();
  const double *w = p + planes, *b = w + now->f * now->c * now->kh * now->kw;
  for (int i = 0; i < now->c * now->h * now->w; i++)
    o[i] = b[i / (now->h * now->w)];
  for (int i = 0; i < planes * now->c * now->kh * now->kw; i++) {
    int tap = i % (now->kh * now->kw), c = i / (now->kh * now->kw) % now->c;
    int at = i / (now->kh * now->kw * now->c), f = at / (rows() * columns());
    int r = at % (rows() * columns()) / columns() * now->sh + tap / now->kw - now->top;
    int s = at % columns() * now->sw + tap % now->kw - now->left;
    if (r >= 0 && r < now->h && s >= 0 && s < now->w)
      o[(c * now->h + r) * now->w + s] += p[at] * w[(f * now->c + c) * now->kh * now->kw + tap];
  }
}

START_TEST(transposed_convolutions) {
  now = &windows[_i];
  uint32_t weights = (uint32_t)(now->f * rows() * columns());
  uint32_t bias = weights + (uint32_t)(now->c * now->f * now->kh * now->kw);
  uint32_t outs = (uint32_t)(now->c * now->h * now->w);
  struct train_conv2d l = conv2d(weights, bias);
  l.out_grad = in; // the convolution backwards: see train_conv_transpose2d.h
  l.in_grad = out;
  l.in = out_grad;
  l.out = grad;
  begin(bias + l.in_c, outs);
  OK(train_conv_transpose2d_fw(&l));
  OK(train_conv_transpose2d_wg(&l));
  OK(train_conv_transpose2d_ig(&l));
  matches("transposed convolution", transposed, bias + l.in_c, outs);
}
END_TEST

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
  begin(N, N);
  for (int i = 0; i < N; i++)
    in[i] *= 3;
  const struct train_act l = {in, out, out_grad, grad, N, 0.2f, TRAIN_F32};
  OK(train_act_fw(kind, &l));
  OK(train_act_ig(kind, &l));
  matches(train_act_names[kind], activation, N, N);
}
END_TEST

static void sum_of_two(double *o, const double *p) {
  for (int i = 0; i < N; i++)
    o[i] = p[i] + p[N + i];
}

START_TEST(residual_additions) {
  begin(2 * N, N);
  const struct train_residual l = {in, in + N, out, out_grad, grad, grad + N, N, 0, TRAIN_F32};
  OK(train_residual_fw(&l));
  OK(train_residual_ig(&l));
  matches("residual", sum_of_two, 2 * N, N);
}
END_TEST

// Shazeer 2020, equation 6: (Swish(a) * b), Swish(a) = a / (1 + exp(-a)).
static void swiglu(double *o, const double *p) {
  for (int i = 0; i < N; i++)
    o[i] = p[i] / (1 + exp(-p[i])) * p[N + i];
}

START_TEST(gated_units) {
  begin(2 * N, N);
  for (int i = 0; i < N; i++)
    in[i] *= 4;
  const struct train_swiglu l = {in, in + N, out, out_grad, grad, grad + N, N, TRAIN_F32};
  OK(train_swiglu_fw(&l));
  OK(train_swiglu_ig(&l));
  matches("swiglu", swiglu, 2 * N, N);
}
END_TEST

// The gradient passes where the input did, with the same factor.
START_TEST(dropout_gradient) {
  begin(N, N);
  const struct train_dropout fw = {in, out, N, 5, 0.7f, TRAIN_F32};
  const struct train_dropout ig = {out_grad, grad, N, 5, 0.7f, TRAIN_F32};
  OK(train_dropout(&fw));
  OK(train_dropout(&ig));
  for (uint32_t i = 0; i < N; i++)
    equal("dropout", i, (double)grad[i], out[i] != 0 ? (double)out_grad[i] / 0.7 : 0, 1e-6);
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
  begin(ALL, ALL);
  const struct train_softmax l = {in, out, out_grad, grad, ROWS, COLUMNS, TRAIN_F32};
  OK(train_softmax_fw(&l));
  OK(train_softmax_ig(&l));
  matches("softmax", softmax, ALL, ALL);
}
END_TEST

// A row's largest value is its own: the next row's would leave nothing of its exponentials.
START_TEST(softmax_of_rows_far_apart) {
  begin(ALL, ALL);
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
    equal("softmax", i, (double)out[i], o[i], 1e-6);
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
  begin(ALL, ROWS);
  const struct train_reduce fw = {in, out, ROWS, COLUMNS, 0.3f, TRAIN_F32};
  const struct train_reduce ig = {out_grad, grad, ROWS, COLUMNS, 0.3f, TRAIN_F32};
  OK(train_reduce_fw(&fw));
  OK(train_reduce_ig(&ig));
  matches("reduce", reduction, ALL, ROWS);
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
  begin(inputs, total);
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
  matches("norm", normalization, inputs, total);
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
  begin(2 * N, 1);
  fill(in + N, N, 77, 0.9);
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
  outputs_match("loss", element_loss, 2 * N, 1);
  gradients_match("loss", element_loss, 2 * N, 1, 0, N);
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
  begin(ALL, 1);
  out_grad[0] = 1;
  const struct train_loss l = {.in = in,
                               .labels = labels,
                               .in_grad = grad,
                               .loss = out,
                               .partial = partial,
                               .rows = ROWS,
                               .columns = COLUMNS};
  OK(train_loss_cross_entropy(&l));
  matches("cross entropy", cross_entropy, ALL, 1);
}
END_TEST

// ---- planes: torch.nn.MaxPool2d, AvgPool2d; functional.pad;
// functional.interpolate, nearest and bilinear with align_corners=False

enum { C = 2, H = 5, W = 7, PLANES = C * H * W };
static bool maximum;

static void pooling(double *o, const double *p) {
  for (int i = 0; i < C * 2 * 3; i++) {
    int c = i / 6, r = i / 3 % 2 * 3, s = i % 3 * 2;
    double largest = -INFINITY, sum = 0;
    for (int k = 0; k < 6; k++) {
      double v = p[(c * H + r + k / 3) * W + s + k % 3];
      largest = fmax(largest, v);
      sum += v;
    }
    o[i] = maximum ? largest : sum / 6;
  }
}

START_TEST(poolings) {
  maximum = _i;
  begin(PLANES, C * 2 * 3);
  const struct train_pool l = {in, out, out_grad, grad, C, H, W, 2, 3, 3, 2, TRAIN_F32};
  OK((maximum ? train_pool_max_fw : train_pool_avg_fw)(&l));
  OK((maximum ? train_pool_max_ig : train_pool_avg_ig)(&l));
  matches(maximum ? "max" : "avg", pooling, PLANES, C * 2 * 3);
}
END_TEST

static void padding(double *o, const double *p) {
  for (int i = 0; i < C * 8 * 10; i++) {
    int c = i / 80, r = i / 10 % 8 - 1, s = i % 10 - 3;
    bool inside = r >= 0 && r < H && s >= 0 && s < W;
    o[i] = inside ? p[(c * H + r) * W + s] : 0;
  }
}

START_TEST(paddings) {
  begin(PLANES, C * 80);
  const struct train_pad fw = {in, out, C, H, W, 1, 2, 3, 0, TRAIN_F32};
  const struct train_pad ig = {out_grad, grad, C, H, W, 1, 2, 3, 0, TRAIN_F32};
  OK(train_pad_fw(&fw));
  OK(train_pad_ig(&ig));
  matches("pad", padding, PLANES, C * 80);
}
END_TEST

enum { TALL = 8, WIDE = 4 };
static bool smooth;

// The places of two neighbours and the weight of the second one.
static void between(int i, int from, int to, int *first, int *second, double *weight) {
  double place = fmax((i + 0.5) * from / to - 0.5, 0);
  *first = (int)place;
  *second = *first + 1 < from ? *first + 1 : *first;
  *weight = place - *first;
}

static void resizing(double *o, const double *p) {
  for (int i = 0; i < C * TALL * WIDE; i++) {
    int c = i / (TALL * WIDE), r = i / WIDE % TALL, s = i % WIDE, r0, r1, s0, s1;
    const double *plane = p + c * H * W;
    double a, b;
    between(r, H, TALL, &r0, &r1, &a);
    between(s, W, WIDE, &s0, &s1, &b);
    o[i] = smooth ? (1 - a) * ((1 - b) * plane[r0 * W + s0] + b * plane[r0 * W + s1]) +
                        a * ((1 - b) * plane[r1 * W + s0] + b * plane[r1 * W + s1])
                  : plane[r * H / TALL * W + s * W / WIDE];
  }
}

START_TEST(resizings) {
  smooth = _i;
  begin(PLANES, C * TALL * WIDE);
  const struct train_resize fw = {in, out, C, H, W, TALL, WIDE, TRAIN_F32};
  const struct train_resize ig = {out_grad, grad, C, H, W, TALL, WIDE, TRAIN_F32};
  OK((smooth ? train_resize_bilinear_fw : train_resize_nearest_fw)(&fw));
  OK((smooth ? train_resize_bilinear_ig : train_resize_nearest_ig)(&ig));
  matches(smooth ? "bilinear" : "nearest", resizing, PLANES, C * TALL * WIDE);
}
END_TEST

static const uint32_t places[] = {2, 0, 3, 2, 2};

static void lookup(double *o, const double *p) {
  for (int i = 0; i < 5 * COLUMNS; i++)
    o[i] = p[places[i / COLUMNS] * COLUMNS + i % COLUMNS];
}

START_TEST(embeddings) { // torch.nn.Embedding
  begin(4 * COLUMNS, 5 * COLUMNS);
  for (int i = 0; i < 4 * COLUMNS; i++)
    grad[i] = 0;
  const struct train_embedding l = {in, grad, places, out_grad, out, 4, COLUMNS, 5, TRAIN_F32};
  OK(train_embedding_fw(&l));
  OK(train_embedding_wg(&l));
  matches("embedding", lookup, 4 * COLUMNS, 5 * COLUMNS);
}
END_TEST

// ---- axes: numpy's broadcasting (ONNX Add, Mul) and transpose (ONNX
// Transpose)

// out[2][3][4][5]; a has the axes 0, 2, 3, b the axes 1, 3.
enum { A = 2 * 4 * 5, B = 3 * 5 };
static bool product;

static void broadcast(double *o, const double *p) {
  for (int i = 0; i < 120; i++) {
    double a = p[i / 60 * 20 + i % 20], b = p[A + i / 20 % 3 * 5 + i % 5];
    o[i] = product ? a * b : a + b;
  }
}

static int broadcast_passes(void *layer) {
  return (int)train_broadcast_fw(layer) | (int)train_broadcast_ig(layer);
}

START_TEST(broadcasts) {
  product = _i;
  begin(A + B, 120);
  const struct train_broadcast l = {.a = in,
                                    .b = in + A,
                                    .out = out,
                                    .out_grad = out_grad,
                                    .a_grad = grad,
                                    .b_grad = grad + A,
                                    .rank = 4,
                                    .size = {2, 3, 4, 5},
                                    .a_axes = 1 | 4 | 8,
                                    .b_axes = 2 | 8,
                                    .product = product};
  ck_assert_int_eq(rt_host_run(3, broadcast_passes, (void *)&l), 0);
  matches("broadcast", broadcast, A + B, 120);
}
END_TEST

static int transposition(void *op) {
  return (int)train_transpose(op);
}

START_TEST(transpositions) {
  begin(2 * 3 * 4 * 5, 120);
  const struct train_transpose l = {in, out, 4, {2, 3, 4, 5}, {2, 0, 3, 1}, TRAIN_F32};
  ck_assert_int_eq(rt_host_run(3, transposition, (void *)&l), 0);
  for (uint32_t i = 0; i < 120; i++) { // out[4][2][5][3]
    uint32_t c = i / 30, a = i / 15 % 2, d = i / 3 % 5, b = i % 3;
    equal("transpose", i, (double)out[i], (double)in[((a * 3 + b) * 4 + c) * 5 + d], 0);
  }
  const struct train_permute p = {in, out, {4, 5, 6}, {2, 0, 1}, TRAIN_F32};
  OK(train_permute(&p));
  for (uint32_t i = 0; i < 120; i++) // out[6][4][5]
    equal("permute", i, (double)out[i], (double)in[i % 20 * 6 + i / 20], 0);
}
END_TEST

// ---- sequences

enum { STEPS = 4, WIDTH = 6, HEADS = 2, EACH = WIDTH / HEADS, SQUARE = WIDTH * WIDTH };
enum { SEQUENCE = STEPS * WIDTH, BIASES = SEQUENCE + 4 * SQUARE, ATTENTION = BIASES + 4 * WIDTH };

static void project(double *to, const double *from, const double *w, const double *b) {
  for (int i = 0; i < SEQUENCE; i++) {
    to[i] = b[i % WIDTH];
    for (int k = 0; k < WIDTH; k++)
      to[i] += from[i / WIDTH * WIDTH + k] * w[i % WIDTH * WIDTH + k];
  }
}

// torch.nn.MultiheadAttention, one sequence.
static void attention(double *o, const double *p) {
  const double *w = p + SEQUENCE, *b = p + BIASES;
  double q[SEQUENCE], k[SEQUENCE], v[SEQUENCE], z[SEQUENCE];
  project(q, p, w, b);
  project(k, p, w + SQUARE, b + WIDTH);
  project(v, p, w + 2 * SQUARE, b + 2 * WIDTH);
  for (int i = 0; i < SEQUENCE; i++) {
    int row = i / WIDTH * WIDTH, head = i % WIDTH / EACH * EACH;
    double sum = 0, mixed = 0;
    for (int s = 0; s < STEPS; s++) {
      double score = 0;
      for (int d = head; d < head + EACH; d++)
        score += q[row + d] * k[s * WIDTH + d];
      sum += exp(score / sqrt(EACH));
      mixed += exp(score / sqrt(EACH)) * v[s * WIDTH + i % WIDTH];
    }
    z[i] = mixed / sum;
  }
  project(o, z, w + 3 * SQUARE, b + 3 * WIDTH);
}

START_TEST(attention_with_biases) {
  float q[SEQUENCE], k[SEQUENCE], v[SEQUENCE], z[SEQUENCE], p[HEADS * STEPS * STEPS];
  float *w = in + SEQUENCE, *b = in + BIASES, *dw = grad + SEQUENCE, *db = grad + BIASES;
  begin(ATTENTION, SEQUENCE);
  const struct train_attention l = {.in = in,
                                    .wq = w,
                                    .wk = w + SQUARE,
                                    .wv = w + 2 * SQUARE,
                                    .wo = w + 3 * SQUARE,
                                    .bq = b,
                                    .bk = b + WIDTH,
                                    .bv = b + 2 * WIDTH,
                                    .bo = b + 3 * WIDTH,
                                    .q = q,
                                    .k = k,
                                    .v = v,
                                    .z = z,
                                    .p = p,
                                    .out = out,
                                    .out_grad = out_grad,
                                    .in_grad = grad,
                                    .wq_grad = dw,
                                    .wk_grad = dw + SQUARE,
                                    .wv_grad = dw + 2 * SQUARE,
                                    .wo_grad = dw + 3 * SQUARE,
                                    .bq_grad = db,
                                    .bk_grad = db + WIDTH,
                                    .bv_grad = db + 2 * WIDTH,
                                    .bo_grad = db + 3 * WIDTH,
                                    .scratch = scratch,
                                    .rows = STEPS,
                                    .width = WIDTH,
                                    .heads = HEADS};
  OK(train_attention_fw(&l));
  OK(train_attention_bw(&l));
  matches("attention", attention, ATTENTION, SEQUENCE);
}
END_TEST

// torch.nn.RNN, GRU, LSTM: inputs, Wx, Wh, bx, bh; the first state and cell
// stand behind, as no gradient is asked for them.
enum { X = 3, S = 4 };
static enum train_gated_kind cell_kind;
static bool with_start;

static double sigmoid(double v) {
  return 1 / (1 + exp(-v));
}

// Gate g of unit j: what x and what h give to it.
static void gate(double *by_x, double *by_h, const double *p, int gates, int row, const double *v,
                 const double *h) {
  const double *wx = p + STEPS * X, *wh = wx + gates * S * X, *bx = wh + gates * S * S;
  *by_x = bx[row];
  *by_h = bx[gates * S + row];
  for (int i = 0; i < X; i++)
    *by_x += wx[row * X + i] * v[i];
  for (int i = 0; i < S; i++)
    *by_h += wh[row * S + i] * h[i];
}

static double unit(const double *p, int gates, int j, const double *v, const double *h, double *c) {
  double a[4] = {0}, b[4] = {0};
  for (int g = 0; g < gates; g++)
    gate(&a[g], &b[g], p, gates, g * S + j, v, h);
  if (cell_kind == TRAIN_GATED_RNN)
    return tanh(a[0] + b[0]);
  if (cell_kind == TRAIN_GATED_GRU) {
    double r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]), n = tanh(a[2] + r * b[2]);
    return (1 - z) * n + z * h[j];
  }
  *c = sigmoid(a[1] + b[1]) * *c + sigmoid(a[0] + b[0]) * tanh(a[2] + b[2]);
  return sigmoid(a[3] + b[3]) * tanh(*c);
}

static uint32_t recurrent_inputs(void) {
  return STEPS * X + train_gated_gates(cell_kind) * (S * X + S * S + 2 * S);
}

static void recurrent(double *o, const double *p) {
  double h[S] = {0}, c[S] = {0};
  for (int j = 0; with_start && j < S; j++) {
    h[j] = p[recurrent_inputs() + (uint32_t)j];
    c[j] = p[recurrent_inputs() + S + (uint32_t)j];
  }
  for (int t = 0; t < STEPS; t++) {
    for (int j = 0; j < S; j++)
      o[t * S + j] = unit(p, (int)train_gated_gates(cell_kind), j, p + t * X, h, &c[j]);
    for (int j = 0; j < S; j++)
      h[j] = o[t * S + j];
  }
}

START_TEST(recurrent_layers) {
  float tape[STEPS * 4 * S], cells[STEPS * S];
  cell_kind = (enum train_gated_kind)(_i / 2);
  with_start = _i % 2;
  uint32_t gates = train_gated_gates(cell_kind), inputs = recurrent_inputs();
  uint32_t wx = STEPS * X, wh = wx + gates * S * X, bx = wh + gates * S * S, bh = bx + gates * S;
  begin(inputs + 2 * S, STEPS * S);
  const struct train_gated l = {.in = in,
                                .wx = in + wx,
                                .wh = in + wh,
                                .bx = in + bx,
                                .bh = in + bh,
                                .start = with_start ? in + inputs : NULL,
                                .cell = with_start ? in + inputs + S : NULL,
                                .out = out,
                                .tape = tape,
                                .cells = cells,
                                .out_grad = out_grad,
                                .in_grad = grad,
                                .wx_grad = grad + wx,
                                .wh_grad = grad + wh,
                                .bx_grad = grad + bx,
                                .bh_grad = grad + bh,
                                .scratch = scratch,
                                .steps = STEPS,
                                .in_n = X,
                                .state_n = S};
  OK(train_gated_fw(cell_kind, &l));
  OK(train_gated_bw(cell_kind, &l));
  outputs_match("recurrent", recurrent, inputs + 2 * S, STEPS * S);
  gradients_match("recurrent", recurrent, inputs + 2 * S, STEPS * S, 0, inputs);
}
END_TEST

// train_rnn.h has no biases.
START_TEST(simple_recurrent_layer) {
  cell_kind = TRAIN_GATED_RNN;
  with_start = true;
  uint32_t inputs = recurrent_inputs(), wx = STEPS * X, wh = wx + S * X, biases = wh + S * S;
  begin(inputs + 2 * S, STEPS * S);
  for (uint32_t i = biases; i < inputs; i++)
    in[i] = 0;
  const struct train_rnn l = {.in = in,
                              .wx = in + wx,
                              .wh = in + wh,
                              .start = in + inputs,
                              .out = out,
                              .out_grad = out_grad,
                              .in_grad = grad,
                              .wx_grad = grad + wx,
                              .wh_grad = grad + wh,
                              .scratch = scratch,
                              .steps = STEPS,
                              .in_n = X,
                              .state_n = S};
  OK(train_rnn_fw(&l));
  OK(train_rnn_bw(&l));
  outputs_match("rnn", recurrent, inputs + 2 * S, STEPS * S);
  gradients_match("rnn", recurrent, inputs + 2 * S, STEPS * S, 0, biases);
}
END_TEST

// ---- optimizers

// torch.optim.SGD with momentum and weight decay, without dampening; three rows
// of five.
static void sgd_rows(const uint32_t *index, const uint32_t *wanted) {
  float w[5 * 4], v[3 * 4] = {0}, g[3 * 4];
  double dw[5 * 4], dv[3 * 4] = {0};
  fill(w, 20, 4, 1);
  for (int i = 0; i < 20; i++)
    dw[i] = (double)w[i];
  for (uint32_t t = 0; t < 3; t++) {
    fill(g, 12, 7 + t, 0.5);
    const struct train_optim sgd = {.weights = w,
                                    .grad = g,
                                    .v = v,
                                    .count = 12,
                                    .rate = 0.3f,
                                    .decay = 0.15f,
                                    .momentum = 0.6f,
                                    .index = index,
                                    .columns = 4};
    OK(train_optim_sgd(&sgd));
    for (int i = 0; i < 12; i++) {
      double *at = dw + wanted[i / 4] * 4 + i % 4;
      dv[i] = (double)0.6f * dv[i] + (double)g[i] + (double)0.15f * *at;
      *at -= (double)0.3f * dv[i];
    }
  }
  for (uint32_t i = 0; i < 20; i++)
    equal("sgd", i, (double)w[i], dw[i], 2e-6);
}

START_TEST(sgd_of_all_and_of_some_rows) {
  static const uint32_t some[] = {4, 0, 2}, all[] = {0, 1, 2};
  sgd_rows(NULL, all);
  sgd_rows(some, some);
}
END_TEST

START_TEST(adam_of_some_rows) {
  static const uint32_t some[] = {3, 1};
  float w[4 * 3], g[2 * 3], m[2 * 3] = {0}, v[2 * 3] = {0};
  double dw[4 * 3], dm[2 * 3] = {0}, dv[2 * 3] = {0};
  fill(w, 12, 4, 1);
  for (int i = 0; i < 12; i++)
    dw[i] = (double)w[i];
  for (uint32_t t = 1; t <= 3; t++) {
    fill(g, 6, 7 + t, 0.5);
    struct train_optim adam = {.weights = w, .grad = g, .m = m, .v = v, .count = 6, .rate = 0.02f};
    adam.decay = 0.1f;
    adam.beta1 = 0.8f;
    adam.beta2 = 0.9f;
    adam.epsilon = 0.01f;
    adam.correction1 = (float)(1 - pow(0.8, t));
    adam.correction2 = (float)(1 - pow(0.9, t));
    adam.index = some;
    adam.columns = 3;
    OK(train_optim_adam(&adam));
    for (int i = 0; i < 6; i++) {
      double *at = dw + some[i / 3] * 3 + i % 3, d = (double)g[i] + 0.1 * *at;
      dm[i] = 0.8 * dm[i] + 0.2 * d;
      dv[i] = 0.9 * dv[i] + 0.1 * d * d;
      *at -= 0.02 * dm[i] / (1 - pow(0.8, t)) / (sqrt(dv[i] / (1 - pow(0.9, t))) + 0.01);
    }
  }
  for (uint32_t i = 0; i < 12; i++)
    equal("adam", i, (double)w[i], dw[i], 4e-6);
}
END_TEST

// ---- what operators refuse

#define REFUSES(call, good, field, value, status)                                                  \
  do {                                                                                             \
    __typeof__(good) bad = good;                                                                   \
    bad.field = value;                                                                             \
    ck_assert_int_eq(call(&bad), status);                                                          \
  } while (0)
#define NO_TYPE(call, good) REFUSES(call, good, type, TRAIN_TYPES, KERNEL_BAD_SHAPE)

static enum kernel_status relu(const struct train_act *l) {
  return train_act_fw(TRAIN_ACT_relu, l);
}
static enum kernel_status relu_gradient(const struct train_act *l) {
  return train_act_ig(TRAIN_ACT_relu, l);
}
static enum kernel_status gru(const struct train_gated *l) {
  return train_gated_fw(TRAIN_GATED_GRU, l);
}
static enum kernel_status gru_gradient(const struct train_gated *l) {
  return train_gated_bw(TRAIN_GATED_GRU, l);
}

static enum kernel_status multiply(const struct mmt_f32 *mm) {
  return mmt_f32(MMT_F32_AUTO, mm);
}

START_TEST(elements_refuse) {
  begin(N, N);
  struct train_act act = {in, out, out_grad, grad, N, 0, TRAIN_F32};
  NO_TYPE(relu, act);
  REFUSES(relu, act, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(relu, act, in, NULL, KERNEL_BAD_POINTER);
  REFUSES(relu, act, out, NULL, KERNEL_BAD_POINTER);
  REFUSES(relu_gradient, act, out_grad, NULL, KERNEL_BAD_POINTER);
  REFUSES(relu_gradient, act, in_grad, NULL, KERNEL_BAD_POINTER);
  struct train_swiglu gate = {in, in, out, out_grad, grad, grad + N, N, TRAIN_F32};
  NO_TYPE(train_swiglu_fw, gate);
  REFUSES(train_swiglu_fw, gate, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_swiglu_fw, gate, b, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_swiglu_fw, gate, out, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_swiglu_ig, gate, out_grad, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_swiglu_ig, gate, a_grad, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_swiglu_ig, gate, b_grad, NULL, KERNEL_BAD_POINTER);
  struct train_residual sum = {in, in, out, out_grad, grad, grad + N, N, 0, TRAIN_F32};
  NO_TYPE(train_residual_fw, sum);
  REFUSES(train_residual_fw, sum, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_residual_fw, sum, a, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_residual_ig, sum, b_grad, NULL, KERNEL_BAD_POINTER);
  struct train_dropout drop = {in, out, N, 1, 0.5f, TRAIN_F32};
  NO_TYPE(train_dropout, drop);
  REFUSES(train_dropout, drop, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_dropout, drop, keep, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_dropout, drop, keep, 1.5f, KERNEL_BAD_SHAPE);
  REFUSES(train_dropout, drop, out, NULL, KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(rows_refuse) {
  float partial[TRAIN_LOSS_PARTS];
  begin(ALL, ALL);
  struct train_softmax soft = {in, out, out_grad, grad, ROWS, COLUMNS, TRAIN_F32};
  NO_TYPE(train_softmax_fw, soft);
  REFUSES(train_softmax_fw, soft, rows, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_softmax_fw, soft, columns, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_softmax_fw, soft, out, NULL, KERNEL_BAD_POINTER);
  struct train_reduce reduce = {in, out, ROWS, COLUMNS, 1, TRAIN_F32};
  NO_TYPE(train_reduce_fw, reduce);
  REFUSES(train_reduce_fw, reduce, rows, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_reduce_ig, reduce, columns, 0, KERNEL_BAD_SHAPE);
  struct train_loss loss = {
      .in = in, .target = in, .loss = out, .partial = partial, .count = ALL, .share = 0.2f};
  NO_TYPE(train_loss_mse, loss);
  REFUSES(train_loss_mse, loss, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_loss_l1, loss, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_loss_bce, loss, target, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_loss_berhu, loss, share, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_loss_berhu, loss, share, 1.5f, KERNEL_BAD_SHAPE);
  REFUSES(train_loss_berhu, loss, partial, NULL, KERNEL_BAD_POINTER);
  struct train_optim sgd = {.weights = in, .grad = grad, .count = ALL};
  static const uint32_t index[ALL] = {0};
  NO_TYPE(train_optim_sgd, sgd);
  REFUSES(train_optim_sgd, sgd, count, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_optim_sgd, sgd, index, index, KERNEL_BAD_SHAPE); // rows of 0
  REFUSES(train_optim_sgd, sgd, weights, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_optim_adam, sgd, correction2, 1,
          KERNEL_BAD_SHAPE); // correction1 is 0
  REFUSES(train_optim_adam, sgd, correction1, 1, KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(axes_and_sequences_refuse) {
  begin(240, 240);
  struct train_broadcast sum = {in,     in, out, out_grad, grad,  NULL,     2,
                                {3, 4}, 3,  1,   false,    false, TRAIN_F32};
  NO_TYPE(train_broadcast_fw, sum);
  REFUSES(train_broadcast_fw, sum, rank, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_broadcast_fw, sum, rank, TRAIN_RANK + 1, KERNEL_BAD_SHAPE);
  REFUSES(train_broadcast_fw, sum, rank, 3, KERNEL_BAD_SHAPE); // size[2] is 0
  REFUSES(train_broadcast_fw, sum, a, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_broadcast_fw, sum, b, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_broadcast_fw, sum, out, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_broadcast_ig, sum, out_grad, NULL, KERNEL_BAD_POINTER);
  struct train_broadcast product_of = sum;
  product_of.product = true;
  REFUSES(train_broadcast_ig, product_of, a, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_broadcast_ig, product_of, b, NULL, KERNEL_BAD_POINTER);
  struct train_transpose turn = {in, out, 2, {3, 4}, {1, 0}, TRAIN_F32};
  NO_TYPE(train_transpose, turn);
  REFUSES(train_transpose, turn, order[0], 0, KERNEL_BAD_SHAPE);
  REFUSES(train_transpose, turn, order[1], 2, KERNEL_BAD_SHAPE);
  REFUSES(train_transpose, turn, src, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_transpose, turn, dst, NULL, KERNEL_BAD_POINTER);
  struct train_gated cell = {.in = in,
                             .wx = in,
                             .wh = in,
                             .out = out,
                             .tape = scratch,
                             .out_grad = out_grad,
                             .in_grad = grad,
                             .wx_grad = grad,
                             .wh_grad = grad,
                             .scratch = scratch,
                             .steps = 1,
                             .in_n = 1,
                             .state_n = 1};
  NO_TYPE(gru, cell);
  REFUSES(gru, cell, steps, 0, KERNEL_BAD_SHAPE);
  REFUSES(gru, cell, in_n, 0, KERNEL_BAD_SHAPE);
  REFUSES(gru, cell, state_n, 0, KERNEL_BAD_SHAPE);
  REFUSES(gru, cell, tape, NULL, KERNEL_BAD_POINTER);
  REFUSES(gru, cell, wh, NULL, KERNEL_BAD_POINTER);
  REFUSES(gru_gradient, cell, wx_grad, NULL, KERNEL_BAD_POINTER);
  REFUSES(gru_gradient, cell, scratch, NULL, KERNEL_BAD_POINTER);
  ck_assert_int_eq(train_gated_fw(TRAIN_GATED_LSTM, &cell),
                   KERNEL_BAD_POINTER); // no cells
  ck_assert_int_eq(train_gated_fw(TRAIN_GATED_KINDS, &cell), KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(planes_and_attention_refuse) {
  begin(240, 240);
  struct train_conv2d conv = {.in = in, .weights = in, .out = out, .in_c = 1, .in_h = 1, .in_w = 1};
  conv.out_c = 1;
  conv.kernel_h = conv.kernel_w = conv.stride_h = conv.stride_w = 1;
  NO_TYPE(train_conv2d_fw, conv);
  REFUSES(train_conv2d_fw, conv, in_c, 4096, KERNEL_BAD_SHAPE);
  REFUSES(train_conv2d_fw, conv, out_c, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_conv2d_fw, conv, pad_left, 1, KERNEL_BAD_SHAPE);
  REFUSES(train_conv2d_fw, conv, stride_w, 16, KERNEL_BAD_SHAPE);
  REFUSES(train_conv2d_fw, conv, out, NULL, KERNEL_BAD_POINTER);
  struct train_pool pool = {in, out, out_grad, grad, C, H, W, 2, 3, 3, 2, TRAIN_F32};
  NO_TYPE(train_pool_max_fw, pool);
  REFUSES(train_pool_max_fw, pool, window_h, H + 1, KERNEL_BAD_SHAPE);
  REFUSES(train_pool_avg_fw, pool, stride_w, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_pool_max_fw, pool, in, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_pool_max_fw, pool, out, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_pool_max_ig, pool, in, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_pool_avg_ig, pool, out_grad, NULL, KERNEL_BAD_POINTER);
  struct mmt_f32 mm = {in, in, out, 2, 2, 2, 2, 2, 2, MMT_NT, false};
  REFUSES(multiply, mm, n, 0, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, m, 0, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, k, 0, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, ldc, 1, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, lda, 1, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, layout, MMT_LAYOUTS, KERNEL_BAD_SHAPE);
  REFUSES(multiply, mm, c, NULL, KERNEL_BAD_POINTER);
  struct train_attention l = {.in = in, .wq = in, .wk = in, .wv = in, .wo = in};
  l.q = l.k = l.v = l.z = l.p = scratch;
  l.out = out;
  l.rows = l.width = l.heads = 2;
  NO_TYPE(train_attention_fw, l);
  REFUSES(train_attention_fw, l, rows, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_attention_fw, l, heads, 0, KERNEL_BAD_SHAPE);
  REFUSES(train_attention_fw, l, width, 3, KERNEL_BAD_SHAPE);
  REFUSES(train_attention_fw, l, in, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_attention_fw, l, wq, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_attention_fw, l, wo, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_attention_fw, l, z, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_attention_fw, l, p, NULL, KERNEL_BAD_POINTER);
  REFUSES(train_attention_fw, l, out, NULL, KERNEL_BAD_POINTER);
  ck_assert_int_eq(train_attention_bw(&l), KERNEL_BAD_POINTER); // no gradients
}
END_TEST

// An odd number of 16-bit gradients in front of the products' scratch.
START_TEST(attention_scratch_is_enough) {
  struct train_attention l = {.rows = 3, .width = 2, .heads = 1, .type = TRAIN_FP16};
  ck_assert_uint_ge(train_attention_bw_buffer_size(&l), 66 + train_attention_fw_buffer_size(&l));
}
END_TEST

Suite *train_definitions_suite(void) {
  Suite *suite = suite_create("train_definitions");
  TCase *layers = tcase_create("layers"), *rest = tcase_create("operators");
  tcase_set_timeout(layers, 60);
  tcase_set_timeout(rest, 60);
  tcase_add_test(layers, linear_layer);
  tcase_add_loop_test(layers, convolutions, 0, WINDOWS);
  tcase_add_loop_test(layers, depthwise_convolutions, 0, WINDOWS);
  tcase_add_loop_test(layers, transposed_convolutions, 0, WINDOWS);
  tcase_add_test(layers, attention_with_biases);
  tcase_add_loop_test(layers, recurrent_layers, 0, 2 * TRAIN_GATED_KINDS);
  tcase_add_test(layers, simple_recurrent_layer);
  suite_add_tcase(suite, layers);
  tcase_add_loop_test(rest, activations, 0, TRAIN_ACT_COUNT);
  tcase_add_test(rest, residual_additions);
  tcase_add_test(rest, gated_units);
  tcase_add_test(rest, dropout_gradient);
  tcase_add_test(rest, softmax_rows);
  tcase_add_test(rest, softmax_of_rows_far_apart);
  tcase_add_test(rest, reductions);
  tcase_add_loop_test(rest, normalizations, 0, TRAIN_NORM_KINDS);
  tcase_add_loop_test(rest, losses_of_elements, 0, LOSSES);
  tcase_add_test(rest, cross_entropy_of_rows);
  tcase_add_loop_test(rest, poolings, 0, 2);
  tcase_add_test(rest, paddings);
  tcase_add_loop_test(rest, resizings, 0, 2);
  tcase_add_test(rest, embeddings);
  tcase_add_loop_test(rest, broadcasts, 0, 2);
  tcase_add_test(rest, transpositions);
  tcase_add_test(rest, sgd_of_all_and_of_some_rows);
  tcase_add_test(rest, adam_of_some_rows);
  tcase_add_test(rest, elements_refuse);
  tcase_add_test(rest, rows_refuse);
  tcase_add_test(rest, axes_and_sequences_refuse);
  tcase_add_test(rest, planes_and_attention_refuse);
  tcase_add_test(rest, attention_scratch_is_enough);
  suite_add_tcase(suite, rest);
  return suite;
}
