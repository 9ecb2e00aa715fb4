// deploy/op/op.c: see op.h. The operators by name, and graphs of them.
#include "deploy/op/op.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "deploy/op/op_binary.h"
#include "deploy/op/op_call.h"
#include "deploy/op/op_norm.h"
#include "deploy/op/op_quant.h"
#include "deploy/op/op_reduce.h"
#include "deploy/op/op_unary.h"
#include "deploy/op/op_window.h"

#define F(name) op_##name##_shape, op_##name
#define UNARY(op, f)                                                                               \
  { op, 1, 1, F(unary), f, NULL }
#define BINARY(op, f)                                                                              \
  { op, 2, 2, F(binary), f, NULL }
#define COMPARE(op, f)                                                                             \
  { op, 2, 2, F(compare), f, NULL }
#define LOGIC(op, f)                                                                               \
  { op, 2, 2, F(logic), f, NULL }
#define MANY(op, f)                                                                                \
  { op, 1, 255, F(many), f, NULL }
#define REDUCE(op, f)                                                                              \
  { op, 1, 2, F(reduce), f, NULL }

static const char microsoft[] = "com.microsoft", anywhere[] = "*";

static const struct op ops[] = {
    UNARY("Abs", OP_ABS),
    UNARY("Acos", OP_ACOS),
    UNARY("Acosh", OP_ACOSH),
    UNARY("Asin", OP_ASIN),
    UNARY("Asinh", OP_ASINH),
    UNARY("Atan", OP_ATAN),
    UNARY("Atanh", OP_ATANH),
    UNARY("Ceil", OP_CEIL),
    UNARY("Celu", OP_CELU),
    UNARY("Cos", OP_COS),
    UNARY("Cosh", OP_COSH),
    UNARY("Elu", OP_ELU),
    UNARY("Erf", OP_ERF),
    UNARY("Exp", OP_EXP),
    UNARY("Floor", OP_FLOOR),
    UNARY("Gelu", OP_GELU),
    UNARY("HardSigmoid", OP_HARD_SIGMOID),
    UNARY("HardSwish", OP_HARD_SWISH),
    UNARY("LeakyRelu", OP_LEAKY_RELU),
    UNARY("Log", OP_LOG),
    UNARY("Mish", OP_MISH),
    UNARY("Neg", OP_NEG),
    UNARY("Reciprocal", OP_RECIPROCAL),
    UNARY("Relu", OP_RELU),
    UNARY("Round", OP_ROUND),
    UNARY("Selu", OP_SELU),
    UNARY("Shrink", OP_SHRINK),
    UNARY("Sigmoid", OP_SIGMOID),
    UNARY("Sign", OP_SIGN),
    UNARY("Sin", OP_SIN),
    UNARY("Sinh", OP_SINH),
    UNARY("Softplus", OP_SOFTPLUS),
    UNARY("Softsign", OP_SOFTSIGN),
    UNARY("Sqrt", OP_SQRT),
    UNARY("Tan", OP_TAN),
    UNARY("Tanh", OP_TANH),
    UNARY("ThresholdedRelu", OP_THRESHOLDED_RELU),
    {"IsInf", 1, 1, F(test), OP_IS_INF, NULL},
    {"IsNaN", 1, 1, F(test), OP_IS_NAN, NULL},
    {"Not", 1, 1, F(test), OP_NOT, NULL},
    {"Cast", 1, 1, F(cast), 0, NULL},
    {"CastLike", 2, 2, F(cast_like), 0, NULL},
    {"Clip", 1, 3, F(clip), 0, NULL},
    {"Dropout", 1, 3, F(dropout), 0, NULL},
    {"Identity", 1, 1, op_same, op_cast, 0, NULL},
    BINARY("Add", OP_ADD),
    BINARY("BitShift", OP_SHIFT),
    BINARY("Div", OP_DIV),
    BINARY("Mod", OP_MOD),
    BINARY("Mul", OP_MUL),
    BINARY("PRelu", OP_PRELU),
    BINARY("Pow", OP_POW),
    BINARY("Sub", OP_SUB),
    COMPARE("Equal", OP_EQUAL),
    COMPARE("Greater", OP_GREATER),
    COMPARE("GreaterOrEqual", OP_GREATER_EQUAL),
    COMPARE("Less", OP_LESS),
    COMPARE("LessOrEqual", OP_LESS_EQUAL),
    LOGIC("And", OP_AND),
    LOGIC("Or", OP_OR),
    LOGIC("Xor", OP_XOR),
    MANY("Max", OP_MAX),
    MANY("Mean", OP_MEAN),
    MANY("Min", OP_MIN),
    MANY("Sum", OP_ADD),
    {"Where", 3, 3, F(where), 0, NULL},
    REDUCE("ReduceL1", OP_REDUCE_L1),
    REDUCE("ReduceL2", OP_REDUCE_L2),
    REDUCE("ReduceLogSum", OP_REDUCE_LOG_SUM),
    REDUCE("ReduceLogSumExp", OP_REDUCE_LOG_SUM_EXP),
    REDUCE("ReduceMax", OP_REDUCE_MAX),
    REDUCE("ReduceMean", OP_REDUCE_MEAN),
    REDUCE("ReduceMin", OP_REDUCE_MIN),
    REDUCE("ReduceProd", OP_REDUCE_PROD),
    REDUCE("ReduceSum", OP_REDUCE_SUM),
    REDUCE("ReduceSumSquare", OP_REDUCE_SQUARES),
    {"ArgMax", 1, 1, F(arg), OP_ARG_MAX, NULL},
    {"ArgMin", 1, 1, F(arg), OP_ARG_MIN, NULL},
    {"CumSum", 2, 2, F(cumsum), 0, NULL},
    {"Reshape", 1, 2, F(reshape), 0, NULL},
    {"Flatten", 1, 1, F(flatten), 0, NULL},
    {"Squeeze", 1, 2, F(squeeze), 0, NULL},
    {"Unsqueeze", 1, 2, F(unsqueeze), 0, NULL},
    {"Shape", 1, 1, F(shape), 0, NULL},
    {"Size", 1, 1, F(size), 0, NULL},
    {"Constant", 0, 0, F(constant), 0, NULL},
    {"ConstantOfShape", 1, 1, F(fill), 0, NULL},
    {"Range", 3, 3, F(range), 0, NULL},
    {"Expand", 2, 2, F(expand), 0, NULL},
    {"Tile", 2, 2, F(tile), 0, NULL},
    {"Transpose", 1, 1, F(transpose), 0, NULL},
    {"Concat", 1, 255, F(concat), 0, NULL},
    {"Split", 1, 2, F(split), 0, NULL},
    {"Slice", 1, 5, F(slice), 0, NULL},
    {"Gather", 2, 2, F(gather), 0, NULL},
    {"GatherElements", 2, 2, F(gather_elements), 0, NULL},
    {"Pad", 1, 4, F(pad), 0, NULL},
    {"DepthToSpace", 1, 1, F(blocks), 1, NULL},
    {"SpaceToDepth", 1, 1, F(blocks), 0, NULL},
    {"Conv", 2, 3, F(conv), 0, NULL},
    {"ConvTranspose", 2, 3, F(transposed_conv), 0, NULL},
    {"AveragePool", 1, 1, F(pool), OP_POOL_AVERAGE, NULL},
    {"MaxPool", 1, 1, F(pool), OP_POOL_MAX, NULL},
    {"GlobalAveragePool", 1, 1, F(global_pool), OP_POOL_AVERAGE, NULL},
    {"GlobalMaxPool", 1, 1, F(global_pool), OP_POOL_MAX, NULL},
    {"Gemm", 2, 3, F(gemm), 0, NULL},
    {"MatMul", 2, 2, F(matmul), 0, NULL},
    {"Hardmax", 1, 1, F(softmax), OP_HARDMAX, NULL},
    {"LogSoftmax", 1, 1, F(softmax), OP_LOG_SOFTMAX, NULL},
    {"Softmax", 1, 1, F(softmax), OP_SOFTMAX, NULL},
    {"BatchNormalization", 5, 5, F(batch_norm), 0, NULL},
    {"InstanceNormalization", 3, 3, F(instance_norm), 0, NULL},
    {"LayerNormalization", 2, 3, F(layer_norm), 0, NULL},
    {"LRN", 1, 1, F(lrn), 0, NULL},
    {"MeanVarianceNormalization", 1, 1, F(mvn), 0, NULL},
    {"Resize", 1, 4, F(resize), 0, NULL},
    {"Upsample", 1, 2, F(resize), 0, NULL},
    {"QuantizeLinear", 2, 3, F(quantize), 0, NULL},
    {"DequantizeLinear", 2, 3, F(dequantize), 0, NULL},
    {"DynamicQuantizeLinear", 1, 1, F(dynamic_quantize), 0, NULL},
    {"ConvInteger", 2, 4, F(conv_integer), 0, NULL},
    {"QLinearConv", 8, 9, F(qlinear_conv), 0, NULL},
    {"MatMulInteger", 2, 4, F(matmul_integer), 0, NULL},
    {"QLinearMatMul", 8, 8, F(qlinear_matmul), 0, NULL},
    {"QGemm", 6, 9, F(qgemm), 0, microsoft},
    {"QLinearAdd", 7, 8, F(qlinear_binary), OP_QADD, microsoft},
    {"QLinearConcat", 5, 255, F(qlinear_concat), 0, microsoft},
    {"QLinearGlobalAveragePool", 4, 5, F(qlinear_pool), 0, microsoft},
    {"QLinearLeakyRelu", 4, 5, F(qlinear_unary), OP_LEAKY_RELU, microsoft},
    {"QLinearMul", 7, 8, F(qlinear_binary), OP_QMUL, microsoft},
    {"QLinearSigmoid", 4, 5, F(qlinear_unary), OP_SIGMOID, microsoft},
    {"QuantizeLinear", 2, 3, F(quantize), 0, microsoft},
    {"Gelu", 1, 1, F(unary), OP_GELU, microsoft},
    {"RequantShift", 3, 3, F(requant_shift), 0, anywhere},
    {"DequantizeLinear", 2, 3, F(dequantize), 0, microsoft},
};

