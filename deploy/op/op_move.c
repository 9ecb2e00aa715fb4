// deploy/op/op_move.c: what puts elements into another order, repeats or joins them.
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"

// Fills the output from input 0 along a walk whose place 0 is there.
static bool fill_from(struct op_call *call, struct op_walk *walk) {
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(walk))
    op_copy(call->out, i, call->in[0], (size_t)walk->place[0]);
  return true;
}

// ---------------------------------------------------------------------------- Expand, Tile

bool op_expand_shape(struct op_call *call) {
  int64_t dims[OP_LIST];
  int count;
  struct array asked = {.rank = 0}, to;
  if (!op_list(call, NULL, 1, dims, &count))
    return false;
  if (count > ARRAY_RANK)
    return op_fail(call, "up to %d dimensions are supported", ARRAY_RANK);
  array_set_shape(&asked, call->in[0]->type, count, dims);
  if (!op_broadcast(call->in[0], &asked, &to))
    return op_fail(call, "its input does not repeat to the shape of input 1");
  return op_set(call, 0, to.type, to.rank, to.dims);
}

bool op_expand(struct op_call *call) {
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  op_walk_repeat(&walk, 0, call->in[0]);
  return fill_from(call, &walk);
}

bool op_tile_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t dims[OP_LIST];
  int count;
  if (!op_list(call, NULL, 1, dims, &count))
    return false;
  if (count != x->rank)
    return op_fail(call, "%d repeats for %d dimensions", count, x->rank);
  for (int i = 0; i < count; i++)
    dims[i] = dims[i] < 0 || dims[i] > ARRAY_ELEMENTS ? -1 : dims[i] * x->dims[i];
  return op_set(call, 0, x->type, count, dims);
}

bool op_tile(struct op_call *call) {
  int64_t strides[ARRAY_RANK] = {0};
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  op_strides(call->in[0], strides);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int64_t from = 0;
    for (int k = 0; k < walk.rank; k++)
      from += walk.at[k] % call->in[0]->dims[k] * strides[k];
    op_copy(call->out, i, call->in[0], (size_t)from);
  }
  return true;
}

// ---------------------------------------------------------------------------- Transpose

static bool permutation(struct op_call *call, int order[ARRAY_RANK]) {
  const struct graph_attr *perm = graph_attr(call->node, "perm");
  int rank = call->in[0]->rank;
  bool seen[ARRAY_RANK] = {false};
  for (int i = 0; i < rank; i++)
    order[i] = rank - 1 - i;
  if (!perm)
    return true;
  if (perm->kind != GRAPH_INTS || (int)perm->count != rank)
    return op_fail(call, "attribute perm has not one number for each of %d dimensions", rank);
  for (int i = 0; i < rank; i++) {
    if (!op_axis(call, perm->ints[i], rank, &order[i]))
      return false;
    if (seen[order[i]])
      return op_fail(call, "attribute perm is no permutation");
    seen[order[i]] = true;
  }
  return true;
}

bool op_transpose_shape(struct op_call *call) {
  int order[ARRAY_RANK] = {0};
  int64_t dims[ARRAY_RANK];
  if (!permutation(call, order))
    return false;
  for (int i = 0; i < call->in[0]->rank; i++)
    dims[i] = call->in[0]->dims[order[i]];
  return op_set(call, 0, call->in[0]->type, call->in[0]->rank, dims);
}

bool op_transpose(struct op_call *call) {
  int order[ARRAY_RANK] = {0};
  int64_t strides[ARRAY_RANK] = {0};
  struct op_walk walk;
  if (!permutation(call, order))
    return false;
  op_walk_over(&walk, call->out);
  op_strides(call->in[0], strides);
  for (int i = 0; i < walk.rank; i++)
    walk.stride[0][i] = strides[order[i]];
  return fill_from(call, &walk);
}

// ---------------------------------------------------------------------------- Concat, Split

