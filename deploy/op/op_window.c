// deploy/op/op_window.c: windows, convolutions and pools of any number of dimensions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"
#include "deploy/op/op_window.h"

enum { WINDOW_MOST = 65535 };

static bool window_list(struct op_call *call, const char *name, int count, int64_t otherwise,
                        int64_t least, int64_t *list) {
  const struct graph_attr *a = graph_attr(call->node, name);
  for (int i = 0; i < count; i++)
    list[i] = otherwise;
  if (!a)
    return true;
  if (a->kind != GRAPH_INTS || (int)a->count != count)
    return op_fail(call, "attribute %s has not %d numbers", name, count);
  for (int i = 0; i < count; i++) {
    list[i] = a->ints[i];
    if (list[i] < least || list[i] > WINDOW_MOST)
      return op_fail(call, "attribute %s: %lld; %lld to %d are supported", name, (long long)list[i],
                     (long long)least, WINDOW_MOST);
  }
  return true;
}

static bool read_window(struct op_call *call, const struct array *x, const int64_t *kernel,
                        struct op_window *w) {
  int64_t pads[2 * OP_SPATIAL] = {0};
  for (int i = 0; i < OP_SPATIAL; i++)
    w->kernel[i] = w->stride[i] = w->dilation[i] = 1;
  w->dims = x->rank - 2;
  if (w->dims < 1 || w->dims > OP_SPATIAL)
    return op_fail(call, "its input has %d dimensions; 3 to %d are supported", x->rank, ARRAY_RANK);
  if (!kernel && !graph_attr(call->node, "kernel_shape"))
    return op_fail(call, "it has no attribute kernel_shape");
  if (!window_list(call, "kernel_shape", w->dims, 1, 1, w->kernel) ||
      !window_list(call, "strides", w->dims, 1, 1, w->stride) ||
      !window_list(call, "dilations", w->dims, 1, 1, w->dilation) ||
      !window_list(call, "pads", 2 * w->dims, 0, 0, pads))
    return false;
  for (int i = 0; i < w->dims; i++) {
    if (kernel && graph_attr(call->node, "kernel_shape") && kernel[i] != w->kernel[i])
      return op_fail(call, "attribute kernel_shape is not that of its weights");
    w->kernel[i] = kernel ? kernel[i] : w->kernel[i];
    w->before[i] = pads[i], w->after[i] = pads[w->dims + i];
    if (w->kernel[i] < 1 || w->kernel[i] > WINDOW_MOST)
      return op_fail(call, "a kernel of %lld; 1 to %d are supported", (long long)w->kernel[i],
                     WINDOW_MOST);
  }
  return true;
}

