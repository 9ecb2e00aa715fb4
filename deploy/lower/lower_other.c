// deploy/lower/lower_other.c: pools, additions of branches, padding, functions by table.
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/lowering.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"

// -------------------------------------------------------------------- pools

static bool check_pool(struct lowering *low, const struct graph_node *node,
                       const struct stream *from, const struct net_layer *l) {
  bool average = strstr(node->op, "Average") != NULL;
  bool padded = l->pad_top | l->pad_bottom | l->pad_left | l->pad_right;
  if (node->output_count > 1 && node->outputs[1] != GRAPH_NONE)
    return graph_fail(low->error, node, "indices as a second output are not supported");
  if (l->dilation_h != 1 || l->dilation_w != 1)
    return graph_fail(low->error, node, "dilations of 1 are supported");
  if (!average && (from->pad[0] | from->pad[1] | from->pad[2] | from->pad[3]))
    return graph_fail(low->error, node, "zeros by a Pad node in front are not supported; pads are");
  if (average && padded && !graph_int(node, "count_include_pad", 0) &&
      !(from->pad[0] | from->pad[1] | from->pad[2] | from->pad[3]))
    return graph_fail(low->error, node, "count_include_pad 0 with padding is not supported");
  return true;
}

static bool finish_maximum(struct lowering *low, const struct graph_node *node, struct open *open,
                           const struct net_tensor *in) {
  struct net_requant *rq = &open->layer.requant;
  open->out.bits = in->bits, open->out.is_signed = in->is_signed;
  rq->kind = NET_COPY;
  rq->low = in->is_signed ? -(1 << (in->bits - 1)) : 0;
  rq->high = rq->low + (1 << in->bits) - 1;
  open->out.name = low->graph->values[node->outputs[0]].name;
  open->layer.output = net_add_tensor(low->net, &open->out);
  net_add_layer(low->net, &open->layer);
  int rank = lower_stream(low, node->outputs[0])->rank;
  *lower_stream(low, node->outputs[0]) =
      (struct stream){.tensor = open->layer.output, .rank = rank};
  free(open->kappa);
  free(open->lambda);
  return true;
}

bool lower_pool(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = lower_stream(low, node->inputs[0]);
  const struct net_tensor in = low->net->tensors[from->tensor];
  bool global = strncmp(node->op, "Global", 6) == 0, average = strstr(node->op, "Average") != NULL;
  uint32_t kernel[2] = {global ? in.h : 0, global ? in.w : 0}, h, w;
  struct net_layer window = {.groups = 1};
  if (global && (in.h > 255 || in.w > 255))
    return graph_fail(low->error, node, "pictures of up to 255 x 255 are supported");
  if (in.bits == 32)
    return graph_fail(low->error, node, "it reads 32-bit sums; codes of 8, 4, 2 bits are pooled");
  if (!window_read(node, from->pad, &in, kernel, &window, &h, &w, low->error) ||
      !check_pool(low, node, from, &window))
    return false;
  struct open open;
  lower_open(&open, node->name, average ? NET_AVGPOOL : NET_MAXPOOL, from->tensor, h, w, in.c);
  lower_set_window(&open.layer, &window);
  lower_stream(low, node->outputs[0])->rank = from->rank;
  if (!average)
    return finish_maximum(low, node, &open, &in);
  open.divisor = (int64_t)window.kernel_h * window.kernel_w;
  return lower_finish(low, node, &open);
}

// -------------------------------------------------------------------- padding

bool lower_pad(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = lower_stream(low, node->inputs[0]);
  struct stream *to = lower_stream(low, node->outputs[0]);
  *to = *from;
  return window_padding(low->graph, node, from->rank, false, 0, to->pad, low->error);
}

// -------------------------------------------------------------------- additions

static bool in_32(int64_t x) {
  return x >= INT32_MIN && x <= INT32_MAX;
}

// Quantlab's attributes in1_mul, in2_add, out_shift, ...: absent ones change nothing.
static int64_t quantlab(const struct graph_node *node, const char *which, const char *what,
                        int64_t otherwise) {
  char name[32];
  snprintf(name, sizeof name, "%s_rq", which);
  if (!graph_int(node, name, graph_attr(node, "in1_mul") != NULL))
    return otherwise;
  snprintf(name, sizeof name, "%s_%s", which, what);
  return graph_int(node, name, otherwise);
}

static bool scale_input(struct lowering *low, const struct graph_node *node, uint32_t i,
                        struct net_scaled *scaled) {
  const struct stream *from = lower_stream(low, node->inputs[i]);
  const char *which = i ? "in2" : "in1";
  *scaled = from->scaled ? from->scale : (struct net_scaled){.mul = 1};
  int64_t mul = quantlab(node, which, "mul", 1) * scaled->mul;
  int64_t add = quantlab(node, which, "add", 0), shift = quantlab(node, which, "shift", 0);
  if (!in_32(mul) || !in_32(add) || shift < 0 || shift > 31)
    return graph_fail(low->error, node,
                      "%s_mul and %s_add of 32 bits, %s_shift of 0 to 31 are "
                      "supported",
                      which, which, which);
  scaled->mul = (int32_t)mul, scaled->add += (int32_t)add, scaled->shift = (uint8_t)shift;
  return true;
}

