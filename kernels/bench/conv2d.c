// kernels/bench/conv2d.c: quantized convolution of a shape (SHAPE: the fields of struct
// layer_shape). The default is the reference layer of the literature: 16x16x32 -> 64 filters, 3x3,
// pad 1 (Garofalo et al. 2020, section 4). Packing is not part of the region: it is done once per
// network. SCALAR: the plain C baseline instead, its weights unpacked in L1.
#include "bench.h"

#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_conv2d_scalar.h"
#include "kernels/ref/ref_conv2d.h"

#ifndef SHAPE
#define SHAPE 16, 16, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1
#endif
#ifndef NAME
#define NAME conv2d_16x16x32_64x3x3
#endif
#ifndef SCALAR
#define SCALAR 0
#endif

RT_REGION(1, BENCH_TEXT(NAME));

enum { L1_BYTES = 54 * 1024, WEIGHTS = 32 * 1024, FILTERS = 256 };

static RT_L1_BSS uint32_t arena[L1_BYTES / 4];
static int8_t weights[WEIGHTS];
static int32_t kappa[FILTERS], lambda[FILTERS];

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

static uint32_t filter_size(const struct nn_conv2d *l) {
  return (uint32_t)l->kernel_h * l->kernel_w * l->in_c;
}

static struct nn_conv2d layer_of(struct layer_shape s) {
  struct nn_conv2d l = {
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
      .shift = 20,
  };
  uint32_t used = 0;
  l.in = take(&used, (uint32_t)l.in_h * l.in_w * l.in_c);
  l.filters = take(&used, nn_conv2d_packed_size(&l));
  l.out = take(&used, nn_conv2d_out_h(&l) * nn_conv2d_out_w(&l) * l.out_c);
  uint32_t columns = nn_conv2d_buffer_size(&l), copies = rt_core_count() * filter_size(&l);
  l.scratch = take(&used, columns > copies ? columns : copies);
  return l;
}

// Scales such that outputs use the whole range, both ends included.
static void fill(const struct nn_conv2d *l) {
  uint32_t seed = 3;
  bench_fill_bytes((void *)l->in, (uint32_t)l->in_h * l->in_w * l->in_c, 1);
  bench_fill_bytes(weights, l->out_c * filter_size(l), 2);
  for (uint32_t f = 0; f < l->out_c; f++) {
    kappa[f] = 200 + (int32_t)(rt_random(&seed) % 1000);
    lambda[f] = (int32_t)(rt_random(&seed) % (1 << 27));
  }
  rt_region_macs(1, nn_conv2d_macs(l));
}

// Filter by filter, each from a copy in L1, in the core's part of the scratch: from L2 the check
// would take ten times the cycles.
static int check(const struct nn_conv2d *l) {
  uint32_t out_w = nn_conv2d_out_w(l), pixels = nn_conv2d_out_h(l) * out_w;
  uint32_t size = filter_size(l);
  int8_t *filter = (int8_t *)l->scratch + rt_core_id() * size;
  struct rt_range mine = rt_split(l->out_c, 1);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    for (uint32_t i = 0; i < size; i++)
      filter[i] = weights[f * size + i];
    const struct ref_conv2d ref = {filter, kappa + f, lambda + f};
    for (uint32_t p = 0; p < pixels; p++) {
      uint8_t want = ref_conv2d_u8(l, &ref, p / out_w, p % out_w, 0);
      if (!bench_equal("out", p, f, l->out[p * l->out_c + f], want))
        return 1;
    }
  }
  return 0;
}

static void prepare(const struct nn_conv2d *l) {
  int8_t *filters = (void *)l->filters;
  if (!SCALAR)
    nn_conv2d_pack(l, filters, weights, kappa, lambda);
  for (uint32_t i = 0; SCALAR && rt_core_id() == 0 && i < l->out_c * filter_size(l); i++)
    filters[i] = weights[i];
}

static __attribute__((noinline)) enum kernel_status run(const struct nn_conv2d *l) {
  return SCALAR ? nn_conv2d_scalar(l, l->filters, kappa, lambda) : nn_conv2d_u8_i8_u8(l);
}

int main(void) {
  const struct nn_conv2d layer = layer_of((struct layer_shape){SHAPE});
  if (rt_core_id() == 0)
    fill(&layer);
  rt_barrier();
  prepare(&layer);
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, run(&layer));
  if (status != KERNEL_OK)
    rt_printf("conv2d: status %d\n", (int)status);
  return status == KERNEL_OK ? check(&layer) : 1;
}
