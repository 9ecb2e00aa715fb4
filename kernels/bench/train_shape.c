// kernels/bench/train_shape.c: a pass of a convolution, depthwise convolution or fully connected
// layer of any shape, of TYPE elements, CHW, first call and fifth beside each other. The shape is
// read from a variable, which the bench runner sets: one program, many measurements.
#define PAD 8
#include "train.h"

#include "kernels/ref/ref_train_conv.h"
#include "kernels/ref/ref_train_depthwise.h"
#include "kernels/ref/ref_train_linear.h"

RT_REGION(1, "warm");
RT_REGION(2, "cold");

enum { CONV, DEPTHWISE, LINEAR };

// Operator, pass (0 fw, 1 wg, 2 ig); channels (linear: inputs), rows and columns of the input,
// channels of the output; kernel, strides (down, across), padding (top, bottom, left, right).
volatile uint32_t bench_shape[14] = {CONV, 0, 16, 10, 10, 16, 3, 3, 1, 1, 1, 1, 1, 1};

enum { CHECKED = 48 }; // results, about

struct shape {
  uint32_t in_c, in_h, in_w, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

static struct shape shape_given(void) {
  volatile uint32_t *s = bench_shape;
  return (struct shape){s[2],           s[3],           s[4],           s[5],
                        (uint8_t)s[6],  (uint8_t)s[7],  (uint8_t)s[8],  (uint8_t)s[9],
                        (uint8_t)s[10], (uint8_t)s[11], (uint8_t)s[12], (uint8_t)s[13]};
}

// Of elements `counts` of outputs, weights and inputs: every how many-th result is checked.
#define EACH(counts) ((counts)[PASS] / CHECKED + 1)
#define RUN(kind, l, counts, macs)                                                                 \
  ({                                                                                               \
    rt_region_macs(2, (macs));                                                                     \
    RUN_PASS(kind, l, (counts)[ig], (counts)[fw], (counts)[wg], macs, EACH(counts));               \
  })

// The three operators of a pass: PASS is a word that names are made of.
#define OPERATORS                                                                                  \
  static int JOIN(conv2d_, PASS)(struct train_conv2d l, const uint32_t counts[3]) {                \
    return RUN(conv2d, l, counts, train_conv2d_macs(&l));                                          \
  }                                                                                                \
  static int JOIN(depthwise_, PASS)(struct train_depthwise l, const uint32_t counts[3]) {          \
    return RUN(depthwise, l, counts, train_depthwise_macs(&l));                                    \
  }                                                                                                \
  static int JOIN(linear_, PASS)(struct train_linear l, const uint32_t counts[3]) {                \
    return RUN(linear, l, counts, (uint64_t)l.in_n * l.out_n);                                     \
  }
#undef PASS
#define PASS fw
OPERATORS
#undef PASS
#define PASS wg
OPERATORS
#undef PASS
#define PASS ig
OPERATORS

static int conv2d(const struct shape *s, uint32_t pass) {
  struct train_conv2d l = {.in_c = (uint16_t)s->in_c,
                           .in_h = (uint16_t)s->in_h,
                           .in_w = (uint16_t)s->in_w,
                           .out_c = (uint16_t)s->out_c,
                           BENCH_WINDOW(*s)};
  const uint32_t counts[3] = {train_conv2d_out_h(&l) * train_conv2d_out_w(&l) * l.out_c,
                              (uint32_t)l.in_c * l.out_c * l.kernel_h * l.kernel_w,
                              (uint32_t)l.in_c * l.in_h * l.in_w};
  return pass == fw   ? conv2d_fw(l, counts)
         : pass == wg ? conv2d_wg(l, counts)
                      : conv2d_ig(l, counts);
}

static int depthwise(const struct shape *s, uint32_t pass) {
  struct train_depthwise l = {.c = (uint16_t)s->in_c,
                              .in_h = (uint16_t)s->in_h,
                              .in_w = (uint16_t)s->in_w,
                              BENCH_WINDOW(*s)};
  const uint32_t counts[3] = {train_depthwise_out_h(&l) * train_depthwise_out_w(&l) * l.c,
                              (uint32_t)l.c * l.kernel_h * l.kernel_w,
                              (uint32_t)l.c * l.in_h * l.in_w};
  return pass == fw   ? depthwise_fw(l, counts)
         : pass == wg ? depthwise_wg(l, counts)
                      : depthwise_ig(l, counts);
}

static int linear(const struct shape *s, uint32_t pass) {
  struct train_linear l = {.batch = 1, .in_n = s->in_c, .out_n = s->out_c};
  const uint32_t counts[3] = {l.out_n, l.in_n * l.out_n, l.in_n};
  return pass == fw   ? linear_fw(l, counts)
         : pass == wg ? linear_wg(l, counts)
                      : linear_ig(l, counts);
}

int main(void) {
  const struct shape s = shape_given();
  uint32_t operator= bench_shape[0], pass = bench_shape[1];
  return (operator== CONV ? conv2d : operator== DEPTHWISE ? depthwise : linear)(&s, pass);
}
