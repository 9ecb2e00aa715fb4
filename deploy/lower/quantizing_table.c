// deploy/lower/quantizing_table.c: functions of one tensor's codes, a table of 256 each.
#include "deploy/lower/quantizing.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"
#include "deploy/op/op_quant.h"

int quantizing_add_table(struct quantizing *q, const char *name, const struct coded *from,
                         int value, const char *tensor_name, const struct quantum *to,
                         const uint8_t table[256]) {
  const struct net_tensor t = q->net->tensors[from->tensor];
  struct net_layer l = quantizing_layer(name, NET_TABLE, &from->tensor, 1);
  l.table = memory_copy(table, 256, 1);
  l.requant.kind = NET_COPY;
  l.requant.low = quantum_least(to), l.requant.high = l.requant.low + 255;
  struct net_tensor made = {.name = (char *)tensor_name, .h = t.h, .w = t.w, .c = t.c, .bits = 8};
  made.is_signed = to->type == ARRAY_I8;
  made.scale = (double)to->scale, made.zero = (int32_t)to->zero;
  int tensor = net_add_tensor(q->net, &made);
  l.output = tensor;
  struct order order = from->order;
  net_add_layer(q->net, &l);
  if (value != GRAPH_NONE)
    q->values[value] = (struct coded){.tensor = tensor, .order = order};
  return tensor;
}

enum { DEPTH = 32 };

// What a subgraph gives for every code of the one tensor it reads.
struct table {
  struct quantizing *q;
  int tensor; // NET_NONE: not found yet
};

