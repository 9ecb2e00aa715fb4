// deploy/cli/golden.h: a network against the outputs that the PULP tools wrote beside it.
#ifndef GOLDEN_H
#define GOLDEN_H

// DIR holds input.txt and out_layerM.txt, or input_N.txt and out_N_layerM.txt for several inputs:
// one number a line in HWC order, M counts the network's layers; lines with # are comments.
// Prints each layer that differs, and a summary. The exit status: 0 if every layer of every input
// is there and equal, and none is there that the network has not; else DEPLOY_DIFFERENT. `kernels`:
// on the machine too, with this project's folder (on_sim.h); or NULL.
int golden_run(const char *model, const char *directory, const char *kernels);

#endif
