// Layers with weights over a window: linear, convolutions, each beside its definition.
#include <check.h>

#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_conv_transpose2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_linear.h"
#include "kernels/train_definition.h"

static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;
static float *const scratch = definition_space.scratch;

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
  definition_begin(LINEAR_B + OUT, BATCH * OUT);
  OK(train_linear_fw(&l));
  OK(train_linear_wg(&l));
  OK(train_linear_ig(&l));
  definition_matches("linear", linear, LINEAR_B + OUT, BATCH * OUT);
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
  definition_begin(bias + l.out_c, outs);
  OK(train_conv2d_fw(&l));
  OK(train_conv2d_wg(&l));
  OK(train_conv2d_ig(&l));
  definition_matches("conv2d", convolution, bias + l.out_c, outs);
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
  definition_begin(bias + l.c, outs);
  OK(train_depthwise_fw(&l));
  OK(train_depthwise_wg(&l));
  OK(train_depthwise_ig(&l));
  definition_matches("depthwise", depthwise, bias + l.c, outs);
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
  definition_begin(bias + l.in_c, outs);
  OK(train_conv_transpose2d_fw(&l));
  OK(train_conv_transpose2d_wg(&l));
  OK(train_conv_transpose2d_ig(&l));
  definition_matches("transposed convolution", transposed, bias + l.in_c, outs);
}
END_TEST

TCase *define_windows_case(void) {
  TCase *c = tcase_create("layers");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, linear_layer);
  tcase_add_loop_test(c, convolutions, 0, WINDOWS);
  tcase_add_loop_test(c, depthwise_convolutions, 0, WINDOWS);
  tcase_add_loop_test(c, transposed_convolutions, 0, WINDOWS);
  return c;
}
