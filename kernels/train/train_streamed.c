// kernels/train/train_streamed.c: see train_streamed.h.
#include "train_streamed.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_rows.h"
#include "kernels/train/train_stream.h"

enum { GROUPS = TRAIN_STREAMED_GROUPS, HEAD = TRAIN_STREAMED_HEAD };

_Static_assert((int)TRAIN_STREAMED_ROWS == (int)TRAIN_ROWS_MOST,
               "a block is what the functions take");

// ---------------------------------------------------------------- layout

uint32_t train_streamed_floats(const struct train_streamed_layer *layer) {
  return train_streamed_vector(layer->in_n) * layer->out_n;
}

uint32_t train_streamed_place(const struct train_streamed_layer *layer, uint32_t o, uint32_t i) {
  uint32_t group = train_streamed_group_rows(layer), row = o % group % layer->rows;
  uint32_t first = o - row, end = first - o % group + row + group;
  end = end < layer->out_n ? end : layer->out_n;
  uint32_t rows = end - first < layer->rows ? end - first : layer->rows;
  uint32_t column = i == layer->in_n ? 0 : HEAD + i;
  return first * train_streamed_vector(layer->in_n) + column * rows + row;
}

void train_streamed_head(float *vector, uint32_t n) {
  vector[0] = 1;
  vector[1] = 0;
  if (n & 1)
    vector[HEAD + n] = 0;
}

// ---------------------------------------------------------------- L1

static const float *input_of(const struct train_streamed *net, uint32_t layer) {
  return layer == 0 ? net->input : net->layers[layer - 1].value;
}

// In front of the tiles: each group's part of the gradients of a layer's input.
static uint32_t widest(const struct train_streamed *net) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < net->count; i++)
    most = net->layers[i].in_n > most ? net->layers[i].in_n : most;
  return train_streamed_vector(most);
}

static uint32_t down_bytes(const struct train_streamed *net) {
  return GROUPS * 4 * widest(net);
}

// Tiles of a pair of columns of a block.
uint32_t train_streamed_least_bytes(const struct train_streamed *net) {
  return down_bytes(net) + rt_core_count() * (TRAIN_STREAM_PLACES * 2 * 4 * TRAIN_STREAMED_ROWS);
}

static float *down_of(const struct train_streamed *net, uint32_t layer, uint32_t group) {
  return (float *)net->l1 + group * train_streamed_vector(net->layers[layer].in_n);
}

static void begin(const struct train_streamed *net, struct train_stream *stream) {
  uint32_t bytes = down_bytes(net);
  train_stream_begin(stream, net->layers, (float *)net->l1 + bytes / 4, net->l1_bytes - bytes);
}

static enum kernel_status check(const struct train_streamed *net) {
  if (net->count == 0 || (net->count == 1 && net->step_input))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  for (uint32_t i = 0; i < net->count; i++) {
    const struct train_streamed_layer *l = &net->layers[i];
    if (l->in_n == 0 || l->out_n == 0 || (i > 0 && l->in_n != net->layers[i - 1].out_n))
      return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
    if (l->rows == 0 || l->rows > TRAIN_STREAMED_ROWS)
      return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
    if (!l->weights || !l->value || !l->grad)
      return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  }
  if (net->l1_bytes < train_streamed_least_bytes(net))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  return net->input && net->l1 ? KERNEL_OK : KERNEL_REFUSE(KERNEL_BAD_POINTER);
}

// ---------------------------------------------------------------- tiles

static inline void run_tile(train_rows_fn *function, struct train_rows *g,
                            const struct train_stream_tile *t) {
  g->w = t->at;
  g->pairs = t->pairs;
  function(g);
}

// Tiles of a block, of so many pairs of columns.
static void run_block(train_rows_fn *function, struct train_rows *g, struct train_stream *stream,
                      uint32_t pairs, bool steps) {
  while (pairs > 0) {
    const struct train_stream_tile *t = train_stream_turn(stream, steps);
    pairs -= t->pairs;
    run_tile(function, g, t);
  }
}

static uint32_t pairs_of(const struct train_streamed_layer *l) {
  return train_streamed_vector(l->in_n) / 2;
}

// ---------------------------------------------------------------- forward

static uint32_t stepped_up(const struct train_streamed *net) {
  return net->step_input ? 1 : 0;
}

static void zero(float *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    values[i] = 0;
}

// A block of a layer, from its first tile to the activation.
static void block_up(const struct train_streamed *net, struct train_stream *stream,
                     const struct train_stream_block *b) {
  const struct train_streamed_layer *l = &net->layers[b->layer];
  float *value = l->value + HEAD + b->row;
  bool steps = b->layer < stepped_up(net);
  struct train_rows g = {.x = input_of(net, b->layer),
                         .step_x = steps ? net->step_input : input_of(net, b->layer),
                         .y = l->grad + b->row,
                         .sums = value};
  zero(value, b->rows);
  run_block((steps ? train_rows_step_up : train_rows_sum)[b->rows - 1], &g, stream, pairs_of(l),
            steps);
  for (uint32_t o = 0; l->relu && o < b->rows; o++)
    value[o] = value[o] < 0 ? 0 : value[o];
}

