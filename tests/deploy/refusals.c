// tests/deploy/refusals.c: what graphs cannot be lowered: each sentence names node, operator, what
// is wrong and what is supported instead, and the status is that of what is not supported.
//
// Graphs are written as text: a line per node, "OUT=OPERATOR INPUT... NAME=INTEGERS...", inputs
// are values, or constants "@TYPE:DIMENSIONS:NUMBER" (f, b: int8, h: int16, l: int64) of equal
// elements. The graph's input is "x" ("X" in codes), its output is the last line's.
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/lower.h"
#include "deploy/lower/quantized.h"
#include "deploy/lower/real.h"
#include "deploy/memory.h"

Suite *refusals_suite(void);

enum way { REAL, CODES, INTEGERS };

static int numbers(const char *text, char **end, int64_t to[8]) {
  int count = 0;
  for (*end = (char *)(uintptr_t)text; **end && **end != ':' && **end != ' ' && count < 8;
       count++) {
    to[count] = strtoll(*end, end, 10);
    *end += **end == ',';
  }
  return count;
}

static int constant(struct graph *g, const char *text) {
  static const struct {
    char letter;
    enum array_type type;
  } types[] = {{'f', ARRAY_F32}, {'b', ARRAY_I8}, {'h', ARRAY_I16}, {'l', ARRAY_I64}};
  struct array a = {.data = NULL};
  enum array_type type = ARRAY_F32;
  int64_t dims[8];
  char *end, name[24];
  for (int i = 0; i < 4; i++)
    type = types[i].letter == text[1] ? types[i].type : type;
  int rank = numbers(text + 3, &end, dims);
  array_set_shape(&a, type, rank, dims);
  array_allocate(&a);
  double value = strtod(end + 1, NULL);
  for (size_t i = 0; i < array_count(&a); i++)
    array_set(&a, i, value);
  snprintf(name, sizeof name, "c%u", g->value_count);
  return graph_constant(g, name, &a);
}

static void add_attribute(struct graph_node *node, const char *name, const char *value) {
  int64_t list[8];
  char *end;
  if (*value >= 'a' && *value <= 'z') {
    graph_add_attr(node, name, GRAPH_TEXT, 1)->text = memory_text(value);
    return;
  }
  int count = numbers(value, &end, list);
  memcpy(graph_add_attr(node, name, GRAPH_INTS, (uint32_t)count)->ints, list,
         (size_t)count * sizeof *list);
}

static int add_line(struct graph *g, char *line) {
  char *rest = NULL, *head = strtok_r(line, " ", &rest), *op = strchr(head, '=');
  ck_assert_ptr_nonnull(op);
  *op++ = 0;
  bool microsoft = strncmp(op, "QLinear", 7) == 0 && strcmp(op, "QLinearConv") != 0;
  struct graph_node *node =
      graph_add_node(g, NULL, microsoft ? "com.microsoft" : "", op, microsoft ? 1 : 13);
  for (char *token; (token = strtok_r(NULL, " ", &rest));) {
    char *value = strchr(token, '=');
    if (value) {
      *value++ = 0;
      add_attribute(node, token, value);
    } else {
      graph_add_input(node, *token == '@' ? constant(g, token) : graph_value(g, token));
    }
  }
  int out = graph_value(g, head);
  graph_add_output(node, out);
  return out;
}

static struct graph *written(const char *text, const char *shape, bool coded) {
  struct graph *g = graph_new("written");
  char *copy = memory_text(text), *rest = NULL, *end;
  int64_t dims[8];
  int x = graph_value(g, coded ? "X" : "x"), out = x;
  int rank = numbers(shape, &end, dims);
  array_set_shape(&g->values[x].array, coded ? ARRAY_I8 : ARRAY_F32, rank, dims);
  graph_list(&g->inputs, &g->input_count, x);
  for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    out = add_line(g, line);
  graph_list(&g->outputs, &g->output_count, out);
  free(copy);
  return g;
}

#define Q(to, from)  to "=QuantizeLinear " from " @f::0.5 @b::3\n"
#define DQ(to, from) to "=DequantizeLinear " from " @f::0.5 @b::3\n"

