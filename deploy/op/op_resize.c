// deploy/op/op_resize.c: Resize and Upsample: nearest, linear, cubic.
//
// A factor of each dimension; an output's coordinate becomes one of the input by the attribute
// coordinate_transformation_mode, and the elements around it count by their distance, one dimension
// after the other. Upsample (7, 9) and Resize (10) have the mode `asymmetric`. What the modes call
// the length of the output is the factor times the input's, which need not be whole.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"

struct resizing {
  double scale[ARRAY_RANK];
  int64_t dims[ARRAY_RANK];
};

static bool text_is(const struct op_call *call, const char *name, const char *otherwise,
                    const char *value) {
  return strcmp(graph_text(call->node, name, otherwise), value) == 0;
}

static bool is_upsample(const struct op_call *call) {
  return graph_is(call->node, "Upsample");
}

// Where scales and sizes are: an attribute (Upsample 7), input 1 (Upsample 9, Resize 10), or 2, 3.
static const struct array *scales_of(const struct op_call *call) {
  const struct array *s = op_in(call, call->node->version < 11 || is_upsample(call) ? 1 : 2);
  return s && array_count(s) ? s : NULL;
}

static bool resizing(struct op_call *call, struct resizing *r) {
  const struct array *x = call->in[0], *scales = scales_of(call);
  const struct array *sizes = call->node->version < 11 ? NULL : op_in(call, 3);
  const struct graph_attr *a = graph_attr(call->node, "scales");
  bool attribute = !scales && a && a->kind == GRAPH_FLOATS;
  size_t count = scales      ? array_count(scales)
                 : attribute ? a->count
                 : sizes     ? array_count(sizes)
                             : 0;
  if (graph_attr(call->node, "axes") || graph_int(call->node, "antialias", 0) ||
      !text_is(call, "keep_aspect_ratio_policy", "stretch", "stretch"))
    return op_fail(call, "the attributes axes, antialias, keep_aspect_ratio_policy are not "
                         "supported");
  if (count != (size_t)x->rank)
    return op_fail(call, "it has not one scale, or size, for each of %d dimensions", x->rank);
  for (int i = 0; i < x->rank; i++) {
    size_t k = (size_t)i;
    double s = scales ? array_get(scales, k) : attribute ? a->floats[i] : 0;
    double size = scales || attribute ? floor((double)x->dims[i] * s) : array_get(sizes, k);
    if (!(size >= 1 && size <= ARRAY_ELEMENTS) || !x->dims[i])
      return op_fail(call, "dimension %d would have %g elements", i, size);
    r->dims[i] = (int64_t)size;
    r->scale[i] = scales || attribute ? s : size / (double)x->dims[i];
  }
  return true;
}

bool op_resize_shape(struct op_call *call) {
  struct resizing r = {.dims = {0}};
  if (text_is(call, "coordinate_transformation_mode", "", "tf_crop_and_resize"))
    return op_fail(call, "attribute coordinate_transformation_mode: tf_crop_and_resize is not "
                         "supported; the others are");
  return resizing(call, &r) && op_set(call, 0, call->in[0]->type, call->in[0]->rank, r.dims);
}

static double source_of(const struct op_call *call, const struct resizing *r, int axis,
                        int64_t at) {
  bool old = call->node->version < 11 || is_upsample(call);
  const char *mode =
      old ? "asymmetric" : graph_text(call->node, "coordinate_transformation_mode", "half_pixel");
  double in = (double)call->in[0]->dims[axis], out = in * r->scale[axis], x = (double)at;
  if (strcmp(mode, "asymmetric") == 0)
    return x / r->scale[axis];
  if (strcmp(mode, "align_corners") == 0)
    return out > 1 ? x * (in - 1) / (out - 1) : 0;
  if (strcmp(mode, "tf_half_pixel_for_nn") == 0)
    return (x + 0.5) / r->scale[axis];
  if (strcmp(mode, "pytorch_half_pixel") == 0 && out <= 1)
    return 0;
  return (x + 0.5) / r->scale[axis] - 0.5;
}

// ---------------------------------------------------------------------------- weights

enum { TAPS = 4 };

// The elements that count for an output's coordinate, and by how much.
struct taps {
  int64_t at[TAPS];
  double weight[TAPS];
  int count;
};

