// Attention, recurrent layers and optimizers, each beside its definition.
#include <check.h>
#include <math.h>

#include "kernels/train/train_attention.h"
#include "kernels/train/train_gated.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_rnn.h"
#include "kernels/train_definition.h"

static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;
static float *const scratch = definition_space.scratch;

// ---- sequences

enum { STEPS = 4, WIDTH = 6, HEADS = 2, EACH = WIDTH / HEADS, SQUARE = WIDTH * WIDTH };
enum { SEQUENCE = STEPS * WIDTH, BIASES = SEQUENCE + 4 * SQUARE, ATTENTION = BIASES + 4 * WIDTH };

static void project(double *to, const double *from, const double *w, const double *b) {
  for (int i = 0; i < SEQUENCE; i++) {
    to[i] = b[i % WIDTH];
    for (int k = 0; k < WIDTH; k++)
      to[i] += from[i / WIDTH * WIDTH + k] * w[i % WIDTH * WIDTH + k];
  }
}

// torch.nn.MultiheadAttention, one sequence.
static void attention(double *o, const double *p) {
  const double *w = p + SEQUENCE, *b = p + BIASES;
  double q[SEQUENCE], k[SEQUENCE], v[SEQUENCE], z[SEQUENCE];
  project(q, p, w, b);
  project(k, p, w + SQUARE, b + WIDTH);
  project(v, p, w + 2 * SQUARE, b + 2 * WIDTH);
  for (int i = 0; i < SEQUENCE; i++) {
    int row = i / WIDTH * WIDTH, head = i % WIDTH / EACH * EACH;
    double sum = 0, mixed = 0;
    for (int s = 0; s < STEPS; s++) {
      double score = 0;
      for (int d = head; d < head + EACH; d++)
        score += q[row + d] * k[s * WIDTH + d];
      sum += exp(score / sqrt(EACH));
      mixed += exp(score / sqrt(EACH)) * v[s * WIDTH + i % WIDTH];
    }
    z[i] = mixed / sum;
  }
  project(o, z, w + 3 * SQUARE, b + 3 * WIDTH);
}

START_TEST(attention_with_biases) {
  float q[SEQUENCE], k[SEQUENCE], v[SEQUENCE], z[SEQUENCE], p[HEADS * STEPS * STEPS];
  float *w = in + SEQUENCE, *b = in + BIASES, *dw = grad + SEQUENCE, *db = grad + BIASES;
  definition_begin(ATTENTION, SEQUENCE);
  const struct train_attention l = {.in = in,
                                    .wq = w,
                                    .wk = w + SQUARE,
                                    .wv = w + 2 * SQUARE,
                                    .wo = w + 3 * SQUARE,
                                    .bq = b,
                                    .bk = b + WIDTH,
                                    .bv = b + 2 * WIDTH,
                                    .bo = b + 3 * WIDTH,
                                    .q = q,
                                    .k = k,
                                    .v = v,
                                    .z = z,
                                    .p = p,
                                    .out = out,
                                    .out_grad = out_grad,
                                    .in_grad = grad,
                                    .wq_grad = dw,
                                    .wk_grad = dw + SQUARE,
                                    .wv_grad = dw + 2 * SQUARE,
                                    .wo_grad = dw + 3 * SQUARE,
                                    .bq_grad = db,
                                    .bk_grad = db + WIDTH,
                                    .bv_grad = db + 2 * WIDTH,
                                    .bo_grad = db + 3 * WIDTH,
                                    .scratch = scratch,
                                    .rows = STEPS,
                                    .width = WIDTH,
                                    .heads = HEADS};
  OK(train_attention_fw(&l));
  OK(train_attention_bw(&l));
  definition_matches("attention", attention, ATTENTION, SEQUENCE);
}
END_TEST

// torch.nn.RNN, GRU, LSTM: inputs, Wx, Wh, bx, bh; the first state and cell
// stand behind, as no gradient is asked for them.
enum { X = 3, S = 4 };
static enum train_gated_kind cell_kind;
static bool with_start;

static double sigmoid(double v) {
  return 1 / (1 + exp(-v));
}

