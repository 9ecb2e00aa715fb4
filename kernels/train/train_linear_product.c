// kernels/train/train_linear_product.c: matrix products (train_product.h), but for the gradients of
// a batch of one in 16 bits: that of the weights is an outer product, two elements at a time, that
// of the input goes down the columns of the weights.
#include "train_linear_product.h"

#include "kernels/rt/rt.h"
#include "train_extent.h"
#include "train_product.h"
#include "train_typed.h"

// ---- forward

// The output begins with the bias, so that sums are rounded once.
TRAIN_TYPED void set_bias(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_share(l->out_n);
  for (uint32_t b = 0; b < l->batch; b++) {
    for (uint32_t o = mine.begin; o < mine.end; o++)
      train_copy(l->out, (size_t)b * l->out_n + o, l->bias, o, t);
  }
}

// A batch of one with an odd number of inputs: eight rows a pass, pairs of inputs. Every other row
// begins in the middle of a word: its pairs are those from its second element on, so that they are
// words as well, and meet inputs that are shifted by one. Rows that there are not are the last one
// again.
enum { FW_ROWS = 8, FW_PAIRS = 5 };

// Loads first, so that none is waited for.
TRAIN_TYPED void row_pairs(float *sum, const uint16_t *const *w, const uint16_t *x, uint32_t rows,
                           uint32_t pairs, enum train_type t) {
  for (uint32_t i = 0; i < pairs; i++) {
    const float in[2] = {train_get2(x, 2 * i), train_get2_any(x + 2 * i + 1)};
    float pair[FW_ROWS];
    for (uint32_t r = 0; r < rows; r++)
      pair[r] = train_get2_any(w[r] + 2 * i);
    for (uint32_t r = 0; r < rows; r++)
      sum[r] = train_mac2(sum[r], pair[r], in[r % 2], t);
  }
}

TRAIN_TYPED void row_block(const struct train_linear *l, uint32_t first, uint32_t left,
                           uint32_t rows, enum train_type t) {
  const uint16_t *w[FW_ROWS], *x = l->in, *end = x + l->in_n - 1;
  float sum[FW_ROWS];
  for (uint32_t r = 0; r < rows; r++) {
    uint32_t row = first + (r < left ? r : left - 1), alone = r % 2 ? 0 : l->in_n - 1u;
    w[r] = (const uint16_t *)l->weights + (size_t)row * l->in_n;
    sum[r] = l->bias ? train_get(l->bias, row, t) : 0;
    sum[r] = train_mac(sum[r], w[r], alone, l->in, alone, t);
    w[r] += r % 2;
  }
  for (; end - x >= 2 * FW_PAIRS; x += 2 * FW_PAIRS) {
    row_pairs(sum, w, x, rows, FW_PAIRS, t);
    for (uint32_t r = 0; r < rows; r++)
      w[r] += 2 * FW_PAIRS;
  }
  for (; x != end; x += 2) {
    row_pairs(sum, w, x, rows, 1, t);
    for (uint32_t r = 0; r < rows; r++)
      w[r] += 2;
  }
  for (uint32_t r = 0; r < rows; r++) {
    if (r < left)
      train_put(l->out, first + r, sum[r], t);
  }
}

TRAIN_TYPED void forward_rows(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->out_n, 2); // a word of results has one writer
  while (mine.begin < mine.end) {
    uint32_t left = mine.end - mine.begin;
    if (left > 4)
      row_block(l, mine.begin, left, FW_ROWS, t);
    else if (left > 2)
      row_block(l, mine.begin, left, 4, t);
    else
      row_block(l, mine.begin, left, 2, t);
    mine.begin += left > FW_ROWS ? FW_ROWS : left;
  }
}

void train_linear_product_fw_one(const struct train_linear *l) {
  if (l->type == TRAIN_FP16)
    forward_rows(l, TRAIN_FP16);
  else
    forward_rows(l, TRAIN_BF16);
}