static int64_t reach_of(const struct op_window *w, int i) {
  return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

bool op_window(struct op_call *call, const struct array *x, const int64_t *kernel,
               struct op_window *w) {
  const char *mode = graph_text(call->node, "auto_pad", "NOTSET");
  bool same = strncmp(mode, "SAME_", 5) == 0, valid = strcmp(mode, "VALID") == 0;
  bool ceil_mode = graph_int(call->node, "ceil_mode", 0) != 0;
  if (!same && !valid && strcmp(mode, "NOTSET") != 0)
    return op_fail(call, "auto_pad '%.20s' is not known", mode);
  if (!read_window(call, x, kernel, w))
    return false;
  for (int i = 0; i < w->dims; i++) {
    int64_t size = x->dims[i + 2], reach = reach_of(w, i), stride = w->stride[i];
    if (same) {
      int64_t all = ((size + stride - 1) / stride - 1) * stride + reach - size;
      all = all < 0 ? 0 : all;
      w->before[i] = strcmp(mode, "SAME_LOWER") == 0 ? all - all / 2 : all / 2;
      w->after[i] = all - w->before[i];
    } else if (valid) {
      w->before[i] = w->after[i] = 0;
    }
    int64_t span = size + w->before[i] + w->after[i] - reach;
    if (span < 0)
      return op_fail(call, "its window is larger than its padded input");
    w->out[i] = span / stride + 1;
    // One more, if it begins in the input or in the padding in front of it.
    if (ceil_mode && span % stride && w->out[i] * stride < size + w->before[i])
      w->out[i]++;
  }
  return true;
}

// ---------------------------------------------------------------------------- convolutions

bool op_conv_shape_of(struct op_call *call, const struct array *x, const struct array *w,
                      enum array_type type, struct op_window *window) {
  int64_t groups = graph_int(call->node, "group", 1), dims[ARRAY_RANK];
  char a[ARRAY_SHAPE_TEXT], b[ARRAY_SHAPE_TEXT];
  if (x->rank < 3 || w->rank != x->rank)
    return op_fail(call, "an input of %s and weights of %s", array_shape_text(x, a),
                   array_shape_text(w, b));
  if (groups < 1 || groups > 65535 || w->dims[1] * groups != x->dims[1] || w->dims[0] % groups)
    return op_fail(call, "weights of %s in %lld groups for an input of %s", array_shape_text(w, b),
                   (long long)groups, array_shape_text(x, a));
  if (!op_window(call, x, w->dims + 2, window))
    return false;
  dims[0] = x->dims[0], dims[1] = w->dims[0];
  memcpy(dims + 2, window->out, (size_t)window->dims * sizeof *dims);
  return op_set(call, 0, type, x->rank, dims);
}

// A convolution's position: a picture of the input, a filter, and where the window is.
struct spot {
  const double *x, *w; // of this picture and group; of this filter
  const struct array *in;
  const struct op_window *window;
  int64_t depth;       // channels of the group
  size_t area, kernel; // elements of a channel of x, of w
  double x_zero, w_zero;
};

// Sum over one row (the last dimension) of one channel.
static double row_sum(const struct spot *s, const double *x, const double *w, int64_t first,
                      int64_t size) {
  int last = s->window->dims - 1;
  int64_t step = s->window->dilation[last], at = first;
  double sum = 0;
  for (int64_t k = 0; k < s->window->kernel[last]; k++, at += step)
    if (at >= 0 && at < size)
      sum += (x[at] - s->x_zero) * (w[k] - s->w_zero);
  return sum;
}

// Rows of the window, then channels. `corner`: the window's first element in the input.
static double window_sum(const struct spot *s, const int64_t corner[OP_SPATIAL]) {
  const struct op_window *w = s->window;
  int last = w->dims - 1;
  int64_t width = s->in->dims[last + 2], at[OP_SPATIAL] = {0};
  size_t rows = s->kernel / (size_t)w->kernel[last];
  double sum = 0;
  for (size_t row = 0; row < rows; row++) {
    size_t place = 0;
    bool inside = true;
    for (int i = 0; i < last; i++) {
      int64_t y = corner[i] + at[i] * w->dilation[i];
      inside &= y >= 0 && y < s->in->dims[i + 2];
      place = place * (size_t)s->in->dims[i + 2] + (size_t)y;
    }
    for (int64_t c = 0; inside && c < s->depth; c++)
      sum += row_sum(s, s->x + (size_t)c * s->area + place * (size_t)width,
                     s->w + (size_t)c * s->kernel + row * (size_t)w->kernel[last], corner[last],
                     width);
    for (int i = last - 1; i >= 0 && ++at[i] == w->kernel[i]; i--)
      at[i] = 0;
  }
  return sum;
}

static size_t spatial(const struct array *a) {
  size_t count = 1;
  for (int i = 2; i < a->rank; i++)
    count *= (size_t)a->dims[i];
  return count;
}

// One filter on one picture.
static void convolve_filter(const struct spot *s, const struct array *out, double *to) {
  struct array map = {.rank = out->rank - 2};
  struct op_walk walk;
  memcpy(map.dims, out->dims + 2, (size_t)map.rank * sizeof *map.dims);
  op_walk_over(&walk, &map);
  for (size_t i = 0; i < spatial(out); i++, op_walk_step(&walk)) {
    int64_t corner[OP_SPATIAL] = {0};
    for (int k = 0; k < map.rank; k++)
      corner[k] = walk.at[k] * s->window->stride[k] - s->window->before[k];
    to[i] = window_sum(s, corner);
  }
}

double *op_convolve(const struct array *x, const struct array *w, const struct array *out,
                    const struct op_window *window, int64_t groups, const double *x_zero,
                    const double *w_zero, size_t w_zeros) {
  double *from = op_numbers(x), *weights = op_numbers(w);
  double *sums = memory_new(array_count(out), sizeof *sums);
  struct spot s = {.in = x, .window = window, .depth = w->dims[1], .area = spatial(x)};
  s.kernel = spatial(w);
  s.x_zero = x_zero ? *x_zero : 0;
  size_t filters = (size_t)w->dims[0], per_group = filters / (size_t)groups;
  for (size_t n = 0; n < (size_t)x->dims[0]; n++)
    for (size_t f = 0; f < filters; f++) {
      s.x = from + (n * (size_t)x->dims[1] + f / per_group * (size_t)s.depth) * s.area;
      s.w = weights + f * (size_t)s.depth * s.kernel;
      s.w_zero = w_zeros ? w_zero[w_zeros == 1 ? 0 : f] : 0;
      convolve_filter(&s, out, sums + (n * filters + f) * spatial(out));
    }
  free(from);
  free(weights);
  return sums;
}

static bool bias_fits(struct op_call *call, const struct array *bias, int64_t filters) {
  return !bias || (bias->rank == 1 && bias->dims[0] == filters) ||
         op_fail(call, "its bias has not one element for each of %lld filters", (long long)filters);
}

bool op_conv_shape(struct op_call *call) {
  struct op_window window = {.dims = 0};
  if (!array_type_is_float(call->in[0]->type) || call->in[1]->type != call->in[0]->type)
    return op_fail(call, "of type %s; floats are supported", array_type_name(call->in[0]->type));
  return op_conv_shape_of(call, call->in[0], call->in[1], call->in[0]->type, &window) &&
         bias_fits(call, op_in(call, 2), call->in[1]->dims[0]);
}

static void put_sums(struct op_call *call, const double *sums, const struct array *bias) {
  size_t area = spatial(call->out), filters = (size_t)call->out->dims[1];
  for (size_t i = 0; i < array_count(call->out); i++)
    array_set(call->out, i, sums[i] + (bias ? array_get(bias, i / area % filters) : 0));
}

bool op_conv(struct op_call *call) {
  struct op_window window = {.dims = 0};
  if (!op_window(call, call->in[0], call->in[1]->dims + 2, &window))
    return false;
  double *sums = op_convolve(call->in[0], call->in[1], call->out, &window,
                             graph_int(call->node, "group", 1), NULL, NULL, 0);
  put_sums(call, sums, op_in(call, 2));
  free(sums);
  return true;
}

// ---------------------------------------------------------------------------- ConvTranspose

// Sizes and padding of what comes out; `output_shape` decides the padding.
static bool transposed_window(struct op_call *call, struct op_window *w) {
  const struct array *x = call->in[0];
  int64_t extra[OP_SPATIAL] = {0}, asked[OP_LIST];
  const char *mode = graph_text(call->node, "auto_pad", "NOTSET");
  int count;
  if (!read_window(call, x, call->in[1]->dims + 2, w) ||
      !window_list(call, "output_padding", w->dims, 0, 0, extra) ||
      !op_list(call, "output_shape", -1, asked, &count))
    return false;
  if (count >= 0 && count != w->dims && count != w->dims + 2)
    return op_fail(call, "attribute output_shape has not %d numbers", w->dims);
  bool same = strncmp(mode, "SAME_", 5) == 0;
  for (int i = 0; i < w->dims; i++) {
    int64_t all = w->stride[i] * (x->dims[i + 2] - 1) + extra[i] + reach_of(w, i);
    int64_t out = count >= 0 ? asked[count - w->dims + i]
                  : same     ? x->dims[i + 2] * w->stride[i]
                             : -1;
    if (out >= 0) {
      int64_t pad = all - out > 0 ? all - out : 0;
      w->before[i] = strcmp(mode, "SAME_UPPER") == 0 ? pad / 2 : pad - pad / 2;
      w->after[i] = pad - w->before[i];
    } else if (strcmp(mode, "VALID") == 0) {
      w->before[i] = w->after[i] = 0;
    }
    w->out[i] = out >= 0 ? out : all - w->before[i] - w->after[i];
  }
  return true;
}

bool op_transposed_conv_shape(struct op_call *call) {
  const struct array *x = call->in[0], *w = call->in[1];
  int64_t groups = graph_int(call->node, "group", 1), dims[ARRAY_RANK];
  struct op_window window = {.dims = 0};
  if (!array_type_is_float(x->type) || x->rank < 3 || w->rank != x->rank || groups < 1 ||
      groups > 65535 || w->dims[0] != x->dims[1] || w->dims[0] % groups)
    return op_fail(call, "its weights do not fit its input, or these are not floats");
  if (!transposed_window(call, &window))
    return false;
  dims[0] = x->dims[0], dims[1] = w->dims[1] * groups;
  memcpy(dims + 2, window.out, (size_t)window.dims * sizeof *dims);
  return op_set(call, 0, x->type, x->rank, dims) && bias_fits(call, op_in(call, 2), dims[1]);
}

// Adds one input element's share to all outputs it reaches.
static void spread(const struct array *w, const struct op_window *window, const struct array *out,
                   const int64_t at[ARRAY_RANK], double x, const double *weights, double *sums) {
  struct array kernel = {.rank = window->dims};
  struct op_walk walk;
  memcpy(kernel.dims, w->dims + 2, (size_t)kernel.rank * sizeof *kernel.dims);
  op_walk_over(&walk, &kernel);
  for (size_t k = 0; k < array_count(&kernel); k++, op_walk_step(&walk)) {
    size_t place = 0;
    bool inside = true;
    for (int i = 0; i < window->dims; i++) {
      int64_t y =
          at[i + 2] * window->stride[i] + walk.at[i] * window->dilation[i] - window->before[i];
      inside &= y >= 0 && y < out->dims[i + 2];
      place = place * (size_t)out->dims[i + 2] + (size_t)y;
    }
    if (inside)
      sums[place] += x * weights[k];
  }
}

bool op_transposed_conv(struct op_call *call) {
  const struct array *x = call->in[0], *w = call->in[1], *out = call->out;
  struct op_window window = {.dims = 0};
  if (!transposed_window(call, &window))
    return false;
  size_t groups = (size_t)graph_int(call->node, "group", 1), width = (size_t)w->dims[1];
  size_t per_group = (size_t)x->dims[1] / groups, kernel = spatial(w), area = spatial(out);
  double *from = op_numbers(x), *weights = op_numbers(w);
  double *sums = memory_new(array_count(out), sizeof *sums);
  struct op_walk walk;
  op_walk_over(&walk, x);
  for (size_t i = 0; i < array_count(x); i++, op_walk_step(&walk)) {
    size_t c = (size_t)walk.at[1], first = c / per_group * width;
    for (size_t f = 0; f < width; f++)
      spread(w, &window, out, walk.at, from[i], weights + (c * width + f) * kernel,
             sums + ((size_t)walk.at[0] * (size_t)out->dims[1] + first + f) * area);
  }
  put_sums(call, sums, op_in(call, 2));
  free(from);
  free(weights);
  free(sums);
  return true;
}

// ---------------------------------------------------------------------------- pools

bool op_pool_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t dims[ARRAY_RANK];
  struct op_window window = {.dims = 0};
  if (call->argument == OP_POOL_AVERAGE && !array_type_is_float(x->type))
    return op_fail(call, "of type %s; floats are supported", array_type_name(x->type));
  if (!op_window(call, x, NULL, &window))
    return false;
  dims[0] = x->dims[0], dims[1] = x->dims[1];
  memcpy(dims + 2, window.out, (size_t)window.dims * sizeof *dims);
  return op_set(call, 0, x->type, x->rank, dims) && op_set(call, 1, ARRAY_I64, x->rank, dims);
}

