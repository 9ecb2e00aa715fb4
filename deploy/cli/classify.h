// deploy/cli/classify.h: how many inputs of a data set (deploy/read/dataset.h) a network
// recognizes.
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include "deploy/quant/real.h"
#include "deploy/read/sample.h"
#include "on_sim.h"

// The class is the largest element of the first output. Prints JSON: inputs, right, accuracy.
// Returns the exit status.
// `sim`: on the machine too (on_sim.h); or NULL.
int classify_net(const struct net *net, const char *data, const struct sample_options *options,
                 struct on_sim *sim);
int classify_real(const struct real_net *real, const char *data,
                  const struct sample_options *options);

#endif