static void layer_up(const struct train_streamed *net, struct train_stream *stream,
                     uint32_t layer) {
  struct train_stream_block b;
  for (bool more = train_stream_first_block(stream, layer, &b); more;
       more = train_stream_next_block(&b))
    block_up(net, stream, &b);
  rt_barrier();
}

enum kernel_status train_streamed_fw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  struct train_stream stream;
  begin(net, &stream);
  train_stream_layers(&stream, (struct train_stream_way){.up = true, .to = net->count - 1});
  for (uint32_t layer = 0; layer < net->count; layer++)
    layer_up(net, &stream, layer);
  train_stream_end(&stream);
  return KERNEL_OK;
}

// ---------------------------------------------------------------- backward

// A group's part of the gradients of the layer's input is zero before its first rows.
static float *down_to(const struct train_streamed *net, const struct train_stream_block *b) {
  const struct train_streamed_layer *l = &net->layers[b->layer];
  float *down = down_of(net, b->layer, b->group);
  if (b->row == b->group * train_streamed_group_rows(l))
    rt_zero_words(down, train_streamed_vector(l->in_n));
  return down;
}

// A block: used downwards, and then stepped; that of the first layer stepped by `grad`, which
// finish_down() has made a step.
static void block_down(const struct train_streamed *net, struct train_stream *stream,
                       const struct train_stream_block *b) {
  const struct train_streamed_layer *l = &net->layers[b->layer];
  struct train_rows g = {.x = input_of(net, b->layer),
                         .step_x = input_of(net, b->layer),
                         .y = l->grad + b->row,
                         .rate = -net->rate};
  if (b->layer)
    g.down = down_to(net, b);
  run_block((b->layer ? train_rows_learn : train_rows_step)[b->rows - 1], &g, stream, pairs_of(l),
            true);
}

// Of the gradients of the layer below: none where it is not active. Those of the lowest layer are
// stored as steps of its weights, times -rate: it has no other use for them.
struct parts {
  const float *first; // of a column
  uint32_t count, step;
  const float *value; // of the layer below
  float *grad;
  float factor;
  bool relu;
};

static inline void end_sum(const struct parts *p, float sum, uint32_t column) {
  bool off = p->relu && !(p->value[column] > 0);
  p->grad[column] = off ? 0 : p->factor * sum;
}

static inline void add_four(const struct parts *p, uint32_t column) {
  const float *part = p->first + column;
  float sum0 = part[0], sum1 = part[1], sum2 = part[2], sum3 = part[3];
  for (uint32_t i = 1; i < p->count; i++) {
    part += p->step;
    sum0 += part[0];
    sum1 += part[1];
    sum2 += part[2];
    sum3 += part[3];
  }
  end_sum(p, sum0, column);
  end_sum(p, sum1, column + 1);
  end_sum(p, sum2, column + 2);
  end_sum(p, sum3, column + 3);
}

static inline void add_one(const struct parts *p, uint32_t column) {
  float sum = p->first[column];
  for (uint32_t i = 1; i < p->count; i++)
    sum += p->first[column + i * p->step];
  end_sum(p, sum, column);
}

// 8, or fewer for few rows: without a division.
static uint32_t groups_of(const struct train_streamed_layer *l) {
  uint32_t group_rows = train_streamed_group_rows(l), groups = GROUPS;
  while ((groups - 1) * group_rows >= l->out_n)
    groups--;
  return groups;
}

static void finish_down(const struct train_streamed *net, uint32_t layer) {
  const struct train_streamed_layer *l = &net->layers[layer], *below = l - 1;
  struct parts p = {.first = down_of(net, layer, 0) + HEAD,
                    .count = groups_of(l),
                    .step = train_streamed_vector(l->in_n),
                    .value = below->value + HEAD,
                    .grad = below->grad,
                    .factor = layer == 1 ? -net->rate : 1,
                    .relu = below->relu};
  uint32_t fours = l->in_n & ~3u;
  for (uint32_t c = 4 * rt_core_id(); c < fours; c += 4 * rt_core_count())
    add_four(&p, c);
  for (uint32_t c = fours + rt_core_id(); c < l->in_n; c += rt_core_count())
    add_one(&p, c);
}

// A single layer's gradients are the caller's: made steps, as finish_down() does.
static void scale_only_layer(const struct train_streamed *net) {
  const struct train_streamed_layer *l = net->layers;
  for (uint32_t o = rt_core_id(); net->count == 1 && o < l->out_n; o += rt_core_count())
    l->grad[o] = -net->rate * l->grad[o];
  rt_barrier();
}