// Gate g of unit j: what x and what h give to it.
static void gate(double *by_x, double *by_h, const double *p, int gates, int row, const double *v,
                 const double *h) {
  const double *wx = p + STEPS * X, *wh = wx + gates * S * X, *bx = wh + gates * S * S;
  *by_x = bx[row];
  *by_h = bx[gates * S + row];
  for (int i = 0; i < X; i++)
    *by_x += wx[row * X + i] * v[i];
  for (int i = 0; i < S; i++)
    *by_h += wh[row * S + i] * h[i];
}

static double unit(const double *p, int gates, int j, const double *v, const double *h, double *c) {
  double a[4] = {0}, b[4] = {0};
  for (int g = 0; g < gates; g++)
    gate(&a[g], &b[g], p, gates, g * S + j, v, h);
  if (cell_kind == TRAIN_GATED_RNN)
    return tanh(a[0] + b[0]);
  if (cell_kind == TRAIN_GATED_GRU) {
    double r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]), n = tanh(a[2] + r * b[2]);
    return (1 - z) * n + z * h[j];
  }
  *c = sigmoid(a[1] + b[1]) * *c + sigmoid(a[0] + b[0]) * tanh(a[2] + b[2]);
  return sigmoid(a[3] + b[3]) * tanh(*c);
}

static uint32_t recurrent_inputs(void) {
  return STEPS * X + train_gated_gates(cell_kind) * (S * X + S * S + 2 * S);
}

static void recurrent(double *o, const double *p) {
  double h[S] = {0}, c[S] = {0};
  for (int j = 0; with_start && j < S; j++) {
    h[j] = p[recurrent_inputs() + (uint32_t)j];
    c[j] = p[recurrent_inputs() + S + (uint32_t)j];
  }
  for (int t = 0; t < STEPS; t++) {
    for (int j = 0; j < S; j++)
      o[t * S + j] = unit(p, (int)train_gated_gates(cell_kind), j, p + t * X, h, &c[j]);
    for (int j = 0; j < S; j++)
      h[j] = o[t * S + j];
  }
}

START_TEST(recurrent_layers) {
  float tape[STEPS * 4 * S], cells[STEPS * S];
  cell_kind = (enum train_gated_kind)(_i / 2);
  with_start = _i % 2;
  uint32_t gates = train_gated_gates(cell_kind), inputs = recurrent_inputs();
  uint32_t wx = STEPS * X, wh = wx + gates * S * X, bx = wh + gates * S * S, bh = bx + gates * S;
  definition_begin(inputs + 2 * S, STEPS * S);
  const struct train_gated l = {.in = in,
                                .wx = in + wx,
                                .wh = in + wh,
                                .bx = in + bx,
                                .bh = in + bh,
                                .start = with_start ? in + inputs : NULL,
                                .cell = with_start ? in + inputs + S : NULL,
                                .out = out,
                                .tape = tape,
                                .cells = cells,
                                .out_grad = out_grad,
                                .in_grad = grad,
                                .wx_grad = grad + wx,
                                .wh_grad = grad + wh,
                                .bx_grad = grad + bx,
                                .bh_grad = grad + bh,
                                .scratch = scratch,
                                .steps = STEPS,
                                .in_n = X,
                                .state_n = S};
  OK(train_gated_fw(cell_kind, &l));
  OK(train_gated_bw(cell_kind, &l));
  definition_outputs_match("recurrent", recurrent, inputs + 2 * S, STEPS * S);
  definition_gradients_match("recurrent", recurrent, inputs + 2 * S, STEPS * S, 0, inputs);
}
END_TEST

// train_rnn.h has no biases.
START_TEST(simple_recurrent_layer) {
  cell_kind = TRAIN_GATED_RNN;
  with_start = true;
  uint32_t inputs = recurrent_inputs(), wx = STEPS * X, wh = wx + S * X, biases = wh + S * S;
  definition_begin(inputs + 2 * S, STEPS * S);
  for (uint32_t i = biases; i < inputs; i++)
    in[i] = 0;
  const struct train_rnn l = {.in = in,
                              .wx = in + wx,
                              .wh = in + wh,
                              .start = in + inputs,
                              .out = out,
                              .out_grad = out_grad,
                              .in_grad = grad,
                              .wx_grad = grad + wx,
                              .wh_grad = grad + wh,
                              .scratch = scratch,
                              .steps = STEPS,
                              .in_n = X,
                              .state_n = S};
  OK(train_rnn_fw(&l));
  OK(train_rnn_bw(&l));
  definition_outputs_match("rnn", recurrent, inputs + 2 * S, STEPS * S);
  definition_gradients_match("rnn", recurrent, inputs + 2 * S, STEPS * S, 0, biases);
}
END_TEST

