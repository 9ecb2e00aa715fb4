// deploy/quant/bits_program.h: the bits that cost least, for the same memories.
//
// What fewer bits cost is measured, one tensor at a time (bits_losses_measure); the sum of what the
// chosen ones cost is made least by an integer program, one binary variable for each tensor and
// precision, under the constraints that bits.h has (GLPK, branch and bound). A memory-driven rule
// looks at sizes alone.
#ifndef BITS_PROGRAM_H
#define BITS_PROGRAM_H

#include "bits.h"
#include "quantize.h"

enum { BITS_CHOICES = 3 }; // 8, 4, 2

struct bits_losses {
  double (*weights)[BITS_CHOICES]; // per layer
  double (*groups)[BITS_CHOICES];  // per group
};

// Relative squared errors of the network's outputs, with one tensor at 4 or 2 bits and all others
// at 8, each quantized as `options` says with every other sample, and judged on the rest. False
// with the sentence if a network cannot be quantized.
bool bits_losses_measure(struct real_net *real, const struct bits_problem *problem,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, struct bits_losses *losses,
                         struct net_error *error);
void bits_losses_free(struct bits_losses *losses);

// Cycles of layers by the bits of weights (8, 4, 2) and of the first input (likewise), where the
// output has as many as the input, or 8 if it always has; and how many more they are by the bits of
// input and output, where those differ.
struct bits_cycles {
  double (*layers)[BITS_CHOICES][BITS_CHOICES];
  double (*outputs)[BITS_CHOICES][BITS_CHOICES];
};

// What an assignment takes.
double bits_cycles_of(const struct bits_problem *problem, const struct bits_cycles *cycles,
                      const struct bits_result *result);

// The assignment of the least sum, that takes `most` cycles at most; `cycles` may be NULL. False,
// with the sentence, if none fits: the result is then the one that misses the memories, or behind
// them the cycles, by least. bits_result_free() in any case.
bool bits_optimize(const struct bits_problem *problem, const struct bits_budget *budget,
                   const struct bits_losses *losses, const struct bits_cycles *cycles, double most,
                   struct bits_result *result, struct net_error *error);

// The sum that an assignment costs.
double bits_loss(const struct bits_problem *problem, const struct bits_losses *losses,
                 const struct bits_result *result);

#endif