// Behind the tiles of a layer on their way down.
static void end_layer(const struct train_streamed *net, uint32_t layer) {
  rt_barrier();
  if (layer == 0)
    return;
  finish_down(net, layer);
  rt_barrier();
}

static void layer_down(const struct train_streamed *net, struct train_stream *stream,
                       uint32_t layer) {
  struct train_stream_block b;
  for (bool more = train_stream_first_block(stream, layer, &b); more;
       more = train_stream_next_block(&b))
    block_down(net, stream, &b);
  end_layer(net, layer);
}

enum kernel_status train_streamed_bw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  struct train_stream stream;
  uint32_t first = stepped_up(net);
  begin(net, &stream);
  train_stream_layers(&stream, (struct train_stream_way){.from = net->count - 1, .to = first});
  scale_only_layer(net);
  for (uint32_t layer = net->count; layer-- > first;)
    layer_down(net, &stream, layer);
  train_stream_end(&stream);
  return KERNEL_OK;
}

enum kernel_status train_streamed_finish(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  const struct train_streamed_layer *l = net->layers;
  struct train_stream stream;
  begin(net, &stream);
  train_stream_layers(&stream, (struct train_stream_way){0});
  layer_down(net, &stream, 0);
  train_stream_end(&stream);
  for (uint32_t o = rt_core_id(); o < l->out_n; o += rt_core_count())
    l->grad[o] = 0;
  return KERNEL_OK;
}

// ---------------------------------------------------------------- both

// Of rows whose values are complete.
static void lose(const struct train_streamed *net, uint32_t row, uint32_t rows) {
  const struct train_streamed_layer *l = &net->layers[net->count - 1];
  float scale = 2 / (float)l->out_n;
  for (uint32_t o = row; o < row + rows; o++)
    l->grad[o] = scale * (l->value[HEAD + o] - net->target[o]);
}

// A block of the last layer: all tiles forward, then each of them downwards.
static void block_both_ways(const struct train_streamed *net, struct train_stream *stream,
                            const struct train_stream_block *b) {
  const struct train_streamed_layer *l = &net->layers[b->layer];
  struct train_rows g = {.x = input_of(net, b->layer),
                         .down = down_to(net, b),
                         .y = l->grad + b->row,
                         .sums = l->value + HEAD + b->row,
                         .rate = -net->rate};
  zero(g.sums, b->rows);
  const struct train_stream_tile *first = train_stream_turn(stream, true);
  run_tile(train_rows_sum[b->rows - 1], &g, first);
  for (uint32_t i = 1, left = pairs_of(l) - first->pairs; left > 0; i++) {
    const struct train_stream_tile *t = train_stream_ahead(stream, i);
    run_tile(train_rows_sum[b->rows - 1], &g, t);
    left -= t->pairs;
  }
  lose(net, b->row, b->rows);
  g.x = input_of(net, b->layer);
  run_tile(train_rows_learn[b->rows - 1], &g, first);
  run_block(train_rows_learn[b->rows - 1], &g, stream, pairs_of(l) - first->pairs, true);
}

// The last layer, both ways. A function of its own: its variables are not on the stack of the
// others.
__attribute__((noinline)) static void turn(const struct train_streamed *net,
                                           struct train_stream *stream, uint32_t layer) {
  struct train_stream_block b;
  for (bool more = train_stream_first_block(stream, layer, &b); more;
       more = train_stream_next_block(&b))
    block_both_ways(net, stream, &b);
  end_layer(net, layer);
}

// The last layer forward, then backward.
static void turn_apart(const struct train_streamed *net, struct train_stream *stream,
                       uint32_t layer) {
  layer_up(net, stream, layer);
  for (uint32_t o = rt_core_id(); o < net->layers[layer].out_n; o += rt_core_count())
    lose(net, o, 1);
  rt_barrier();
  scale_only_layer(net);
  layer_down(net, stream, layer);
}

enum kernel_status train_streamed_step(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  uint32_t last = net->count - 1, first = stepped_up(net);
  if (!net->target)
    return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  if (net->layers[last].relu)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  struct train_stream stream;
  begin(net, &stream);
  bool both = last > 0 && train_stream_whole_rows(&stream, last);
  uint32_t down = both ? last : last + 1; // layers below it come down
  train_stream_layers(
      &stream,
      (struct train_stream_way){
          .up = true, .to = last, .turns = down > first, .down_from = down - 1, .down_to = first});
  for (uint32_t layer = 0; layer < last; layer++)
    layer_up(net, &stream, layer);
  if (both)
    turn(net, &stream, last);
  else
    turn_apart(net, &stream, last);
  for (uint32_t layer = last; layer-- > first;)
    layer_down(net, &stream, layer);
  train_stream_end(&stream);
  return KERNEL_OK;
}
