// deploy/lower/order.c: see order.h.
#include "deploy/lower/order.h"

#include <string.h>

#include "deploy/memory.h"

const struct order order_first = {"chw"}, order_last = {"hwc"};

static int64_t size_of(const struct net_tensor *t, char axis) {
  return axis == 'c' ? t->c : axis == 'h' ? t->h : t->w;
}

// The axes that have more than one element.
static int long_axes(const struct net_tensor *t, struct order order, char axes[4]) {
  int count = 0;
  memset(axes, 0, 4);
  for (int i = 0; i < 3; i++)
    if (size_of(t, order.axes[i]) != 1)
      axes[count++] = order.axes[i];
  return count;
}

bool order_same(const struct net_tensor *t, struct order a, struct order b) {
  char x[4], y[4];
  long_axes(t, a, x);
  long_axes(t, b, y);
  return memcmp(x, y, sizeof x) == 0;
}

bool order_axes(const struct net_tensor *t, struct order order, const struct array *shape,
                char axes[ARRAY_RANK]) {
  char left[4];
  int count = long_axes(t, order, left), next = 0;
  for (int i = 0; i < shape->rank; i++) {
    axes[i] = 0;
    if (shape->dims[i] == 1)
      continue;
    if (next == count || size_of(t, left[next]) != shape->dims[i])
      return false;
    axes[i] = left[next++];
  }
  return shape->type != ARRAY_NONE && next == count;
}

static bool is_picture(const struct net_tensor *t, const struct array *shape, const char *axes) {
  int rank = shape->rank;
  if (shape->type == ARRAY_NONE || rank < 2 || rank > 4 || shape->dims[0] != 1 ||
      (rank < 4 && t->h != 1) || (rank < 3 && t->w != 1))
    return false;
  for (int i = 0, at = 1; i < 3; i++) {
    bool has = axes[i] == 'c' || (axes[i] == 'w' && rank > 2) || (axes[i] == 'h' && rank > 3);
    if (has && shape->dims[at++] != size_of(t, axes[i]))
      return false;
  }
  return true;
}

bool order_is_picture(const struct net_tensor *t, struct order order, const struct array *shape) {
  return order_same(t, order, order_first) && is_picture(t, shape, order_first.axes);
}

bool order_is_last(const struct net_tensor *t, struct order order, const struct array *shape) {
  return order_same(t, order, order_last) && is_picture(t, shape, order_last.axes);
}

int order_channels(const struct net_tensor *t, struct order order, const struct array *shape) {
  char axes[ARRAY_RANK];
  if (order_is_picture(t, order, shape))
    return 1;
  if (order_is_last(t, order, shape))
    return shape->rank - 1;
  for (int i = 0; order_axes(t, order, shape, axes) && i < shape->rank; i++)
    if (axes[i] == 'c')
      return i;
  return -1;
}

bool order_transpose(const struct net_tensor *t, struct order order, const struct array *shape,
                     const struct graph_node *node, struct order *to) {
  const struct graph_attr *perm = graph_attr(node, "perm");
  char axes[ARRAY_RANK];
  int count = 0;
  if (!order_axes(t, order, shape, axes) ||
      (perm && (perm->kind != GRAPH_INTS || (int)perm->count != shape->rank)))
    return false;
  for (int i = 0; i < shape->rank; i++) {
    int64_t from = perm ? perm->ints[i] : shape->rank - 1 - i;
    if (from < 0 || from >= shape->rank)
      return false;
    if (axes[from] && count < 3)
      to->axes[count++] = axes[from];
  }
  for (int i = 0; i < 3 && count < 3; i++)
    if (size_of(t, order.axes[i]) == 1)
      to->axes[count++] = order.axes[i];
  to->axes[3] = 0;
  return count == 3;
}

size_t *order_places(const struct net_tensor *t, struct order order) {
  size_t *places = memory_new((size_t)t->h * t->w * t->c, sizeof *places);
  int64_t at[3],
      sizes[3] = {size_of(t, order.axes[0]), size_of(t, order.axes[1]), size_of(t, order.axes[2])};
  size_t i = 0, strides[3];
  for (int k = 0; k < 3; k++)
    strides[k] = order.axes[k] == 'c' ? 1 : order.axes[k] == 'w' ? t->c : (size_t)t->w * t->c;
  for (at[0] = 0; at[0] < sizes[0]; at[0]++)
    for (at[1] = 0; at[1] < sizes[1]; at[1]++)
      for (at[2] = 0; at[2] < sizes[2]; at[2]++)
        places[i++] =
            (size_t)at[0] * strides[0] + (size_t)at[1] * strides[1] + (size_t)at[2] * strides[2];
  return places;
}
