#include "core/fpu_dispatch.h"

// Rule fpu-order: a request has to wait while an operation of greater latency is in flight, so that
// results come in order; and operations with two or more pipeline registers (type 3) wait for
// everything. Two results may be outstanding.
bool fpu_dispatch_waits(const struct fpu_dispatch *d, bool enable, unsigned type) {
  if (d->count == FPU_RESULTS)
    return true;
  if (!enable || d->count == 0)
    return false;
  return type == 1 || type == 3 || (type == 2 && d->type3);
}

void fpu_dispatch_cycle(struct fpu_dispatch *d, const struct fpu_cycle *in, cycle_t now) {
  d->stalls = fpu_dispatch_waits(d, in->enable, in->type);
  d->request = in->enable && !d->stalls;
  bool immediate = d->request && in->granted && in->latency == 0;
  d->comes = immediate || (d->due_count > 0 && d->due[0] == now);
  // Rule fpu-result-waits: a result of type 3 is kept while a misaligned access, a memory access
  // with post-increment, a high product or a jump-and-link needs the ALU port.
  bool masked = d->type3 && in->port_blocked;
  d->result = !masked && (d->comes || d->kept);
  d->alu_port = d->result && (d->count == 0 || d->type3);
  d->result_rd = !d->result ? 0 : d->count > 0 ? d->rd[0] : d->request ? in->rd : 0;
}

// `enable`: an operation that writes `rd_ex` follows those in flight, from the one at `first` on.
static uint64_t destinations(const struct fpu_dispatch *d, unsigned first, bool enable,
                             unsigned rd_ex) {
  uint64_t set = enable ? reg_bit(rd_ex) : 0;
  for (unsigned i = first; i < d->count; i++)
    set |= reg_bit(d->rd[i]);
  return set;
}

uint64_t fpu_dispatch_pending(const struct fpu_dispatch *d, unsigned rd_request) {
  return destinations(d, d->result, d->request && (d->count > 0 || !d->result), rd_request);
}

uint64_t fpu_dispatch_pending_still(const struct fpu_dispatch *d, bool enable, unsigned rd_ex) {
  return destinations(d, 0, enable, rd_ex);
}

// A result is that of the oldest operation: if none is in flight, of the one that is requested.
static void retire(struct fpu_dispatch *d, const struct fpu_cycle *in) {
  bool accepted = d->request && in->granted && (d->count > 0 || !d->result);
  if (d->result && d->count > 0) {
    d->rd[0] = d->rd[1];
    d->rd[1] = 0;
    d->count--;
  }
  if (accepted)
    d->rd[d->count++] = in->rd;
}

void fpu_dispatch_edge(struct fpu_dispatch *d, const struct fpu_cycle *in, cycle_t now) {
  if (d->due_count > 0 && d->due[0] == now) {
    d->due_count--;
    for (unsigned i = 0; i < d->due_count; i++)
      d->due[i] = d->due[i + 1];
  }
  d->kept = (d->comes || d->kept) && d->type3 && in->port_blocked;
  if (d->request && in->granted && in->latency > 0 && d->due_count < FPU_IN_FLIGHT)
    d->due[d->due_count++] = now + in->latency;
  retire(d, in);
  if (d->request)
    d->type3 = in->type == 3;
}

// ---- division and square root

// Bits of a format, and the rounds of the divider of RI5CY's own FPU (`control_mvp.sv`; measured on
// the unit's RTL, tests/data/timing/divsqrt16.tsv). Of two lanes, the first decides.
static const struct {
  unsigned exponent, fraction;
  unsigned mvp_latency;
} formats[] = {
    [FPU_BINARY32] = {8, 23, 11}, [FPU_BINARY16] = {5, 10, 7}, [FPU_BFLOAT16] = {8, 7, 6}};

// Zero, infinity, not a number.
static bool is_special(enum fpu_format format, uint32_t x) {
  uint32_t most = (1u << formats[format].exponent) - 1;
  uint32_t exponent = x >> formats[format].fraction & most;
  bool fraction = x & ((1u << formats[format].fraction) - 1);
  return exponent == most || (exponent == 0 && !fraction);
}

static bool is_negative(enum fpu_format format, uint32_t x) {
  return x >> (formats[format].exponent + formats[format].fraction) & 1;
}

// A binary32 number that is not special: the exponent, with which subnormals go on below 1, and 24
// bits, the leading one included.
static int exponent_of(uint32_t x) {
  int biased = (int)(x >> 23 & 255);
  return biased ? biased : 9 - __builtin_clz(x & 0x7fffff);
}
static uint32_t mantissa_of(uint32_t x) {
  int biased = (int)(x >> 23 & 255);
  uint32_t fraction = x & 0x7fffff;
  return biased ? fraction | 1 << 23 : fraction << (1 - exponent_of(x));
}

enum { DIVSQRT_SPECIAL = 2, DIVSQRT_FRAME = 3, DIVSQRT_ROUNDS = 15 };

// Rule divsqrt: two result bits a round, the first of which gives the integer part; the rounds end
// when the remainder is zero, which is seen one round later, or after 15.
static unsigned rounds(unsigned fraction_bits) {
  unsigned n = 2 + (fraction_bits + 1) / 2;
  return n < DIVSQRT_ROUNDS ? n : DIVSQRT_ROUNDS;
}

// Bits behind the point of a / b (both with the point behind bit 23), or many.
static unsigned quotient_bits(uint32_t a, uint32_t b) {
  for (unsigned n = 0; n < 2 * DIVSQRT_ROUNDS; n++)
    if (((uint64_t)a << n) % b == 0)
      return n;
  return 2 * DIVSQRT_ROUNDS;
}

static uint32_t integer_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= x)
      root += bit;
  return (uint32_t)root;
}

// The same of the root of x * 2^-23 (x < 2^25).
static unsigned root_bits(uint32_t x) {
  uint64_t scaled = (uint64_t)x << 23; // root * 2^23, squared
  uint32_t root = integer_root(scaled);
  if ((uint64_t)root * root != scaled)
    return 2 * DIVSQRT_ROUNDS;
  return 23 - (unsigned)__builtin_ctz(root | 1 << 23);
}

unsigned fpu_divsqrt_latency(enum fpu_divider divider, enum fpu_format format, bool sqrt,
                             uint32_t a, uint32_t b) {
  bool mvp = divider == FPU_DIVIDER_MVP;
  if (!mvp)
    format = FPU_BINARY32;
  if (is_special(format, a) || (sqrt ? is_negative(format, a) : is_special(format, b)))
    return DIVSQRT_SPECIAL;
  if (mvp)
    return formats[format].mvp_latency;
  if (sqrt)
    return DIVSQRT_FRAME + rounds(root_bits(mantissa_of(a) << !(exponent_of(a) & 1)));
  int exponent = exponent_of(a) - exponent_of(b);
  if (exponent > 128 || exponent < -150)
    return DIVSQRT_FRAME + 1;
  return DIVSQRT_FRAME + rounds(quotient_bits(mantissa_of(a), mantissa_of(b)));
}

bool fpu_division_prepares(enum fpu_divider divider, uint32_t a, uint32_t b) {
  bool subnormal = !is_special(FPU_BINARY32, b) && exponent_of(b) < 1;
  return divider == FPU_DIVIDER_E906 && !is_special(FPU_BINARY32, a) && subnormal;
}