const struct op *op_find(const struct graph_node *node) {
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp(ops[i].name, node->op) == 0 &&
        (ops[i].domain == anywhere ||
         strcmp(ops[i].domain ? ops[i].domain : "", node->domain) == 0))
      return &ops[i];
  return NULL;
}

size_t op_count(void) {
  return sizeof ops / sizeof *ops;
}

const char *op_name(size_t i, const char **domain) {
  *domain = ops[i].domain && ops[i].domain != anywhere ? ops[i].domain : "";
  return ops[i].name;
}

bool op_known(const struct graph_node *node) {
  return op_find(node) != NULL;
}

// ---------------------------------------------------------------------------- one node

static bool check(const struct op_call *call, const struct op *op, bool values) {
  const struct graph_node *node = call->node;
  if (!op)
    return op_fail(call,
                   "%s%s%.40s is not supported; `pulpsim-deploy info --operators` lists the %zu "
                   "that are",
                   node->domain, *node->domain ? "." : "", node->op, op_count());
  if (call->in_count < op->least || (op->most != 255 && call->in_count > op->most))
    return op_fail(call, "it has %u inputs; %u to %u are supported", call->in_count, op->least,
                   op->most);
  if (!node->output_count || node->output_count > OP_OUTPUTS)
    return op_fail(call, "it has %u outputs; 1 to %d are supported", node->output_count,
                   OP_OUTPUTS);
  for (uint32_t i = 0; i < call->in_count; i++) {
    const struct array *x = call->in[i];
    bool needed = i < op->least && !op->domain; // zero points of others may be left out
    if (!x && needed)
      return op_fail(call, "input %u is left out", i);
    if (x && (values ? !x->data : !array_type_size(x->type)))
      return op_fail(call, "input %u is no tensor of numbers, which are supported", i);
  }
  return true;
}