static const struct {
  enum way way;
  const char *graph, *sentence, *shape; // shape NULL: 1,4,6,6
} cases[] = {
    {REAL, "y=LSTM x", "'LSTM_0' (LSTM): the operator is not supported in networks of real numbers",
     NULL},
    {REAL, "y=ConvTranspose x @f:3,2,2,2:1", "(ConvTranspose): ", NULL},
    {REAL, "y=ConvTranspose x @f:4,2,2,2:1 pads=2,2,0,0",
     "(ConvTranspose): kernels and strides up to 255, and pads smaller than kernels", NULL},
    {REAL, "y=Conv x x", "(Conv): weights that are constants of 3 or 4 dimensions", NULL},
    {REAL, "y=Conv x @f:2,3,1,1:1", "2 filters of 3 channels in 1 groups do not fit 4", NULL},
    {REAL, "y=Conv x @f:2,4,1,1:1 x", "(Conv): a bias that is a constant for each filter", NULL},
    {REAL, "y=Conv x @f:2,4,3,3:1 auto_pad=same", "(Conv): attribute auto_pad: NOTSET, SAME_UPPER",
     NULL},
    {REAL, "y=Flatten x\nz=Gemm y @f:144,5:1 transA=1",
     "(Gemm): weights that are a constant matrix", NULL},
    {REAL, "y=Flatten x\nz=MatMul y @f:100,5:1", "(MatMul): ", NULL},
    {REAL, "y=MatMul x x", "(MatMul): weights that are a constant matrix", NULL},
    {REAL, "y=Relu x\nz=Concat x y axis=2", "(Concat): attribute axis: of the channels", NULL},
    {REAL, "y=ReduceMean x axes=1", "(ReduceMean): ", NULL},
    {REAL, "y=Resize x @f::0 @f:4:1.5 mode=linear", "(Resize): modes nearest and linear by whole",
     NULL},
    {REAL, "y=Resize x @f::0 @f:4:1 mode=linear coordinate_transformation_mode=align_corners",
     "(Resize): modes nearest and linear by whole factors", NULL},
    {REAL, "y=Pad x @l:8:1 @f::0 mode=reflect", "(Pad): attribute mode: constant", NULL},
    {REAL, "y=Relu x\nz=Div x y", "(Div): a constant operand is supported", NULL},
    {REAL, "y=GlobalAveragePool x\nz=Add x y", "equal shapes, and products by a vector", NULL},
    {REAL, "y=Relu x", "input 'x' is 1x4x6x6x2; one picture", "1,4,6,6,2"},
    {REAL, "y=Relu x", "input 'x' is 3x4; one picture", "3,4"},
    {REAL, "y=BatchNormalization x @f:3:1 @f:4:1 @f:4:1 @f:4:1",
     "(BatchNormalization): scale, bias, mean and variance that are constants of 4 channels", NULL},
    {REAL, "y=MaxPool x kernel_shape=2,2 dilations=2,2", "(MaxPool): ", NULL},
    {REAL, "y=MaxPool x strides=2,2", "(MaxPool): it has no attribute kernel_shape", NULL},
    {REAL, "y=Conv x @f:2,4,3,3:1 kernel_shape=5,5",
     "(Conv): attribute kernel_shape is not that of its weights", NULL},
    {REAL, "y=Identity x", "the network has no layers: it computes nothing", NULL},
    {CODES, Q("a", "x") DQ("b", "a"), "the network has no layers: it computes nothing", NULL},
    {CODES, "a=DynamicQuantizeLinear x", "(DynamicQuantizeLinear): its scale follows from each",
     NULL},
    {CODES, "a=QuantizeLinear x @f::0.5 @h::0\n" DQ("b", "a"),
     "(QuantizeLinear): codes of type int16; uint8 and int8 are supported", NULL},
    {CODES, "a=QuantizeLinear x x @b::0\n" DQ("b", "a"), "one scale and one zero point", NULL},
    {CODES, "a=QuantizeLinear x @f::-0.5 @b::0\n" DQ("b", "a"), "input 1: a scale of -0.5", NULL},
    {CODES, Q("a", "x") DQ("b", "a") "c=Conv b @f:2,4,1,1:0.25\n" Q("d", "c"),
     "(Conv): weights that are constants of uint8 or int8 are supported, not floats: quantize them",
     NULL},
    {CODES, Q("a", "x") DQ("b", "a") "c=LRN b size=3\n" Q("d", "c"),
     "(LRN): its result is quantized, but it is none of Conv, Gemm, MatMul", NULL},
    {CODES, Q("a", "x") DQ("b", "a") "c=Tanh b\nd=Concat c b axis=1\n" Q("e", "d"), "(Concat)",
     NULL},
    {CODES, Q("a", "x") DQ("b", "a") "c=LRN b size=3\n",
     "(LRN): it gives a result in floats; QuantizeLinear behind it", NULL},
    {CODES, "a=Relu X\n", "input 'X': nothing says what its codes stand for", NULL},
    {CODES, Q("a", "x") "b=DequantizeLinear a @f::0.25 @b::3\n" Q("c", "b"),
     "(DequantizeLinear): its scale and zero point are not those that its input was quantized with",
     NULL},
    {CODES, Q("a", "x") DQ("b", "a") "c=ReduceMean b axes=1\n" Q("d", "c"), "(ReduceMean)", NULL},
    {INTEGERS, "y=Conv x @f:2,4,1,1:0.25",
     "(Conv): input 1 has the value 0.25, which is no integer: a graph in floats; `pulpsim-deploy "
     "quantize` makes integers of it",
     NULL},
    {INTEGERS, "y=Conv x @f:2,4,1,1:300", "(Conv): ", NULL},
    {INTEGERS, "y=LSTM x", "(LSTM): LSTM is not supported in graphs of integers; Add ", NULL},
    {INTEGERS, "y=AveragePool x kernel_shape=3,3 pads=1,1,1,1\nz=Floor y",
     "(AveragePool): count_include_pad 0 with padding is not supported", NULL},
    {INTEGERS, "y=MaxPool x kernel_shape=2,2 dilations=2,2", "(MaxPool): dilations of 1", NULL},
    {INTEGERS, "y=Conv x @f:2,4,1,1:3\nz=Div y @f:2:3\n", "(Div): ", NULL},
    {INTEGERS, "y=Conv x @f:2,4,1,1:3\nz=Div y @f::3\nw=Floor z", "a divisor of 3; powers of two",
     NULL},
    {INTEGERS, "y=Pad x pads=0,0,1,1,0,0,1,1\nz=Relu y\nw=Conv z @f:2,4,1,1:3",
     "(Relu): it reads what a Pad gives; Pad is supported in front of Conv", NULL},
    {INTEGERS, "y=Conv x @f:2,4,1,1:3\nz=Pad y pads=0,0,1,1,0,0,1,1", "output 'z' is of a Pad",
     NULL},
    {INTEGERS, "y=MaxPool x kernel_shape=2,2", "no weights, and no node of the PULP tools", NULL},
    {INTEGERS, "y=Relu x", "input 'x' has the shape 2x4x6x6; fixed ones of one picture",
     "2,4,6,6"}};

