// deploy/lower/lower_absorb.c: nodes that act element by element, taken into the layer in front.
#include <math.h>
#include <stdlib.h>

#include "deploy/lower/lowering.h"
#include "deploy/memory.h"

enum { EXACT_BITS = 61 }; // of kappa and lambda: kappa * sum + lambda has its place in 64 bits

// The input that is not constant; -1: none, or several.
static int variable_input(const struct lowering *low, const struct graph_node *node) {
  int found = -1;
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i] == GRAPH_NONE || graph_const(low->graph, node, i))
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

bool lower_absorbs(const struct lowering *low, const struct graph_node *node) {
  static const char *const ops[] = {"Mul",  "Add",  "Sub",      "Div",     "Floor",       "Cast",
                                    "Clip", "Relu", "Identity", "Dropout", "RequantShift"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (graph_is(node, ops[i]))
      return variable_input(low, node) == 0 ||
             (variable_input(low, node) == 1 && (graph_is(node, "Mul") || graph_is(node, "Add")));
  return false;
}

int lower_log2(int64_t divisor) {
  if (divisor >= 1 && (divisor & (divisor - 1)) == 0)
    return __builtin_ctzll((unsigned long long)divisor);
  // NEMO writes 2^d less one where a float has been rounded on the way.
  if (divisor >= 255 && (divisor & (divisor + 1)) == 0)
    return __builtin_ctzll((unsigned long long)divisor + 1);
  return -1;
}

// -------------------------------------------------------------------- Mul, Add, Div

static bool scale_by(struct open *open, const int64_t *by, size_t count) {
  for (uint32_t c = 0; c < open->out.c; c++) {
    int64_t k = by[count == 1 ? 0 : c];
    if (__builtin_mul_overflow(open->kappa[c], k, &open->kappa[c]) ||
        __builtin_mul_overflow(open->lambda[c], k, &open->lambda[c]))
      return false;
  }
  return true;
}

static bool offset_by(struct open *open, const int64_t *by, size_t count) {
  for (uint32_t c = 0; c < open->out.c; c++) {
    int64_t unit;
    if (__builtin_mul_overflow(by[count == 1 ? 0 : c], open->divisor, &unit) ||
        (open->shift && __builtin_mul_overflow(unit, (int64_t)1 << open->shift, &unit)) ||
        __builtin_add_overflow(open->lambda[c], unit, &open->lambda[c]))
      return false;
  }
  return true;
}

static bool small_enough(const struct open *open) {
  for (uint32_t c = 0; c < open->out.c; c++)
    if (llabs(open->kappa[c]) > INT32_MAX || llabs(open->lambda[c]) >= (int64_t)1 << EXACT_BITS)
      return false;
  return true;
}

static bool divide_by(struct lowering *low, const struct graph_node *node, struct open *open,
                      const int64_t *by, size_t count) {
  int power = lower_log2(by[0]);
  for (size_t i = 1; i < count; i++)
    if (by[i] != by[0])
      return graph_fail(low->error, node, "divisors that differ by channel are not supported");
  if (power < 0 || open->shift + power > 62)
    return graph_fail(low->error, node, "a divisor of %lld; powers of two up to 2^62 are supported",
                      (long long)by[0]);
  bool less_one = by[0] != (int64_t)1 << power;
  if (less_one && (open->shift || power > 30))
    return graph_fail(low->error, node, "2^d - 1 behind another divisor, or d above 30");
  open->less_one = less_one;
  open->shift = (uint8_t)(open->shift + power);
  open->floored = less_one;
  return true;
}

// floor(floor(x) * 2^k / 2^k) is floor(x): the activation that NEMO writes behind an addition.
static bool undone(const struct lowering *low, const struct graph_node *node, int64_t factor) {
  int next = graph_consumer(low->graph, node->outputs[0]);
  const struct graph_node *div = next == GRAPH_NONE ? NULL : &low->graph->nodes[next];
  const struct array *by = div && graph_is(div, "Div") ? graph_const(low->graph, div, 1) : NULL;
  if (!by || array_count(by) != 1 || !graph_is(node, "Mul"))
    return false;
  int power = lower_log2(array_get_int(by, 0));
  return power >= 0 && factor == (int64_t)1 << power;
}

// What follows the floor of an addition whose results need more than 8 bits: a tensor in between
// would cut them.
static bool take_second(const struct lowering *low, const struct graph_node *node,
                        struct open *open, int64_t by) {
  if (low->options->split || open->layer.kind != NET_ADD || open->clipped ||
      (!open->second && !lower_overflows(low, open)))
    return false;
  if (!open->second)
    open->second = true, open->factor = 1, open->offset = 0, open->parts = 1;
  bool good = by > 0 && by <= INT32_MAX;
  if (graph_is(node, "Mul") && good && open->parts == 1 && open->factor * by <= INT32_MAX)
    open->factor *= by, open->offset *= by;
  else if (graph_is(node, "Add") && open->parts == 1 && llabs(by) <= INT32_MAX)
    open->offset += by;
  else if (graph_is(node, "Div") && good && open->parts == 1)
    open->parts = by;
  else
    return false;
  return true;
}

static bool arithmetic(struct lowering *low, const struct graph_node *node, struct open *open,
                       bool *taken) {
  size_t count;
  int64_t *by = lower_integers(low, node, variable_input(low, node) == 0 ? 1 : 0, &count);
  if (!by)
    return false;
  bool ok = true, fits = count == 1 || count == open->out.c;
  bool after = open->floored || open->clipped;
  if (!fits)
    ok = graph_fail(low->error, node, "a constant of %zu elements; one, or one per channel (%u)",
                    count, open->out.c);
  else if (after && count == 1 && undone(low, node, by[0]))
    low->done[graph_consumer(low->graph, node->outputs[0])] = true;
  else if (after)
    *taken = count == 1 && take_second(low, node, open, by[0]);
  else if (graph_is(node, "Mul") && count == 1 && by[0] == open->divisor && open->divisor > 1)
    open->divisor = 1;
  else if (graph_is(node, "Mul"))
    ok = scale_by(open, by, count) || graph_fail(low->error, node, "numbers beyond 64 bits");
  else if (graph_is(node, "Add"))
    ok = offset_by(open, by, count) || graph_fail(low->error, node, "numbers beyond 64 bits");
  else if (graph_is(node, "Div"))
    ok = divide_by(low, node, open, by, count);
  else
    ok = graph_fail(low->error, node, "not supported here; Mul, Add and Div by constants are");
  if (ok && fits && *taken && !small_enough(open))
    ok = graph_fail(low->error, node, "the product of the factors is beyond 32 bits");
  free(by);
  return ok;
}

// -------------------------------------------------------------------- Clip, RequantShift

static void clip_to(struct open *open, double least, double most) {
  if (least > (double)open->low)
    open->low = (int64_t)ceil(fmin(least, 0x1p31));
  if (most < (double)open->high)
    open->high = (int64_t)floor(fmax(most, -0x1p31));
  open->clipped = true;
}

static void clip(const struct lowering *low, const struct graph_node *node, struct open *open) {
  const struct array *least = graph_const(low->graph, node, 1);
  const struct array *most = graph_const(low->graph, node, 2);
  double bits = (double)graph_int(node, "out_bits", 0);
  clip_to(open, least ? array_get(least, 0) : graph_float(node, "min", -0x1p31),
          most ? array_get(most, 0) : graph_float(node, "max", 0x1p31));
  if (bits == 2 || bits == 4 || bits == 8)
    open->out.bits = (uint8_t)bits;
}

// x * mul + add, and half a divisor that rounds to nearest, halves up.
static bool multiply_add(struct lowering *low, const struct graph_node *node, struct open *open,
                         int64_t divisor) {
  size_t muls = 0, adds = 0;
  const int64_t half = divisor / 2;
  int64_t *mul = lower_integers(low, node, 1, &muls), *add = NULL;
  if (mul)
    add = lower_integers(low, node, 2, &adds);
  bool ok = mul && add;
  if (ok && ((muls != 1 && muls != open->out.c) || (adds != 1 && adds != open->out.c)))
    ok = graph_fail(low->error, node, "mul and add have one element, or one per channel (%u)",
                    open->out.c);
  ok = ok && ((scale_by(open, mul, muls) && offset_by(open, add, adds) &&
               offset_by(open, &half, 1) && small_enough(open)) ||
              graph_fail(low->error, node, "the product of the factors is beyond 32 bits"));
  free(mul);
  free(add);
  return ok;
}

// Deeploy's: clip(floor((x * mul + add) / div + 1/2)), n_levels (elsewhere n_levels_out) codes from
// 0, or around 0 if `signed`. That it rounds, the outputs published with Deeploy's tests say.
static bool requant_shift(struct lowering *low, const struct graph_node *node, struct open *open,
                          bool *taken) {
  int64_t divisor = (int64_t)fmin(fmax(graph_number(node, "div", 1), 0), 0x1p62);
  double levels = graph_number(node, "n_levels", graph_number(node, "n_levels_out", 256));
  bool is_signed = graph_number(node, "signed", 0) != 0;
  if (open->floored || open->clipped) {
    *taken = false;
    return true;
  }
  if (node->input_count < 3)
    return graph_fail(low->error, node, "it needs the inputs x, mul and add");
  bool ok = multiply_add(low, node, open, divisor) && divide_by(low, node, open, &divisor, 1);
  open->floored = true;
  clip_to(open, is_signed ? -levels / 2 : 0, is_signed ? levels / 2 - 1 : levels - 1);
  return ok;
}

bool lower_absorb(struct lowering *low, const struct graph_node *node, struct open *open,
                  bool *taken) {
  *taken = true;
  if (graph_is(node, "Identity") || graph_is(node, "Dropout"))
    return true;
  if (graph_is(node, "Floor") || graph_is(node, "Cast")) {
    open->floored |= open->shift > 0;
    return true;
  }
  if (graph_is(node, "Relu"))
    clip_to(open, 0, 0x1p31);
  else if (graph_is(node, "Clip"))
    clip(low, node, open);
  else if (graph_is(node, "RequantShift"))
    return requant_shift(low, node, open, taken);
  else
    return arithmetic(low, node, open, taken);
  return true;
}
