// deploy/lower/window.c: see window.h.
#include "deploy/lower/window.h"

#include <math.h>
#include <string.h>

// Element `axis` (0: height, 1: width) of a list of one or two (pads: two or four) numbers.
static int64_t element(const struct graph_node *node, const char *name, uint32_t axis,
                       uint32_t half, int64_t otherwise) {
  const struct graph_attr *a = graph_attr(node, name);
  uint32_t halves = strcmp(name, "pads") == 0 ? 2 : 1;
  if (!a || a->kind != GRAPH_INTS)
    return otherwise;
  if (a->count == halves) // one dimension: the width
    return axis ? a->ints[half] : otherwise;
  return a->count == 2 * halves ? a->ints[2 * half + axis] : -1;
}

static bool in_bytes(int64_t x, int64_t least) {
  return x >= least && x <= 255;
}

struct axis {
  int64_t kernel, stride, dilation, before, after, out;
};

static bool read_axis(const struct graph_node *node, uint32_t i, int64_t size,
                      const uint32_t pad[4], uint32_t kernel, struct axis *a,
                      struct net_error *error) {
  const char *mode = graph_text(node, "auto_pad", "NOTSET");
  static const char *const names[] = {"height", "width"};
  a->kernel = element(node, "kernel_shape", i, 0, kernel ? kernel : 1);
  a->stride = element(node, "strides", i, 0, 1);
  a->dilation = element(node, "dilations", i, 0, 1);
  if (kernel ? a->kernel != kernel : !graph_attr(node, "kernel_shape"))
    return graph_fail(error, node,
                      kernel ? "attribute kernel_shape is not that of its weights"
                             : "it has no attribute kernel_shape");
  if (!in_bytes(a->kernel, 1) || !in_bytes(a->stride, 1) || !in_bytes(a->dilation, 1))
    return graph_fail(error, node, "kernel, strides and dilations of 1 to 255 are supported");
  if (strcmp(mode, "NOTSET") != 0 && strcmp(mode, "VALID") != 0 &&
      strcmp(mode, "SAME_UPPER") != 0 && strcmp(mode, "SAME_LOWER") != 0)
    return graph_fail(error, node,
                      "attribute auto_pad: NOTSET, SAME_UPPER, SAME_LOWER and VALID are supported");
  int64_t reach = (a->kernel - 1) * a->dilation + 1;
  a->before = element(node, "pads", i, 0, 0);
  a->after = element(node, "pads", i, 1, 0);
  if (strncmp(mode, "SAME", 4) == 0) {
    int64_t steps = (size + pad[i] + pad[i + 2] + a->stride - 1) / a->stride;
    int64_t all = (steps - 1) * a->stride + reach - size - pad[i] - pad[i + 2];
    all = all < 0 ? 0 : all;
    a->before = strcmp(mode, "SAME_LOWER") == 0 ? all - all / 2 : all / 2;
    a->after = all - a->before;
  } else if (strcmp(mode, "VALID") == 0) {
    a->before = a->after = 0;
  }
  a->before += pad[i], a->after += pad[i + 2];
  if (!in_bytes(a->before, 0) || !in_bytes(a->after, 0))
    return graph_fail(error, node, "pads of 0 to 255 are supported");
  int64_t span = size + a->before + a->after - reach;
  if (span < 0)
    return graph_fail(error, node, "its window is larger than its input's %s", names[i]);
  int64_t rest = span % a->stride;
  // One window more, unless that would begin in the padding behind.
  if (rest && graph_int(node, "ceil_mode", 0) && span + a->stride - rest < size + a->before)
    a->after += a->stride - rest, span += a->stride - rest;
  a->out = span / a->stride + 1;
  return true;
}

bool window_read(const struct graph_node *node, const uint32_t pad[4], const struct net_tensor *in,
                 const uint32_t kernel[2], struct net_layer *layer, uint32_t *h, uint32_t *w,
                 struct net_error *error) {
  struct axis y = {0}, x = {0};
  if (!read_axis(node, 0, in->h, pad, kernel[0], &y, error) ||
      !read_axis(node, 1, in->w, pad, kernel[1], &x, error))
    return false;
  layer->kernel_h = (uint8_t)y.kernel, layer->kernel_w = (uint8_t)x.kernel;
  layer->stride_h = (uint8_t)y.stride, layer->stride_w = (uint8_t)x.stride;
  layer->dilation_h = (uint8_t)y.dilation, layer->dilation_w = (uint8_t)x.dilation;
  layer->pad_top = (uint8_t)y.before, layer->pad_bottom = (uint8_t)y.after;
  layer->pad_left = (uint8_t)x.before, layer->pad_right = (uint8_t)x.after;
  *h = (uint32_t)y.out, *w = (uint32_t)x.out;
  return true;
}

// What is not given is 0.
static bool fills(const struct graph *graph, const struct graph_node *node, double zero) {
  const struct array *value = graph_const(graph, node, 2);
  bool given = node->input_count > 2 && node->inputs[2] != GRAPH_NONE;
  double fill = value && array_count(value) ? array_get(value, 0) : graph_float(node, "value", 0);
  return (!given || value) && !(fabs(fill - zero) > 0);
}

// Numbers before and after each dimension: an attribute, or a constant. How many.
static size_t numbers(const struct graph *graph, const struct graph_node *node,
                      int64_t pads[2 * ARRAY_RANK]) {
  const struct array *list = graph_const(graph, node, 1);
  const struct graph_attr *a = graph_attr(node, "pads");
  size_t count = list ? array_count(list) : a && a->kind == GRAPH_INTS ? a->count : 0;
  for (size_t i = 0; i < count && i < 2 * ARRAY_RANK; i++)
    pads[i] = list ? array_get_int(list, i) : a ? a->ints[i] : 0;
  return count;
}

bool window_padding(const struct graph *graph, const struct graph_node *node, int rank, bool last,
                    double zero, uint32_t pad[4], struct net_error *error) {
  int64_t pads[2 * ARRAY_RANK] = {0};
  const int first = last ? 1 : 2; // dimension of the picture
  if (strcmp(graph_text(node, "mode", "constant"), "constant") != 0)
    return graph_fail(error, node, "attribute mode: constant is supported");
  if (!fills(graph, node, zero) || node->input_count > 3)
    return graph_fail(error, node, "a constant fill that stands for 0 is supported, without axes");
  if (rank < 3 || rank > 4 || numbers(graph, node, pads) != 2 * (size_t)rank)
    return graph_fail(error, node, "constant pads of all dimensions of a picture are supported");
  for (int i = 0; i < 2 * rank; i++) {
    int at = i % rank - first, side = 4 - rank + at + (i < rank ? 0 : 2);
    bool inside = at >= 0 && at < rank - 2;
    if (pads[i] < 0 || pads[i] + (inside ? pad[side] : 0) > 255 || (!inside && pads[i]))
      return graph_fail(error, node,
                        "0 to 255 zeros around the picture are supported, not %lld in dimension %d",
                        (long long)pads[i], i % rank);
    if (inside)
      pad[side] += (uint32_t)pads[i];
  }
  return true;
}
