// Operators of planes and of axes, each beside its definition.
#include <check.h>
#include <math.h>

#include "kernels/rt/rt_host.h"
#include "kernels/train/train_broadcast.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_shape.h"
#include "kernels/train_definition.h"

static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;

// ---- planes: torch.nn.MaxPool2d, AvgPool2d; functional.pad;
// functional.interpolate, nearest and bilinear with align_corners=False

enum { C = 2, H = 5, W = 7, PLANES = C * H * W, COLUMNS = 6 };
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
  definition_begin(PLANES, C * 2 * 3);
  const struct train_pool l = {in, out, out_grad, grad, C, H, W, 2, 3, 3, 2, TRAIN_F32};
  OK((maximum ? train_pool_max_fw : train_pool_avg_fw)(&l));
  OK((maximum ? train_pool_max_ig : train_pool_avg_ig)(&l));
  definition_matches(maximum ? "max" : "avg", pooling, PLANES, C * 2 * 3);
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
  definition_begin(PLANES, C * 80);
  const struct train_pad fw = {in, out, C, H, W, 1, 2, 3, 0, TRAIN_F32};
  const struct train_pad ig = {out_grad, grad, C, H, W, 1, 2, 3, 0, TRAIN_F32};
  OK(train_pad_fw(&fw));
  OK(train_pad_ig(&ig));
  definition_matches("pad", padding, PLANES, C * 80);
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
  definition_begin(PLANES, C * TALL * WIDE);
  const struct train_resize fw = {in, out, C, H, W, TALL, WIDE, TRAIN_F32};
  const struct train_resize ig = {out_grad, grad, C, H, W, TALL, WIDE, TRAIN_F32};
  OK((smooth ? train_resize_bilinear_fw : train_resize_nearest_fw)(&fw));
  OK((smooth ? train_resize_bilinear_ig : train_resize_nearest_ig)(&ig));
  definition_matches(smooth ? "bilinear" : "nearest", resizing, PLANES, C * TALL * WIDE);
}
END_TEST

static const uint32_t places[] = {2, 0, 3, 2, 2};

static void lookup(double *o, const double *p) {
  for (int i = 0; i < 5 * COLUMNS; i++)
    o[i] = p[places[i / COLUMNS] * COLUMNS + i % COLUMNS];
}

START_TEST(embeddings) { // torch.nn.Embedding
  definition_begin(4 * COLUMNS, 5 * COLUMNS);
  for (int i = 0; i < 4 * COLUMNS; i++)
    grad[i] = 0;
  const struct train_embedding l = {in, grad, places, out_grad, out, 4, COLUMNS, 5, TRAIN_F32};
  OK(train_embedding_fw(&l));
  OK(train_embedding_wg(&l));
  definition_matches("embedding", lookup, 4 * COLUMNS, 5 * COLUMNS);
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
  definition_begin(A + B, 120);
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
  definition_matches("broadcast", broadcast, A + B, 120);
}
END_TEST

static int transposition(void *op) {
  return (int)train_transpose(op);
}

START_TEST(transpositions) {
  definition_begin(2 * 3 * 4 * 5, 120);
  const struct train_transpose l = {in, out, 4, {2, 3, 4, 5}, {2, 0, 3, 1}, TRAIN_F32};
  ck_assert_int_eq(rt_host_run(3, transposition, (void *)&l), 0);
  for (uint32_t i = 0; i < 120; i++) { // out[4][2][5][3]
    uint32_t c = i / 30, a = i / 15 % 2, d = i / 3 % 5, b = i % 3;
    definition_equal("transpose", i, (double)out[i], (double)in[((a * 3 + b) * 4 + c) * 5 + d], 0);
  }
  const struct train_permute p = {in, out, {4, 5, 6}, {2, 0, 1}, TRAIN_F32};
  OK(train_permute(&p));
  for (uint32_t i = 0; i < 120; i++) // out[6][4][5]
    definition_equal("permute", i, (double)out[i], (double)in[i % 20 * 6 + i / 20], 0);
}
END_TEST

TCase *define_planes_case(void) {
  TCase *c = tcase_create("planes");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, poolings, 0, 2);
  tcase_add_test(c, paddings);
  tcase_add_loop_test(c, resizings, 0, 2);
  tcase_add_test(c, embeddings);
  tcase_add_loop_test(c, broadcasts, 0, 2);
  tcase_add_test(c, transpositions);
  return c;
}
