// deploy/family/builder.h: makes networks layer by layer, with weights from a seed.
//
// The sums of a layer with K taps of random weights have a standard deviation of about sqrt(K) *
// (the weights') * (the input's root mean square). kappa and shift bring that to a fixed one.
#ifndef FAMILY_BUILDER_H
#define FAMILY_BUILDER_H

#include "deploy/net/net.h"

struct builder {
  struct net *net;
  uint64_t random; // state, not 0
};

// What follows the sums. RELU: codes 0..255 for 0 and above; LINEAR: zero at 128; SUMS: int32.
enum builder_end { BUILDER_RELU, BUILDER_LINEAR, BUILDER_SUMS };

struct builder_window {
  uint8_t kernel_h, kernel_w, stride;
  uint8_t top, bottom, left, right; // pads
};

// A square window that keeps the map's size at stride 1 (1, 3, 5, 7).
struct builder_window builder_same(uint8_t kernel, uint8_t stride);

struct builder builder_new(const char *name, uint64_t seed);
// All return the number of the tensor that they make.
int builder_input(struct builder *b, uint32_t h, uint32_t w, uint32_t c);
int builder_conv(struct builder *b, const char *name, int in, uint32_t out_c,
                 struct builder_window window, enum builder_end end);
int builder_depthwise(struct builder *b, const char *name, int in, struct builder_window window);
int builder_linear(struct builder *b, const char *name, int in, uint32_t outputs,
                   enum builder_end end);
int builder_add(struct builder *b, const char *name, int one, int other, enum builder_end end);
int builder_average(struct builder *b, const char *name, int in); // over the whole map
struct net *builder_end(struct builder *b, int output);

#endif
