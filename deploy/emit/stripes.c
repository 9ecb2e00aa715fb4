#include "stripes.h"

#include <stdlib.h>

#include "deploy/memory.h"

enum { WORD = 8 }; // in which the DMA writes (tiles.c)

// Rows of an input, and what windows have outside.
struct rows {
  uint32_t at, count, top, bottom;
};

static bool has_windows(enum net_kind kind) {
  return kind == NET_CONV || kind == NET_DEPTHWISE || kind == NET_MAXPOOL || kind == NET_AVGPOOL;
}

static struct rows under_windows(const struct net_layer *l, uint32_t in_h, uint32_t row,
                                 uint32_t rows) {
  int64_t reach = (l->kernel_h - 1) * l->dilation_h + 1,
          first = (int64_t)row * l->stride_h - l->pad_top,
          end = first + (int64_t)(rows - 1) * l->stride_h + reach;
  int64_t at = first < 0 ? 0 : first, last = end < in_h ? end : in_h;
  return (struct rows){(uint32_t)at, last > at ? (uint32_t)(last - at) : 0, (uint32_t)(at - first),
                       (uint32_t)(end - last)};
}

// What `rows` rows of the output from `row` on need of an input.
static struct rows needed(const struct net *net, const struct net_layer *l, uint32_t input,
                          uint32_t row, uint32_t rows) {
  const struct net_tensor *in = net_input(net, l, input), *out = net_output(net, l);
  if (has_windows(l->kind))
    return under_windows(l, in->h, row, rows);
  if (l->kind == NET_RESIZE)
    return (struct rows){row / l->stride_h, (row + rows - 1) / l->stride_h + 1 - row / l->stride_h,
                         0, 0};
  if (l->kind == NET_LINEAR || in->h != out->h)
    return (struct rows){0, in->h, 0, 0};
  return (struct rows){row, rows, 0, 0};
}

uint32_t stripes_row_bytes(const struct net_tensor *t) {
  return t->h ? (uint32_t)(net_tensor_bytes(t) / t->h) : 0;
}

// ---------------------------------------------------------------------------- how many rows

// Bytes of what comes and goes with so many rows.
static uint64_t stripe_bytes(const struct net *net, const struct net_layer *l, const bool *far,
                             uint32_t rows) {
  const struct net_tensor *out = net_output(net, l);
  uint64_t bytes = far[l->output] ? (uint64_t)rows * stripes_row_bytes(out) : 0;
  uint32_t row = rows < out->h ? 1 : 0; // in the middle
  for (uint32_t k = 0; k < l->input_count; k++) {
    const struct net_tensor *in = net_input(net, l, k);
    struct rows r = needed(net, l, k, row * l->stride_h, rows);
    bytes += far[l->inputs[k]] ? (uint64_t)r.count * stripes_row_bytes(in) : 0;
  }
  return bytes;
}

uint64_t stripes_least(const struct net *net, uint32_t layer) {
  const struct net_layer *l = &net->layers[layer];
  bool middle = l->kind != NET_RESIZE && net_output(net, l)->h > 1;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < l->input_count; k++) {
    uint32_t same = 0;
    while (l->inputs[same] != l->inputs[k])
      same++;
    struct rows r = needed(net, l, k, middle, 1);
    bytes += same < k ? 0 : (uint64_t)r.count * stripes_row_bytes(net_input(net, l, k));
  }
  return bytes;
}

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

// What the rows must be a multiple of: resized ones as they repeat, and stripes of an output in L2
// begin with a word.
static uint32_t granule(const struct net *net, const struct net_layer *l, const bool *far) {
  uint32_t bytes = stripes_row_bytes(net_output(net, l)), rows = 1;
  while (!far[l->output] && rows < WORD && rows * bytes % WORD)
    rows *= 2;
  return l->kind == NET_RESIZE ? rows * l->stride_h : rows;
}

uint32_t stripes_rows(const struct net *net, uint32_t layer, const bool *far, uint32_t bytes) {
  const struct net_layer *l = &net->layers[layer];
  uint32_t h = net_output(net, l)->h, each = granule(net, l, far), rows = each;
  while (rows < h && stripe_bytes(net, l, far, rows + each) <= bytes)
    rows += each;
  if (rows >= h)
    return h;
  uint32_t alike = parts(parts(h, parts(h, rows)), each) * each;
  return alike < rows ? alike : rows;
}