bool op_apply(const struct graph_node *node, const struct array *const *inputs, uint32_t count,
              struct array *outputs, struct net_error *error) {
  const struct op *op = op_find(node);
  struct op_call call = {
      .node = node, .in = inputs, .in_count = count, .out = outputs, .error = error};
  memset(outputs, 0, node->output_count * sizeof *outputs);
  if (!check(&call, op, true))
    return false;
  call.argument = op->argument;
  bool good = op->shape(&call);
  for (uint32_t i = 0; good && i < node->output_count; i++) {
    if (!outputs[i].type && node->outputs[i] == GRAPH_NONE)
      continue;
    if (!outputs[i].type)
      good = op_fail(&call, "output %u is not supported; those before are", i);
    else
      array_allocate(&outputs[i]);
  }
  good = good && op->value(&call);
  for (uint32_t i = 0; !good && i < node->output_count; i++)
    array_clear(&outputs[i]);
  return good;
}

// ---------------------------------------------------------------------------- inference

// Whether its outputs' shapes come from shapes alone, or from constants.
static bool shapes_follow(const struct graph_node *node, const struct array *const *in) {
  static const char *const from_values[] = {
      "Reshape", "Squeeze", "Unsqueeze", "Expand", "Tile",   "Slice",           "Pad",
      "Split",   "Resize",  "Upsample",  "Range",  "CumSum", "ConstantOfShape", "Dropout"};
  bool asks = strncmp(node->op, "Reduce", 6) == 0;
  for (size_t i = 0; i < sizeof from_values / sizeof *from_values; i++)
    asks |= strcmp(node->op, from_values[i]) == 0;
  bool own = graph_is(node, "Range") || graph_is(node, "ConstantOfShape");
  for (uint32_t i = own ? 0 : 1; asks && i < node->input_count; i++)
    if (in[i] && !in[i]->data)
      return false;
  return true;
}

