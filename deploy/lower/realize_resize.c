// deploy/lower/realize_resize.c: resizing, and transposed convolutions.
#include <math.h>
#include <string.h>

#include "deploy/lower/realize.h"
#include "deploy/memory.h"
#include "deploy/net/bilinear.h"

static bool is_text(const struct graph_node *node, const char *name, const char *otherwise,
                    const char *value) {
  return strcmp(graph_text(node, name, otherwise), value) == 0;
}

static bool is_old(const struct graph_node *node) { // without coordinates: j / factor
  return node->version < 11 || graph_is(node, "Upsample");
}

static bool asks(const struct graph_node *node, const char *coordinates) {
  return !is_old(node) &&
         is_text(node, "coordinate_transformation_mode", "half_pixel", coordinates);
}

static bool half_pixel(const struct graph_node *node) {
  return asks(node, "half_pixel") || asks(node, "pytorch_half_pixel");
}

// Whole factors: element y of the result is y / factor, also for half pixels to the nearest.
static bool repeats(const struct graph_node *node) {
  const char *rule = graph_text(node, "nearest_mode", "round_prefer_floor");
  if (!is_text(node, "mode", "nearest", "nearest"))
    return false;
  return is_old(node) || (asks(node, "asymmetric") && strcmp(rule, "floor") == 0) ||
         (half_pixel(node) && strncmp(rule, "round_prefer", 12) == 0) ||
         (asks(node, "tf_half_pixel_for_nn") && strcmp(rule, "floor") == 0);
}

static bool interpolates(const struct graph_node *node) {
  return is_text(node, "mode", "nearest", "linear") &&
         (is_old(node) || asks(node, "asymmetric") || half_pixel(node));
}

static void add_nearest(struct realize *r, const struct graph_node *node, int input, int64_t h,
                        int64_t w) {
  const struct net_tensor in = *realize_tensor(r, input);
  struct net_layer l =
      realize_layer(r, node, NET_RESIZE, &input, 1, in.h * (uint32_t)h, in.w * (uint32_t)w, in.c);
  l.stride_h = (uint8_t)h, l.stride_w = (uint8_t)w;
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &l, &numbers, order_first);
}

static bool add_linear(struct realize *r, const struct graph_node *node, int input, int64_t h,
                       int64_t w) {
  struct bilinear down, across;
  if (!bilinear_of(h, half_pixel(node), &down) || !bilinear_of(w, half_pixel(node), &across))
    return graph_fail(r->error, node, "mode linear: factors of 1 to 127 are supported");
  const struct net_tensor in = *realize_tensor(r, input);
  struct net_layer first = realize_before(r, node, "repeated", NET_RESIZE, input,
                                          in.h * down.repeat, in.w * across.repeat);
  first.stride_h = down.repeat, first.stride_w = across.repeat;
  struct real_layer numbers = realize_numbers();
  real_add_layer(r->real, &first, &numbers);
  struct net_layer l = realize_layer(r, node, NET_AVGPOOL, &first.output, 1, in.h * (uint32_t)h,
                                     in.w * (uint32_t)w, in.c);
  l.kernel_h = down.kernel, l.kernel_w = across.kernel;
  l.stride_h = down.stride, l.stride_w = across.stride;
  l.pad_top = down.before, l.pad_bottom = down.after;
  l.pad_left = across.before, l.pad_right = across.after;
  realize_add(r, node, &l, &numbers, order_first);
  return true;
}

bool realize_resize(struct realize *r, const struct graph_node *node) {
  int input = realize_picture(r, node, 0);
  if (input == NET_NONE || !realize_settle(r, node, 0))
    return false;
  input = realize_stream(r, node, 0)->tensor;
  const struct net_tensor in = *realize_tensor(r, input);
  const struct array *out = realize_shape(r, node->outputs[0]);
  bool four = out->type != ARRAY_NONE && out->rank == 4 && out->dims[1] == in.c;
  int64_t h = four ? out->dims[2] / in.h : 0, w = four ? out->dims[3] / in.w : 0;
  bool linear = interpolates(node);
  if (!four || (!linear && !repeats(node)) || h < 1 || w < 1 || h > 255 || w > 255 ||
      out->dims[2] % in.h || out->dims[3] % in.w)
    return graph_fail(r->error, node,
                      "modes nearest and linear by whole factors, coordinates asymmetric (nearest: "
                      "floor) or half_pixel, are supported");
  if (linear && h * w > 1)
    return add_linear(r, node, input, h, w);
  add_nearest(r, node, input, h, w);
  return true;
}

// ---------------------------------------------------------------------------- ConvTranspose

// Stride, dilation and padding of the convolution behind elements that stand `stride` apart, of one
// direction; `kernel` with zeros behind the file's, where less comes out than without padding.
struct spread {
  int64_t stride, kernel, dilation, before, after;
};

// [in][out / groups][h][w] to [out][in / groups][kernel h][kernel w], each window turned round.
static struct array turned_round(const struct array *w, size_t groups,
                                 const struct spread line[2]) {
  size_t in = (size_t)w->dims[0] / groups, out = (size_t)w->dims[1];
  size_t h = w->rank == 4 ? (size_t)w->dims[2] : 1, wide = (size_t)w->dims[w->rank - 1];
  size_t window = (size_t)(line[0].kernel * line[1].kernel);
  struct array to = {.data = NULL};
  array_set_shape(
      &to, ARRAY_F32, 4,
      (int64_t[]){(int64_t)(out * groups), (int64_t)in, line[0].kernel, line[1].kernel});
  array_allocate(&to);
  for (size_t f = 0; f < out * groups; f++)
    for (size_t c = 0; c < in; c++)
      for (size_t k = 0; k < h * wide; k++) {
        const size_t from = ((f / out * in + c) * out + f % out) * h * wide + h * wide - 1 - k;
        array_set(&to, (f * in + c) * window + k / wide * (size_t)line[1].kernel + k % wide,
                  array_get(w, from));
      }
  return to;
}

