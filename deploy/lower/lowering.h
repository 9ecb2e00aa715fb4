// deploy/lower/lowering.h: between the files of deploy/lower.
#ifndef DEPLOY_LOWERING_H
#define DEPLOY_LOWERING_H

#include "deploy/lower/lower.h"

// What a value of the file is in the net.
struct stream {
  int tensor;         // NET_NONE: nothing yet
  int rank;           // of the file's value; 2: flattened, channel by channel
  uint32_t pad[4];    // top, left, bottom, right, from padding nodes
  bool scaled, ended; // scaled: by `scale`, for an addition; ended: behind the last layer
  struct net_scaled scale;
};

// A layer in the making. y = clip(floor((kappa * sum + lambda) / (divisor * 2^shift)))
struct open {
  struct net_layer layer;
  struct net_tensor out;
  int64_t *kappa, *lambda; // [out.c]
  int64_t divisor;         // of an average
  uint8_t shift;
  bool less_one; // ... 2^shift - 1 in its place
  bool floored, clipped;
  int64_t low, high;
  // A second step behind the first's floor, of additions: floor((factor * y + offset) / divisor).
  bool second;
  int64_t factor, offset, parts;
};

struct lowering {
  struct graph *graph;
  const struct lower_options *options;
  struct net *net;
  struct net_error *error;
  struct stream *streams; // [value_count]
  bool *done;             // [node_count]
};

// ------------------------------------------------------------ lower.c
struct stream *lower_stream(const struct lowering *low, int value);
// Constant input i as whole numbers, `count` of them or one; NULL with the sentence.
int64_t *lower_integers(const struct lowering *low, const struct graph_node *node, uint32_t i,
                        size_t *count);
// A closed layer, or whatever follows: its stream.
bool lower_finish(struct lowering *low, const struct graph_node *node, struct open *open);
void lower_discard(struct open *open); // one that will not be finished
void lower_set_window(struct net_layer *layer, const struct net_layer *window);
void lower_open(struct open *open, const char *name, enum net_kind kind, int input, uint32_t h,
                uint32_t w, uint32_t c);

// ------------------------------------------------------------ lower_linear.c, lower_other.c
bool lower_conv(struct lowering *low, const struct graph_node *node);
bool lower_linear(struct lowering *low, const struct graph_node *node);
bool lower_pool(struct lowering *low, const struct graph_node *node);
bool lower_add(struct lowering *low, const struct graph_node *node);
bool lower_pad(struct lowering *low, const struct graph_node *node);
bool lower_table(struct lowering *low, const struct graph_node *node);

// ------------------------------------------------------------ lower_absorb.c
// Whether a node acts element by element, with constants; taken into the open layer if it can be.
bool lower_absorbs(const struct lowering *low, const struct graph_node *node);
bool lower_absorb(struct lowering *low, const struct graph_node *node, struct open *open,
                  bool *taken);
// The divisor as a power of two; -1 if it is none.
int lower_log2(int64_t divisor);
// ------------------------------------------------------------ lower_close.c
// Whether results that nothing clips can be beyond 8 bits.
bool lower_overflows(const struct lowering *low, const struct open *open);
bool lower_close(struct lowering *low, const struct graph_node *node, struct open *open, int value);

#endif