struct pooled {
  double sum, most;
  int64_t inside, padded; // elements; those in the attribute's padding with them
  size_t place;           // of the largest, in its channel; by columns if asked
};

static void pool_one(const struct array *x, const struct op_window *w, const double *from,
                     const int64_t at[ARRAY_RANK], bool columns, struct pooled *p) {
  struct array kernel = {.rank = w->dims};
  struct op_walk walk;
  memcpy(kernel.dims, w->kernel, (size_t)w->dims * sizeof *kernel.dims);
  op_walk_over(&walk, &kernel);
  *p = (struct pooled){.most = -INFINITY};
  for (size_t k = 0; k < array_count(&kernel); k++, op_walk_step(&walk)) {
    size_t place = 0, column = 0, step = 1;
    bool inside = true, padded = true;
    for (int i = 0; i < w->dims; i++) {
      int64_t size = x->dims[i + 2];
      int64_t y = at[i + 2] * w->stride[i] - w->before[i] + walk.at[i] * w->dilation[i];
      inside &= y >= 0 && y < size;
      padded &= y < size + w->after[i];
      place = place * (size_t)size + (size_t)y;
      column += (size_t)y * step, step *= (size_t)size;
    }
    p->padded += padded;
    if (!inside)
      continue;
    p->inside++, p->sum += from[place];
    if (from[place] > p->most || p->inside == 1)
      p->most = from[place], p->place = columns ? column : place;
  }
}

