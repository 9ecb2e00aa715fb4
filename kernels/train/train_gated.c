// kernels/train/train_gated.c
#include "train_gated.h"

#include "kernels/rt/rt.h"
#include "train_math.h"
#include "train_typed.h"

uint32_t train_gated_gates(enum train_gated_kind kind) {
  return kind == TRAIN_GATED_RNN ? 1 : kind == TRAIN_GATED_GRU ? 3 : 4;
}

// Gradients of the gates' sums by the input and, of a GRU, by the state; of the cell, of the state.
uint32_t train_gated_buffer_size(enum train_gated_kind kind, const struct train_gated *l) {
  return (l->steps * (train_gated_gates(kind) + 1) + 2) * l->state_n * 4;
}

static enum kernel_status refuse(enum train_gated_kind kind, const struct train_gated *l) {
  if (kind >= TRAIN_GATED_KINDS || !l->steps || !l->in_n || !l->state_n || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return l->in && l->wx && l->wh && l->out && (kind == TRAIN_GATED_RNN || l->tape) &&
                 (kind != TRAIN_GATED_LSTM || l->cells)
             ? KERNEL_OK
             : KERNEL_BAD_POINTER;
}

// The state before step t; NULL: zeros.
static const void *state_before(const struct train_gated *l, uint32_t t) {
  return t > 0 ? train_at(l->out, (size_t)(t - 1) * l->state_n, l->type) : l->start;
}

// Row `row` of w times x, behind b[row]; rows are n long.
TRAIN_TYPED float row_sum(const void *w, const void *b, size_t row, const void *x, uint32_t n,
                          enum train_type t) {
  float sum = b ? train_get(b, row, t) : 0;
  for (uint32_t i = 0; x && i < n; i++)
    sum = train_mac(sum, w, row * n + i, x, i, t);
  return sum;
}

// Both sums of gate g of unit j.
struct sums {
  float x, h;
};
TRAIN_TYPED struct sums gate_sums(const struct train_gated *l, uint32_t g, uint32_t j,
                                  uint32_t step, const void *before, enum train_type t) {
  size_t row = (size_t)g * l->state_n + j;
  const void *in = train_at(l->in, (size_t)step * l->in_n, t);
  return (struct sums){row_sum(l->wx, l->bx, row, in, l->in_n, t),
                       row_sum(l->wh, l->bh, row, before, l->state_n, t)};
}

static float gru(float *tape, uint32_t n, const struct sums *a, float before) {
  float r = train_sigmoid(a[0].x + a[0].h), z = train_sigmoid(a[1].x + a[1].h);
  float candidate = train_tanh(__builtin_fmaf(r, a[2].h, a[2].x));
  tape[0] = r;
  tape[n] = z;
  tape[2 * (size_t)n] = candidate;
  tape[3 * (size_t)n] = a[2].h;
  return __builtin_fmaf(z, before - candidate, candidate);
}

static float lstm(float *tape, uint32_t n, const struct sums *a, float before, float *cell) {
  float i = train_sigmoid(a[0].x + a[0].h), f = train_sigmoid(a[1].x + a[1].h);
  float g = train_tanh(a[2].x + a[2].h), o = train_sigmoid(a[3].x + a[3].h);
  tape[0] = i;
  tape[n] = f;
  tape[2 * (size_t)n] = g;
  tape[3 * (size_t)n] = o;
  *cell = __builtin_fmaf(f, before, i * g);
  return o * train_tanh(*cell);
}

static float cell_before(const struct train_gated *l, uint32_t step, uint32_t j) {
  return step > 0 ? l->cells[(size_t)(step - 1) * l->state_n + j] : l->cell ? l->cell[j] : 0;
}

TRAIN_TYPED void unit_fw(const struct train_gated *l, enum train_gated_kind kind, uint32_t step,
                         uint32_t j, enum train_type t) {
  const void *before = state_before(l, step);
  uint32_t n = l->state_n;
  size_t at = (size_t)step * n + j;
  float *tape = l->tape ? l->tape + (size_t)step * 4 * n + j : NULL, out;
  struct sums a[4];
  for (uint32_t g = 0; g < train_gated_gates(kind); g++)
    a[g] = gate_sums(l, g, j, step, before, t);
  if (kind == TRAIN_GATED_RNN)
    out = train_tanh(a[0].x + a[0].h);
  else if (kind == TRAIN_GATED_GRU)
    out = gru(tape, n, a, before ? train_get(before, j, t) : 0);
  else
    out = lstm(tape, n, a, cell_before(l, step, j), l->cells + at);
  train_put(l->out, at, out, t);
}

TRAIN_TYPED void step_fw(const struct train_gated *l, enum train_gated_kind kind, uint32_t step,
                         enum train_type t) {
  struct rt_range mine = rt_split(l->state_n, 2); // a word of results has one writer
  for (uint32_t j = mine.begin; j < mine.end; j++)
    unit_fw(l, kind, step, j, t);
}

enum kernel_status train_gated_fw(enum train_gated_kind kind, const struct train_gated *l) {
  enum kernel_status status = refuse(kind, l);
  for (uint32_t step = 0; status == KERNEL_OK && step < l->steps; step++) {
    TRAIN_BY_TYPE(l->type, step_fw, l, kind, step);
    rt_barrier();
  }
  return status;
}

// ---- gradients

// Of the gates' sums: by the input [steps][gates][n]; a GRU's last gate by the state [steps][n].
// Of a unit's state by way of what follows it, and of its cell.
struct errors {
  float *x, *h, *state, *cell;
  uint32_t gates;
};

static struct errors errors_of(const struct train_gated *l, enum train_gated_kind kind) {
  uint32_t gates = train_gated_gates(kind), n = l->state_n;
  float *h = l->scratch + (size_t)l->steps * gates * n, *state = h + (size_t)l->steps * n;
  return (struct errors){l->scratch, h, state, state + n, gates};
}

static inline float *error_at(const struct errors *e, uint32_t n, uint32_t step, uint32_t g) {
  return e->x + ((size_t)step * e->gates + g) * n;
}

// As the state sees it.
static inline const float *state_error(const struct errors *e, enum train_gated_kind kind,
                                       uint32_t n, uint32_t step, uint32_t g) {
  return kind == TRAIN_GATED_GRU && g == 2 ? e->h + (size_t)step * n : error_at(e, n, step, g);
}

// What step t + 1 gives back to unit j.
TRAIN_TYPED float from_next(const struct train_gated *l, enum train_gated_kind kind,
                            const struct errors *e, uint32_t step, uint32_t j, enum train_type t) {
  uint32_t n = l->state_n;
  float sum = e->state[j];
  for (uint32_t g = 0; g < e->gates; g++) {
    const float *error = state_error(e, kind, n, step + 1, g);
    for (uint32_t i = 0; i < n; i++)
      sum = __builtin_fmaf(train_get(l->wh, ((size_t)g * n + i) * n + j, t), error[i], sum);
  }
  return sum;
}

static void gru_bw(const float *tape, const struct errors *e, uint32_t n, uint32_t step, uint32_t j,
                   float d, float before) {
  float r = tape[0], z = tape[n], candidate = tape[2 * (size_t)n], h = tape[3 * (size_t)n];
  float dn = d * (1.0f - z) * (1.0f - candidate * candidate);
  error_at(e, n, step, 0)[j] = dn * h * r * (1.0f - r);
  error_at(e, n, step, 1)[j] = d * (before - candidate) * z * (1.0f - z);
  error_at(e, n, step, 2)[j] = dn;
  e->h[(size_t)step * n + j] = dn * r;
  e->state[j] = d * z;
}

static void lstm_bw(const float *tape, const struct errors *e, uint32_t n, uint32_t step,
                    uint32_t j, float d, float before, float cell) {
  float i = tape[0], f = tape[n], g = tape[2 * (size_t)n], o = tape[3 * (size_t)n];
  float y = train_tanh(cell), dc = __builtin_fmaf(d * o, 1.0f - y * y, e->cell[j]);
  error_at(e, n, step, 0)[j] = dc * g * i * (1.0f - i);
  error_at(e, n, step, 1)[j] = dc * before * f * (1.0f - f);
  error_at(e, n, step, 2)[j] = dc * i * (1.0f - g * g);
  error_at(e, n, step, 3)[j] = d * y * o * (1.0f - o);
  e->cell[j] = dc * f;
}

TRAIN_TYPED void unit_bw(const struct train_gated *l, enum train_gated_kind kind,
                         const struct errors *e, uint32_t step, uint32_t j, enum train_type t) {
  uint32_t n = l->state_n;
  size_t at = (size_t)step * n + j;
  const float *tape = l->tape ? l->tape + (size_t)step * 4 * n + j : NULL;
  const void *before = state_before(l, step);
  if (step + 1 == l->steps)
    e->state[j] = e->cell[j] = 0;
  float d = train_get(l->out_grad, at, t);
  if (step + 1 < l->steps)
    d += from_next(l, kind, e, step, j, t);
  if (kind == TRAIN_GATED_RNN) {
    float h = train_get(l->out, at, t);
    error_at(e, n, step, 0)[j] = d * (1.0f - h * h);
    e->state[j] = 0;
  } else if (kind == TRAIN_GATED_GRU) {
    gru_bw(tape, e, n, step, j, d, before ? train_get(before, j, t) : 0);
  } else {
    lstm_bw(tape, e, n, step, j, d, cell_before(l, step, j), l->cells[at]);
  }
}

TRAIN_TYPED void step_bw(const struct train_gated *l, enum train_gated_kind kind,
                         const struct errors *e, uint32_t step, enum train_type t) {
  struct rt_range mine = rt_split(l->state_n, 2);
  for (uint32_t j = mine.begin; j < mine.end; j++)
    unit_bw(l, kind, e, step, j, t);
}

// Gradients of row `row` of a gate's weights by x (NULL: zeros at the first step) and its bias.
TRAIN_TYPED void row_wg(const struct train_gated *l, enum train_gated_kind kind,
                        const struct errors *e, uint32_t g, uint32_t j, enum train_type t) {
  uint32_t n = l->state_n;
  size_t row = (size_t)g * n + j;
  for (uint32_t i = 0; i < l->in_n; i++) {
    float sum = l->add ? train_get(l->wx_grad, row * l->in_n + i, t) : 0;
    for (uint32_t s = 0; s < l->steps; s++)
      sum = __builtin_fmaf(error_at(e, n, s, g)[j], train_get(l->in, (size_t)s * l->in_n + i, t),
                           sum);
    train_put(l->wx_grad, row * l->in_n + i, sum, t);
  }
  for (uint32_t i = 0; i < n; i++) {
    float sum = l->add ? train_get(l->wh_grad, row * n + i, t) : 0;
    for (uint32_t s = l->start ? 0 : 1; s < l->steps; s++)
      sum = __builtin_fmaf(state_error(e, kind, n, s, g)[j], train_get(state_before(l, s), i, t),
                           sum);
    train_put(l->wh_grad, row * n + i, sum, t);
  }
}

TRAIN_TYPED void bias_wg(const struct train_gated *l, enum train_gated_kind kind,
                         const struct errors *e, uint32_t g, uint32_t j, enum train_type t) {
  uint32_t n = l->state_n;
  size_t row = (size_t)g * n + j;
  float x = l->add && l->bx_grad ? train_get(l->bx_grad, row, t) : 0;
  float h = l->add && l->bh_grad ? train_get(l->bh_grad, row, t) : 0;
  for (uint32_t s = 0; s < l->steps; s++) {
    x += error_at(e, n, s, g)[j];
    h += state_error(e, kind, n, s, g)[j];
  }
  if (l->bx_grad)
    train_put(l->bx_grad, row, x, t);
  if (l->bh_grad)
    train_put(l->bh_grad, row, h, t);
}

TRAIN_TYPED void inputs_ig(const struct train_gated *l, const struct errors *e, uint32_t i,
                           enum train_type t) {
  uint32_t rows = e->gates * l->state_n;
  for (uint32_t s = 0; s < l->steps; s++) {
    float sum = 0;
    for (uint32_t row = 0; row < rows; row++)
      sum = __builtin_fmaf(train_get(l->wx, (size_t)row * l->in_n + i, t),
                           e->x[(size_t)s * rows + row], sum);
    train_put(l->in_grad, (size_t)s * l->in_n + i, sum, t);
  }
}

TRAIN_TYPED void gradients(const struct train_gated *l, enum train_gated_kind kind,
                           const struct errors *e, enum train_type t) {
  struct rt_range units = rt_split(l->state_n, 2), inputs = rt_split(l->in_n, 2);
  for (uint32_t g = 0; g < e->gates; g++) {
    for (uint32_t j = units.begin; j < units.end; j++) {
      row_wg(l, kind, e, g, j, t);
      bias_wg(l, kind, e, g, j, t);
    }
  }
  for (uint32_t i = inputs.begin; i < inputs.end; i++)
    inputs_ig(l, e, i, t);
}

enum kernel_status train_gated_bw(enum train_gated_kind kind, const struct train_gated *l) {
  enum kernel_status status = refuse(kind, l);
  if (status == KERNEL_OK &&
      (!l->out_grad || !l->in_grad || !l->wx_grad || !l->wh_grad || !l->scratch))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  const struct errors e = errors_of(l, kind);
  for (uint32_t step = l->steps; step-- > 0;) {
    TRAIN_BY_TYPE(l->type, step_bw, l, kind, &e, step);
    rt_barrier();
  }
  TRAIN_BY_TYPE(l->type, gradients, l, kind, &e);
  return KERNEL_OK;
}
