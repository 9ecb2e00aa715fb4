// kernels/bench/nn_shape.c: a quantized layer of any kind and shape, all data in L1. Both are read
// from a variable, which the bench runner sets: one program, many measurements. Region 1 is a warm
// call, region 2 the first one. Every EVERYth output is compared with the reference.
#include "bench.h"

#include "kernels/nn/nn_depthwise.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_mixed.h"
#include "kernels/ref/ref_depthwise.h"
#include "kernels/ref/ref_mixed.h"

RT_REGION(1, "warm");
RT_REGION(2, "cold");

enum kind {
  CONV,
  MIXED,
  DEPTHWISE,
  LINEAR
}; // nn_conv2d.h, nn_mixed.h, nn_depthwise.h, nn_linear.h

// Kind; height, width, channels, filters; kernel, stride; pads top, bottom, left, right; bits of
// input, weights and output.
volatile uint32_t bench_shape[15] = {CONV, 4, 4, 64, 32, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8};

enum { L1_WORDS = 55 * 256, WEIGHTS = 72 * 1024, FILTERS = 1024, EVERY = 37 };
static RT_L1_BSS uint32_t arena[L1_WORDS];
static uint8_t weights[WEIGHTS];
static int32_t kappa_of[FILTERS], lambda_of[FILTERS];
static int32_t *kappa = kappa_of, *lambda = lambda_of; // of a depthwise layer in L1, too
static RT_L1_BSS struct nn_mixed mixed;
static RT_L1_BSS struct nn_depthwise depthwise;
static RT_L1_BSS struct nn_linear linear;
static RT_L1_BSS enum kind kind; // a copy, that the measured calls wait for no L2
static uint32_t used;

static void *take(uint32_t bytes) {
  uint32_t *place = arena + used;
  used += (bytes + 3) / 4;
  if (used > L1_WORDS) {
    rt_printf("nn_shape: the layer does not fit L1\n");
    rt_exit(1);
  }
  return place;
}

// The shape of a convolution; of a depthwise layer with as many filters as channels.
static void describe(void) {
  volatile uint32_t *s = bench_shape;
  kind = (enum kind)s[0];
  mixed = (struct nn_mixed){
      .in_bits = (uint8_t)s[12], .weight_bits = (uint8_t)s[13], .out_bits = (uint8_t)s[14]};
  mixed.shape = (struct nn_conv2d){.in_h = (uint16_t)s[1],
                                   .in_w = (uint16_t)s[2],
                                   .in_c = (uint16_t)s[3],
                                   .out_c = (uint16_t)s[4],
                                   .kernel_h = (uint8_t)s[5],
                                   .kernel_w = (uint8_t)s[6],
                                   .stride_h = (uint8_t)s[7],
                                   .stride_w = (uint8_t)s[7],
                                   .pad_top = (uint8_t)s[8],
                                   .pad_bottom = (uint8_t)s[9],
                                   .pad_left = (uint8_t)s[10],
                                   .pad_right = (uint8_t)s[11],
                                   .shift = (uint8_t)(s[12] + s[13] + 4)};
}

static void describe_depthwise(void) {
  const struct nn_conv2d *s = &mixed.shape;
  depthwise = (struct nn_depthwise){.in = s->in,
                                    .weights = s->filters,
                                    .kappa = kappa,
                                    .lambda = lambda,
                                    .out = s->out,
                                    .in_h = s->in_h,
                                    .in_w = s->in_w,
                                    .channels = s->in_c,
                                    BENCH_WINDOW(*s),
                                    .shift = s->shift,
                                    .in_bits = mixed.in_bits,
                                    .weight_bits = mixed.weight_bits,
                                    .out_bits = mixed.out_bits};
}