bool op_concat_shape(struct op_call *call) {
  const struct array *first = call->in[0];
  int64_t dims[ARRAY_RANK], all = 0;
  int axis;
  if (!op_axis(call, graph_int(call->node, "axis", 1), first->rank, &axis))
    return false;
  memcpy(dims, first->dims, sizeof dims);
  for (uint32_t i = 0; i < call->in_count; i++) {
    const struct array *x = call->in[i];
    bool fits = x && x->rank == first->rank && x->type == first->type;
    for (int k = 0; fits && k < first->rank; k++)
      fits = k == axis || x->dims[k] == first->dims[k];
    if (!fits)
      return op_fail(call, "inputs 0 and %u differ in more than dimension %d", i, axis);
    all += x->dims[axis];
  }
  dims[axis] = all;
  return op_set(call, 0, first->type, first->rank, dims);
}

// Elements of a block that lies behind each other, from `axis` on.
static size_t block_of(const struct array *a, int axis) {
  size_t count = 1;
  for (int i = axis; i < a->rank; i++)
    count *= (size_t)a->dims[i];
  return count;
}

static void copy_block(struct array *to, size_t i, const struct array *from, size_t k,
                       size_t count) {
  size_t size = array_type_size(to->type);
  if (count)
    memcpy((char *)to->data + i * size, (const char *)from->data + k * size, count * size);
}

bool op_concat(struct op_call *call) {
  int axis = 0;
  op_axis(call, graph_int(call->node, "axis", 1), call->in[0]->rank, &axis);
  size_t row = block_of(call->out, axis), rows = row ? array_count(call->out) / row : 0, at = 0;
  for (uint32_t i = 0; i < call->in_count; i++) {
    size_t part = block_of(call->in[i], axis);
    for (size_t r = 0; r < rows; r++)
      copy_block(call->out, r * row + at, call->in[i], r * part, part);
    at += part;
  }
  return true;
}

static bool split_sizes(struct op_call *call, int axis, int64_t sizes[OP_LIST]) {
  int64_t size = call->in[0]->dims[axis], all = 0;
  int count, parts = (int)call->node->output_count;
  if (!op_list(call, "split", 1, sizes, &count))
    return false;
  if (count < 0) { // equal, the last one smaller
    int64_t each = (size + parts - 1) / (parts ? parts : 1);
    for (int i = 0; i < parts; i++)
      sizes[i] = each * (i + 1) <= size ? each : size - each * i > 0 ? size - each * i : 0;
    count = parts;
  }
  for (int i = 0; i < count; i++)
    all += sizes[i] < 0 ? ARRAY_ELEMENTS : sizes[i];
  return (count == parts && all == size) ||
         op_fail(call, "%d parts of %lld elements for %d outputs and a dimension of %lld", count,
                 (long long)all, parts, (long long)size);
}

bool op_split_shape(struct op_call *call) {
  int64_t sizes[OP_LIST], dims[ARRAY_RANK];
  int axis;
  const struct array *x = call->in[0];
  if (!op_axis(call, graph_int(call->node, "axis", 0), x->rank, &axis) ||
      !split_sizes(call, axis, sizes))
    return false;
  memcpy(dims, x->dims, sizeof dims);
  for (uint32_t i = 0; i < call->node->output_count; i++) {
    dims[axis] = sizes[i];
    if (!op_set(call, i, x->type, x->rank, dims))
      return false;
  }
  return true;
}

bool op_split(struct op_call *call) {
  int axis = 0;
  op_axis(call, graph_int(call->node, "axis", 0), call->in[0]->rank, &axis);
  size_t row = block_of(call->in[0], axis), rows = row ? array_count(call->in[0]) / row : 0;
  size_t at = 0;
  for (uint32_t i = 0; i < call->node->output_count; i++) {
    size_t part = block_of(&call->out[i], axis);
    for (size_t r = 0; r < rows; r++)
      copy_block(&call->out[i], r * part, call->in[0], r * row + at, part);
    at += part;
  }
  return true;
}

// ---------------------------------------------------------------------------- Slice

