// kernels/rt/decimal.h: the decimal digits of a number in double precision, exactly, one by one.
//
// An integer of up to 1,024 bits turns into groups of nine digits by division; a fraction of up to
// 1,074 bits gives a digit with each multiplication by ten. Nothing is rounded: that is for who
// counts the digits. No float instruction is used, so cores without a float unit have this too.
#ifndef RT_DECIMAL_H
#define RT_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

enum { DECIMAL_WORDS = 36 };

struct decimal {
  // From the beginning: what is left of the fraction, least significant word first. At the end:
  // groups of nine digits, what is left of the most significant one first.
  uint32_t word[DECIMAL_WORDS];
  unsigned low, high; // the fraction is in low..high - 1; those below are 0
  unsigned group;     // the next digit is in this one ...
  uint32_t power;     // ... and counts so much there
  int point;          // digits in front of the decimal point: 1 to 309
};

// `bits`: of a number that is neither infinite nor NaN; its sign does not count. The first digit is
// 0 only if it is the one in front of the point.
void decimal_begin(struct decimal *d, uint64_t bits);
unsigned decimal_next(struct decimal *d);       // behind the last one: 0
bool decimal_is_spent(const struct decimal *d); // only zeros follow

#endif
