// deploy/quant/real.h: a network in real numbers, layer by layer as the integer form has them: what
// the quantizer begins with, and what its results are measured against.
//
// Kinds, windows, shapes and order are those of a struct net whose arrays are empty; weights,
// biases and the clip that follows stand beside it. Batch normalizations are folded.
#ifndef REAL_H
#define REAL_H

#include "deploy/net/net.h"

enum real_function { // NET_TABLE: element by element
  REAL_IDENTITY,
  REAL_SIGMOID,
  REAL_TANH,
  REAL_HARD_SIGMOID, // clip(alpha * x + beta, 0, 1)
  REAL_HARD_SWISH,   // x * clip(x / 6 + 1 / 2, 0, 1)
  REAL_LEAKY,        // x < 0: alpha * x
  REAL_ELU,          // x < 0: alpha * (exp(x) - 1)
  REAL_SILU,         // x / (1 + exp(-x))
  REAL_GELU,         // x / 2 * (1 + erf(x / sqrt(2)))
  REAL_MISH,         // x * tanh(log(1 + exp(x)))
  REAL_SOFTPLUS      // log(1 + exp(x))
};

struct real_layer {
  float *weights; // [weight_count], order as net.h says; NULL without
  float *bias;    // [out_c]; NULL: 0
  float *norm; // [out_c]; NULL: 1: the factors of batch normalizations that weights have taken in
  float low, high; // clip of the result; -INFINITY, INFINITY: none
  enum real_function function;
  float alpha, beta;
  bool count_padding; // NET_AVGPOOL: pixels outside count in the divisor
};

struct real_net {
  struct net *net;
  struct real_layer *layers; // as many as the net has
  uint32_t quantizers;       // QuantizeLinears of the file that are left out
};

struct real_net *real_new(const char *name);
void real_free(struct real_net *real);
// Takes both over; the net's layer is without arrays but for its inputs.
void real_add_layer(struct real_net *real, const struct net_layer *layer,
                    const struct real_layer *numbers);
// As net_check(), for what there is; weights and biases are finite.
bool real_check(const struct real_net *real, struct net_error *error);

float real_applied(const struct real_layer *layer, float x); // the function, then the clip

// The interpreter: int_run.h's in real numbers.
struct real_run;
struct real_run *real_run_new(const struct real_net *real);
void real_run_free(struct real_run *run);
float *real_tensor(const struct real_run *run, int number);
size_t real_elements(const struct real_run *run, int number);
size_t real_largest(const struct real_run *run, int number); // the element, the first of equals
void real_execute(struct real_run *run);
void real_execute_layer(struct real_run *run, uint32_t layer);
void real_reload(struct real_run *run, uint32_t layer); // its weights have changed

#endif