struct cut {
  int64_t first[ARRAY_RANK], step[ARRAY_RANK], count[ARRAY_RANK];
};

static int64_t within(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

// start, end and step of one dimension, by NumPy's rule.
static void cut_axis(struct cut *cut, int axis, int64_t size, int64_t start, int64_t end,
                     int64_t step) {
  bool back = step < 0;
  start = within(start < 0 && start >= -size ? start + size : start, back ? -1 : 0,
                 back ? size - 1 : size);
  end = within(end < 0 && end >= -size ? end + size : end, back ? -1 : 0, back ? size - 1 : size);
  int64_t span = back ? start - end : end - start, unit = back ? -step : step;
  cut->first[axis] = start, cut->step[axis] = step;
  cut->count[axis] = span > 0 ? (span - 1) / unit + 1 : 0;
}

static bool cuts(struct op_call *call, struct cut *cut) {
  int64_t starts[OP_LIST], ends[OP_LIST], axes[OP_LIST], steps[OP_LIST];
  int n[4], axis, rank = call->in[0]->rank;
  if (!op_list(call, "starts", 1, starts, &n[0]) || !op_list(call, "ends", 2, ends, &n[1]) ||
      !op_list(call, "axes", 3, axes, &n[2]) || !op_list(call, NULL, 4, steps, &n[3]))
    return false;
  if (n[0] < 0 || n[0] != n[1] || (n[2] >= 0 && n[2] != n[0]) || (n[3] >= 0 && n[3] != n[0]))
    return op_fail(call, "starts, ends, axes and steps must be lists of one length");
  for (int i = 0; i < rank; i++)
    cut_axis(cut, i, call->in[0]->dims[i], 0, call->in[0]->dims[i], 1);
  for (int i = 0; i < n[0]; i++) {
    int64_t step = n[3] >= 0 ? steps[i] : 1;
    if (!op_axis(call, n[2] >= 0 ? axes[i] : i, rank, &axis))
      return false;
    if (step == 0 || step < -ARRAY_ELEMENTS)
      return op_fail(call, "a step of %lld", (long long)step);
    // far beyond the end counts as the end
    cut_axis(cut, axis, call->in[0]->dims[axis], within(starts[i], -ARRAY_ELEMENTS, ARRAY_ELEMENTS),
             within(ends[i], -(int64_t)ARRAY_ELEMENTS * 2, ARRAY_ELEMENTS),
             step > ARRAY_ELEMENTS ? ARRAY_ELEMENTS : step);
  }
  return true;
}

bool op_slice_shape(struct op_call *call) {
  struct cut cut = {{0}, {0}, {0}};
  return cuts(call, &cut) && op_set(call, 0, call->in[0]->type, call->in[0]->rank, cut.count);
}

bool op_slice(struct op_call *call) {
  struct cut cut = {{0}, {0}, {0}};
  int64_t strides[ARRAY_RANK] = {0};
  struct op_walk walk;
  if (!cuts(call, &cut))
    return false;
  op_walk_over(&walk, call->out);
  op_strides(call->in[0], strides);
  for (int i = 0; i < walk.rank; i++) {
    walk.stride[0][i] = strides[i] * cut.step[i];
    walk.place[0] += strides[i] * cut.first[i];
  }
  return fill_from(call, &walk);
}

// ---------------------------------------------------------------------------- Gather

bool op_gather_shape(struct op_call *call) {
  const struct array *x = call->in[0], *index = call->in[1];
  int64_t dims[2 * ARRAY_RANK];
  int axis, rank = 0;
  if (!op_axis(call, graph_int(call->node, "axis", 0), x->rank, &axis))
    return false;
  for (int i = 0; i < axis; i++)
    dims[rank++] = x->dims[i];
  for (int i = 0; i < index->rank; i++)
    dims[rank++] = index->dims[i];
  for (int i = axis + 1; i < x->rank; i++)
    dims[rank++] = x->dims[i];
  return op_set(call, 0, x->type, rank, dims);
}

static bool index_at(struct op_call *call, const struct array *index, size_t i, int64_t size,
                     int64_t *to) {
  *to = array_get_int(index, i);
  *to += *to < 0 ? size : 0;
  return (*to >= 0 && *to < size) || op_fail(call, "index %lld of a dimension of %lld",
                                             (long long)array_get_int(index, i), (long long)size);
}

bool op_gather(struct op_call *call) {
  const struct array *x = call->in[0], *index = call->in[1];
  int axis = 0;
  op_axis(call, graph_int(call->node, "axis", 0), x->rank, &axis);
  size_t tail = block_of(x, axis + 1), row = block_of(x, axis), n = array_count(index);
  size_t rows = row ? array_count(x) / row : 0;
  int64_t at;
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < n; i++) {
      if (!index_at(call, index, i, x->dims[axis], &at))
        return false;
      copy_block(call->out, (r * n + i) * tail, x, r * row + (size_t)at * tail, tail);
    }
  return true;
}

