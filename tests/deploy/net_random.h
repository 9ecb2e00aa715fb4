// tests/deploy/net_random.h: small networks with layers of every kind, drawn at random.
#ifndef NET_RANDOM_H
#define NET_RANDOM_H

#include "deploy/net/net.h"

struct draw {
  uint64_t state; // not 0
};

uint64_t draw_bits(struct draw *draw);
int64_t draw_within(struct draw *draw, int64_t low, int64_t high); // both included

// A chain of layers, which passes net_check(); the same of the same seed.
struct net *net_random(uint64_t seed, uint32_t layers);

// A code of the tensor.
int32_t draw_code(struct draw *draw, const struct net_tensor *tensor);

#endif
