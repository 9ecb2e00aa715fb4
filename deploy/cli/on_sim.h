// deploy/cli/on_sim.h: an integer network on the simulated machine, input after input.
#ifndef ON_SIM_H
#define ON_SIM_H

#include "deploy/host/int_run.h"

struct on_sim;

// Deploys into a folder of its own, with all of GAP8's memory; `root`: this project's folder. The
// network must outlive it. NULL with the sentence.
struct on_sim *on_sim_new(const struct net *net, const char *root, struct net_error *error);
void on_sim_free(struct on_sim *sim); // and removes the folder

// Executes the network on the inputs in `run`, on the host and on the machine. False, with the
// layer and how many of its outputs differ, unless all tensors are equal; `run` has them then.
bool on_sim_execute(struct on_sim *sim, struct int_run *run, struct net_error *error);

// Cycles and MAC per cycle of each layer of the last execution.
void on_sim_print(const struct on_sim *sim);

// As int_execute(), and on the machine too unless `sim` is NULL.
bool on_sim_or_host(struct on_sim *sim, struct int_run *run, struct net_error *error);

#endif