static int64_t at(const struct graph_node *node, const char *name, int rank, int i,
                  int64_t otherwise) {
  const struct graph_attr *a = graph_attr(node, name);
  return a && a->kind == GRAPH_INTS && (int)a->count >= rank - 2 ? a->ints[i] : otherwise;
}

// What is cut off in front, of `all` elements that become `out` (op_window.c).
static int64_t cut_before(const struct graph_node *node, int rank, int i, int64_t all,
                          int64_t out) {
  int64_t pad = all > out ? all - out : 0;
  if (is_text(node, "auto_pad", "NOTSET", "SAME_UPPER"))
    return pad / 2;
  if (graph_attr(node, "output_shape") || is_text(node, "auto_pad", "NOTSET", "SAME_LOWER"))
    return pad - pad / 2;
  return is_text(node, "auto_pad", "NOTSET", "VALID") ? 0 : at(node, "pads", rank, i, 0);
}

static bool spread_of(const struct realize *r, const struct graph_node *node, int i, int64_t size,
                      struct spread *s) {
  const struct array *w = graph_const(r->graph, node, 1);
  const int64_t out = realize_shape(r, node->outputs[0])->dims[i + 2];
  s->stride = at(node, "strides", w->rank, i, 1),
  s->dilation = at(node, "dilations", w->rank, i, 1);
  s->kernel = w->dims[i + 2];
  int64_t reach = (s->kernel - 1) * s->dilation;
  int64_t all = s->stride * (size - 1) + reach + 1 + at(node, "output_padding", w->rank, i, 0);
  s->before = reach - cut_before(node, w->rank, i, all, out);
  s->after = out - s->stride * size - s->before + reach;
  if (s->after < 0 && s->after % s->dilation == 0)
    s->kernel -= s->after / s->dilation, s->after = 0;
  return s->stride >= 1 && s->stride <= 255 && s->kernel <= 255 && s->dilation >= 1 &&
         s->dilation <= 255 && s->before >= 0 && s->before <= 255 && s->after >= 0 &&
         s->after <= 255;
}

static bool weights_fit(const struct realize *r, const struct graph_node *node,
                        const struct net_tensor *in, int64_t groups) {
  const struct array *w = graph_const(r->graph, node, 1), *bias = graph_const(r->graph, node, 2);
  const struct array *out = realize_shape(r, node->outputs[0]);
  if (!w || w->rank < 3 || w->rank > 4 || w->dims[0] != in->c || groups < 1 || in->c % groups ||
      out->type == ARRAY_NONE || out->rank != w->rank || out->dims[1] > 65535)
    return graph_fail(r->error, node,
                      "weights that are constants of 3 or 4 dimensions, the first the input's "
                      "channels, are supported");
  bool given = node->input_count > 2 && node->inputs[2] != GRAPH_NONE;
  return !given || (bias && array_count(bias) == (size_t)(w->dims[1] * groups)) ||
         graph_fail(r->error, node, "a bias that is a constant for each filter is supported");
}

// A convolution of the input with zeros between its elements.
bool realize_transposed(struct realize *r, const struct graph_node *node) {
  if (realize_picture(r, node, 0) == NET_NONE || !realize_settle(r, node, 0))
    return false;
  int input = realize_stream(r, node, 0)->tensor;
  const struct net_tensor in = *realize_tensor(r, input);
  int64_t groups = graph_int(node, "group", 1);
  if (!weights_fit(r, node, &in, groups))
    return false;
  const struct array *w = graph_const(r->graph, node, 1);
  struct spread line[2] = {{1, 1, 1, 0, 0}}, *down = &line[0], *across = &line[1];
  if ((w->rank == 4 && !spread_of(r, node, 0, in.h, down)) ||
      !spread_of(r, node, w->rank - 3, in.w, across))
    return graph_fail(
        r->error, node,
        "kernels and strides up to 255, and pads smaller than kernels, are supported");
  if (down->stride * across->stride > 1) {
    struct net_layer first =
        realize_before(r, node, "spread", NET_RESIZE, input, in.h * (uint32_t)down->stride,
                       in.w * (uint32_t)across->stride);
    first.stride_h = first.dilation_h = (uint8_t)down->stride;
    first.stride_w = first.dilation_w = (uint8_t)across->stride;
    struct real_layer nothing = realize_numbers();
    real_add_layer(r->real, &first, &nothing);
    input = first.output;
  }
  struct array weights = turned_round(w, (size_t)groups, line);
  const struct array *out = realize_shape(r, node->outputs[0]);
  struct net_layer window = {.kernel_h = (uint8_t)down->kernel,
                             .kernel_w = (uint8_t)across->kernel,
                             .stride_h = 1,
                             .stride_w = 1,
                             .dilation_h = (uint8_t)down->dilation,
                             .dilation_w = (uint8_t)across->dilation,
                             .pad_top = (uint8_t)down->before,
                             .pad_bottom = (uint8_t)down->after,
                             .pad_left = (uint8_t)across->before,
                             .pad_right = (uint8_t)across->after,
                             .groups = (uint32_t)groups};
  realize_filters(
      r, node, input, &weights, &window,
      (uint32_t[2]){w->rank == 4 ? (uint32_t)out->dims[2] : 1, (uint32_t)out->dims[out->rank - 1]});
  array_clear(&weights);
  return true;
}
