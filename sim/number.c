// sim/number.c: numbers as users write them.
#include "sim/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What a suffix stands for; 0 if it is none.
static uint64_t scale_of(char suffix, unsigned kilo) {
  uint64_t k = kilo;
  switch (suffix) {
  case 'k':
  case 'K':
    return k;
  case 'M':
    return k * k;
  case 'G':
    return k * k * k;
  default:
    return 0;
  }
}

bool number_parse(const char *text, unsigned kilo, uint64_t *value) {
  bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *digits = hex ? text + 2 : text;
  uint64_t scale = 1;
  char *end;
  if (!*digits || !strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", *digits))
    return false;
  errno = 0;
  *value = strtoull(digits, &end, hex ? 16 : 10);
  if (errno != 0)
    return false;
  if (!hex && *end)
    scale = scale_of(*end++, kilo);
  return *end == '\0' && scale && !__builtin_mul_overflow(*value, scale, value);
}