START_TEST(sentences_say_what_is_supported) {
  struct net_error error = {.text = ""};
  const char *shape = cases[_i].shape ? cases[_i].shape : "1,4,6,6";
  bool coded = strchr(cases[_i].graph, 'X') != NULL;
  struct graph *g = written(cases[_i].graph, shape, coded);
  struct net *net = NULL;
  struct real_net *real = NULL;
  if (cases[_i].way == REAL)
    real = lower_real("written", g, &(struct tidy_shape){0, 0, 0}, &error);
  else if (cases[_i].way == CODES)
    net = quantized_lower("written", g, &error);
  else
    net = lower_graph("written", g, &(struct lower_options){.split = false}, &error);
  ck_assert_msg(!net && !real, "taken: %s", cases[_i].graph);
  ck_assert_msg(strstr(error.text, cases[_i].sentence) != NULL, "%s: '%s'", cases[_i].graph,
                error.text);
  ck_assert_msg(error.status == EX_UNAVAILABLE, "%s: status %d, '%s'", cases[_i].graph,
                error.status, error.text);
  graph_free(g);
}
END_TEST

Suite *refusals_suite(void) {
  Suite *suite = suite_create("refusals");
  TCase *tc = tcase_create("refusals");
  tcase_add_loop_test(tc, sentences_say_what_is_supported, 0, (int)(sizeof cases / sizeof *cases));
  suite_add_tcase(suite, tc);
  return suite;
}