// ---------------------------------------------------------------------------- the network

struct making {
  const struct net *net;
  const bool *far;
  struct stripes *s;
};

static int add_tensor(struct making *m, int of, enum stripes_role role, uint32_t row,
                      uint32_t rows) {
  struct net_tensor t = m->net->tensors[of];
  t.h = rows;
  int number = net_add_tensor(m->s->net, &t);
  m->s->tensors = memory_grow(m->s->tensors, m->s->net->tensor_count, sizeof *m->s->tensors);
  m->s->tensors[number] = (struct stripes_tensor){role, of, row};
  return number;
}

static void add_layer(struct making *m, struct net_layer *l, struct stripes_layer which) {
  int number = net_add_layer(m->s->net, l);
  m->s->layers = memory_grow(m->s->layers, m->s->net->layer_count, sizeof *m->s->layers);
  m->s->layers[number] = which;
}

static int add_input(struct making *m, const struct net_layer *from, uint32_t k, uint32_t row,
                     uint32_t rows) {
  int of = from->inputs[k];
  struct rows r = needed(m->net, from, k, row, rows);
  if (!m->far[of] && r.count == m->net->tensors[of].h)
    return of;
  return add_tensor(m, of, m->far[of] ? STRIPES_COME : STRIPES_ROWS, r.at, r.count);
}

static void add_stripe(struct making *m, struct stripes_layer which, uint32_t rows) {
  const struct net_layer *from = &m->net->layers[which.of];
  uint32_t row = which.row;
  struct net_layer l = net_copy_layer(m->net, from);
  for (uint32_t k = 0; k < l.input_count; k++) {
    uint32_t same = 0;
    while (from->inputs[same] != from->inputs[k])
      same++;
    l.inputs[k] = same < k ? l.inputs[same] : add_input(m, from, k, row, rows);
  }
  if (has_windows(l.kind)) {
    struct rows r = needed(m->net, from, 0, row, rows);
    l.pad_top = (uint8_t)r.top, l.pad_bottom = (uint8_t)r.bottom;
  }
  bool far = m->far[l.output];
  if (which.cut || far)
    l.output = add_tensor(m, l.output, far ? STRIPES_GO : STRIPES_ROWS, row, rows);
  add_layer(m, &l, which);
}

static bool touches(const struct net_layer *l, const bool *far) {
  bool any = far[l->output];
  for (uint32_t k = 0; k < l->input_count; k++)
    any |= far[l->inputs[k]];
  return any;
}

static int *numbers(const int *from, uint32_t count) {
  return memory_copy(from, count, sizeof *from);
}

// ---------------------------------------------------------------------------- all

static void add_tensors(struct making *m) {
  const struct net *net = m->net;
  struct net *copy = m->s->net;
  m->s->tensors = memory_new(net->tensor_count, sizeof *m->s->tensors);
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    net_add_tensor(copy, &net->tensors[i]);
    m->s->tensors[i] = (struct stripes_tensor){m->far[i] ? STRIPES_FAR : STRIPES_WHOLE, (int)i, 0};
  }
  copy->inputs = numbers(net->inputs, net->input_count);
  copy->outputs = numbers(net->outputs, net->output_count);
  copy->input_count = net->input_count, copy->output_count = net->output_count;
}

struct stripes stripes_new(const struct net *net, const struct stripes_wish *wish) {
  const bool *far = wish->far;
  struct stripes s = {.net = net_new(net->name)};
  struct making m = {net, far, &s};
  add_tensors(&m);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    uint32_t h = net_output(net, l)->h, rows = h;
    if (touches(l, far))
      rows = stripes_rows(net, i, far, wish->bytes[i]);
    for (uint32_t row = 0; row < h; row += rows)
      add_stripe(&m, (struct stripes_layer){i, row, rows < h, wish->alone[i]},
                 h - row < rows ? h - row : rows);
  }
  return s;
}

void stripes_free(struct stripes *s) {
  net_free(s->net);
  free(s->tensors);
  free(s->layers);
}