static int64_t nearest(const struct op_call *call, double x) {
  bool old = call->node->version < 11 || is_upsample(call);
  const char *mode = old ? "floor" : graph_text(call->node, "nearest_mode", "round_prefer_floor");
  if (strcmp(mode, "floor") == 0)
    return (int64_t)floor(x);
  if (strcmp(mode, "ceil") == 0)
    return (int64_t)ceil(x);
  return (int64_t)(strcmp(mode, "round_prefer_ceil") == 0 ? floor(x + 0.5) : ceil(x - 0.5));
}

// Keys, Cubic convolution interpolation, IEEE TASSP 29(6), 1981, with coefficient a.
static double cubic(double d, double a) {
  d = fabs(d);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? a * (((d - 5) * d + 8) * d - 4) : 0;
}

static void cut(int64_t size, bool exclude, struct taps *t) {
  double sum = 0;
  for (int i = 0; i < t->count; i++) {
    bool outside = t->at[i] < 0 || t->at[i] >= size;
    t->weight[i] = exclude && outside ? 0 : t->weight[i];
    t->at[i] = t->at[i] < 0 ? 0 : t->at[i] >= size ? size - 1 : t->at[i];
    sum += t->weight[i];
  }
  for (int i = 0; exclude && i < t->count; i++)
    t->weight[i] /= sum;
}

static struct taps taps_at(const struct op_call *call, const struct resizing *r, int axis,
                           int64_t at) {
  struct taps t = {.count = 1, .weight = {1}};
  double x = source_of(call, r, axis, at), first = floor(x);
  int64_t size = call->in[0]->dims[axis];
  if (r->dims[axis] == size && fabs(r->scale[axis] - 1) < 1e-12) {
    t.at[0] = at; // unchanged
    return t;
  }
  if (text_is(call, "mode", "nearest", "nearest")) {
    t.at[0] = nearest(call, x);
  } else if (text_is(call, "mode", "nearest", "cubic")) {
    double a = graph_float(call->node, "cubic_coeff_a", -0.75);
    t.count = 4;
    for (int i = 0; i < 4; i++) {
      t.at[i] = (int64_t)first - 1 + i;
      t.weight[i] = cubic(x - (double)t.at[i], a);
    }
  } else {
    t.count = 2;
    t.at[0] = (int64_t)first, t.at[1] = (int64_t)first + 1;
    t.weight[0] = 1 - (x - first), t.weight[1] = x - first;
  }
  cut(size, graph_int(call->node, "exclude_outside", 0) != 0, &t);
  return t;
}

// One dimension at a time: rows of `inner` elements.
static double *resize_axis(const struct op_call *call, const struct resizing *r, int axis,
                           const double *from, const int64_t *dims) {
  size_t outer = 1, inner = 1, in = (size_t)dims[axis], out = (size_t)r->dims[axis];
  for (int i = 0; i < axis; i++)
    outer *= (size_t)dims[i];
  for (int i = axis + 1; i < call->in[0]->rank; i++)
    inner *= (size_t)dims[i];
  double *to = memory_new(outer * out * inner, sizeof *to);
  for (size_t y = 0; y < out; y++) {
    struct taps t = taps_at(call, r, axis, (int64_t)y);
    for (size_t o = 0; o < outer; o++)
      for (int k = 0; k < t.count; k++)
        for (size_t i = 0; i < inner; i++)
          to[(o * out + y) * inner + i] +=
              t.weight[k] * from[(o * in + (size_t)t.at[k]) * inner + i];
  }
  return to;
}

bool op_resize(struct op_call *call) {
  struct resizing r = {.dims = {0}};
  int64_t dims[ARRAY_RANK];
  if (!resizing(call, &r))
    return false;
  bool good = true;
  double *now = op_numbers(call->in[0]);
  memcpy(dims, call->in[0]->dims, sizeof dims);
  for (int i = 0; i < call->in[0]->rank; i++) {
    double *next = resize_axis(call, &r, i, now, dims);
    dims[i] = r.dims[i];
    free(now);
    now = next;
  }
  for (size_t i = 0; good && i < array_count(call->out); i++)
    good = op_put(call, 0, i, now[i]);
  free(now);
  return good;
}
