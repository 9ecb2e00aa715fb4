// kernels/train/train_gated.h: recurrent layers with their gradients through time: simple, with
// gated units (GRU), with long short-term memory (LSTM).
//
// Products of step t, with x = in[t], h = out[t - 1] (at first `start`, or zeros if NULL), g a
// gate:
//   a[g] = Wx[g] x + bx[g] + Wh[g] h + bh[g]
//   rnn    out = tanh(a)
//   gru    r = sigmoid(a[0]), z = sigmoid(a[1]), out = (1 - z) n + z h with
//          n = tanh(Wx[2] x + bx[2] + r (Wh[2] h + bh[2]))
//   lstm   i = sigmoid(a[0]), f = sigmoid(a[1]), g = tanh(a[2]), o = sigmoid(a[3]);
//          cell = f cell + i g, out = o tanh(cell)
// Gates stand in this order in weights and biases, which is that of torch.nn.GRU and LSTM.
//
// The forward pass leaves what the gradient needs in `tape` and, of an LSTM, in `cells`. Sums and
// the tape are binary32 in any type; states are rounded, as they stand in `out`. Gradients of
// weights and biases are added to what is there if `add`. The units of a step are shared by the
// cores; contains barriers. All cores call with the same arguments; the caller puts a barrier
// behind the call.
//
// Sources: Elman, "Finding structure in time", 1990; Cho et al., "Learning phrase representations
// using RNN encoder-decoder", 2014; Hochreiter, Schmidhuber, "Long short-term memory", 1997;
// Werbos, "Backpropagation through time", 1990. Formulas as in the documentation of PyTorch.
#ifndef TRAIN_GATED_H
#define TRAIN_GATED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

enum train_gated_kind { TRAIN_GATED_RNN, TRAIN_GATED_GRU, TRAIN_GATED_LSTM, TRAIN_GATED_KINDS };

// Number of gates; floats of the tape.
uint32_t train_gated_gates(enum train_gated_kind kind);

struct train_gated {
  const void *in;          // [steps][in_n]
  const void *wx, *wh;     // [gates][state_n][in_n], [gates][state_n][state_n]
  const void *bx, *bh;     // [gates][state_n] or NULL
  const void *start;       // [state_n] or NULL
  const float *cell;       // lstm: the first cell, [state_n] or NULL
  void *out;               // [steps][state_n]
  float *tape;             // [steps][4][state_n]; rnn: NULL
  float *cells;            // lstm: [steps][state_n]
  const void *out_grad;    // [steps][state_n]                        bw
  void *in_grad;           // [steps][in_n]                           bw
  void *wx_grad, *wh_grad; // as wx, wh                              bw
  void *bx_grad, *bh_grad; // as bx, bh, or NULL                     bw
  float *scratch;          // bw: train_gated_buffer_size() bytes
  uint32_t steps, in_n, state_n;
  bool add;
  enum train_type type; // of all but the floats
};

uint32_t train_gated_buffer_size(enum train_gated_kind kind, const struct train_gated *layer);

enum kernel_status train_gated_fw(enum train_gated_kind kind, const struct train_gated *layer);
enum kernel_status train_gated_bw(enum train_gated_kind kind, const struct train_gated *layer);

#endif
