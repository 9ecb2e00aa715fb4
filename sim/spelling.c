#include "sim/spelling.h"

#include <limits.h>
#include <string.h>

static unsigned min3(unsigned a, unsigned b, unsigned c) {
  unsigned ab = a < b ? a : b;
  return ab < c ? ab : c;
}

unsigned spelling_distance(const char *a, const char *b, unsigned limit) {
  unsigned row[64];
  size_t m = strlen(a), n = strlen(b);
  if (n >= 64 || m >= 64 || (m > n ? m - n : n - m) >= limit)
    return UINT_MAX;
  for (unsigned j = 0; j <= n; j++)
    row[j] = j;
  for (unsigned i = 1; *a; a++, i++) {
    unsigned diagonal = row[0], least = i;
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      unsigned above = row[j];
      row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (*a != b[j - 1]));
      diagonal = above;
      if (row[j] < least)
        least = row[j];
    }
    if (least >= limit) // no later row gets below it
      return UINT_MAX;
  }
  return row[n];
}
