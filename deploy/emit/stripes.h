// deploy/emit/stripes.h: layers cut into stripes, where activations are in L3.
//
// A layer that reads or writes a tensor in L3 becomes several, each of which computes some rows of
// its output: the rows of its inputs that these need come to L2 before, and the output goes to L3
// behind it. What is in L2 stays where it is, and each stripe has its rows of that.
#ifndef STRIPES_H
#define STRIPES_H

#include "deploy/net/net.h"

enum stripes_role {
  STRIPES_WHOLE, // a tensor in L2
  STRIPES_FAR,   // in L3: no layer has it as it is
  STRIPES_ROWS,  // rows of a tensor that is in L2
  STRIPES_COME,  // of one in L3: before the layer that reads them
  STRIPES_GO     // of one in L3: behind the layer that makes them
};

struct stripes_tensor {
  enum stripes_role role;
  int of;       // the tensor whose rows these are, or it itself
  uint32_t row; // the first
};

struct stripes_layer {
  uint32_t of;  // the layer of the given network
  uint32_t row; // the first of its output
  bool cut;     // one of several
  bool alone;   // as wished
};

struct stripes {
  struct net *net;                // its first tensors are those of the network given
  struct stripes_tensor *tensors; // of each of its tensors, and layers
  struct stripes_layer *layers;
};

// What is to be cut.
struct stripes_wish {
  bool *far;       // [tensor]: it is in L3
  uint32_t *bytes; // [layer]: of its stripes together, at most, if a row of each is not more
  bool *alone;     // [layer]: while a stripe is computed, no other one's rows come or go
};

// Where nothing is cut, a copy of the network. Layers keep their names.
struct stripes stripes_new(const struct net *net, const struct stripes_wish *wish);
void stripes_free(struct stripes *stripes);

// Rows of the output of each of a layer's stripes, but the last.
uint32_t stripes_rows(const struct net *net, uint32_t layer, const bool *far, uint32_t bytes);

// Bytes of its inputs that are in L2 at once however it is cut, and wherever they are.
uint64_t stripes_least(const struct net *net, uint32_t layer);

// Bytes of a row.
uint32_t stripes_row_bytes(const struct net_tensor *tensor);

#endif