static bool all_constant(const struct graph_node *node, const struct array *const *in) {
  for (uint32_t i = 0; i < node->input_count; i++)
    if (in[i] && !in[i]->data)
      return false;
  return !graph_is(node, "DequantizeLinear");
}

// What is computed from constants is as large as what networks hold.
static bool foldable(const struct graph_node *node, const struct array *out) {
  enum { FOLDED_MOST = 1 << 22 };
  for (uint32_t i = 0; i < node->output_count; i++)
    if (array_count(&out[i]) > FOLDED_MOST)
      return false;
  return true;
}

// Its outputs' types and shapes, or values too.
static bool infer_node(struct graph *graph, struct graph_node *node, const struct array **in,
                       struct array *out) {
  struct net_error error = {.text = ""};
  bool shape = graph_is(node, "Shape") || graph_is(node, "Size");
  struct op_call call = {
      .node = node, .in = in, .in_count = node->input_count, .out = out, .error = &error};
  const struct op *op = op_find(node);
  for (uint32_t i = 0; i < node->input_count; i++) {
    in[i] = node->inputs[i] == GRAPH_NONE ? NULL : &graph->values[node->inputs[i]].array;
    if (in[i] && !in[i]->data && (!in[i]->type || !array_shape_ok(in[i])))
      return false; // not known
  }
  if (!check(&call, op, false))
    return false;
  call.argument = op->argument;
  if (shape) {
    bool good = op->shape(&call);
    if (good)
      array_allocate(&out[0]);
    return good && op->value(&call); // cannot fail
  }
  if (all_constant(node, in))
    return op->shape(&call) && foldable(node, out) &&
           op_apply(node, in, node->input_count, out, &error);
  return shapes_follow(node, in) && op->shape(&call);
}

bool op_infer_node(struct graph *graph, struct graph_node *node) {
  if (node->removed)
    return true;
  const struct array **in = memory_new(node->input_count, sizeof *in);
  struct array *out = memory_new(node->output_count, sizeof *out);
  bool known = infer_node(graph, node, in, out), constant = node->output_count > 0;
  for (uint32_t i = 0; i < node->output_count; i++) {
    constant &= known && out[i].data != NULL;
    if (known && node->outputs[i] != GRAPH_NONE && !graph->values[node->outputs[i]].array.data)
      graph->values[node->outputs[i]].array = out[i];
    else
      array_clear(&out[i]);
  }
  node->removed = constant;
  free(in);
  free(out);
  return constant;
}

void op_infer(struct graph *graph) {
  for (uint32_t n = 0; n < graph->node_count; n++)
    op_infer_node(graph, &graph->nodes[n]);
}

// ---------------------------------------------------------------------------- graphs

struct op_run {
  const struct graph *graph;
  struct array *values; // [value_count]; data NULL: a constant of the graph, or not known yet
};

struct op_run *op_run_new(const struct graph *graph) {
  struct op_run *run = memory_new(1, sizeof *run);
  run->graph = graph;
  run->values = memory_new(graph->value_count, sizeof *run->values);
  return run;
}

void op_run_free(struct op_run *run) {
  if (!run)
    return;
  for (uint32_t i = 0; i < run->graph->value_count; i++)
    array_clear(&run->values[i]);
  free(run->values);
  free(run);
}

void op_run_set(struct op_run *run, int value, struct array *array) {
  array_clear(&run->values[value]);
  run->values[value] = *array;
}

const struct array *op_run_get(const struct op_run *run, int value) {
  const struct array *own = &run->values[value], *fixed = &run->graph->values[value].array;
  return own->data || !fixed->data ? own : fixed;
}

bool op_run_node(struct op_run *run, const struct graph_node *node, struct net_error *error) {
  const struct array **in = memory_new(node->input_count, sizeof *in);
  struct array *out = memory_new(node->output_count, sizeof *out);
  for (uint32_t i = 0; i < node->input_count; i++)
    in[i] = node->inputs[i] == GRAPH_NONE ? NULL : op_run_get(run, node->inputs[i]);
  bool good = op_apply(node, in, node->input_count, out, error);
  for (uint32_t i = 0; good && i < node->output_count; i++) {
    if (node->outputs[i] != GRAPH_NONE)
      op_run_set(run, node->outputs[i], &out[i]);
    else
      array_clear(&out[i]);
  }
  free(in);
  free(out);
  return good;
}

bool op_run_execute(struct op_run *run, struct net_error *error) {
  for (uint32_t i = 0; i < run->graph->node_count; i++)
    if (!run->graph->nodes[i].removed && !op_run_node(run, &run->graph->nodes[i], error))
      return false;
  return true;
}
