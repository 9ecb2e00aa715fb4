// kernels/train/train_net_half_linear.c: see train_net_half.h; fully connected layers.
//
// Forward and for the weights' gradient each core takes rows of the weights, for the input's
// gradient columns; a part of them at a time, the next one on its way. Sums are binary32.
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_net_half.h"

// What a core has of L1: vectors that all read, and two places for parts of the weights.
struct core {
  const struct train_net_layer *layer;
  const struct train_half_place *at;
  uint16_t *in, *out;   // shared: [in_c], [out_c]; out: its gradient, backward
  uint16_t *part[2];    // this core's
  uint32_t rows;        // that a part has
  struct rt_range mine; // rows or columns
};

static uint32_t eights(uint32_t bytes) {
  return (bytes + 7) / 8 * 8;
}

// Parts of rows of so many bytes.
static bool divide(const struct train_net *net, struct core *c, uint32_t row_bytes) {
  uint32_t in = eights(c->layer->in_c * 2), out = eights(c->layer->out_c * 2);
  if (in + out >= net->l1_bytes)
    return false;
  uint32_t place = (net->l1_bytes - in - out) / rt_core_count() / 2 / 8 * 8;
  char *l1 = (char *)net->l1, *own = l1 + in + out + rt_core_id() * 2 * place;
  c->in = (uint16_t *)(void *)l1;
  c->out = (uint16_t *)(void *)(l1 + in);
  c->part[0] = (uint16_t *)(void *)own;
  c->part[1] = (uint16_t *)(void *)(own + place);
  c->rows = place / row_bytes;
  return c->rows > 0;
}

// The vectors, by core 0; they are there behind the barrier.
static void load_vectors(const struct core *c, const uint16_t *out) {
  rt_barrier();
  unsigned open = rt_dma_open();
  if (rt_core_id() == 0) {
    rt_dma_also_in(c->in, c->at->in, c->layer->in_c * 2);
    if (out)
      rt_dma_also_in(c->out, out, c->layer->out_c * 2);
  }
  rt_dma_wait(open);
  rt_barrier();
}

static uint32_t end_of(const struct core *c, uint32_t row, uint32_t end) {
  return end - row < c->rows ? end : row + c->rows;
}

// ---------------------------------------------------------------- forward

// bias + row * in.
TRAIN_TYPED void rows_fw(const struct core *c, uint32_t row, uint32_t end, const uint16_t *part,
                         enum train_type t) {
  uint32_t k = c->layer->in_c;
  for (; row < end; row++, part += k) {
    float sum = c->at->bias ? train_get(c->out, row, t) : 0, more = 0;
    uint32_t i = 0;
    for (; i + 4 <= k; i += 4) {
      float a = train_get2_any(part + i), b = train_get2_any(part + i + 2);
      sum = train_mac2(sum, a, train_get2(c->in, i), t);
      more = train_mac2(more, b, train_get2(c->in, i + 2), t);
    }
    for (; i < k; i++)
      sum = train_mac(sum, part, i, c->in, i, t);
    sum += more;
    train_put(c->out, row, c->layer->relu && !(sum > 0) && sum == sum ? 0 : sum, t);
  }
}

static void load_rows(const struct core *c, uint32_t row, uint32_t slot) {
  uint32_t k = c->layer->in_c, end = end_of(c, row, c->mine.end);
  rt_dma_also_in(c->part[slot], c->at->weights + (size_t)row * k, (end - row) * k * 2);
}

static void stream_fw(const struct core *c) {
  unsigned open = rt_dma_open();
  uint32_t slot = 0;
  load_rows(c, c->mine.begin, 0);
  for (uint32_t row = c->mine.begin; row < c->mine.end; row += c->rows, slot ^= 1) {
    rt_dma_wait(open);
    open = rt_dma_open();
    if (row + c->rows < c->mine.end)
      load_rows(c, row + c->rows, !slot);
    TRAIN_BY_HALF(c->at->type, rows_fw, c, row, end_of(c, row, c->mine.end), c->part[slot]);
  }
  rt_dma_wait(open);
}

enum kernel_status train_half_linear_fw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  struct core c = {.layer = l, .at = at, .mine = rt_share(l->out_c)};
  if (!divide(net, &c, l->in_c * 2))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  load_vectors(&c, at->bias);
  if (c.mine.begin < c.mine.end)
    stream_fw(&c);
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(l->out, c.out, l->out_c * 2));
  return KERNEL_OK;
}

// ---------------------------------------------------------------- the weights' gradient

TRAIN_TYPED void rows_wg(const struct core *c, uint32_t row, uint32_t end, uint16_t *part,
                         enum train_type t) {
  uint32_t k = c->layer->in_c, pairs = k & ~1u;
  for (; row < end; row++, part += k) {
    float grad = flh(c->out + row, 0);
    for (uint32_t i = 0; i < pairs; i += 2)
      train_put2_any(part + i, train_mul2_by(train_get2(c->in, i), grad, t));
    if (pairs < k)
      train_put(part, pairs, train_get(c->in, pairs, t) * train_get(c->out, row, t), t);
  }
}

static void stream_wg(const struct core *c) {
  uint32_t slot = 0, k = c->layer->in_c;
  unsigned open = rt_dma_open();
  for (uint32_t row = c->mine.begin; row < c->mine.end; row += c->rows, slot ^= 1) {
    uint32_t end = end_of(c, row, c->mine.end);
    TRAIN_BY_HALF(c->at->type, rows_wg, c, row, end, c->part[slot]);
    train_half_watch(c->part[slot], (end - row) * k, c->at->type);
    rt_dma_wait(open);
    open = rt_dma_open();
    rt_dma_also_out(c->at->weights_grad + (size_t)row * k, c->part[slot], (end - row) * k * 2);
  }
  rt_dma_wait(open);
}

