// kernels/train/train_streamed.c: see train_streamed.h.
#include "train_streamed.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_gemv.h"
#include "kernels/train/train_rows.h"
#include "kernels/train/train_stream.h"

enum { GROUPS = TRAIN_STREAMED_GROUPS };

static const float *input_of(const struct train_streamed *net, uint32_t layer) {
  return layer == 0 ? net->input : net->layers[layer - 1].value;
}

// ---------------------------------------------------------------- L1

// In front of the tiles: each group's part of the gradients of a layer's input.
static uint32_t widest(const struct train_streamed *net) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < net->count; i++)
    most = net->layers[i].in_n > most ? net->layers[i].in_n : most;
  return most;
}

static uint32_t down_bytes(const struct train_streamed *net) {
  return GROUPS * 4 * widest(net);
}

uint32_t train_streamed_least_bytes(const struct train_streamed *net) {
  return down_bytes(net) + rt_core_count() * TRAIN_STREAM_LEAST_BYTES;
}

static float *down_of(const struct train_streamed *net, uint32_t layer, uint32_t group) {
  return (float *)net->l1 + group * net->layers[layer].in_n;
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
    if (!l->weights || !l->bias || !l->value || !l->grad)
      return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  }
  if (net->l1_bytes < train_streamed_least_bytes(net))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  return net->input && net->l1 ? KERNEL_OK : KERNEL_REFUSE(KERNEL_BAD_POINTER);
}

// ---------------------------------------------------------------- forward

// A tile of the layer: its sums.
static void sum(const struct train_streamed *net, uint32_t layer,
                const struct train_stream_tile *t) {
  const struct mmt_tile sums = {.a = {t->at, t->columns * 4, 0},
                                .b = {input_of(net, layer) + t->column, 0, 0},
                                .c = net->layers[layer].value + t->row,
                                .c_step = 4,
                                .k = t->columns,
                                .blocks = 1,
                                .add = 1,
                                .runs = 1};
  mmt_column_tiles_s_nt[t->rows - 1](&sums);
}

// In two parts, if there is something to do halfway.
static void in_halves(train_rows_fn *const *functions, struct train_rows *g,
                      const struct train_stream_tile *t, struct train_stream *stream) {
  uint32_t half = stream->storing ? t->columns / 2 : 0;
  g->w = t->at;
  g->w_step = t->columns * 4;
  g->columns = half;
  if (half)
    functions[t->rows - 1](g);
  train_stream_halfway(stream);
  g->columns = t->columns - half;
  g->w += half;
  g->x += half;
  g->other += half;
  functions[t->rows - 1](g);
}

// The first layer's weights stepped, then its sums.
static void step_and_sum(const struct train_streamed *net, const struct train_stream_tile *t,
                         struct train_stream *stream) {
  struct train_rows up = {.y = net->layers[0].grad + t->row,
                          .x = net->input + t->column,
                          .step_x = net->step_input + t->column,
                          .sums = net->layers[0].value + t->row};
  in_halves(train_rows_step_up, &up, t, stream);
}

static void forward(const struct train_streamed *net, uint32_t layer,
                    const struct train_stream_tile *t, struct train_stream *stream) {
  if (layer == 0 && net->step_input) {
    step_and_sum(net, t, stream);
  } else {
    train_stream_halfway(stream);
    sum(net, layer, t);
  }
}

// Rows of a layer, from the bias to the activation, tile by tile.
static void run_up(const struct train_streamed *net, struct train_stream *stream,
                   const struct train_stream_run *run) {
  const struct train_streamed_layer *l = &net->layers[run->layer];
  for (uint32_t o = run->row; o < run->row + run->rows; o++)
    l->value[o] = l->bias[o];
  struct train_stream_tile t = train_stream_no_tile(stream, run);
  while (train_stream_next(stream, run, &t))
    forward(net, run->layer, &t, stream);
  for (uint32_t o = run->row; l->relu && o < run->row + run->rows; o++)
    l->value[o] = l->value[o] < 0 ? 0 : l->value[o];
}

static void layer_up(const struct train_streamed *net, struct train_stream *stream,
                     uint32_t layer) {
  struct train_stream_run run;
  for (bool more = train_stream_first_run(stream, layer, &run); more;
       more = train_stream_next_run(stream, &run))
    run_up(net, stream, &run);
  rt_barrier();
}