bool op_pool(struct op_call *call) {
  const struct array *x = call->in[0];
  struct op_window w = {.dims = 0};
  if (!op_window(call, x, NULL, &w))
    return false;
  bool counted = graph_int(call->node, "count_include_pad", 0) != 0, good = true;
  bool columns = graph_int(call->node, "storage_order", 0) != 0;
  double *from = op_numbers(x);
  size_t area = spatial(x);
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  for (size_t i = 0; good && i < array_count(call->out); i++, op_walk_step(&walk)) {
    size_t channel = ((size_t)walk.at[0] * (size_t)x->dims[1] + (size_t)walk.at[1]) * area;
    struct pooled p;
    pool_one(x, &w, from + channel, walk.at, columns, &p);
    if (call->argument == OP_POOL_AVERAGE)
      array_set(call->out, i, p.sum / (double)(counted ? p.padded : p.inside));
    else
      good = op_put(call, 0, i, p.most);
    if (call->node->output_count > 1)
      array_set_int(&call->out[1], i, (int64_t)(channel + p.place));
  }
  free(from);
  return good;
}

bool op_global_pool_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t dims[ARRAY_RANK] = {x->dims[0], x->dims[1], 1, 1, 1, 1, 1, 1};
  if (x->rank < 3 || !spatial(x))
    return op_fail(call, "its input has %d dimensions; 3 or more are supported", x->rank);
  return op_float(call) && op_set(call, 0, x->type, x->rank, dims);
}

bool op_global_pool(struct op_call *call) {
  size_t area = spatial(call->in[0]);
  for (size_t i = 0; i < array_count(call->out); i++) {
    double sum = 0, most = -INFINITY;
    for (size_t k = 0; k < area; k++) {
      double v = array_get(call->in[0], i * area + k);
      sum += v, most = fmax(most, v);
    }
    array_set(call->out, i, call->argument == OP_POOL_AVERAGE ? sum / (double)area : most);
  }
  return true;
}
