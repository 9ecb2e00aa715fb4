#include "tile_layer.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "tile_kernel.h"

enum { NO_TRANSFER = -1 };

static bool by_channel(const struct tile_layer *l) {
  return l->kind == TILE_DEPTHWISE || l->kind == TILE_MAXPOOL || l->kind == TILE_AVGPOOL ||
         l->kind == TILE_ADD;
}

static uint32_t in_channels(const struct tile_layer *l, uint32_t channels) {
  return by_channel(l) ? channels : l->in_c;
}

static uint32_t out_size(const struct tile_layer *l) {
  return l->kind == TILE_SUMS ? 4 : 1;
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t most_in_rows(const struct tile_layer *l) {
  return least((l->tile_h - 1u) * l->stride_h + l->kernel_h, l->in_h);
}

uint32_t tile_in_bytes(const struct tile_layer *l) {
  return most_in_rows(l) * l->in_w * in_channels(l, l->tile_c);
}

uint32_t tile_out_bytes(const struct tile_layer *l) {
  return (uint32_t)l->tile_h * l->out_w * l->tile_c * out_size(l);
}

// ---------------------------------------------------------------- the tiles

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

// Rows of the input under the tile's, and what of the window lies outside.
static void place_rows(const struct tile_layer *l, struct tile *t) {
  int32_t first = (int32_t)(t->rows_at * l->stride_h) - l->pad_top,
          end = first + (int32_t)((t->rows - 1) * l->stride_h + l->kernel_h);
  t->top = first < 0 ? (uint32_t)-first : 0;
  t->bottom = end > l->in_h ? (uint32_t)(end - l->in_h) : 0;
  t->in_at = (uint32_t)(first + (int32_t)t->top);
  t->in_rows = (uint32_t)(end - first) - t->top - t->bottom;
}

static void place(const struct tile_layer *l, struct tile *t, uint32_t number) {
  uint32_t by_rows = parts(l->out_h, l->tile_h), by_channels = parts(l->out_c, l->tile_c);
  uint32_t row = l->rows_first ? number / by_channels : number % by_rows;
  uint32_t channel = l->rows_first ? number % by_channels : number / by_rows;
  t->number = number;
  t->rows_at = row * l->tile_h;
  t->channels_at = channel * l->tile_c;
  t->rows = least(l->tile_h, l->out_h - t->rows_at);
  t->channels = least(l->tile_c, l->out_c - t->channels_at);
  place_rows(l, t);
}

uint32_t tile_count(const struct tile_layer *l) {
  return parts(l->out_h, l->tile_h) * parts(l->out_c, l->tile_c);
}

static struct tile first_tile(const struct tile_layer *l, uint32_t number) {
  struct tile t = {.new_x = true, .new_w = true};
  place(l, &t, number);
  return t;
}

// What differs from the tile before goes to the other slot.
static struct tile next_tile(const struct tile_layer *l, const struct tile *before) {
  struct tile t = *before;
  place(l, &t, before->number + 1);
  t.new_w = t.channels_at != before->channels_at;
  t.new_x = t.rows_at != before->rows_at || (by_channel(l) && t.new_w);
  t.x ^= t.new_x;
  t.w ^= t.new_w;
  t.y ^= 1;
  return t;
}

uint32_t tile_scratch_bytes(const struct tile_layer *l) {
  uint32_t most = 0, count = l->kernel->scratch ? tile_count(l) : 0;
  for (uint32_t i = 0; i < count; i++) {
    struct tile t = first_tile(l, i);
    uint32_t bytes = l->kernel->scratch(l, &t);
    most = bytes > most ? bytes : most;
  }
  return most;
}

// ---------------------------------------------------------------- transfers

struct work {
  const struct tile_layer *layer;
  const uint8_t *in, *second, *weights;
  uint32_t weights_from;
  uint8_t *out, *l1;
};

static int in_box(uint8_t *to, const uint8_t *from, uint32_t pixels, uint32_t bytes,
                  uint32_t stride) {
  return (int)(bytes == stride ? rt_dma_in(to, from, pixels * bytes)
                               : rt_dma_in_2d(to, from, pixels, bytes, stride));
}

static int load_input(const struct work *k, const struct tile *t, const uint8_t *in, uint32_t to) {
  const struct tile_layer *l = k->layer;
  uint32_t first = by_channel(l) ? t->channels_at : 0;
  return in_box(k->l1 + to, in + (size_t)t->in_at * l->in_w * l->in_c + first, t->in_rows * l->in_w,
                in_channels(l, t->channels), l->in_c);
}

// The transfers of a tile are spread over the cores; which one, `turn` says.
static bool mine(unsigned turn) {
  return rt_core_id() == turn % rt_core_count();
}

static void load(const struct work *k, const struct tile *t, int open[3]) {
  const struct tile_layer *l = k->layer;
  if (t->new_x && mine(0))
    open[0] = load_input(k, t, k->in, l->x[t->x]);
  if (t->new_x && k->second && mine(1))
    open[1] = load_input(k, t, k->second, l->x2[t->x]);
  if (t->new_w && l->weight_bytes && mine(2))
    open[2] = (int)rt_dma_in(k->l1 + l->w[t->w],
                             k->weights + (size_t)(t->channels_at / l->tile_c - k->weights_from) *
                                              l->weight_bytes,
                             l->weight_bytes);
}

static int store(const struct work *k, const struct tile *t) {
  const struct tile_layer *l = k->layer;
  uint32_t bytes = t->channels * out_size(l), stride = l->out_c * out_size(l),
           pixels = t->rows * l->out_w;
  uint8_t *to = k->out + (size_t)t->rows_at * l->out_w * stride + t->channels_at * out_size(l);
  if (!mine(3))
    return NO_TRANSFER;
  return (int)(bytes == stride ? rt_dma_out(to, k->l1 + l->y[t->y], pixels * bytes)
                               : rt_dma_out_2d(to, k->l1 + l->y[t->y], pixels, bytes, stride));
}

static void wait_for(int *open) {
  if (*open != NO_TRANSFER)
    rt_dma_wait((unsigned)*open);
  *open = NO_TRANSFER;
}

static void wait_loads(int open[3]) {
  for (unsigned i = 0; i < 3; i++)
    wait_for(&open[i]);
}

enum kernel_status tile_run(const struct tile_layer *layer, const struct tile_span *span,
                            const uint8_t *in, const uint8_t *second, const uint8_t *weights,
                            uint8_t *out, uint8_t *l1) {
  struct work k = {layer, in, second, weights, span->weights_from, out, l1};
  struct tile t = first_tile(layer, span->begin), next = t;
  int loads[3] = {NO_TRANSFER, NO_TRANSFER, NO_TRANSFER}, stored = NO_TRANSFER;
  enum kernel_status status = KERNEL_OK;
  load(&k, &t, loads);
  for (uint32_t i = span->begin; i < span->end && status == KERNEL_OK; i++, t = next) {
    wait_loads(loads);
    rt_barrier();
    if (i + 1 < span->end) {
      next = next_tile(layer, &t);
      load(&k, &next, loads);
    }
    status = layer->kernel->run(layer, &t, l1);
    wait_for(&stored); // the tile before; its place is the next one's
    rt_barrier();
    stored = store(&k, &t);
  }
  wait_loads(loads);
  wait_for(&stored);
  rt_barrier();
  return status;
}
