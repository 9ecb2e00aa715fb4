#include "tile_layer.h"

#include <stddef.h>

#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_depthwise.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/rt/rt.h"

enum { NO_TRANSFER = -1 };

// Where a tile lies, and the slots of L1 that hold it.
struct tile {
  uint32_t number, rows_at, channels_at; // of the output
  uint32_t rows, channels;               // as many
  uint32_t in_at, in_rows;               // of the input, inside it
  uint32_t top, bottom;                  // padding
  unsigned x, w, y;                      // slots
  bool new_x, new_w;                     // not what the tile before had
};

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

// ---------------------------------------------------------------- the kernels

static struct nn_conv2d conv_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_conv2d){.in_h = (uint16_t)t->in_rows,
                            .in_w = l->in_w,
                            .in_c = l->in_c,
                            .out_c = (uint16_t)t->channels,
                            .kernel_h = l->kernel_h,
                            .kernel_w = l->kernel_w,
                            .stride_h = l->stride_h,
                            .stride_w = l->stride_w,
                            .pad_top = (uint8_t)t->top,
                            .pad_bottom = (uint8_t)t->bottom,
                            .pad_left = l->pad_left,
                            .pad_right = l->pad_right,
                            .shift = l->shift};
}

static struct nn_depthwise depthwise_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_depthwise){.in_h = (uint16_t)t->in_rows,
                               .in_w = l->in_w,
                               .channels = (uint16_t)t->channels,
                               .kernel_h = l->kernel_h,
                               .kernel_w = l->kernel_w,
                               .stride_h = l->stride_h,
                               .stride_w = l->stride_w,
                               .pad_top = (uint8_t)t->top,
                               .pad_bottom = (uint8_t)t->bottom,
                               .pad_left = l->pad_left,
                               .pad_right = l->pad_right,
                               .shift = l->shift,
                               .in_bits = 8,
                               .weight_bits = 8,
                               .out_bits = 8,
                               .pad_value = l->pad_value};
}

static enum kernel_status conv(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_conv2d k = conv_of(l, t);
  k.in = l1 + l->x[t->x], k.filters = l1 + l->w[t->w], k.out = l1 + l->y[t->y];
  k.scratch = l1 + l->scratch;
  return nn_conv2d_u8_i8_u8(&k);
}

static struct nn_linear linear_of(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  return (struct nn_linear){.in = l1 + l->x[t->x],
                            .filters = l1 + l->w[t->w],
                            .out = l1 + l->y[t->y],
                            .inputs = l->in_c,
                            .outputs = (uint16_t)t->channels,
                            .shift = l->shift};
}

static enum kernel_status linear(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_linear k = linear_of(l, t, l1);
  return nn_linear_u8_i8_u8(&k);
}

// Behind a tile's filters stands lambda, which that kernel does not add.
static enum kernel_status sums(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_linear k = linear_of(l, t, l1);
  enum kernel_status status = nn_linear_u8_i8_i32(&k);
  int32_t *sum = (int32_t *)(void *)(l1 + l->y[t->y]);
  const int32_t *lambda =
      (const int32_t *)(const void *)(l1 + l->w[t->w] + l->weight_bytes) - l->tile_c;
  rt_barrier();
  struct rt_range mine = rt_share(t->channels);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)lambda[i]);
  return status;
}

// A tile's filters: the channels' weights, up to a multiple of 4 bytes, then kappa and lambda.
static enum kernel_status depthwise(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_depthwise k = depthwise_of(l, t);
  uint32_t bytes = ((uint32_t)l->kernel_h * l->kernel_w * l->tile_c + 3) & ~3u;
  k.in = l1 + l->x[t->x], k.weights = l1 + l->w[t->w], k.out = l1 + l->y[t->y];
  k.kappa = (const int32_t *)(const void *)(l1 + l->w[t->w] + bytes);
  k.lambda = k.kappa + l->tile_c;
  k.scratch = l1 + l->scratch;
  return nn_depthwise(&k);
}

static enum kernel_status pool(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_pool k = {.in = l1 + l->x[t->x],
                      .out = l1 + l->y[t->y],
                      .in_h = (uint16_t)t->in_rows,
                      .in_w = l->in_w,
                      .channels = (uint16_t)t->channels,
                      .kernel_h = l->kernel_h,
                      .kernel_w = l->kernel_w,
                      .stride_h = l->stride_h,
                      .stride_w = l->stride_w,
                      .pad_top = (uint8_t)t->top,
                      .pad_bottom = (uint8_t)t->bottom,
                      .pad_left = l->pad_left,
                      .pad_right = l->pad_right,
                      .bits = 8};
  return l->kind == TILE_MAXPOOL ? nn_maxpool(&k) : nn_avgpool(&k);
}

static enum kernel_status add(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_add k = {.a = l1 + l->x[t->x],
                     .b = l1 + l->x2[t->x],
                     .out = l1 + l->y[t->y],
                     .pixels = t->rows * l->out_w,
                     .channels = t->channels,
                     .scale_a = l->scale_a,
                     .scale_b = l->scale_b,
                     .lambda = l->lambda,
                     .shift = l->shift,
                     .a_bits = 8,
                     .b_bits = 8,
                     .out_bits = 8};
  return nn_add(&k);
}

static enum kernel_status compute(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  switch (l->kind) {
  case TILE_CONV:
    return conv(l, t, l1);
  case TILE_DEPTHWISE:
    return depthwise(l, t, l1);
  case TILE_LINEAR:
    return linear(l, t, l1);
  case TILE_SUMS:
    return sums(l, t, l1);
  case TILE_ADD:
    return add(l, t, l1);
  default:
    return pool(l, t, l1);
  }
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

static uint32_t scratch_bytes(const struct tile_layer *l, const struct tile *t) {
  struct nn_conv2d conv = conv_of(l, t);
  struct nn_depthwise depthwise = depthwise_of(l, t);
  if (l->kind == TILE_CONV)
    return nn_conv2d_buffer_size(&conv);
  return l->kind == TILE_DEPTHWISE ? nn_depthwise_buffer_size(&depthwise) : 0;
}

uint32_t tile_scratch_bytes(const struct tile_layer *l) {
  uint32_t most = 0, count = tile_count(l);
  for (uint32_t i = 0; i < count; i++) {
    struct tile t = first_tile(l, i);
    uint32_t bytes = scratch_bytes(l, &t);
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
    status = compute(layer, &t, l1);
    wait_for(&stored); // the tile before; its place is the next one's
    rt_barrier();
    stored = store(&k, &t);
  }
  wait_loads(loads);
  wait_for(&stored);
  rt_barrier();
  return status;
}
