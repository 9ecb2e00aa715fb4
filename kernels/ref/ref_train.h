// kernels/ref/ref_train.h: sums in double precision, and how far a float sum may be from them. On
// the simulated machine, which has no doubles, they are pairs of floats (ref_pair.h).
#ifndef REF_TRAIN_H
#define REF_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ref/ref_pair.h"

// A sum and the sum of the magnitudes of its terms.
#ifdef __riscv
typedef float ref_real;
struct ref_sum {
  struct ref_pair sum;
  ref_real magnitude;
  uint32_t terms;
};
#else
typedef double ref_real;
struct ref_sum {
  double sum;
  ref_real magnitude;
  uint32_t terms;
};
#endif

static inline bool ref_finite(ref_real value) {
  return value - value == 0;
}

static inline ref_real ref_value(const struct ref_sum *sum) {
#ifdef __riscv
  return ref_finite(sum->sum.high) ? sum->sum.high + sum->sum.low : sum->sum.high;
#else
  return sum->sum;
#endif
}

static inline void ref_add_product(struct ref_sum *sum, float a, float b) {
  ref_real term = (ref_real)a * (ref_real)b;
#ifdef __riscv
  ref_pair_add_product(&sum->sum, a, b);
#else
  sum->sum += term;
#endif
  sum->magnitude += term < 0 ? -term : term;
  sum->terms++;
}

static inline void ref_add(struct ref_sum *sum, float term) {
  ref_add_product(sum, term, 1);
}

// |got - value|, for a finite value.
static inline ref_real ref_error(const struct ref_sum *want, float got) {
#ifdef __riscv
  ref_real error = got - want->sum.high - want->sum.low;
#else
  ref_real error = (ref_real)got - want->sum;
#endif
  return error < 0 ? -error : error;
}

// (terms + 2) * 2^-24 * sum of magnitudes: any order of n additions, one rounding each (Higham,
// Accuracy and Stability of Numerical Algorithms, section 4.2).
static inline ref_real ref_bound(const struct ref_sum *sum) {
  return (ref_real)(sum->terms + 2) * (ref_real)0x1p-24 * sum->magnitude;
}

// The same NaN or infinity.
static inline bool ref_same_special(float got, ref_real want) {
  return (ref_real)got == want || (got != got && want != want);
}

// |error| <= the bound. A sum that is NaN or infinite must be met.
static inline bool ref_near(float got, const struct ref_sum *want) {
  if (!ref_finite(ref_value(want)))
    return ref_same_special(got, ref_value(want));
  return ref_error(want, got) <= ref_bound(want);
}

#endif
