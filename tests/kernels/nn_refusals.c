// tests/kernels/nn_refusals.c: what the inference kernels refuse, and what their queries answer.
// Nothing may be written by a call that is refused.
#include <check.h>
#include <string.h>

#include "kernels/nn/nn_act.h"
#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_argmax.h"
#include "kernels/nn/nn_concat.h"
#include "kernels/nn/nn_depthwise.h"
#include "kernels/nn/nn_finish.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_mixed.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/nn/nn_requant_i32.h"

Suite *nn_refusals_suite(void);

enum { GUARD = 0x5a };
static const uint8_t in[64] __attribute__((aligned(4)));
static uint32_t filters[64], scratch[512];
static uint8_t out[64] __attribute__((aligned(4)));

static void setup(void) {
  memset(out, GUARD, sizeof out);
}
static void teardown(void) {
  for (size_t i = 0; i < sizeof out; i++)
    ck_assert_uint_eq(out[i], GUARD);
}

static const struct nn_mixed mixed = {.shape = {.in = in,
                                                .filters = filters,
                                                .out = out,
                                                .scratch = scratch,
                                                .in_h = 2,
                                                .in_w = 2,
                                                .in_c = 4,
                                                .out_c = 4,
                                                .kernel_h = 2,
                                                .kernel_w = 2,
                                                .stride_h = 1,
                                                .stride_w = 1},
                                      .in_bits = 4,
                                      .weight_bits = 4,
                                      .out_bits = 8};

// `bad` is `mixed` with one member changed.
#define MIXED(member, value, status)                                                               \
  do {                                                                                             \
    struct nn_mixed bad = mixed;                                                                   \
    bad.member = (value);                                                                          \
    ck_assert_int_eq(nn_mixed_conv2d(&bad), status);                                               \
  } while (0)

START_TEST(mixed_refuses) {
  MIXED(shape.kernel_w, 3, KERNEL_BAD_SHAPE); // larger than the input
  MIXED(shape.in_c, 0, KERNEL_BAD_SHAPE);
  MIXED(shape.stride_w, 0, KERNEL_BAD_SHAPE);
  MIXED(shape.shift, 32, KERNEL_BAD_SHAPE);
  MIXED(in_bits, 3, KERNEL_BAD_SHAPE);
  MIXED(weight_bits, 16, KERNEL_BAD_SHAPE);
  MIXED(out_bits, 1, KERNEL_BAD_SHAPE);
  MIXED(pad_value, 16, KERNEL_BAD_SHAPE); // beyond 4 bits
  MIXED(pad_value, -1, KERNEL_BAD_SHAPE);
  MIXED(shape.in_c, 1 << 15, KERNEL_BAD_SHAPE); // 2^17 weights
  MIXED(shape.scratch, NULL, KERNEL_BAD_POINTER);
  MIXED(shape.out, NULL, KERNEL_BAD_POINTER);
  MIXED(shape.filters, (const uint8_t *)filters + 1, KERNEL_BAD_POINTER);
  struct nn_mixed bad = mixed;
  bad.out_bits = 32;
  bad.shape.out = out + 2;
  ck_assert_int_eq(nn_mixed_conv2d(&bad), KERNEL_BAD_POINTER);
  bad = mixed;
  bad.out_signed = true;
  bad.shape.shift = 24; // 2^(7 + 24) is too much
  ck_assert_int_eq(nn_mixed_conv2d(&bad), KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(mixed_refuses_schemes) {
  static const int32_t bias[4];
  static const int8_t shifts[1];
  const struct nn_requant_i32 good = {
      .scheme = NN_FOLDED, .bits = 8, .bias = bias, .shifts = shifts};
  struct nn_requant_i32 rq = good;
  rq.bits = 4; // not the layer's
  MIXED(requant, &rq, KERNEL_BAD_SHAPE);
  rq = good;
  rq.shifts = NULL;
  MIXED(requant, &rq, KERNEL_BAD_POINTER);
  struct nn_mixed bad = mixed;
  bad.requant = &good;
  bad.out_signed = true; // not the scheme's
  ck_assert_int_eq(nn_mixed_conv2d(&bad), KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(requant_refuses) {
  static const int32_t values[4];
  static const int8_t shifts[4];
  const struct nn_requant_i32 good = {
      .scheme = NN_ICN, .bits = 8, .factor = values, .bias = values, .shifts = shifts};
  struct nn_requant_i32 bad = good;
  ck_assert_int_eq(nn_requant_i32(&good, values, out, 1, 0), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_requant_i32(&good, NULL, out, 1, 4), KERNEL_BAD_POINTER);
  bad.bits = 32;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_SHAPE);
  bad = good;
  bad.factor = NULL;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_POINTER);
  bad = good;
  bad.scheme = NN_THRESHOLDS;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_POINTER);
  bad = good;
  bad.scheme = NN_WIDE; // without wide_bias
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_POINTER);
  bad.scheme = NN_TFLITE;
  bad.high = 256;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_SHAPE);
  bad.high = 2;
  bad.low = 3;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_SHAPE);
  bad.scheme = NN_SCALE;
  bad.shift = 63;
  ck_assert_int_eq(nn_requant_i32(&bad, values, out, 1, 4), KERNEL_BAD_SHAPE);
}
END_TEST