static bool elementwise(const struct graph_node *node) {
  static const char *const ops[] = {"Abs",        "Add",
                                    "Cast",       "Celu",
                                    "Clip",       "Div",
                                    "Elu",        "Erf",
                                    "Exp",        "Floor",
                                    "Ceil",       "HardSigmoid",
                                    "HardSwish",  "Identity",
                                    "LeakyRelu",  "Log",
                                    "Max",        "Min",
                                    "Mul",        "Neg",
                                    "PRelu",      "Pow",
                                    "Reciprocal", "Relu",
                                    "Round",      "Selu",
                                    "Sigmoid",    "Sign",
                                    "Softplus",   "Softsign",
                                    "Sqrt",       "Sub",
                                    "Tanh",       "ThresholdedRelu"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (graph_is(node, ops[i]))
      return true;
  return false;
}

static bool fill_codes(const struct table *t, const struct coded *from, struct array *to) {
  struct quantum own = quantizing_of(t->q, from);
  *to = (struct array){.type = ARRAY_F32, .rank = 1, .dims = {256}};
  array_allocate(to);
  for (int i = 0; i < 256; i++) {
    int64_t code = quantum_least(&own) + i;
    array_set(to, (size_t)i, (double)(own.scale * (float)(code - own.zero)));
  }
  return true;
}

// The values for all codes of the tensor; false: this is no function of one tensor's codes.
static bool evaluate(struct table *t, int value, int depth, struct array *to) {
  struct coded *from = &t->q->values[value];
  if (from->tensor != NET_NONE && from->real) {
    bool fits = (t->tensor == NET_NONE || t->tensor == from->tensor) &&
                t->q->net->tensors[from->tensor].bits == 8;
    t->tensor = from->tensor;
    return fits && fill_codes(t, from, to);
  }
  const struct array *fixed = &t->q->graph->values[value].array;
  if (fixed->data) {
    array_copy(to, fixed);
    to->rank = array_count(fixed) == 1 ? 0 : fixed->rank;
    return array_count(fixed) == 1;
  }
  const struct graph_node *node = quantizing_producer(t->q, value);
  bool weights = node && graph_is(node, "DequantizeLinear") && graph_const(t->q->graph, node, 0);
  if (!node || depth == 0 || node->input_count > 3 || node->output_count != 1 ||
      (!weights && !elementwise(node)))
    return false;
  struct array in[3] = {{.data = NULL}, {.data = NULL}, {.data = NULL}};
  const struct array *list[3] = {NULL, NULL, NULL};
  struct net_error error = {.text = ""};
  bool good = true;
  for (uint32_t i = 0; good && i < node->input_count; i++) {
    if (node->inputs[i] == GRAPH_NONE)
      continue;
    good = evaluate(t, node->inputs[i], depth - 1, &in[i]);
    list[i] = &in[i];
  }
  good = good && op_apply(node, list, node->input_count, to, &error);
  for (int i = 0; i < 3; i++)
    array_clear(&in[i]);
  return good;
}

// All nodes of the subgraph belong to the table.
static void use_all(struct quantizing *q, int value, int depth) {
  const struct graph_node *node = quantizing_producer(q, value);
  if (!node || depth == 0 || q->values[value].tensor != NET_NONE)
    return;
  quantizing_use(q, node);
  for (uint32_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != GRAPH_NONE)
      use_all(q, node->inputs[i], depth - 1);
}

bool quantizing_table(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known) {
  struct table t = {.q = q, .tensor = NET_NONE};
  struct array reals = {.data = NULL};
  uint8_t table[256];
  int32_t low, high;
  const struct coded *self = &q->values[value];
  *known = false;
  if (self->tensor != NET_NONE) {
    struct quantum own = quantizing_of(q, self);
    if (own.zero == to->zero && own.type == to->type && !(own.scale < to->scale) &&
        !(own.scale > to->scale))
      return true; // nothing changes
  }
  if (!evaluate(&t, value, DEPTH, &reals) || t.tensor == NET_NONE || array_count(&reals) != 256) {
    array_clear(&reals);
    return true;
  }
  quantizing_codes(to, span, &low, &high);
  bool is_signed = q->net->tensors[t.tensor].is_signed;
  for (int i = 0; i < 256; i++) {
    int64_t code =
        quant_of_real((float)array_get(&reals, (size_t)i), to->scale, to->zero, to->type);
    code = code < low ? low : code > high ? high : code;
    table[is_signed ? (i - 128) & 255 : i] = (uint8_t)code;
  }
  array_clear(&reals);
  // The layout is that of the value that the table reads.
  struct coded from = {.tensor = t.tensor};
  for (uint32_t i = 0; i < q->graph->value_count; i++)
    if (q->values[i].tensor == t.tensor)
      from = q->values[i];
  if (from.pad[0] | from.pad[1] | from.pad[2] | from.pad[3])
    return true;
  const struct graph_node *node = quantizing_producer(q, value);
  use_all(q, value, DEPTH);
  quantizing_add_table(q, node ? node->name : q->graph->values[out].name, &from, out,
                       q->graph->values[out].name, to, table);
  *known = true;
  return true;
}

bool quantizing_coded_table(struct quantizing *q, const struct graph_node *node,
                            const struct quantum *to) {
  const struct coded *from = quantizing_in(q, node, 0);
  struct quantum own = quantizing_of(q, from);
  struct array x = {.type = own.type, .rank = 1, .dims = {256}}, y = {.data = NULL};
  const struct array *in[8] = {&x};
  uint8_t table[256];
  if (node->input_count > 8 || node->output_count != 1)
    return graph_fail(q->error, node, "it has too many inputs or outputs");
  for (uint32_t i = 1; i < node->input_count; i++)
    in[i] = graph_const(q->graph, node, i);
  array_allocate(&x);
  for (size_t i = 0; i < 256; i++)
    array_set_int(&x, i, (int64_t)i);
  bool good = op_apply(node, in, node->input_count, &y, q->error);
  for (size_t i = 0; good && i < 256; i++)
    table[i] = (uint8_t)array_get_int(&y, i);
  array_clear(&x);
  array_clear(&y);
  struct coded copy = *from;
  if (good)
    quantizing_add_table(q, node->name, &copy, node->outputs[0],
                         q->graph->values[node->outputs[0]].name, to, table);
  return good;
}