static enum kernel_status linear_wg(const struct train_net *net, const struct train_net_layer *l,
                                    const struct train_half_place *at) {
  struct core c = {.layer = l, .at = at, .mine = rt_share(l->out_c)};
  if (!divide(net, &c, l->in_c * 2))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  load_vectors(&c, at->out_grad);
  if (rt_core_id() == 0 && at->bias_grad) {
    train_half_watch(c.out, l->out_c, at->type);
    rt_dma_wait(rt_dma_out(at->bias_grad, c.out, l->out_c * 2));
  }
  if (c.mine.begin < c.mine.end)
    stream_wg(&c);
  return KERNEL_OK;
}

// ---------------------------------------------------------------- the input's gradient

// sums[i] += out[row] * part[row][i] for rows row..end - 1, in their order.
TRAIN_TYPED void columns_ig(const struct core *c, uint32_t row, uint32_t end, const uint16_t *part,
                            float *sums, enum train_type t) {
  enum { SIDE = 4 };
  uint32_t count = c->mine.end - c->mine.begin;
  for (uint32_t i = 0; i < count; i += SIDE) {
    uint32_t side = count - i < SIDE ? count - i : SIDE;
    float sum[SIDE] = {0};
    for (uint32_t j = 0; j < side; j++)
      sum[j] = sums[i + j];
    const uint16_t *at = part + i;
    for (uint32_t r = row; r < end && side == SIDE; r++, at += count) {
      float grad = flh(c->out + r, 0);
      for (uint32_t j = 0; j < SIDE; j++)
        sum[j] = train_mac_of(sum[j], flh(at + j, 0), grad, t);
    }
    for (uint32_t r = row; r < end && side < SIDE; r++, at += count) {
      for (uint32_t j = 0; j < side; j++)
        sum[j] = train_mac_of(sum[j], flh(at + j, 0), flh(c->out + r, 0), t);
    }
    for (uint32_t j = 0; j < side; j++)
      sums[i + j] = sum[j];
  }
}

TRAIN_TYPED void put_columns(const struct core *c, const float *sums, enum train_type t) {
  for (uint32_t i = c->mine.begin; i < c->mine.end; i++) {
    bool on = !c->at->gated || train_get(c->in, i, t) > 0;
    train_put(c->in, i, on ? sums[i - c->mine.begin] : 0, t);
  }
}

static void load_columns(const struct core *c, uint32_t row, uint32_t slot) {
  uint32_t k = c->layer->in_c, end = end_of(c, row, c->layer->out_c);
  rt_dma_also_in_2d(c->part[slot], c->at->weights + (size_t)row * k + c->mine.begin, end - row,
                    (c->mine.end - c->mine.begin) * 2, k * 2);
}

static void stream_ig(const struct core *c, float *sums) {
  unsigned open = rt_dma_open();
  uint32_t slot = 0, n = c->layer->out_c;
  rt_zero_words(sums, c->mine.end - c->mine.begin);
  load_columns(c, 0, 0);
  for (uint32_t row = 0; row < n; row += c->rows, slot ^= 1) {
    rt_dma_wait(open);
    open = rt_dma_open();
    if (row + c->rows < n)
      load_columns(c, row + c->rows, !slot);
    TRAIN_BY_HALF(c->at->type, columns_ig, c, row, end_of(c, row, n), c->part[slot], sums);
  }
  rt_dma_wait(open);
  TRAIN_BY_HALF(c->at->type, put_columns, c, sums);
}

// Columns of a core at most.
static uint32_t widest(const struct train_net_layer *l) {
  uint32_t cores = rt_core_count();
  return 2 * (((l->in_c + 1u) / 2 + cores - 1) / cores);
}

// Each core's sums are in front.
static bool divide_columns(const struct train_net *net, struct core *c) {
  uint32_t sums = rt_core_count() * eights(widest(c->layer) * 4);
  struct train_net rest = *net;
  if (sums >= net->l1_bytes)
    return false;
  rest.l1 = net->l1 + sums / 4;
  rest.l1_bytes = net->l1_bytes - sums;
  return divide(&rest, c, widest(c->layer) * 2);
}

static enum kernel_status linear_ig(const struct train_net *net, const struct train_net_layer *l,
                                    const struct train_half_place *at) {
  struct core c = {.layer = l, .at = at, .mine = rt_split(l->in_c, 2)};
  if (!divide_columns(net, &c))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  load_vectors(&c, at->out_grad);
  if (c.mine.begin < c.mine.end)
    stream_ig(&c, net->l1 + rt_core_id() * eights(widest(l) * 4) / 4);
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(at->in_grad, c.in, l->in_c * 2));
  return KERNEL_OK;
}

enum kernel_status train_half_linear_bw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  if (at->weights_grad)
    KERNEL_CHECK(linear_wg(net, l, at));
  return at->in_grad ? linear_ig(net, l, at) : KERNEL_OK;
}

bool train_half_linear_fit(const struct train_net *net, const struct train_net_layer *l,
                           bool backward) {
  struct core rows = {.layer = l}, columns = {.layer = l};
  return divide(net, &rows, l->in_c * 2) && (!backward || divide_columns(net, &columns));
}
