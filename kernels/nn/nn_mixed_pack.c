// kernels/nn/nn_mixed_pack.c: weights into the order in which the strips unpack them
// (nn_strip_mixed.h); once per network.
#include "kernels/rt/rt.h"
#include "nn_mixed_plan.h"

// The weight of filter f that meets lane `lane` of compute word `word`; 0 where there is none.
static uint32_t weight_at(const struct nn_mixed *l, const struct nn_mixed_plan *p,
                          const uint8_t *weights, uint32_t f, uint32_t word, uint32_t lane) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t row_words = p->run_words * p->parts;
  uint32_t row = word / row_words, in_row = word % row_words;
  uint32_t element = in_row / p->parts * (32u / l->in_bits) + lane * p->parts + in_row % p->parts;
  uint32_t per_pixel = p->pixel * 8 / l->in_bits;
  uint32_t x = element / per_pixel, c = element % per_pixel;
  if (f >= s->out_c || row >= s->kernel_h || x >= s->kernel_w || c >= s->in_c)
    return 0;
  uint32_t tap = (f * s->kernel_h + row) * s->kernel_w + x;
  return nn_bits_unsigned(weights + (size_t)tap * nn_bits_bytes(s->in_c, l->weight_bits), c,
                          l->weight_bits);
}

// Filter f's word of a step: in each lane the step's first compute word on top. Adds its weights to
// `total`.
static uint32_t weight_word(const struct nn_mixed *l, const struct nn_mixed_plan *p,
                            const uint8_t *weights, uint32_t f, uint32_t step, uint32_t *total) {
  uint32_t result = 0, bits = l->weight_bits;
  for (uint32_t lane = 0; lane < 32 / p->compute; lane++) {
    for (uint32_t j = 0; j < p->per_step; j++) {
      uint32_t weight = weight_at(l, p, weights, f, step * p->per_step + j, lane);
      result |= weight << (lane * p->compute + p->compute - bits * (j + 1));
      *total += (uint32_t)((int32_t)(weight << (32 - bits)) >> (32 - bits));
    }
  }
  return result;
}

// Filter f's {kappa, lambda}, signs accounted for (nn_mixed_plan.h), or a scheme's pair of words.
static void scale_of(const struct nn_mixed *l, const struct nn_mixed_plan *p, uint32_t f,
                     const int32_t *kappa, const int32_t *lambda, uint32_t total,
                     uint32_t scale[2]) {
  uint32_t more = p->flipped ? total << (l->in_bits - 1) : 0; // in the sum
  scale[0] = kappa ? (uint32_t)kappa[f] : 0;
  scale[1] = lambda ? (uint32_t)lambda[f] : 0;
  if (p->strip_bits == 0)
    nn_finish_pair(l->requant, p->end, f, scale[1] - more, scale);
  else
    scale[1] -= more * (p->strip_bits == 32 ? 1 : scale[0]);
  if (l->out_signed && !l->requant && p->strip_bits < 32)
    scale[1] += 1u << (l->out_bits - 1 + l->shape.shift);
}

void nn_mixed_pack(const struct nn_mixed *l, void *packed, const void *weights,
                   const int32_t *kappa, const int32_t *lambda) {
  struct nn_mixed_plan p;
  nn_mixed_plan_of(&p, l);
  struct rt_range blocks = rt_split(p.blocks, 1);
  for (uint32_t f = blocks.begin * 4; f < blocks.end * 4; f++) {
    uint32_t *block = (uint32_t *)packed + f / 4 * p.block_bytes / 4;
    uint32_t *scale = block + p.steps * 4 + f % 4 * 2, total = 0;
    for (uint32_t i = 0; i < p.steps; i++)
      block[i * 4 + f % 4] = weight_word(l, &p, weights, f, i, &total);
    scale[0] = scale[1] = 0;
    if (f < l->shape.out_c)
      scale_of(l, &p, f, kappa, lambda, total, scale);
  }
}
