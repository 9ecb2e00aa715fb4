// kernels/train/train_optim.h: optimizers, in place, element by element.
//
//   sgd   g = grad + decay * w;  v = momentum * v + g;  w -= rate * v        (no v if NULL)
//   adam  g = grad + decay * w;  m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) *
//   g^2
//         w -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// A sparse update: with `index`, row r of the gradient and of m and v (count / columns rows)
// belongs to row index[r] of the weights; the others stay as they are. Indices differ from each
// other. The gradient of such rows alone is that of a layer with only these filters, whose out_grad
// are the rows that train_embedding_fw() gathers. (Lin et al., "On-device training under 256KB
// memory", NeurIPS 2022, section 3.2.)
//
// Adam: Kingma, Ba, ICLR 2015, algorithm 1; the caller passes 1 - beta^t as `correction1`,
// `correction2`. All cores call with the same arguments; the caller puts a barrier behind the call.
#ifndef TRAIN_OPTIM_H
#define TRAIN_OPTIM_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_optim {
  void *weights;
  const void *grad;
  float *m; // adam
  float *v; // adam; sgd: momentum, or NULL
  uint32_t count;
  float rate, decay;
  float momentum;                 // sgd
  float beta1, beta2, epsilon;    // adam
  float correction1, correction2; // adam
  enum train_type type;           // of weights and grad; m and v are floats
  const uint32_t *index;          // of rows; NULL: all, in order
  uint32_t columns;               // of a row, if there is an index
};

enum kernel_status train_optim_sgd(const struct train_optim *step);
enum kernel_status train_optim_adam(const struct train_optim *step);

#endif
