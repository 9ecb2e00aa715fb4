// kernels/bench/nn_depthwise.c: depthwise 3x3 on 16x16x64, pad 1, STRIDE; LAYOUT in_chw, out_chw.
#include "bench.h"

#include "kernels/nn/nn_depthwise.h"
#include "kernels/ref/ref_depthwise.h"

enum { SIZE = 16, CHANNELS = 64, SCRATCH = 16 * 1024 };

RT_REGION(1, BENCH_TEXT(NAME));
RT_REGION(2, "first call");

static RT_L1_BSS uint32_t in[SIZE * SIZE * CHANNELS / 4], out[SIZE * SIZE * CHANNELS / 4];
static RT_L1_BSS uint32_t scratch[SCRATCH / 4], weights[CHANNELS * 9 / 4];
static RT_L1_BSS int32_t kappa[CHANNELS], lambda[CHANNELS];

static struct nn_depthwise layer_of(bool in_chw, bool out_chw) {
  return (struct nn_depthwise){.in = (const uint8_t *)in,
                               .weights = weights,
                               .kappa = kappa,
                               .lambda = lambda,
                               .out = (uint8_t *)out,
                               .scratch = scratch,
                               .in_h = SIZE,
                               .in_w = SIZE,
                               .channels = CHANNELS,
                               .kernel_h = 3,
                               .kernel_w = 3,
                               .stride_h = STRIDE,
                               .stride_w = STRIDE,
                               .pad_top = 1,
                               .pad_bottom = 1,
                               .pad_left = 1,
                               .pad_right = 1,
                               .shift = 16,
                               .in_bits = 8,
                               .weight_bits = 8,
                               .out_bits = 8,
                               .in_chw = in_chw,
                               .out_chw = out_chw};
}

int main(void) {
  const struct nn_depthwise layer = layer_of(LAYOUT);
  uint32_t out_h = nn_depthwise_out_h(&layer), out_w = nn_depthwise_out_w(&layer);
  if (nn_depthwise_buffer_size(&layer) > SCRATCH) {
    rt_printf("nn_depthwise: scratch too small\n");
    return 1;
  }
  if (rt_core_id() == 0) {
    uint32_t seed = 3;
    bench_fill_bytes(in, sizeof in, 1);
    bench_fill_bytes(weights, sizeof weights, 2);
    for (uint32_t c = 0; c < CHANNELS; c++) {
      kappa[c] = 100 + (int32_t)(rt_random(&seed) % 500);
      lambda[c] = (int32_t)(rt_random(&seed) % (1 << 24));
    }
    rt_region_macs(1, out_h * out_w * CHANNELS * 9);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, nn_depthwise(&layer));
  struct rt_range mine = rt_split(out_h * out_w, 1);
  for (uint32_t p = mine.begin; p < mine.end && status == KERNEL_OK; p++) {
    for (uint32_t c = 0; c < CHANNELS; c++) {
      if (!bench_equal("out", p, c, ref_depthwise_got(&layer, p / out_w, p % out_w, c),
                       ref_depthwise(&layer, p / out_w, p % out_w, c)))
        return 1;
    }
  }
  return status != KERNEL_OK;
}