static void tflite_end_is(const struct nn_requant_i32 *rq, enum nn_end_kind kind) {
  ck_assert_int_eq(nn_end_of(rq, 2, 1 << 20).kind, kind);
}

// Which of NN_TFLITE's layers have an end, and which.
START_TEST(tflite_ends) {
  int32_t factor[2] = {1 << 30, INT32_MAX}, bias[2] = {5, 1 << 29};
  int8_t shifts[2] = {-31, -1};
  struct nn_requant_i32 rq = {.scheme = NN_TFLITE,
                              .bits = 8,
                              .per_channel = true,
                              .factor = factor,
                              .shifts = shifts,
                              .bias = bias,
                              .low = 3,
                              .high = 255};
  tflite_end_is(&rq, NN_END_TFLITE);
  rq.round_once = true;
  tflite_end_is(&rq, NN_END_NONE);
  rq.round_once = false;
  rq.zero = 3;
  tflite_end_is(&rq, NN_END_TFLITE_RELU);
  rq.bits = 4;
  tflite_end_is(&rq, NN_END_TFLITE);
  shifts[1] = 0;
  tflite_end_is(&rq, NN_END_NONE);
  rq.bits = 8;
  tflite_end_is(&rq, NN_END_TFLITE_RELU);
  shifts[1] = 1;
  tflite_end_is(&rq, NN_END_NONE);
  shifts[1] = -31;
  bias[1] = -INT32_MAX; // and half a step: beyond 32 bits
  tflite_end_is(&rq, NN_END_NONE);
  factor[1] = shifts[1] = 0;
  tflite_end_is(&rq, NN_END_TFLITE_RELU);
}
END_TEST

// The table of docs/kernels-nn.md, for 64 channels.
START_TEST(schemes_cost) {
  struct nn_requant_i32 rq = {.scheme = NN_SCALE, .bits = 4, .per_channel = true};
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 8 * 64 + 5);
  rq.scheme = NN_ICN;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 9 * 64 + 1);
  rq.scheme = NN_THRESHOLDS;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 4 * 64 * 15);
  rq.scheme = NN_FOLDED;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 5 * 64);
  rq.per_channel = false;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 4 * 64 + 1);
  rq.scheme = NN_ICN;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 4 * 64 + 6);
  rq.scheme = NN_THRESHOLDS;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 4 * 15);
  rq.scheme = NN_SCALE;
  ck_assert_uint_eq(nn_requant_i32_bytes(&rq, 64), 4 * 64 + 9);
}
END_TEST

START_TEST(depthwise_refuses) {
  static const int32_t scales[4];
  const struct nn_depthwise good = {.in = in,
                                    .weights = filters,
                                    .kappa = scales,
                                    .lambda = scales,
                                    .out = out,
                                    .scratch = scratch,
                                    .in_h = 3,
                                    .in_w = 3,
                                    .channels = 4,
                                    .kernel_h = 3,
                                    .kernel_w = 3,
                                    .stride_h = 1,
                                    .stride_w = 1,
                                    .in_bits = 8,
                                    .weight_bits = 8,
                                    .out_bits = 8};
  struct nn_depthwise bad = good;
  bad.in_w = 2;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.in_bits = 4;
  bad.in_chw = true; // 8 bits only
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.stride_h = 0;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_SHAPE);
  bad = good;
  bad.lambda = NULL;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_POINTER);
  bad = good;
  bad.scratch = (uint8_t *)scratch + 2;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(depthwise_refuses_schemes) {
  static const int32_t bias[4];
  static const int8_t shifts[1];
  static uint8_t own[16] __attribute__((aligned(4)));
  struct nn_requant_i32 scheme = {.scheme = NN_FOLDED, .bits = 4, .shifts = shifts, .bias = bias};
  struct nn_depthwise bad = {.in = in,
                             .weights = filters,
                             .out = own,
                             .scratch = scratch,
                             .in_h = 1,
                             .in_w = 1,
                             .channels = 4,
                             .kernel_h = 1,
                             .kernel_w = 1,
                             .stride_h = 1,
                             .stride_w = 1,
                             .in_bits = 8,
                             .weight_bits = 8,
                             .out_bits = 4};
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_POINTER); // no lambda
  bad.requant = &scheme;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_OK);
  bad.out_bits = 8; // not the scheme's
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_SHAPE);
  bad.out_bits = 4;
  bad.out_signed = true;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_SHAPE);
  bad.out_signed = false;
  scheme.bias = NULL;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_POINTER);
  bad.requant = NULL;
  bad.out_bits = 32;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_OK);
  bad.out = own + 1;
  ck_assert_int_eq(nn_depthwise(&bad), KERNEL_BAD_POINTER);
}
END_TEST

