// What training operators refuse, field by field.
#include <check.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/train/train_act.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_broadcast.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_gated.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_shape.h"
#include "kernels/train/train_softmax.h"
#include "kernels/train_definition.h"

static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;
static float *const scratch = definition_space.scratch;

enum { N = 20, ROWS = 4, COLUMNS = 6, ALL = ROWS * COLUMNS, C = 2, H = 5, W = 7 };

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
  definition_begin(N, N);
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
  definition_begin(ALL, ALL);
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
  definition_begin(240, 240);
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
  definition_begin(240, 240);
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

TCase *define_refusals_case(void) {
  TCase *c = tcase_create("refusals");
  tcase_add_test(c, elements_refuse);
  tcase_add_test(c, rows_refuse);
  tcase_add_test(c, axes_and_sequences_refuse);
  tcase_add_test(c, planes_and_attention_refuse);
  tcase_add_test(c, attention_scratch_is_enough);
  return c;
}
