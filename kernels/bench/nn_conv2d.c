// kernels/bench/nn_conv2d.c: quantized convolution of a shape (SHAPE: the fields of struct
// layer_shape). The default is the reference layer of the literature: 16x16x32 -> 64 filters, 3x3,
// pad 1 (Garofalo et al. 2020, section 4).
//
//   BITS in, weights, out: by nn_mixed.h; without: bytes, by nn_conv2d.h
//   XPULPNN 1 on cores that have it
//   SCHEME  a requantization per channel (nn_requant_i32.h) in the place of kappa and lambda
//   SCALAR  1: the plain C baseline, its weights unpacked in L1
//
// Packing is not part of the region: it is done once per network.
#include "bench.h"

#include "kernels/nn/nn_conv2d_scalar.h"
#include "kernels/nn/nn_mixed.h"
#include "kernels/ref/ref_conv2d.h"
#include "kernels/ref/ref_mixed.h"

#ifdef BITS
#define MIXED 1
#else
#define MIXED 0
#define BITS  8, 8, 8
#endif
#ifndef SHAPE
#define SHAPE 16, 16, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1
#endif
#ifndef NAME
#define NAME conv2d_16x16x32_64x3x3
#endif
#ifndef XPULPNN
#define XPULPNN 0
#endif
#ifndef SCHEME
#define SCHEME -1
#endif
#ifndef SCALAR
#define SCALAR 0
#endif

RT_REGION(1, BENCH_TEXT(NAME));
RT_REGION(2, "first call");

enum { L1_BYTES = (SCHEME < 0 ? 54 : 48) * 1024, WEIGHTS = 32 * 1024, FILTERS = 256, EVERY = 7 };

static RT_L1_BSS uint32_t arena[L1_BYTES / 4];
static uint8_t weights[WEIGHTS];
static int32_t kappa[FILTERS], lambda[FILTERS];

// The scheme's parameters, where a kernel wants them. Thresholds are for 4 bits.
enum {
  CHANNELS = SCHEME < 0 ? 1 : 64,
  THRESHOLDS = 15,
  Q31 = SCHEME == NN_ICN || SCHEME == NN_TFLITE
};
static RT_L1_BSS int32_t factor[CHANNELS], bias[CHANNELS];
static RT_L1_BSS int32_t thresholds[SCHEME == NN_THRESHOLDS ? CHANNELS * THRESHOLDS : 1];
static RT_L1_BSS int8_t shifts[CHANNELS];
static RT_L1_BSS struct nn_requant_i32 scheme;

struct layer_shape {
  uint16_t in_h, in_w, in_c, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

// Takes `bytes` from the arena; the program ends when it is used up.
static void *take(uint32_t *used, uint32_t bytes) {
  uint32_t *place = arena + *used;
  *used += (bytes + 3) / 4;
  if (*used > L1_BYTES / 4)
    rt_exit(1);
  return place;
}

static uint32_t filter_bytes(const struct nn_mixed *l) {
  return (uint32_t)l->shape.kernel_h * l->shape.kernel_w *
         nn_bits_bytes(l->shape.in_c, l->weight_bits);
}
static uint32_t in_bytes(const struct nn_mixed *l) {
  return (uint32_t)l->shape.in_h * l->shape.in_w * nn_bits_bytes(l->shape.in_c, l->in_bits);
}

// Outputs over the whole range for sums of some thousands (8 bits: some hundred thousands).
static void fill_scheme(uint8_t bits) {
  uint32_t seed = 5;
  scheme = (struct nn_requant_i32){.scheme = (enum nn_scheme)SCHEME,
                                   .bits = bits,
                                   .zero = SCHEME == NN_TFLITE ? 5 : 0,
                                   .high = (int16_t)((1 << bits) - 1),
                                   .per_channel = true,
                                   .shift = SCHEME == NN_ICN ? 0 : 18,
                                   .m = 1 << 8,
                                   .factor = factor,
                                   .shifts = shifts,
                                   .bias = bias,
                                   .thresholds = thresholds};
  for (uint32_t f = 0; f < CHANNELS; f++) {
    factor[f] =
        Q31 ? (int32_t)(rt_random(&seed) >> 2 | 1u << 30) : 1 + (int32_t)(rt_random(&seed) % 8);
    bias[f] = (int32_t)(rt_random(&seed) % 4096) - 1024;
    shifts[f] = Q31 ? (bits == 8 ? -10 : -8) : 8;
    for (uint32_t i = 0; i < THRESHOLDS && SCHEME == NN_THRESHOLDS; i++)
      thresholds[f * THRESHOLDS + i] = (int32_t)(i * 256 + rt_random(&seed) % 256) - 1024;
  }
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
      BENCH_WINDOW(s),
      .shift = (uint8_t)(in + weight + 4),
  };
  uint32_t used = 0;
  l.shape.in = take(&used, in_bytes(&l));
  l.shape.filters = take(&used, MIXED ? nn_mixed_packed_size(&l) : nn_conv2d_packed_size(&l.shape));
  uint32_t pixels = nn_conv2d_out_h(&l.shape) * nn_conv2d_out_w(&l.shape);
  l.shape.out = take(&used, pixels * nn_mixed_out_pixel(&l));
  uint32_t columns = MIXED ? nn_mixed_buffer_size(&l) : nn_conv2d_buffer_size(&l.shape);
  uint32_t copies = MIXED ? 0 : rt_core_count() * filter_bytes(&l); // check_all()'s
  l.shape.scratch = take(&used, columns > copies ? columns : copies);
  return l;
}

