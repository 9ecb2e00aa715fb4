// deploy/lower/quantizing.h: between the files that lower quantized graphs (quantized.h).
#ifndef DEPLOY_QUANTIZING_H
#define DEPLOY_QUANTIZING_H

#include "deploy/graph/graph.h"
#include "deploy/lower/fit.h"
#include "deploy/lower/order.h"
#include "deploy/lower/quantized.h"

// What a value of the file is in the net: codes, or the numbers they stand for.
struct coded {
  int tensor; // NET_NONE: nothing yet
  bool real;
  struct order order;
  uint32_t pad[4]; // top, left, bottom, right, from padding nodes in front of convolutions
};

struct quantizing {
  struct graph *graph;
  struct net *net;
  struct coded *values; // [value_count]
  bool *used;           // [node_count]: lowered, or part of a layer
  struct net_error *error;
};

struct quantum {
  float scale;
  int64_t zero;
  enum array_type type;
};

static inline int32_t quantum_least(const struct quantum *q) {
  return q->type == ARRAY_I8 ? -128 : 0;
}

struct coded *quantizing_in(const struct quantizing *q, const struct graph_node *node, uint32_t i);
struct quantum quantizing_of(const struct quantizing *q, const struct coded *value);
// One scale and zero point (which may be left out: 0, of `type`) at inputs i and i + 1.
bool quantizing_read(const struct quantizing *q, const struct graph_node *node, uint32_t i,
                     enum array_type type, struct quantum *to);
const struct graph_node *quantizing_producer(const struct quantizing *q, int value);
// ... if nobody else reads the value.
const struct graph_node *quantizing_sole(const struct quantizing *q, int value);
void quantizing_use(struct quantizing *q, const struct graph_node *node);
// A tensor of h x w x c with these codes for a value of the file.
int quantizing_tensor(struct quantizing *q, int value, const struct quantum *quantum, uint32_t h,
                      uint32_t w, uint32_t c);
struct net_layer quantizing_layer(const char *name, enum net_kind kind, const int *inputs,
                                  uint32_t count);
void quantizing_drop(struct net_layer *layer);
void quantizing_add(struct quantizing *q, struct net_layer *layer, int value, int tensor,
                    struct order order);
// The shape that the file's value has.
const struct array *quantizing_shape(const struct quantizing *q, int value);
// Whether a value that is codes is a picture, channels first, with its padding.
bool quantizing_picture(const struct quantizing *q, int value);
// A depthwise layer of one weight, 1, for each channel, in front of its requantization.
struct net_layer quantizing_unit(const char *name, int input, uint32_t channels);

// What an activation between an operator and QuantizeLinear leaves, in real numbers.
struct span {
  double low, high;
};
void quantizing_codes(const struct quantum *to, const struct span *span, int32_t *low,
                      int32_t *high);

// A sum, difference or product of two values that are codes.
enum pairing { PAIR_SUM, PAIR_DIFFERENCE, PAIR_PRODUCT };
bool quantizing_pair(struct quantizing *q, const struct graph_node *node, const int values[2],
                     enum pairing how, int out, const struct quantum *to, const struct span *span);
bool quantizing_pool(struct quantizing *q, const struct graph_node *node, int out,
                     const struct quantum *to, const struct span *span);
// A tensor of other codes: for each of `from`'s its own.
int quantizing_add_table(struct quantizing *q, const char *name, const struct coded *from,
                         int value, const char *tensor_name, const struct quantum *to,
                         const uint8_t table[256]);
// The same by an operator on codes, computed by the operator itself.
bool quantizing_coded_table(struct quantizing *q, const struct graph_node *node,
                            const struct quantum *to);

// Each makes the layer whose result, quantized, is `out`: *known says whether the value (before
// quantization) is of this kind. False with the sentence.
bool quantizing_linear(struct quantizing *q, int value, int out, const struct quantum *to,
                       const struct span *span, bool *known);
bool quantizing_other(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known);
bool quantizing_table(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known);
// QLinearConv, QLinearMatMul, QGemm; the others of com.microsoft.
bool quantizing_qlinear(struct quantizing *q, const struct graph_node *node, bool *known);
bool quantizing_microsoft(struct quantizing *q, const struct graph_node *node, bool *known);
// A product whose sums are the network's result.
bool quantizing_sums(struct quantizing *q, int value, bool *known);

#endif
