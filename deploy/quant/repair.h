// deploy/quant/repair.h: both networks, the real and the integer one, side by side, layer by layer:
// weights and biases once more, for what the integer network gives this layer.
#ifndef REPAIR_H
#define REPAIR_H

#include "deploy/host/int_run.h"
#include "flow.h"

// Tensors of both networks for all samples; NULL: not there.
struct repair {
  float **real;    // per tensor: [samples][elements]
  uint8_t **codes; // the same
  struct int_run *run;
};

// All layers of a flow that flow_round() has been through.
void repair(struct flow *flow);

// The same one by one, in order; all tensors stay. What the real network gives is computed where it
// is not there.
void repair_begin(struct flow *flow, struct repair *repair);
void repair_layer(struct flow *flow, struct repair *repair, uint32_t layer);
void repair_end(struct flow *flow, struct repair *repair);

double repair_real_of(const struct net_tensor *tensor, uint8_t code);

#endif
