// kernels/train/train_net_half.c: see train_net_half.h.
#include "train_net_half.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_net_pass.h"
#include "kernels/train/train_typed.h"

const struct train_half_type train_half_fp16 = {TRAIN_FP16, mmt_tiles_h_nt, mmt_tiles_h_tn,
                                                mmt_tiles_h_ntp, mmt_tiles_h_tnp};
const struct train_half_type train_half_bf16 = {TRAIN_BF16, mmt_tiles_ah_nt, mmt_tiles_ah_tn,
                                                mmt_tiles_ah_ntp, mmt_tiles_ah_tnp};

static bool is_vector(const struct train_net_layer *l) {
  return l->kind == TRAIN_NET_PRODUCT && l->out_h * l->out_w == 1;
}

enum kernel_status train_half_fw(const struct train_net *net, const struct train_net_layer *l,
                                 const struct train_half_place *at) {
  return (is_vector(l)                   ? train_half_linear_fw
          : l->kind == TRAIN_NET_PRODUCT ? train_half_pixels_fw
                                         : train_half_planes_fw)(net, l, at);
}

enum kernel_status train_half_bw(const struct train_net *net, const struct train_net_layer *l,
                                 const struct train_half_place *at) {
  return (is_vector(l)                   ? train_half_linear_bw
          : l->kind == TRAIN_NET_PRODUCT ? train_half_pixels_bw
                                         : train_half_planes_bw)(net, l, at);
}

bool train_half_fits(const struct train_net *net, const struct train_net_layer *l, bool backward) {
  return (is_vector(l)                   ? train_half_linear_fit
          : l->kind == TRAIN_NET_PRODUCT ? train_half_pixels_fit
                                         : train_half_planes_fit)(net, l, backward);
}

// ---------------------------------------------------------------- the loss

TRAIN_TYPED void widen(float *to, const void *from, uint32_t count, enum train_type t) {
  struct rt_range mine = rt_split(count, 2);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    to[i] = train_get(from, i, t);
}

// Rounded behind the scale, or what is small would vanish.
TRAIN_TYPED void narrow(void *to, const float *from, uint32_t count, float scale,
                        enum train_type t) {
  struct rt_range mine = rt_split(count, 2);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    train_put(to, i, from[i] * scale, t);
}

enum kernel_status train_half_loss(const struct train_net *net, uint32_t label, float *loss) {
  static RT_L1_BSS uint8_t labels[1];
  static RT_L1_BSS float partial[TRAIN_LOSS_PARTS];
  const struct train_net_layer *last = &net->layers[net->count - 1];
  uint32_t count = (uint32_t)last->out_c * last->out_h * last->out_w;
  float *scores = net->l1, *grad = scores + count, *target = grad + count;
  uint16_t *half = (void *)(target + count);
  bool fp16 = net->half->type->id == TRAIN_FP16;
  if ((!net->target && label >= count) || 14 * count + 2 > net->l1_bytes)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  if (rt_core_id() == 0) {
    labels[0] = (uint8_t)label;
    rt_dma_wait(rt_dma_in(half, last->out, count * 2));
    if (net->target)
      rt_dma_wait(rt_dma_in(target, net->target, count * 4));
  }
  rt_barrier();
  if (fp16)
    widen(scores, half, count, TRAIN_FP16);
  else
    widen(scores, half, count, TRAIN_BF16);
  rt_barrier();
  const struct train_loss of = {.in = scores,
                                .target = target,
                                .labels = labels,
                                .in_grad = grad,
                                .loss = loss,
                                .partial = partial,
                                .count = count,
                                .rows = 1,
                                .columns = count};
  enum kernel_status status = (net->target ? train_loss_mse : train_loss_cross_entropy)(&of);
  rt_barrier();
  if (fp16)
    narrow(half, grad, count, net->half->scale, TRAIN_FP16);
  else
    narrow(half, grad, count, net->half->scale, TRAIN_BF16);
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(net->grads[(net->count - 1) % 2], half, count * 2));
  return status;
}