enum kernel_status train_linear_product_fw(const struct train_linear *l) {
  if (l->type != TRAIN_F32 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  const struct train_product p = {l->in,           l->weights, l->out,    l->batch, l->out_n,
                                  l->in_n,         l->in_n,    l->in_n,   l->out_n, MMT_NT,
                                  l->bias != NULL, l->scratch, l->matmul, l->type};
  if (l->bias) {
    TRAIN_BY_TYPE(l->type, set_bias, l);
    rt_barrier();
  }
  return train_product(&p);
}

// ---- weight gradient

TRAIN_TYPED void bias_gradient(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_share(l->out_n);
  for (uint32_t o = mine.begin; o < mine.end; o++) {
    float sum = l->add ? train_get(l->bias_grad, o, t) : 0;
    for (uint32_t b = 0; b < l->batch; b++)
      sum += train_get(l->out_grad, (size_t)b * l->out_n + o, t);
    train_put(l->bias_grad, o, sum, t);
  }
}

enum { OUTER_PAIRS = 12 };

static bool outer_fits(const struct train_linear *l) {
  return l->type != TRAIN_F32 && !l->matmul && l->batch == 1;
}

// What is done to a row: whether products are added, and whether rows have an odd length.
struct outer {
  bool add, odd;
};

// Two pairs at a time, so that nothing is waited for.
TRAIN_TYPED void outer_row(uint16_t *row, const float *x, float y, uint32_t pairs, struct outer how,
                           enum train_type t) {
  for (uint32_t i = 0; i < pairs; i += 2) {
    uint32_t count = pairs - i < 2 ? 1 : 2;
    float w[2];
    for (uint32_t j = 0; how.add && j < count; j++)
      w[j] = train_get2(row, 2 * (i + j));
    for (uint32_t j = 0; j < count; j++)
      w[j] = how.add ? train_mac2_by(w[j], x[i + j], y, t) : train_mul2_by(x[i + j], y, t);
    for (uint32_t j = 0; j < count; j++)
      train_put2(row, 2 * (i + j), w[j]);
  }
}

// `pairs` of columns of the outer product: the inputs stay in registers while the rows pass, two at
// a time, so that no factor is waited for. Of two rows of odd length the second begins in the
// middle of a word: its columns are those one further on.
TRAIN_TYPED void outer_strip(const struct train_linear *l, uint32_t first, uint32_t pairs,
                             struct rt_range rows, struct outer how, enum train_type t) {
  uint16_t *row = (uint16_t *)l->weights_grad + (size_t)rows.begin * l->in_n + first;
  const uint16_t *factor = (const uint16_t *)l->out_grad + rows.begin;
  const uint32_t step = 2 * l->in_n, second = l->in_n + how.odd;
  float x[OUTER_PAIRS], shifted[OUTER_PAIRS];
  for (uint32_t i = 0; i < pairs; i++) {
    x[i] = train_get2(l->in, first + 2 * i);
    shifted[i] = how.odd ? train_get2_any((const uint16_t *)l->in + first + 2 * i + 1) : x[i];
  }
  uint32_t left = rows.end - rows.begin;
  for (; left >= 2; left -= 2, factor += 2, row += step) {
    float y0 = flh(factor, 0), y1 = flh(factor, 2);
    outer_row(row, x, y0, pairs, how, t);
    outer_row(row + second, how.odd ? shifted : x, y1, pairs, how, t);
  }
  if (left > 0)
    outer_row(row, x, flh(factor, 0), pairs, how, t);
}

// What an odd number of columns leaves: of even rows the last one, of odd rows the first.
TRAIN_TYPED void outer_alone(const struct train_linear *l, struct rt_range rows, bool add,
                             enum train_type t) {
  for (uint32_t o = rows.begin; o < rows.end; o++) {
    uint32_t column = o % 2 ? 0 : l->in_n - 1u;
    size_t at = (size_t)o * l->in_n + column;
    float before = add ? train_get(l->weights_grad, at, t) : 0;
    train_put(l->weights_grad, at, train_mac(before, l->out_grad, o, l->in, column, t), t);
  }
}

// Strips of `wide` pairs as long as they fit. Where nothing is added, a last one that overlaps the
// one before does the rest.
TRAIN_TYPED uint32_t outer_strips(const struct train_linear *l, struct rt_range pairs,
                                  uint32_t wide, struct rt_range rows, struct outer how,
                                  enum train_type t) {
  uint32_t i = pairs.begin;
  if (i + wide > pairs.end)
    return i;
  for (;;) {
    outer_strip(l, 2 * i, wide, rows, how, t);
    i += wide;
    if (i == pairs.end || (how.add && i + wide > pairs.end))
      return i;
    if (i + wide > pairs.end)
      i = pairs.end - wide;
  }
}

// The cores share the columns, or the rows of a layer that has few columns, or an odd number and
// sums.
TRAIN_TYPED void outer(const struct train_linear *l, bool add, bool odd, enum train_type t) {
  struct rt_range rows = {0, l->out_n}, pairs = {0, l->in_n / 2};
  const struct outer how = {add, odd};
  const struct rt_range alone = rt_split(rows.end, 2); // two rows are whole words
  if (!(add && odd) && l->in_n >= 8 * rt_core_count())
    pairs = rt_share(pairs.end);
  else
    rows = odd ? alone : rt_share(rows.end);
  pairs.begin = outer_strips(l, pairs, OUTER_PAIRS, rows, how, t);
  pairs.begin = outer_strips(l, pairs, OUTER_PAIRS / 2, rows, how, t);
  outer_strips(l, pairs, 1, rows, how, t);
  if (odd)
    outer_alone(l, alone, add, t);
}

uint32_t train_linear_product_wg_size(const struct train_linear *l) {
  return outer_fits(l) ? 0 : train_product_buffer_size(l->out_n, l->in_n, l->batch, l->type);
}

enum kernel_status train_linear_product_wg(const struct train_linear *l) {
  if (train_linear_product_wg_size(l) > 0 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  if (l->bias_grad)
    TRAIN_BY_TYPE(l->type, bias_gradient, l);
  if (outer_fits(l)) {
    bool odd = l->in_n % 2;
    if (l->add && odd)
      TRAIN_BY_TYPE(l->type, outer, l, true, true);
    else if (l->add)
      TRAIN_BY_TYPE(l->type, outer, l, true, false);
    else if (odd)
      TRAIN_BY_TYPE(l->type, outer, l, false, true);
    else
      TRAIN_BY_TYPE(l->type, outer, l, false, false);
    return KERNEL_OK;
  }
  const struct train_product p = {l->out_grad, l->in,      l->weights_grad, l->out_n, l->in_n,
                                  l->batch,    l->out_n,   l->in_n,         l->in_n,  MMT_TN,
                                  l->add,      l->scratch, l->matmul,       l->type};
  return train_product(&p);
}

// ---- input gradient

// A batch of one: sums of a few columns stay in registers while the rows pass.
enum { DOWN_COLUMNS = 12 };

static bool down_fits(const struct train_linear *l) {
  return l->type != TRAIN_F32 && !l->matmul && l->batch == 1;
}

// Offsets of loads have to be constants, not what loops are unrolled to.
#define DOWN_FOUR(DO) DO(0) DO(1) DO(2) DO(3)
#define DOWN_ALL(DO)  DOWN_FOUR(DO) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DOWN_EACH(DO)                                                                              \
  do {                                                                                             \
    if (columns == DOWN_COLUMNS) {                                                                 \
      DOWN_ALL(DO)                                                                                 \
    } else {                                                                                       \
      DOWN_FOUR(DO)                                                                                \
    }                                                                                              \
  } while (0)
#define DOWN_LOAD(i)  x[i] = flh(w, 2 * (i));
#define DOWN_MAC(i)   sum[i] = train_mac_of(sum[i], x[i], factor, t);
#define DOWN_CLEAR(i) sum[i] = 0;
#define DOWN_PUT(i)   train_put(l->in_grad, first + (i), sum[i], t);

TRAIN_TYPED void down_row(float *sum, const uint16_t *w, float factor, uint32_t columns,
                          enum train_type t) {
  float x[DOWN_COLUMNS];
  DOWN_EACH(DOWN_LOAD);
  DOWN_EACH(DOWN_MAC);
}

// DOWN_COLUMNS or four; two rows a pass.
TRAIN_TYPED void down_strip(const struct train_linear *l, uint32_t first, uint32_t columns,
                            enum train_type t) {
  const uint16_t *w = (const uint16_t *)l->weights + first, *y = l->out_grad;
  const uint16_t *next = w + l->in_n, *end = y + (l->out_n & ~1u);
  uint32_t step = 2 * l->in_n;
  float sum[DOWN_COLUMNS];
  DOWN_EACH(DOWN_CLEAR);
  for (; y != end; y += 2, w += step, next += step) {
    float upper = flh(y, 0), lower = flh(y, 2);
    down_row(sum, w, upper, columns, t);
    down_row(sum, next, lower, columns, t);
  }
  if (l->out_n % 2)
    down_row(sum, w, flh(y, 0), columns, t);
  DOWN_EACH(DOWN_PUT);
}

TRAIN_TYPED void down_column(const struct train_linear *l, uint32_t column, enum train_type t) {
  float sum = 0;
  for (uint32_t o = 0; o < l->out_n; o++)
    sum = train_mac(sum, l->weights, (size_t)o * l->in_n + column, l->out_grad, o, t);
  train_put(l->in_grad, column, sum, t);
}

// Strips; the last one overlaps the one before where there are too few columns for it.
TRAIN_TYPED void down_strips(const struct train_linear *l, struct rt_range mine, uint32_t columns,
                             enum train_type t) {
  for (; mine.begin < mine.end; mine.begin += columns)
    down_strip(l, mine.end - mine.begin < columns ? mine.end - columns : mine.begin, columns, t);
}

TRAIN_TYPED void down(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->in_n, 2); // a word of results has one writer
  uint32_t count = mine.end - mine.begin;
  if (TRAIN_USUALLY(count >= DOWN_COLUMNS))
    down_strips(l, mine, DOWN_COLUMNS, t);
  else if (count >= 4)
    down_strips(l, mine, 4, t);
  else
    for (; mine.begin < mine.end; mine.begin++)
      down_column(l, mine.begin, t);
}

uint32_t train_linear_product_ig_size(const struct train_linear *l) {
  return down_fits(l) ? 0 : train_product_buffer_size(l->batch, l->in_n, l->out_n, l->type);
}

enum kernel_status train_linear_product_ig(const struct train_linear *l) {
  if (train_linear_product_ig_size(l) > 0 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  if (down_fits(l)) {
    if (l->type == TRAIN_FP16)
      down(l, TRAIN_FP16);
    else
      down(l, TRAIN_BF16);
    return KERNEL_OK;
  }
  const struct train_product p = {l->out_grad, l->weights, l->in_grad, l->batch, l->in_n,
                                  l->out_n,    l->out_n,   l->in_n,    l->in_n,  MMT_NN,
                                  false,       l->scratch, l->matmul,  l->type};
  return train_product(&p);
}