// Scales such that outputs use the whole range, both ends included.
static void fill(const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t seed = 3, out_bits = l->out_bits % 32u;
  bench_fill_bytes((void *)s->in, in_bytes(l), 1);
  bench_fill_bytes(weights, s->out_c * filter_bytes(l), 2);
  for (uint32_t f = 0; f < s->out_c; f++) {
    kappa[f] = MIXED ? 1 + (int32_t)(rt_random(&seed) % (1u << out_bits))
                     : 200 + (int32_t)(rt_random(&seed) % 1000);
    lambda[f] = (int32_t)(rt_random(&seed) % (1u << (s->shift + out_bits - !MIXED)));
  }
  rt_region_macs(1, nn_conv2d_macs(s));
}

// Filter by filter, each from a copy in L1, in the core's part of the scratch: from L2 the check
// would take ten times the cycles.
static int check_all(const struct nn_mixed *layer) {
  const struct nn_conv2d *l = &layer->shape;
  uint32_t out_w = nn_conv2d_out_w(l), pixels = nn_conv2d_out_h(l) * out_w;
  uint32_t size = filter_bytes(layer);
  int8_t *filter = (int8_t *)l->scratch + rt_core_id() * size;
  struct rt_range mine = rt_split(l->out_c, 1);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    for (uint32_t i = 0; i < size; i++)
      filter[i] = (int8_t)weights[f * size + i];
    const struct ref_conv2d ref = {filter, kappa + f, lambda + f};
    for (uint32_t p = 0; p < pixels; p++) {
      uint8_t want = ref_conv2d_u8(l, &ref, p / out_w, p % out_w, 0);
      if (!bench_equal("out", p, f, l->out[p * l->out_c + f], want))
        return 1;
    }
  }
  return 0;
}

// Every EVERYth pixel, all filters.
static int check_some(const struct nn_mixed *l) {
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

static void prepare(const struct nn_mixed *l) {
  void *filters = (void *)l->shape.filters;
  if (SCALAR) {
    for (uint32_t i = 0; rt_core_id() == 0 && i < l->shape.out_c * filter_bytes(l); i++)
      ((uint8_t *)filters)[i] = weights[i];
  } else if (MIXED) {
    nn_mixed_pack(l, filters, weights, l->requant ? NULL : kappa, l->requant ? NULL : lambda);
  } else {
    nn_conv2d_pack(&l->shape, filters, (const int8_t *)weights, kappa, lambda);
  }
}

static __attribute__((noinline)) enum kernel_status run(const struct nn_mixed *l) {
  if (SCALAR)
    return nn_conv2d_scalar(&l->shape, l->shape.filters, kappa, lambda);
  return MIXED ? nn_mixed_conv2d(l) : nn_conv2d_u8_i8_u8(&l->shape);
}

int main(void) {
  static const uint8_t bits[] = {BITS};
  if (SCHEME >= 0 && rt_core_id() == 0)
    fill_scheme(bits[2]); // a layer's sizes depend on it
  rt_barrier();
  const struct nn_mixed layer = layer_of((struct layer_shape){SHAPE}, BITS);
  if (rt_core_id() == 0)
    fill(&layer);
  rt_barrier();
  prepare(&layer);
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, run(&layer));
  if (status != KERNEL_OK) {
    rt_printf("nn_conv2d: status %d\n", (int)status);
    return 1;
  }
  return MIXED ? check_some(&layer) : check_all(&layer);
}
