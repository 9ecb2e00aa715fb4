// deploy/read/onnx.c: see onnx.h.
#include "deploy/read/onnx.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "deploy/read/onnx_tensor.h"

static bool fail(struct net_error *error, int status, const char *format, const char *name) {
  snprintf(error->text, sizeof error->text, format, name);
  error->status = status;
  return false;
}

// ------------------------------------------------------------------ attributes

static char *bytes_text(const ProtobufCBinaryData *bytes) {
  char *text = memory_new(bytes->len + 1, 1);
  if (bytes->len)
    memcpy(text, bytes->data, bytes->len);
  return text;
}

// Older files have no `type`: the field that is there decides.
static bool add_attr(struct graph_node *node, const Onnx__Attribute *from, const char *path,
                     struct net_error *error) {
  const char *name = from->name ? from->name : "";
  if (from->t) {
    struct graph_attr *attr = graph_add_attr(node, name, GRAPH_TENSOR, 1);
    return onnx_tensor(from->t, path, &attr->tensor, error);
  }
  if (from->n_ints || from->has_i) {
    size_t count = from->n_ints ? from->n_ints : 1;
    struct graph_attr *attr = graph_add_attr(node, name, GRAPH_INTS, (uint32_t)count);
    memcpy(attr->ints, from->n_ints ? from->ints : &from->i, count * sizeof *attr->ints);
  } else if (from->n_floats || from->has_f) {
    size_t count = from->n_floats ? from->n_floats : 1;
    struct graph_attr *attr = graph_add_attr(node, name, GRAPH_FLOATS, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
      attr->floats[i] = (double)(from->n_floats ? from->floats[i] : from->f);
  } else if (from->has_s) {
    graph_add_attr(node, name, GRAPH_TEXT, 1)->text = bytes_text(&from->s);
  } else if (from->type == 7) { // an empty list of integers
    graph_add_attr(node, name, GRAPH_INTS, 0);
  } else {
    graph_add_attr(node, name, GRAPH_OTHER, 0);
  }
  return true;
}

// ------------------------------------------------------------------ nodes

static int version_of(const Onnx__Model *model, const char *domain) {
  bool own = !*domain || strcmp(domain, "ai.onnx") == 0;
  for (size_t i = 0; i < model->n_opset_import; i++) {
    const Onnx__OperatorSet *set = model->opset_import[i];
    const char *name = set->domain ? set->domain : "";
    bool same = own ? !*name || strcmp(name, "ai.onnx") == 0 : strcmp(name, domain) == 0;
    if (same)
      return set->version < 0 || set->version > 10000 ? 0 : (int)set->version;
  }
  return own ? 1 : 0;
}

static bool add_output(struct graph *graph, struct graph_node *node, const char *name, bool **made,
                       uint32_t *room, struct net_error *error) {
  int value = *name ? graph_value(graph, name) : GRAPH_NONE;
  graph_add_output(node, value);
  if (value == GRAPH_NONE)
    return true;
  if ((uint32_t)value >= *room) {
    uint32_t size = 2 * (uint32_t)value + 64;
    *made = memory_grow(*made, size, 1);
    memset(*made + *room, 0, size - *room);
    *room = size;
  }
  bool twice = (*made)[value] || graph->values[value].array.data;
  (*made)[value] = true;
  error->status = twice ? EX_DATAERR : 0;
  return !twice || graph_fail(error, node, "output '%.80s' has a value already", name);
}

static bool add_nodes(struct graph *graph, const Onnx__Model *model, const char *path,
                      struct net_error *error) {
  const Onnx__Graph *from = model->graph;
  bool *made = NULL, ok = true;
  uint32_t room = 0;
  if (from->n_node > GRAPH_NODES)
    return fail(error, EX_UNAVAILABLE, "graph '%.80s': more than 20000 nodes", graph->name);
  for (size_t i = 0; ok && i < from->n_node; i++) {
    const Onnx__Node *n = from->node[i];
    const char *domain = n->domain && strcmp(n->domain, "ai.onnx") != 0 ? n->domain : "";
    struct graph_node *node = graph_add_node(graph, n->name, domain, n->op_type ? n->op_type : "",
                                             version_of(model, domain));
    for (size_t k = 0; k < n->n_input; k++)
      graph_add_input(node, *n->input[k] ? graph_value(graph, n->input[k]) : GRAPH_NONE);
    for (size_t k = 0; ok && k < n->n_output; k++)
      ok = add_output(graph, node, n->output[k], &made, &room, error);
    for (size_t k = 0; ok && k < n->n_attribute; k++)
      ok = add_attr(node, n->attribute[k], path, error);
  }
  free(made);
  return ok;
}

// ------------------------------------------------------------------ values

// What a file says of a value: its type, and its shape with -1 where that is open.
static bool declare(struct graph *graph, const Onnx__ValueInfo *info, struct net_error *error) {
  int number = graph_value(graph, info->name);
  struct array *array = &graph->values[number].array;
  const Onnx__TensorType *tensor = info->type ? info->type->tensor_type : NULL;
  if (!tensor)
    return true; // a sequence, say: the operator that reads it is refused
  array->type = tensor->elem_type > 0 ? (enum array_type)tensor->elem_type : ARRAY_NONE;
  size_t rank = tensor->shape ? tensor->shape->n_dim : 0;
  if (rank > ARRAY_RANK)
    return fail(error, EX_UNAVAILABLE, "value '%.80s': more than 8 dimensions", info->name);
  array->rank = (int)rank;
  for (size_t i = 0; i < rank; i++) {
    const Onnx__Dimension *dim = tensor->shape->dim[i];
    array->dims[i] = dim->has_dim_value && dim->dim_value >= 0 ? dim->dim_value : -1;
  }
  return true;
}

static bool add_initializers(struct graph *graph, const Onnx__Graph *from, const char *path,
                             struct net_error *error) {
  if (from->n_sparse_initializer)
    return fail(error, EX_UNAVAILABLE, "graph '%.80s': sparse tensors are not supported",
                graph->name);
  for (size_t i = 0; i < from->n_initializer; i++) {
    struct array array;
    const char *name = from->initializer[i]->name ? from->initializer[i]->name : "";
    if (graph_find(graph, name) != GRAPH_NONE)
      return fail(error, EX_DATAERR, "initializer '%.80s' is there twice", name);
    if (!onnx_tensor(from->initializer[i], path, &array, error))
      return false;
    graph_constant(graph, name, &array);
  }
  return true;
}

// Files of before 2019 list their initializers as inputs, too.
static bool add_ends(struct graph *graph, const Onnx__Graph *from, struct net_error *error) {
  for (size_t i = 0; i < from->n_input; i++) {
    const char *name = from->input[i]->name ? from->input[i]->name : "";
    int known = graph_find(graph, name);
    if (known != GRAPH_NONE && graph->values[known].array.data)
      continue;
    if (!*name || known != GRAPH_NONE)
      return fail(error, EX_DATAERR, "input '%.80s' has no name, or is there twice", name);
    if (!declare(graph, from->input[i], error))
      return false;
    graph_list(&graph->inputs, &graph->input_count, graph_find(graph, name));
  }
  for (size_t i = 0; i < from->n_output; i++) {
    const char *name = from->output[i]->name ? from->output[i]->name : "";
    graph_list(&graph->outputs, &graph->output_count, graph_value(graph, name));
  }
  return true;
}

// Every value that is read, or is a result, must come from somewhere.
static bool check_sources(const struct graph *graph, struct net_error *error) {
  bool *made = memory_new(graph->value_count, 1);
  int missing = GRAPH_NONE;
  for (uint32_t i = 0; i < graph->value_count; i++)
    made[i] = graph->values[i].array.data || graph->values[i].array.type == ARRAY_STRING;
  for (uint32_t i = 0; i < graph->input_count; i++)
    made[graph->inputs[i]] = true;
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (uint32_t o = 0; o < graph->nodes[i].output_count; o++)
      if (graph->nodes[i].outputs[o] != GRAPH_NONE)
        made[graph->nodes[i].outputs[o]] = true;
  for (uint32_t i = 0; i < graph->value_count && missing == GRAPH_NONE; i++)
    if (!made[i])
      missing = (int)i;
  free(made);
  return missing == GRAPH_NONE ||
         fail(error, EX_DATAERR, "nothing gives a value to '%.80s'", graph->values[missing].name);
}

// An output that is an input, too, would make the order of execution a question.
static bool check_inputs(const struct graph *graph, struct net_error *error) {
  for (uint32_t i = 0; i < graph->input_count; i++)
    if (graph_producer(graph, graph->inputs[i]) != GRAPH_NONE)
      return fail(error, EX_DATAERR, "input '%.80s' is also computed",
                  graph->values[graph->inputs[i]].name);
  return true;
}

// ------------------------------------------------------------------ file

static bool check_model(const Onnx__Model *model, struct net_error *error) {
  if (!model || !model->graph || model->graph->n_output == 0)
    return fail(error, EX_DATAERR, "not an ONNX model%s", "");
  int version = version_of(model, "");
  if (version < 1 || version > ONNX_OPSET_MAX) {
    snprintf(error->text, sizeof error->text,
             "operator set %d is not supported; 7 to 18 are, and 1 to 21 where operators agree",
             version);
    error->status = EX_UNAVAILABLE;
    return false;
  }
  return true;
}

// Field numbers 1 to 8, 14, 20, 25: a number (ir_version, model_version) or a length.
bool onnx_is(const void *bytes, size_t size) {
  const uint8_t *first = bytes;
  return size > 2 && (*first == 0x08 || *first == 0x28 || *first == 0x12 || *first == 0x1a ||
                      *first == 0x22 || *first == 0x32 || *first == 0x3a || *first == 0x42);
}

struct graph *onnx_parse(const void *bytes, size_t size, const char *path,
                         struct net_error *error) {
  ProtobufCAllocator *allocator = onnx_allocator(size);
  Onnx__Model *model = onnx__model__unpack(allocator, size, bytes);
  struct graph *graph = NULL;
  if (check_model(model, error)) {
    graph = graph_new(model->graph->name);
    if (!add_initializers(graph, model->graph, path, error) ||
        !add_ends(graph, model->graph, error) || !add_nodes(graph, model, path, error) ||
        !check_sources(graph, error) || !check_inputs(graph, error) || !graph_sort(graph, error)) {
      graph_free(graph);
      graph = NULL;
    }
  }
  if (model)
    onnx__model__free_unpacked(model, allocator);
  return graph;
}
