// kernels/rt/string.c: what the compiler itself calls for (there is no C library).
#include "rt.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

void *memcpy(void *restrict dst, const void *restrict src, size_t n) {
  rt_copy_words(dst, src, n / 4);
  uint8_t *d = dst;
  const uint8_t *s = src;
  for (size_t i = n & ~(size_t)3; i < n; i++)
    d[i] = s[i];
  return dst;
}

void *memmove(void *dst, const void *src, size_t n) {
  uint8_t *d = dst;
  const uint8_t *s = src;
  if (d < s) {
    for (size_t i = 0; i < n; i++)
      d[i] = s[i];
  } else {
    while (n-- > 0)
      d[n] = s[n];
  }
  return dst;
}

void *memset(void *dst, int value, size_t n) {
  uint8_t *d = dst;
  for (size_t i = 0; i < n; i++)
    d[i] = (uint8_t)value;
  return dst;
}

int memcmp(const void *a, const void *b, size_t n) {
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < n; i++) {
    if (x[i] != y[i])
      return x[i] - y[i];
  }
  return 0;
}
