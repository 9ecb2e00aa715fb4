// deploy/op/op_matrix.c: Gemm, MatMul.
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"

// ---------------------------------------------------------------------------- Gemm

bool op_gemm_shape(struct op_call *call) {
  const struct array *a = call->in[0], *b = call->in[1], *c = op_in(call, 2);
  bool ta = graph_int(call->node, "transA", 0) != 0, tb = graph_int(call->node, "transB", 0) != 0;
  struct array out = {.rank = 2}, to;
  if (a->rank != 2 || b->rank != 2 || a->dims[ta ? 0 : 1] != b->dims[tb ? 1 : 0] ||
      a->type != b->type)
    return op_fail(call, "two matrices that fit each other, of one type, are supported");
  out.dims[0] = a->dims[ta ? 1 : 0], out.dims[1] = b->dims[tb ? 0 : 1];
  if (c && (!op_broadcast(&out, c, &to) || !array_same_shape(&out, &to)))
    return op_fail(call, "input 2 (C) does not repeat to its output's shape");
  return op_set(call, 0, a->type, 2, out.dims);
}

bool op_gemm(struct op_call *call) {
  const struct array *a = call->in[0], *b = call->in[1], *c = op_in(call, 2);
  bool ta = graph_int(call->node, "transA", 0) != 0, tb = graph_int(call->node, "transB", 0) != 0;
  size_t rows = (size_t)call->out->dims[0], columns = (size_t)call->out->dims[1];
  size_t depth = (size_t)a->dims[ta ? 0 : 1];
  double alpha = graph_float(call->node, "alpha", 1), beta = graph_float(call->node, "beta", 1);
  double *x = op_numbers(a), *y = op_numbers(b);
  struct op_walk walk;
  bool good = true;
  op_walk_over(&walk, call->out);
  if (c)
    op_walk_repeat(&walk, 0, c);
  for (size_t i = 0; good && i < rows * columns; i++, op_walk_step(&walk)) {
    size_t row = i / columns, column = i % columns;
    double sum = 0;
    for (size_t k = 0; k < depth; k++)
      sum += x[ta ? k * rows + row : row * depth + k] *
             y[tb ? column * depth + k : k * columns + column];
    good = op_put(call, 0, i, alpha * sum + (c ? beta * array_get(c, (size_t)walk.place[0]) : 0));
  }
  free(x);
  free(y);
  return good;
}

// ---------------------------------------------------------------------------- MatMul

// Vectors become matrices of one row or column; the dimensions in front repeat.
static void as_matrix(const struct array *from, bool row, struct array *to) {
  *to = *from;
  if (from->rank != 1)
    return;
  to->rank = 2;
  to->dims[row ? 1 : 0] = from->dims[0], to->dims[row ? 0 : 1] = 1;
}

static struct array in_front(const struct array *a) {
  struct array front = *a;
  front.rank = a->rank - 2;
  return front;
}

bool op_matmul_shape_of(struct op_call *call, const struct array *a, const struct array *b,
                        enum array_type type) {
  struct array x, y, front;
  char p[ARRAY_SHAPE_TEXT], q[ARRAY_SHAPE_TEXT];
  as_matrix(a, true, &x);
  as_matrix(b, false, &y);
  if (!a->rank || !b->rank || x.dims[x.rank - 1] != y.dims[y.rank - 2])
    return op_fail(call, "%s and %s do not fit each other", array_shape_text(a, p),
                   array_shape_text(b, q));
  struct array xf = in_front(&x), yf = in_front(&y);
  if (!op_broadcast(&xf, &yf, &front))
    return op_fail(call, "%s and %s do not repeat to one shape", array_shape_text(a, p),
                   array_shape_text(b, q));
  int rank = front.rank;
  if (rank + 2 > ARRAY_RANK)
    return op_fail(call, "more than %d dimensions", ARRAY_RANK);
  if (a->rank > 1)
    front.dims[rank++] = x.dims[x.rank - 2];
  if (b->rank > 1)
    front.dims[rank++] = y.dims[y.rank - 1];
  return op_set(call, 0, type, rank, front.dims);
}

double *op_matmul_of(const struct array *a, const struct array *b, const struct array *out,
                     const double *x, const double *y) {
  struct array am, bm, front;
  as_matrix(a, true, &am);
  as_matrix(b, false, &bm);
  struct array af = in_front(&am), bf = in_front(&bm);
  op_broadcast(&af, &bf, &front);
  size_t rows = (size_t)am.dims[am.rank - 2], depth = (size_t)am.dims[am.rank - 1];
  size_t columns = (size_t)bm.dims[bm.rank - 1];
  double *sums = memory_new(array_count(out), sizeof *sums), *to = sums;
  struct op_walk walk;
  op_walk_over(&walk, &front);
  op_walk_repeat(&walk, 0, &af);
  op_walk_repeat(&walk, 1, &bf);
  for (size_t n = array_count(&front); n; n--, op_walk_step(&walk)) {
    const double *p = x + (size_t)walk.place[0] * rows * depth;
    const double *q = y + (size_t)walk.place[1] * depth * columns;
    for (size_t r = 0; r < rows; r++, to += columns)
      for (size_t k = 0; k < depth; k++)
        for (size_t c = 0; c < columns; c++)
          to[c] += p[r * depth + k] * q[k * columns + c];
  }
  return sums;
}

bool op_matmul_shape(struct op_call *call) {
  if (call->in[0]->type != call->in[1]->type)
    return op_fail(call, "types %s and %s differ", array_type_name(call->in[0]->type),
                   array_type_name(call->in[1]->type));
  return op_matmul_shape_of(call, call->in[0], call->in[1], call->in[0]->type);
}

bool op_matmul(struct op_call *call) {
  double *x = op_numbers(call->in[0]), *y = op_numbers(call->in[1]);
  double *sums = op_matmul_of(call->in[0], call->in[1], call->out, x, y);
  bool good = true;
  for (size_t i = 0; good && i < array_count(call->out); i++)
    good = op_put(call, 0, i, sums[i]);
  free(sums);
  free(x);
  free(y);
  return good;
}
