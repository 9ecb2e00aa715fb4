// tests/fuzz/fuzz_onnx.c: any file as an ONNX model: lowered to integers, in the PULP tools'
// dialects or as quantized operators; and as a network in real numbers.
#include <stdlib.h>

#include "deploy/lower/lower.h"
#include "deploy/lower/quantized.h"
#include "deploy/lower/real.h"
#include "deploy/read/onnx.h"
#include "tests/fuzz/fuzz.h"

static void check(bool made, const struct net_error *error) {
  if (!made && (!*error->text || !error->status))
    abort(); // a refusal has a reason
}

static void as_integers(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  struct lower_options options = {.input_signed = size % 2 != 0, .split = size % 4 > 1};
  struct graph *graph = onnx_parse(data, size, NULL, &error);
  struct net *net = !graph                ? NULL
                    : quantized_is(graph) ? quantized_lower("input", graph, &error)
                                          : lower_graph("input", graph, &options, &error);
  check(net != NULL, &error);
  net_free(net);
  graph_free(graph);
}

static void as_reals(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  struct tidy_shape options = {.c = size % 3, .h = size % 5, .w = size % 7};
  struct graph *graph = onnx_parse(data, size, NULL, &error);
  struct real_net *real = graph ? lower_real("input", graph, &options, &error) : NULL;
  check(real != NULL, &error);
  real_free(real);
  graph_free(graph);
}

int fuzz_onnx(const uint8_t *data, size_t size) {
  as_integers(data, size);
  as_reals(data, size);
  return 0;
}
