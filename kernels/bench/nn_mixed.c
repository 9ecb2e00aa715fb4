// kernels/bench/nn_mixed.c: mixed-precision convolution: BITS in, weights, out; SHAPE as in
// conv2d.c; XPULPNN 1 on cores that have it; SCHEME a requantization per channel (nn_requant_i32.h)
// in the place of kappa and lambda.
#include "bench.h"

#include "kernels/nn/nn_mixed.h"
#include "kernels/ref/ref_mixed.h"

#ifndef SHAPE
#define SHAPE 16, 16, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1
#endif
#ifndef XPULPNN
#define XPULPNN 0
#endif

#ifndef SCHEME
#define SCHEME -1
#endif

RT_REGION(1, BENCH_TEXT(NAME));

enum { L1_BYTES = (SCHEME < 0 ? 54 : 48) * 1024, WEIGHTS = 32 * 1024, FILTERS = 256, EVERY = 7 };

static RT_L1_BSS uint32_t arena[L1_BYTES / 4];
static uint8_t weights[WEIGHTS];
static int32_t kappa[FILTERS], lambda[FILTERS];

// The scheme's parameters, where a kernel wants them. Thresholds are for 4 bits.
enum { CHANNELS = 64, THRESHOLDS = 15 };
static RT_L1_BSS int32_t factor[CHANNELS], bias[CHANNELS];
static RT_L1_BSS int32_t thresholds[SCHEME == NN_THRESHOLDS ? CHANNELS * THRESHOLDS : 1];
static RT_L1_BSS int8_t shifts[CHANNELS];
static RT_L1_BSS struct nn_requant_i32 scheme;

struct layer_shape {
  uint16_t in_h, in_w, in_c, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

static void *take(uint32_t *used, uint32_t bytes) {
  uint32_t *place = arena + *used;
  *used += (bytes + 3) / 4;
  if (*used > L1_BYTES / 4)
    rt_exit(1);
  return place;
}

static struct nn_mixed layer_of(struct layer_shape s, uint8_t in, uint8_t weight, uint8_t out) {
  struct nn_mixed l = {.in_bits = in, .weight_bits = weight, .out_bits = out, .xpulpnn = XPULPNN};
  if (SCHEME >= 0)
    l.requant = &scheme;
  l.shape = (struct nn_conv2d){
      .in_h = s.in_h,
      .in_w = s.in_w,
      .in_c = s.in_c,
      .out_c = s.out_c,
      .kernel_h = s.kernel_h,
      .kernel_w = s.kernel_w,
      .stride_h = s.stride_h,
      .stride_w = s.stride_w,
      .pad_top = s.pad_top,
      .pad_bottom = s.pad_bottom,
      .pad_left = s.pad_left,
      .pad_right = s.pad_right,
      .shift = (uint8_t)(in + weight + 4),
  };
  uint32_t used = 0;
  l.shape.in = take(&used, (uint32_t)s.in_h * s.in_w * nn_bits_bytes(s.in_c, in));
  l.shape.filters = take(&used, nn_mixed_packed_size(&l));
  uint32_t pixels = nn_conv2d_out_h(&l.shape) * nn_conv2d_out_w(&l.shape);
  l.shape.out = take(&used, pixels * nn_mixed_out_pixel(&l));
  l.shape.scratch = take(&used, nn_mixed_buffer_size(&l));
  return l;
}

// Outputs over the whole range of 4 bits for sums of some thousands.
static void fill_scheme(uint32_t *seed) {
  scheme = (struct nn_requant_i32){.scheme = (enum nn_scheme)SCHEME,
                                   .bits = 4,
                                   .per_channel = true,
                                   .shift = 18,
                                   .m = 1 << 8,
                                   .factor = factor,
                                   .shifts = shifts,
                                   .bias = bias,
                                   .thresholds = thresholds};
  for (uint32_t f = 0; f < CHANNELS; f++) {
    factor[f] = SCHEME == NN_ICN ? (int32_t)(rt_random(seed) >> 2 | 1u << 30)
                                 : 1 + (int32_t)(rt_random(seed) % 8);
    bias[f] = (int32_t)(rt_random(seed) % 4096) - 1024;
    shifts[f] = SCHEME == NN_ICN ? -8 : 8;
    for (uint32_t i = 0; i < THRESHOLDS && SCHEME == NN_THRESHOLDS; i++)
      thresholds[f * THRESHOLDS + i] = (int32_t)(i * 256 + rt_random(seed) % 256) - 1024;
  }
}

static void fill(const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t seed = 3;
  bench_fill_bytes((void *)s->in, (uint32_t)s->in_h * s->in_w * nn_bits_bytes(s->in_c, l->in_bits),
                   1);
  bench_fill_bytes(
      weights, s->out_c * s->kernel_h * s->kernel_w * nn_bits_bytes(s->in_c, l->weight_bits), 2);
  for (uint32_t f = 0; f < s->out_c; f++) {
    kappa[f] = 1 + (int32_t)(rt_random(&seed) % (1u << (l->out_bits % 32)));
    lambda[f] = (int32_t)(rt_random(&seed) % (1u << (s->shift + l->out_bits % 32)));
  }
  if (l->requant)
    fill_scheme(&seed);
  rt_region_macs(1, nn_conv2d_macs(s));
}

// Every EVERYth pixel, all filters.
static int check(const struct nn_mixed *l) {
  const struct ref_mixed ref = {weights, kappa, l->requant ? NULL : lambda};
  uint32_t out_w = nn_conv2d_out_w(&l->shape);
  struct rt_range pixels = rt_split(nn_conv2d_out_h(&l->shape) * out_w, 1);
  for (uint32_t p = pixels.begin; p < pixels.end; p += EVERY) {
    const uint8_t *pixel = l->shape.out + p * nn_mixed_out_pixel(l);
    for (uint32_t f = 0; f < l->shape.out_c; f++) {
      uint32_t got = l->out_bits == 32 ? ((const uint32_t *)(const void *)pixel)[f]
                                       : nn_bits_unsigned(pixel, f, l->out_bits);
      if (!bench_equal("out", p, f, got, ref_mixed(l, &ref, p / out_w, p % out_w, f)))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  const struct nn_mixed layer = layer_of((struct layer_shape){SHAPE}, BITS);
  if (rt_core_id() == 0)
    fill(&layer);
  rt_barrier();
  bool plain = !layer.requant;
  nn_mixed_pack(&layer, (void *)layer.shape.filters, weights, plain ? kappa : NULL,
                plain ? lambda : NULL);
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, nn_mixed_conv2d(&layer));
  if (status != KERNEL_OK)
    rt_printf("nn_mixed: status %d\n", (int)status);
  return status == KERNEL_OK ? check(&layer) : 1;
}