static uint32_t stepped_up(const struct train_streamed *net) {
  return net->step_input ? 1 : 0;
}

enum kernel_status train_streamed_fw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  struct train_stream stream;
  begin(net, &stream);
  train_stream_layers(&stream, true, 0, net->count - 1,
                      (struct train_stream_stored){stepped_up(net), net->count});
  for (uint32_t layer = 0; layer < net->count; layer++)
    layer_up(net, &stream, layer);
  train_stream_end(&stream);
  return KERNEL_OK;
}

// ---------------------------------------------------------------- backward

static void learn_bias(const struct train_streamed *net, uint32_t layer) {
  const struct train_streamed_layer *l = &net->layers[layer];
  float rate = layer ? -net->rate : 1; // finish_down()
  for (uint32_t o = rt_core_id(); o < l->out_n; o += rt_core_count())
    l->bias[o] = __builtin_fmaf(rate, l->grad[o], l->bias[o]);
}

// A tile of the layer: used downwards, and then stepped.
static void learn(const struct train_streamed *net, const struct train_stream_run *run,
                  const struct train_stream_tile *t, struct train_stream *stream) {
  struct train_rows down = {.y = net->layers[run->layer].grad + t->row,
                            .x = input_of(net, run->layer) + t->column,
                            .down = down_of(net, run->layer, run->group) + t->column,
                            .rate = -net->rate};
  in_halves(train_rows_learn, &down, t, stream);
}

// The first layer's weights, stepped by `grad` alone: made a step by finish_down().
static void step(const struct train_streamed *net, const struct train_stream_tile *t,
                 struct train_stream *stream) {
  struct train_gemv g = {
      .y = net->layers[0].grad + t->row, .w_step = t->columns * 4, .rows = t->rows};
  for (uint32_t c = 0, width; c < t->columns; c += train_gemv_width(width)) {
    width = 0;
    while (train_gemv_width(width) > t->columns - c)
      width++;
    g.w = t->at + c;
    g.x = (float *)(uintptr_t)net->input + t->column + c;
    train_gemv_outer_add[width](&g);
    train_stream_halfway(stream);
  }
}

// A group's part of the gradients of the layer's input is zero before its first rows.
static void clear_down(const struct train_streamed *net, const struct train_stream_run *run) {
  const struct train_streamed_layer *l = &net->layers[run->layer];
  if (run->row == run->group * train_stream_group_rows(l))
    rt_zero_words(down_of(net, run->layer, run->group), l->in_n);
}

static void run_down(const struct train_streamed *net, struct train_stream *stream,
                     const struct train_stream_run *run) {
  struct train_stream_tile t = train_stream_no_tile(stream, run);
  if (run->layer)
    clear_down(net, run);
  while (train_stream_next(stream, run, &t)) {
    if (run->layer)
      learn(net, run, &t, stream);
    else
      step(net, &t, stream);
  }
}

// The gradients of the layer below, `width` of them from the groups' parts: none where it is not
// active. Those of the lowest layer are stored as steps of its weights, times -rate: it has no
// other use for them.
static inline void add_parts(const struct train_streamed *net, uint32_t layer, uint32_t column,
                             uint32_t width) {
  const struct train_streamed_layer *l = &net->layers[layer], *below = l - 1;
  float sum[4], factor = layer == 1 ? -net->rate : 1;
  const float *part = down_of(net, layer, 0) + column;
  for (uint32_t c = 0; c < width; c++)
    sum[c] = part[c];
  for (uint32_t g = (l->out_n - 1) / train_stream_group_rows(l); g > 0; g--) {
    part += l->in_n;
    for (uint32_t c = 0; c < width; c++)
      sum[c] += part[c];
  }
  for (uint32_t c = 0; c < width; c++) {
    bool off = below->relu && !(below->value[column + c] > 0);
    below->grad[column + c] = off ? 0 : factor * sum[c];
  }
}

