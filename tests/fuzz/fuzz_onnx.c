// tests/fuzz/fuzz_onnx.c: any file as an ONNX model, lowered to integers.
#include <stdlib.h>

#include "deploy/lower/lower.h"
#include "deploy/read/onnx.h"
#include "tests/fuzz/fuzz.h"

int fuzz_onnx(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  struct lower_options options = {.input_signed = size % 2 != 0};
  struct graph *graph = onnx_parse(data, size, &error);
  struct net *net = graph ? lower_graph("input", graph, &options, &error) : NULL;
  if (!net && (!*error.text || !error.status))
    abort(); // a refusal has a reason
  net_free(net);
  graph_free(graph);
  return 0;
}
