// kernels/train/train_rnn.h: simple recurrent layer with its gradients through time.
//
//   h[t] = tanh(Wx x[t] + Wh h[t - 1]),  h[-1] = start (zeros if NULL)
//
// Gradients, from the last step to the first: e[t] = (out_grad[t] + Wh' e[t + 1]) * (1 - h[t]^2);
// wx_grad = sum of e[t] x[t]', wh_grad = sum of e[t] h[t - 1]', in_grad[t] = Wx' e[t]. Weight
// gradients are added to if `add`. 16-bit types go through train_gated.h: sums are binary32, states
// are rounded. Contains barriers. All cores call with the same arguments; the
// caller puts a barrier behind the call.
//
// Source: Elman, "Finding structure in time", 1990; Werbos, "Backpropagation through time", 1990.
#ifndef TRAIN_RNN_H
#define TRAIN_RNN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_rnn {
  const void *in;       // [steps][in_n]
  const void *wx;       // [state_n][in_n]
  const void *wh;       // [state_n][state_n]
  const void *start;    // [state_n] or NULL
  void *out;            // [steps][state_n]
  const void *out_grad; // [steps][state_n]
  void *in_grad;        // [steps][in_n]
  void *wx_grad, *wh_grad;
  float *scratch; // bw: train_rnn_buffer_size() bytes
  uint32_t steps, in_n, state_n;
  bool add;
  enum train_type type;
};

uint32_t train_rnn_buffer_size(const struct train_rnn *layer); // of the gradient

enum kernel_status train_rnn_fw(const struct train_rnn *layer);
enum kernel_status train_rnn_bw(const struct train_rnn *layer);

#endif