static void finish_down(const struct train_streamed *net, uint32_t layer) {
  uint32_t columns = net->layers[layer].in_n, fours = columns & ~3u;
  for (uint32_t c = 4 * rt_core_id(); c < fours; c += 4 * rt_core_count())
    add_parts(net, layer, c, 4);
  for (uint32_t c = fours + rt_core_id(); c < columns; c += rt_core_count())
    add_parts(net, layer, c, 1);
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
  learn_bias(net, layer);
  finish_down(net, layer);
  rt_barrier();
}

static void layer_down(const struct train_streamed *net, struct train_stream *stream,
                       uint32_t layer) {
  struct train_stream_run run;
  for (bool more = train_stream_first_run(stream, layer, &run); more;
       more = train_stream_next_run(stream, &run))
    run_down(net, stream, &run);
}

// The layers from `last` down to the lowest whose weights are stepped here, if there are any.
static void begin_down(const struct train_streamed *net, struct train_stream *stream,
                       uint32_t last) {
  uint32_t first = stepped_up(net);
  if (last >= first)
    train_stream_layers(stream, false, first, last, (struct train_stream_stored){net->count, 0});
}

static void pass_down(const struct train_streamed *net, struct train_stream *stream,
                      uint32_t last) {
  uint32_t first = stepped_up(net);
  for (uint32_t layer = last + 1; layer-- > first;) {
    layer_down(net, stream, layer);
    end_layer(net, layer);
  }
  if (last >= first)
    train_stream_end(stream);
  learn_bias(net, 0);
}

enum kernel_status train_streamed_bw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  struct train_stream stream;
  begin(net, &stream);
  begin_down(net, &stream, net->count - 1);
  scale_only_layer(net);
  pass_down(net, &stream, net->count - 1);
  return KERNEL_OK;
}

enum kernel_status train_streamed_finish(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  const struct train_streamed_layer *l = net->layers;
  struct train_stream stream;
  begin(net, &stream);
  train_stream_layers(&stream, false, 0, 0, (struct train_stream_stored){1, 1});
  layer_down(net, &stream, 0);
  train_stream_end(&stream);
  rt_barrier();
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
    l->grad[o] = scale * (l->value[o] - net->target[o]);
}

static void run_both_ways(const struct train_streamed *net, struct train_stream *stream,
                          const struct train_stream_run *run) {
  const struct train_streamed_layer *l = &net->layers[run->layer];
  struct train_stream_tile t = train_stream_no_tile(stream, run);
  clear_down(net, run);
  while (train_stream_next(stream, run, &t)) {
    for (uint32_t o = t.row; o < t.row + t.rows; o++)
      l->value[o] = l->bias[o];
    forward(net, run->layer, &t, stream);
    lose(net, t.row, t.rows);
    learn(net, run, &t, stream);
  }
}

// The last layer, both ways, then those below; the tiles have whole rows.
static void turn(const struct train_streamed *net, struct train_stream *stream) {
  uint32_t layer = net->count - 1;
  struct train_stream_run run;
  for (bool more = train_stream_first_run(stream, layer, &run); more;
       more = train_stream_next_run(stream, &run))
    run_both_ways(net, stream, &run);
  train_stream_end(stream);
  begin_down(net, stream, layer - 1);
  end_layer(net, layer);
  pass_down(net, stream, layer - 1);
}

// The last layer forward, then all of them backward.
static void turn_apart(const struct train_streamed *net, struct train_stream *stream) {
  uint32_t layer = net->count - 1;
  layer_up(net, stream, layer);
  train_stream_end(stream);
  begin_down(net, stream, layer);
  for (uint32_t o = rt_core_id(); o < net->layers[layer].out_n; o += rt_core_count())
    lose(net, o, 1);
  rt_barrier();
  scale_only_layer(net);
  pass_down(net, stream, layer);
}

enum kernel_status train_streamed_step(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  uint32_t last = net->count - 1;
  if (!net->target)
    return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  if (net->layers[last].relu)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  struct train_stream stream;
  begin(net, &stream);
  bool both = last > 0 && train_stream_whole_rows(&stream, last);
  train_stream_layers(&stream, true, 0, last,
                      (struct train_stream_stored){stepped_up(net), last + !both});
  for (uint32_t layer = 0; layer < last; layer++)
    layer_up(net, &stream, layer);
  if (both)
    turn(net, &stream);
  else
    turn_apart(net, &stream);
  return KERNEL_OK;
}
