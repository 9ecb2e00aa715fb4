// tests/isa/fp_oracle.h: what IEEE 754 says, by MPFR: the exact value, then one rounding.
//
// Shares nothing with isa/fp*.c: numbers are mpfr_t, rounding is done on their decomposition into
// an integer number of quanta and a rest.
#ifndef TESTS_FP_ORACLE_H
#define TESTS_FP_ORACLE_H

#include <stdint.h>

struct fp_oracle_format {
  const char *name;
  int exp_bits, man_bits;
};
extern const struct fp_oracle_format oracle_fp32, oracle_fp16, oracle_bf16;

struct fp_oracle_result {
  uint32_t value;
  unsigned flags;
};

enum fp_oracle_op { ORACLE_ADD, ORACLE_MUL, ORACLE_DIV, ORACLE_FMA, ORACLE_SQRT, ORACLE_AVG };

// Operands that the operation does not have are ignored.
struct fp_oracle_result fp_oracle(enum fp_oracle_op op, const struct fp_oracle_format *f,
                                  uint32_t a, uint32_t b, uint32_t c, unsigned rm);

// a rounded from one format to another; as a float from an integer; as an integer of `width` bits
// (sign-extended if it is signed).
struct fp_oracle_result fp_oracle_convert(const struct fp_oracle_format *from,
                                          const struct fp_oracle_format *to, uint32_t a,
                                          unsigned rm);
struct fp_oracle_result fp_oracle_from_int(const struct fp_oracle_format *to, int64_t a,
                                           unsigned rm);
struct fp_oracle_result fp_oracle_to_int(const struct fp_oracle_format *from, uint32_t a, int width,
                                         int is_signed, unsigned rm);

// a + b[0] * c[0] + b[1] * c[1], lanes of format `from`, the rest of format `to`; without the
// addend if `has_addend` is 0.
struct fp_oracle_result fp_oracle_dot(const struct fp_oracle_format *from,
                                      const struct fp_oracle_format *to, int has_addend, uint32_t a,
                                      uint32_t b, uint32_t c, unsigned rm);

// -1, 0, 1 for less, equal, greater; 2 for unordered.
int fp_oracle_compare(const struct fp_oracle_format *f, uint32_t a, uint32_t b);

int fp_oracle_is_nan(const struct fp_oracle_format *f, uint32_t a);
int fp_oracle_is_signalling(const struct fp_oracle_format *f, uint32_t a);
uint32_t fp_oracle_nan(const struct fp_oracle_format *f);

#endif