START_TEST(linear_and_pool_refuse) {
  struct nn_linear linear = {in, filters, out, 4, 0, 0, NULL};
  ck_assert_int_eq(nn_linear_u8_i8_u8(&linear), KERNEL_BAD_SHAPE);
  linear = (struct nn_linear){in + 1, filters, out, 4, 4, 0, NULL};
  ck_assert_int_eq(nn_linear_u8_i8_u8(&linear), KERNEL_BAD_POINTER);
  linear = (struct nn_linear){in, filters, out + 1, 4, 4, 0, NULL};
  ck_assert_int_eq(nn_linear_u8_i8_i32(&linear), KERNEL_BAD_POINTER);
  struct nn_pool pool = {in, out, 2, 2, 1, 2, 2,    1,
                         1,  2,   0, 0, 0, 8, false}; // a window outside the input
  ck_assert_int_eq(nn_maxpool(&pool), KERNEL_BAD_SHAPE);
  pool = (struct nn_pool){in, out, 100, 100, 1, 65, 64, 1, 1, 0, 0, 0, 0, 8, false}; // 4160 pixels
  ck_assert_int_eq(nn_avgpool(&pool), KERNEL_BAD_SHAPE);
  pool = (struct nn_pool){in, NULL, 2, 2, 1, 2, 2, 1, 1, 0, 0, 0, 0, 8, false};
  ck_assert_int_eq(nn_avgpool(&pool), KERNEL_BAD_POINTER);
  pool = (struct nn_pool){in, out, 2, 2, 1, 2, 2, 1, 1, 0, 0, 0, 0, 3, false};
  ck_assert_int_eq(nn_maxpool(&pool), KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(elementwise_refuse) {
  const struct nn_act act = {in, out, 8, 8, false}, nibbles = {in, out, 8, 4, true};
  const struct nn_act none = {in, out, 0, 8, false}, odd = {in, out, 8, 5, false};
  ck_assert_int_eq(nn_clip(&act, 2, 1), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_clip(&act, -1, 1), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_clip(&nibbles, -8, 8), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_clip(&none, 1, 2), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_clip(&odd, 1, 2), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_leaky(&act, 1), KERNEL_BAD_SHAPE); // not signed
  ck_assert_int_eq(nn_leaky(&nibbles, 4), KERNEL_BAD_SHAPE);
  ck_assert_int_eq(nn_table(&act, NULL), KERNEL_BAD_POINTER);
  const struct nn_add good = {.a = in,
                              .b = in,
                              .out = out,
                              .pixels = 8,
                              .channels = 1,
                              .a_bits = 8,
                              .b_bits = 4,
                              .out_bits = 2};
  struct nn_add add = good;
  add.shift = 32;
  ck_assert_int_eq(nn_add(&add), KERNEL_BAD_SHAPE);
  add = good;
  add.b_bits = 1;
  ck_assert_int_eq(nn_add(&add), KERNEL_BAD_SHAPE);
  add = good;
  add.b = NULL;
  ck_assert_int_eq(nn_add(&add), KERNEL_BAD_POINTER);
  struct nn_argmax head = {in + 1, 4, scratch, 32, false};
  ck_assert_int_eq(nn_argmax(&head), KERNEL_BAD_POINTER);
  head = (struct nn_argmax){in, 0, scratch, 8, false};
  ck_assert_int_eq(nn_argmax(&head), KERNEL_BAD_SHAPE);
  head = (struct nn_argmax){in, 4, scratch, 16, false};
  ck_assert_int_eq(nn_argmax(&head), KERNEL_BAD_SHAPE);
}
END_TEST

START_TEST(concat_refuses) {
  struct nn_concat_part parts[2] = {{.in = in, .channels = 3}, {.in = in, .channels = 4}};
  struct nn_concat concat = {parts, 2, out, 1, 4, false};
  ck_assert_int_eq(nn_concat(&concat), KERNEL_BAD_SHAPE); // 12 bits in front of another part
  parts[0].channels = 4;
  parts[1].scaled = true; // from no bits
  ck_assert_int_eq(nn_concat(&concat), KERNEL_BAD_SHAPE);
  parts[1].scaled = false;
  parts[1].in = NULL;
  ck_assert_int_eq(nn_concat(&concat), KERNEL_BAD_POINTER);
  concat.part_count = 0;
  ck_assert_int_eq(nn_concat(&concat), KERNEL_BAD_SHAPE);
}
END_TEST

Suite *nn_refusals_suite(void) {
  Suite *suite = suite_create("nn_refusals");
  TCase *tests = tcase_create("all");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, mixed_refuses);
  tcase_add_test(tests, mixed_refuses_schemes);
  tcase_add_test(tests, requant_refuses);
  tcase_add_test(tests, tflite_ends);
  tcase_add_test(tests, schemes_cost);
  tcase_add_test(tests, depthwise_refuses);
  tcase_add_test(tests, depthwise_refuses_schemes);
  tcase_add_test(tests, linear_and_pool_refuse);
  tcase_add_test(tests, elementwise_refuse);
  tcase_add_test(tests, concat_refuses);
  suite_add_tcase(suite, tests);
  return suite;
}