bool op_gather_elements_shape(struct op_call *call) {
  const struct array *x = call->in[0], *index = call->in[1];
  int axis;
  if (!op_axis(call, graph_int(call->node, "axis", 0), x->rank, &axis))
    return false;
  for (int i = 0; i < x->rank; i++)
    if (index->rank != x->rank || (i != axis && index->dims[i] > x->dims[i]))
      return op_fail(call, "its indices have another shape than its input");
  return op_set(call, 0, x->type, index->rank, index->dims);
}

bool op_gather_elements(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t strides[ARRAY_RANK] = {0}, at;
  int axis = 0;
  struct op_walk walk;
  op_axis(call, graph_int(call->node, "axis", 0), x->rank, &axis);
  op_strides(x, strides);
  op_walk_over(&walk, call->out);
  for (int i = 0; i < walk.rank; i++)
    walk.stride[0][i] = i == axis ? 0 : strides[i];
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    if (!index_at(call, call->in[1], i, x->dims[axis], &at))
      return false;
    op_copy(call->out, i, x, (size_t)(walk.place[0] + at * strides[axis]));
  }
  return true;
}

// ---------------------------------------------------------------------------- Pad

static bool padding(struct op_call *call, int64_t before[ARRAY_RANK], int64_t after[ARRAY_RANK]) {
  int64_t pads[OP_LIST], axes[OP_LIST];
  int count, named, axis, rank = call->in[0]->rank;
  const char *attribute = graph_attr(call->node, "pads") ? "pads" : "paddings";
  if (!op_list(call, attribute, 1, pads, &count) || !op_list(call, NULL, 3, axes, &named))
    return false;
  int half = named >= 0 ? named : rank;
  if (count != 2 * half)
    return op_fail(call, "%d pads for %d dimensions", count, half);
  memset(before, 0, ARRAY_RANK * sizeof *before);
  memset(after, 0, ARRAY_RANK * sizeof *after);
  for (int i = 0; i < half; i++) {
    if (!op_axis(call, named >= 0 ? axes[i] : i, rank, &axis))
      return false;
    before[axis] = within(pads[i], -ARRAY_ELEMENTS, ARRAY_ELEMENTS);
    after[axis] = within(pads[half + i], -ARRAY_ELEMENTS, ARRAY_ELEMENTS);
  }
  return true;
}

bool op_pad_shape(struct op_call *call) {
  int64_t before[ARRAY_RANK] = {0}, after[ARRAY_RANK] = {0}, dims[ARRAY_RANK];
  const char *mode = graph_text(call->node, "mode", "constant");
  const struct array *x = call->in[0], *value = op_in(call, 2);
  bool constant = strcmp(mode, "constant") == 0, reflect = strcmp(mode, "reflect") == 0;
  if (!constant && !reflect && strcmp(mode, "edge") != 0)
    return op_fail(call, "mode '%.20s'; constant, reflect and edge are supported", mode);
  if (value && (array_count(value) != 1 || value->type != x->type))
    return op_fail(call, "its value must be one number of its input's type");
  if (!padding(call, before, after))
    return false;
  for (int i = 0; i < x->rank; i++) {
    dims[i] = x->dims[i] + before[i] + after[i];
    if (!constant && (before[i] > 0 || after[i] > 0) &&
        (x->dims[i] == 0 || (reflect && (before[i] >= x->dims[i] || after[i] >= x->dims[i]))))
      return op_fail(call, "dimension %d is too small for this padding", i);
  }
  return op_set(call, 0, x->type, x->rank, dims);
}

