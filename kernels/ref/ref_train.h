// kernels/ref/ref_train.h: sums in double precision, and how far a float sum may be from them.
#ifndef REF_TRAIN_H
#define REF_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

// A sum and the sum of the magnitudes of its terms.
struct ref_sum {
  double value, magnitude;
  uint32_t terms;
};

static inline void ref_add(struct ref_sum *sum, double term) {
  sum->value += term;
  sum->magnitude += term < 0 ? -term : term;
  sum->terms++;
}

// The same NaN or infinity.
static inline bool ref_same_special(double got, double want) {
  return got == want || (got != got && want != want);
}

static inline bool ref_finite(double value) {
  return value - value == 0;
}

// |error| <= (terms + 2) * 2^-24 * sum of magnitudes: any order of n additions, one rounding each
// (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). A sum that is NaN or
// infinite must be met.
static inline bool ref_near(float got, const struct ref_sum *want) {
  if (!ref_finite(want->value))
    return ref_same_special((double)got, want->value);
  double error = (double)got - want->value;
  double bound = (want->terms + 2) * 0x1p-24 * want->magnitude;
  return (error < 0 ? -error : error) <= bound;
}

#endif
