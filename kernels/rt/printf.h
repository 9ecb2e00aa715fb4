// kernels/rt/printf.h: what the parts of rt_printf share.
#ifndef RT_PRINTF_H
#define RT_PRINTF_H

#include <stdbool.h>
#include <stdint.h>

// A conversion's flags, width and precision.
struct printf_spec {
  unsigned width;
  int precision;  // -1: none
  char sign[2];   // of a number that is not negative: "", "+" or " "
  bool left;      // '-'
  bool zeros;     // '0'
  bool alternate; // '#'
};

int printf_put(char c); // 1
// Around a text of `length` characters: what fills the width in front of it, with `prefix`, and
// behind. The number of characters written.
int printf_before(const struct printf_spec *spec, const char *prefix, unsigned length);
int printf_after(const struct printf_spec *spec, const char *prefix, unsigned length);

// %f %F %e %E %g %G of the double with these bits.
int printf_float(const struct printf_spec *spec, char conversion, uint64_t bits);

#endif