// Where an element comes from; -1: outside.
static int64_t mirrored(int64_t at, int64_t size, char mode) {
  if (at >= 0 && at < size)
    return at;
  if (mode == 'c')
    return -1;
  return mode == 'e' ? within(at, 0, size - 1) : at < 0 ? -at : 2 * (size - 1) - at;
}

bool op_pad(struct op_call *call) {
  int64_t before[ARRAY_RANK] = {0}, after[ARRAY_RANK] = {0}, strides[ARRAY_RANK] = {0};
  const struct array *x = call->in[0], *value = op_in(call, 2);
  char mode = *graph_text(call->node, "mode", "constant");
  struct op_walk walk;
  if (!padding(call, before, after))
    return false;
  op_strides(x, strides);
  op_walk_over(&walk, call->out);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int64_t from = 0;
    for (int k = 0; k < walk.rank && from >= 0; k++) {
      int64_t at = mirrored(walk.at[k] - before[k], x->dims[k], mode);
      from = at < 0 ? -1 : from + at * strides[k];
    }
    if (from >= 0)
      op_copy(call->out, i, x, (size_t)from);
    else if (value)
      op_copy(call->out, i, value, 0);
    else
      array_set(call->out, i, graph_float(call->node, "value", 0));
  }
  return true;
}

// ---------------------------------------------------------------------------- DepthToSpace, ...

// argument: 1 DepthToSpace, 0 SpaceToDepth.
bool op_blocks_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t b = graph_int(call->node, "blocksize", 0);
  if (x->rank != 4 || b < 1 || b > 65535)
    return op_fail(call, "pictures, and a blocksize, are supported");
  int64_t dims[4] = {x->dims[0], x->dims[1] / (b * b), x->dims[2] * b, x->dims[3] * b};
  bool fits = x->dims[1] % (b * b) == 0;
  if (!call->argument) {
    dims[1] = x->dims[1] * b * b, dims[2] = x->dims[2] / b, dims[3] = x->dims[3] / b;
    fits = x->dims[2] % b == 0 && x->dims[3] % b == 0;
  }
  return fits ? op_set(call, 0, x->type, 4, dims)
              : op_fail(call, "a blocksize of %lld does not divide its input", (long long)b);
}

bool op_blocks(struct op_call *call) {
  const struct array *wide = call->argument ? call->in[0] : call->out; // that with more channels
  const struct array *large = call->argument ? call->out : call->in[0];
  int64_t b = graph_int(call->node, "blocksize", 1), strides[ARRAY_RANK] = {0};
  int64_t depth = large->dims[1], at[4];
  bool crd = strcmp(graph_text(call->node, "mode", "DCR"), "CRD") == 0;
  struct op_walk walk;
  op_strides(large, strides);
  op_walk_over(&walk, wide);
  for (size_t i = 0; i < array_count(wide); i++, op_walk_step(&walk)) {
    memcpy(at, walk.at, sizeof at);
    int64_t c = crd ? at[1] / (b * b) : at[1] % depth;
    int64_t block = crd ? at[1] % (b * b) : at[1] / depth;
    size_t k = (size_t)(at[0] * strides[0] + c * strides[1] + (at[2] * b + block / b) * strides[2] +
                        at[3] * b + block % b);
    op_copy(call->out, call->argument ? k : i, call->in[0], call->argument ? i : k);
  }
  return true;
}
