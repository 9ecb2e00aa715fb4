// deploy/quant/flow.h: quantization step by step, for those that take some of the steps many times.
#ifndef FLOW_H
#define FLOW_H

#include "quantize.h"

struct flow {
  struct real_net *real;
  const struct quantize_samples *samples;
  const struct quantize_options *options;
  struct real_run *real_run;
  struct ranges *ranges; // per tensor
  struct net *net;       // the integer network, and what it is made from: those of `quantized`
  struct quantize_numbers *numbers;
};

// Of a flow that has the first three members: equalization and ranges, which do not depend on bits.
bool flow_begin(struct flow *flow, struct net_error *error);
// Codes and weights by the options' bits, rounded one by one; may come again for others.
bool flow_round(struct flow *flow, struct quantized *quantized, struct net_error *error);
void flow_end(struct flow *flow); // in any case

#endif