static bool scale_output(struct lowering *low, const struct graph_node *node, struct open *open) {
  int64_t mul = quantlab(node, "out", "mul", 1), add = quantlab(node, "out", "add", 0);
  int64_t shift = quantlab(node, "out", "shift", 0), levels = graph_int(node, "out_n_levels", 0);
  if (!in_32(mul) || !in_32(add) || shift < 0 || shift > 62)
    return graph_fail(low->error, node,
                      "out_mul and out_add of 32 bits, out_shift of 0 to 62 are "
                      "supported");
  for (uint32_t c = 0; c < open->out.c; c++)
    open->kappa[c] = mul, open->lambda[c] = add;
  open->shift = (uint8_t)shift;
  open->floored = shift > 0;
  if (levels) {
    open->clipped = true;
    open->low = 0, open->high = levels - 1;
  }
  return true;
}

bool lower_add(struct lowering *low, const struct graph_node *node) {
  if (lower_absorbs(low, node))
    return lower_table(low, node);
  if (node->input_count != 2)
    return graph_fail(low->error, node, "additions of two inputs are supported");
  const struct stream *a = lower_stream(low, node->inputs[0]);
  const struct stream *b = lower_stream(low, node->inputs[1]);
  const struct net_tensor x = low->net->tensors[a->tensor], y = low->net->tensors[b->tensor];
  if (x.h != y.h || x.w != y.w || x.c != y.c)
    return graph_fail(low->error, node, "shapes that differ: %u x %u x %u and %u x %u x %u", x.c,
                      x.h, x.w, y.c, y.h, y.w);
  if (x.bits == 32 || y.bits == 32)
    return graph_fail(low->error, node, "of 32-bit sums; codes of 8, 4 and 2 bits are added");
  struct open open;
  lower_open(&open, node->name, NET_ADD, a->tensor, x.h, x.w, x.c);
  graph_list(&open.layer.inputs, &open.layer.input_count, b->tensor);
  open.layer.scaled = memory_new(2, sizeof *open.layer.scaled);
  lower_stream(low, node->outputs[0])->rank = a->rank;
  if (scale_input(low, node, 0, &open.layer.scaled[0]) &&
      scale_input(low, node, 1, &open.layer.scaled[1]) && scale_output(low, node, &open))
    return lower_finish(low, node, &open);
  lower_discard(&open);
  return false;
}

// -------------------------------------------------------------------- element by element

// A factor in front of an addition of branches is part of that.
static bool scale_branch(struct lowering *low, const struct graph_node *node, int from) {
  int next = graph_consumer(low->graph, node->outputs[0]);
  const struct graph_node *add = next == GRAPH_NONE ? NULL : &low->graph->nodes[next];
  size_t count;
  if (!graph_is(node, "Mul") || !add || !graph_is(add, "Add") || lower_absorbs(low, add))
    return false;
  int64_t *by = lower_integers(low, node, graph_const(low->graph, node, 1) ? 1 : 0, &count);
  struct stream *to = lower_stream(low, node->outputs[0]);
  *to = *lower_stream(low, from);
  bool ok = by && count == 1 && in_32(by[0]) && !to->scaled;
  if (ok) {
    to->scaled = true;
    to->scale = (struct net_scaled){.mul = (int32_t)by[0]};
  }
  free(by);
  return ok;
}

bool lower_table(struct lowering *low, const struct graph_node *node) {
  uint32_t input = node->input_count > 1 && graph_const(low->graph, node, 0) ? 1 : 0;
  if (!lower_absorbs(low, node))
    return graph_fail(low->error, node, "one of its inputs must be constant");
  int from = node->inputs[input];
  const struct net_tensor *t = &low->net->tensors[lower_stream(low, from)->tensor];
  bool taken = false;
  if (graph_is(node, "Cast") || graph_is(node, "Floor")) {
    *lower_stream(low, node->outputs[0]) = *lower_stream(low, from); // of whole numbers: nothing
    return true;
  }
  if (scale_branch(low, node, from))
    return true;
  if (t->bits == 32)
    return graph_fail(low->error, node,
                      "of 32-bit sums that several nodes read, or that have been "
                      "clipped already; not supported");
  struct open open;
  lower_open(&open, node->name, NET_TABLE, lower_stream(low, from)->tensor, t->h, t->w, t->c);
  lower_stream(low, node->outputs[0])->rank = lower_stream(low, from)->rank;
  if (lower_absorb(low, node, &open, &taken))
    return lower_finish(low, node, &open);
  lower_discard(&open);
  return false;
}