// Tensors, packed filters and scratch in L1.
static void place(void) {
  struct nn_conv2d *s = &mixed.shape;
  uint32_t pixels = nn_conv2d_out_h(s) * nn_conv2d_out_w(s),
           taps = (uint32_t)s->kernel_h * s->kernel_w;
  s->in = take((uint32_t)s->in_h * s->in_w * nn_bits_bytes(s->in_c, mixed.in_bits));
  s->out = take(pixels * nn_mixed_out_pixel(&mixed));
  linear = (struct nn_linear){s->in, NULL, s->out, s->in_c, s->out_c, s->shift, NULL};
  if (kind == DEPTHWISE) {
    s->filters = take(s->in_c * nn_bits_bytes(taps, mixed.weight_bits));
    kappa = take(s->in_c * 4u);
    lambda = take(s->in_c * 4u);
    describe_depthwise();
    depthwise.scratch = take(nn_depthwise_buffer_size(&depthwise));
    return;
  }
  bool bytes = kind == CONV;
  s->filters = take(kind == LINEAR ? nn_linear_packed_size(&linear)
                    : bytes        ? nn_conv2d_packed_size(s)
                                   : nn_mixed_packed_size(&mixed));
  linear.filters = s->filters;
  s->scratch = take(kind == LINEAR ? nn_linear_buffer_size(&linear)
                    : bytes        ? nn_conv2d_buffer_size(s)
                                   : nn_mixed_buffer_size(&mixed));
  linear.scratch = s->scratch;
}

static void fill(void) {
  const struct nn_conv2d *s = &mixed.shape;
  uint32_t seed = 3, out_bits = mixed.out_bits % 32u;
  bench_fill_bytes((void *)s->in,
                   (uint32_t)s->in_h * s->in_w * nn_bits_bytes(s->in_c, mixed.in_bits), 1);
  bench_fill_bytes(weights, sizeof weights, 2);
  for (uint32_t f = 0; f < s->out_c; f++) {
    kappa[f] = 1 + (int32_t)(rt_random(&seed) % (1u << out_bits));
    lambda[f] = (int32_t)(rt_random(&seed) % (1u << (s->shift + out_bits)));
  }
  uint64_t macs = nn_conv2d_macs(s);
  rt_region_macs(1, kind == DEPTHWISE ? macs / s->in_c : macs);
  rt_region_macs(2, kind == DEPTHWISE ? macs / s->in_c : macs);
}

static void pack(void) {
  void *filters = (void *)mixed.shape.filters;
  if (kind == CONV)
    nn_conv2d_pack(&mixed.shape, filters, (const int8_t *)weights, kappa, lambda);
  else if (kind == MIXED)
    nn_mixed_pack(&mixed, filters, weights, kappa, lambda);
  else if (kind == LINEAR)
    nn_linear_pack(&linear, filters, (const int8_t *)weights, kappa, lambda);
  else if (rt_core_id() == 0)
    bench_fill_bytes(
        filters,
        mixed.shape.in_c *
            nn_bits_bytes((uint32_t)mixed.shape.kernel_h * mixed.shape.kernel_w, mixed.weight_bits),
        2);
}

static __attribute__((noinline)) enum kernel_status run(void) {
  switch (kind) {
  case CONV:
    return nn_conv2d_u8_i8_u8(&mixed.shape);
  case MIXED:
    return nn_mixed_conv2d(&mixed);
  case DEPTHWISE:
    return nn_depthwise(&depthwise);
  default:
    return mixed.out_bits == 32 ? nn_linear_u8_i8_i32(&linear) : nn_linear_u8_i8_u8(&linear);
  }
}

static int check(void) {
  const struct nn_conv2d *s = &mixed.shape;
  const struct ref_mixed ref = {weights, kappa,
                                kind == LINEAR && mixed.out_bits == 32 ? NULL : lambda};
  uint32_t out_w = nn_conv2d_out_w(s), outputs = nn_conv2d_out_h(s) * out_w * s->out_c;
  for (uint32_t i = rt_core_id() * EVERY; i < outputs; i += EVERY * rt_core_count()) {
    uint32_t p = i / s->out_c, f = i % s->out_c, y = p / out_w, x = p % out_w;
    const uint8_t *pixel = s->out + p * nn_mixed_out_pixel(&mixed);
    uint32_t got = mixed.out_bits == 32 ? ((const uint32_t *)(const void *)pixel)[f]
                                        : nn_bits_unsigned(pixel, f, mixed.out_bits);
    uint32_t want =
        kind == DEPTHWISE ? ref_depthwise(&depthwise, y, x, f) : ref_mixed(&mixed, &ref, y, x, f);
    if (!bench_equal("out", p, f, got, want))
      return 1;
  }
  return 0;
}

int main(void) {
  if (rt_core_id() == 0) {
    describe();
    place();
    fill();
  }
  rt_barrier();
  pack();
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, run());
  if (status != KERNEL_OK)
    rt_printf("nn_shape: status %d\n", (int)status);
  return status == KERNEL_OK ? check() : 1;
}
