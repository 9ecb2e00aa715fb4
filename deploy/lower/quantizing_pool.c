// deploy/lower/quantizing_pool.c: pools over codes, and means of whole pictures.
#include <math.h>
#include <string.h>

#include "deploy/lower/quantizing.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

struct mean {
  struct quantum in, to;
  int64_t pixels;
};

static float mean_factor(const struct mean *m) {
  return m->in.scale / (m->to.scale * (float)m->pixels);
}

static int64_t mean_code(const void *data, int64_t sum) {
  const struct mean *m = data;
  return quant_code(sum - m->in.zero * m->pixels, mean_factor(m), m->to.zero, m->to.type);
}

// All pixels of a picture; Reduce... also of one whose channels stand last.
static bool whole_picture(const struct quantizing *q, const struct graph_node *node) {
  const struct graph_attr *axes = graph_attr(node, "axes");
  const struct array *list = graph_const(q->graph, node, 1);
  const struct coded *from = quantizing_in(q, node, 0);
  const struct array *shape = quantizing_shape(q, node->inputs[0]);
  bool first = quantizing_picture(q, node->inputs[0]);
  if (!graph_is(node, "ReduceMean") && !graph_is(node, "ReduceMax"))
    return first &&
           (strncmp(node->op, "Global", 6) == 0 || strncmp(node->op, "QLinearGlobal", 13) == 0);
  bool last = order_is_last(&q->net->tensors[from->tensor], from->order, shape);
  int64_t begin = first ? 2 : 1, rank = shape->rank;
  size_t count = list ? array_count(list) : axes && axes->kind == GRAPH_INTS ? axes->count : 0;
  bool good = (first || last) && rank > 2 && count == (size_t)rank - 2;
  for (size_t i = 0; good && i < count; i++) {
    int64_t axis = list ? array_get_int(list, i) : axes->ints[i];
    axis += axis < 0 ? rank : 0;
    good = axis >= begin && axis < begin + rank - 2;
  }
  return good;
}

static bool pool_window(struct quantizing *q, const struct graph_node *node,
                        const struct coded *from, struct net_layer *window, uint32_t *h,
                        uint32_t *w) {
  const struct net_tensor in = q->net->tensors[from->tensor];
  bool whole = whole_picture(q, node);
  bool local = graph_is(node, "AveragePool") || graph_is(node, "MaxPool");
  *window = (struct net_layer){.kernel_h = (uint8_t)in.h, .kernel_w = (uint8_t)in.w};
  window->stride_h = window->stride_w = window->dilation_h = window->dilation_w = 1;
  *h = *w = 1;
  if (in.bits != 8 || (local ? !quantizing_picture(q, node->inputs[0]) : !whole) ||
      (whole && (in.h > 255 || in.w > 255)))
    return graph_fail(q->error, node,
                      "of pictures, channels first, over height and width up to "
                      "255 x 255, is supported");
  if (node->output_count > 1 && node->outputs[1] != GRAPH_NONE)
    return graph_fail(q->error, node, "indices as a second output are not supported");
  if (local && !window_read(node, from->pad, &in, (uint32_t[2]){0, 0}, window, h, w, q->error))
    return false;
  if (window->dilation_h != 1 || window->dilation_w != 1)
    return graph_fail(q->error, node, "attribute dilations: 1 is supported");
  return true;
}

// What stands outside does not count: the mean of the codes inside, of equal scales.
static bool divide(struct quantizing *q, const struct graph_node *node, const struct quantum *in,
                   const struct quantum *to, struct net_requant *rq) {
  if (in->zero != to->zero || in->type != to->type || in->scale < to->scale ||
      in->scale > to->scale)
    return graph_fail(q->error, node,
                      "attribute count_include_pad: 0 with padding is supported where input and "
                      "output have one scale and zero point, 1 with any");
  rq->kind = NET_DIVIDE, rq->round = true;
  return true;
}

// All pixels count, those outside with the code of 0.
static bool average(struct quantizing *q, const struct graph_node *node, struct net_layer *l,
                    const struct quantum *in, const struct quantum *to) {
  bool padded = l->pad_top | l->pad_bottom | l->pad_left | l->pad_right;
  struct mean mean = {*in, *to, (int64_t)l->kernel_h * l->kernel_w};
  const struct coded *from = quantizing_in(q, node, 0);
  bool nodes = from->pad[0] | from->pad[1] | from->pad[2] | from->pad[3];
  if (padded && !nodes && !graph_int(node, "count_include_pad", 0))
    return divide(q, node, in, to, &l->requant);
  if (padded && graph_int(node, "ceil_mode", 0))
    return graph_fail(q->error, node,
                      "attribute ceil_mode: 0 with count_include_pad 1 is supported");
  if (padded && in->zero) { // a pool's outside is the code 0
    uint32_t channels = q->net->tensors[from->tensor].c;
    l->kind = NET_DEPTHWISE, l->pad_value = (int32_t)in->zero;
    l->weight_count = (size_t)mean.pixels * channels;
    l->weights = memory_new(l->weight_count, 1);
    memset(l->weights, 1, l->weight_count);
  }
  struct fit fit;
  int64_t least = quantum_least(in);
  fit_begin(&fit, 1, l->requant.low, l->requant.high, to->type == ARRAY_I8);
  fit_function(&fit, 0, least * mean.pixels, (least + 255) * mean.pixels,
               (double)mean_factor(&mean), mean_code, &mean);
  fit_requant(&fit, &l->requant);
  fit_end(&fit);
  return true;
}

// A layer with weights has a lambda for each channel.
static void repeat_lambda(struct net_requant *rq, uint32_t channels) {
  rq->lambda = rq->lambda ? memory_grow(rq->lambda, channels, sizeof *rq->lambda) : NULL;
  for (uint32_t c = 1; rq->lambda && c < channels; c++)
    rq->lambda[c] = rq->lambda[0];
}

bool quantizing_pool(struct quantizing *q, const struct graph_node *node, int out,
                     const struct quantum *to, const struct span *span) {
  const struct coded from = *quantizing_in(q, node, 0);
  const struct net_tensor in = q->net->tensors[from.tensor];
  struct quantum own = quantizing_of(q, &from);
  bool most = strstr(node->op, "Max") != NULL;
  struct net_layer window;
  uint32_t h, w;
  if (!pool_window(q, node, &from, &window, &h, &w))
    return false;
  struct net_layer l =
      quantizing_layer(node->name, most ? NET_MAXPOOL : NET_AVGPOOL, &from.tensor, 1);
  memcpy(&l.kernel_h, &window.kernel_h, 10); // kernel, stride, dilation, pads
  l.requant.kind = NET_COPY;
  quantizing_codes(to, span, &l.requant.low, &l.requant.high);
  if (!most && !average(q, node, &l, &own, to)) {
    quantizing_drop(&l);
    return false;
  }
  if (l.kind == NET_DEPTHWISE)
    repeat_lambda(&l.requant, in.c);
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, h, w, in.c), order_first);
  return true;
}
