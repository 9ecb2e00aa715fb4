// deploy/lower/tidy.h: what is done to a graph before it is lowered.
#ifndef DEPLOY_TIDY_H
#define DEPLOY_TIDY_H

#include "deploy/graph/graph.h"

// Channels, height and width of the input where the file leaves them open; 0: as in the file.
struct tidy_shape {
  uint32_t c, h, w;
};

// Dimensions of inputs that the file leaves open: the first of several becomes 1, the last three
// what is asked.
void tidy_shapes(struct graph *graph, const struct tidy_shape *shape);
// com.microsoft's QLinearAveragePool becomes AveragePool between DequantizeLinear and
// QuantizeLinear; PRelu by constants becomes Relu, Mul and Add.
void tidy_pieces(struct graph *graph);
// QuantizeLinear and DequantizeLinear become Identity, clips of codes between them clips of
// numbers, quantized weights the numbers they stand for. Shapes must be known. How many
// QuantizeLinear of computed tensors there were.
uint32_t tidy_quantizers(struct graph *graph);
// Nodes that change nothing go: a Cast to the type that there is, an Expand whose readers repeat
// its input as well (products and sums with a tensor of its shape). Shapes must be known.
void tidy_idle(struct graph *graph);
// Removes nodes that no output of the graph comes from.
void tidy_dead(struct graph *graph);
// Functions of one value that a file has in pieces, or by another name (x * Sigmoid(x);
// Add, Clip, Mul, Div; Min of Relu), become one node: Clip, LeakyRelu, HardSigmoid, HardSwish,
// Sigmoid, Tanh, Silu, Gelu, Mish, whichever gives the same numbers. Shapes must be known.
void tidy_functions(struct graph *graph);

#endif