// ---- optimizers

// torch.optim.SGD with momentum and weight decay, without dampening; three rows
// of five.
static void sgd_rows(const uint32_t *index, const uint32_t *wanted) {
  float w[5 * 4], v[3 * 4] = {0}, g[3 * 4];
  double dw[5 * 4], dv[3 * 4] = {0};
  definition_fill(w, 20, 4, 1);
  for (int i = 0; i < 20; i++)
    dw[i] = (double)w[i];
  for (uint32_t t = 0; t < 3; t++) {
    definition_fill(g, 12, 7 + t, 0.5);
    const struct train_optim sgd = {.weights = w,
                                    .grad = g,
                                    .v = v,
                                    .count = 12,
                                    .rate = 0.3f,
                                    .decay = 0.15f,
                                    .momentum = 0.6f,
                                    .index = index,
                                    .columns = 4};
    OK(train_optim_sgd(&sgd));
    for (int i = 0; i < 12; i++) {
      double *at = dw + wanted[i / 4] * 4 + i % 4;
      dv[i] = (double)0.6f * dv[i] + (double)g[i] + (double)0.15f * *at;
      *at -= (double)0.3f * dv[i];
    }
  }
  for (uint32_t i = 0; i < 20; i++)
    definition_equal("sgd", i, (double)w[i], dw[i], 2e-6);
}

START_TEST(sgd_of_all_and_of_some_rows) {
  static const uint32_t some[] = {4, 0, 2}, all[] = {0, 1, 2};
  sgd_rows(NULL, all);
  sgd_rows(some, some);
}
END_TEST

START_TEST(adam_of_some_rows) {
  static const uint32_t some[] = {3, 1};
  float w[4 * 3], g[2 * 3], m[2 * 3] = {0}, v[2 * 3] = {0};
  double dw[4 * 3], dm[2 * 3] = {0}, dv[2 * 3] = {0};
  definition_fill(w, 12, 4, 1);
  for (int i = 0; i < 12; i++)
    dw[i] = (double)w[i];
  for (uint32_t t = 1; t <= 3; t++) {
    definition_fill(g, 6, 7 + t, 0.5);
    struct train_optim adam = {.weights = w, .grad = g, .m = m, .v = v, .count = 6, .rate = 0.02f};
    adam.decay = 0.1f;
    adam.beta1 = 0.8f;
    adam.beta2 = 0.9f;
    adam.epsilon = 0.01f;
    adam.correction1 = (float)(1 - pow(0.8, t));
    adam.correction2 = (float)(1 - pow(0.9, t));
    adam.index = some;
    adam.columns = 3;
    OK(train_optim_adam(&adam));
    for (int i = 0; i < 6; i++) {
      double *at = dw + some[i / 3] * 3 + i % 3, d = (double)g[i] + 0.1 * *at;
      dm[i] = 0.8 * dm[i] + 0.2 * d;
      dv[i] = 0.9 * dv[i] + 0.1 * d * d;
      *at -= 0.02 * dm[i] / (1 - pow(0.8, t)) / (sqrt(dv[i] / (1 - pow(0.9, t))) + 0.01);
    }
  }
  for (uint32_t i = 0; i < 12; i++)
    definition_equal("adam", i, (double)w[i], dw[i], 4e-6);
}
END_TEST

TCase *define_sequences_case(void) {
  TCase *c = tcase_create("sequences");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, attention_with_biases);
  tcase_add_loop_test(c, recurrent_layers, 0, 2 * TRAIN_GATED_KINDS);
  tcase_add_test(c, simple_recurrent_layer);
  tcase_add_test(c, sgd_of_all_and_of_some_rows);
  tcase_add_test(c, adam_of_some_rows);
  return c;
}
