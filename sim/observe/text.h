// sim/observe/text.h: numbers as text, faster than printf. Each function returns the end.
#ifndef PULPSIM_TEXT_H
#define PULPSIM_TEXT_H

#include <stdint.h>
#include <string.h>

// The last `digits` digits, 1 to 8; writes up to 8 places. All at once: a nibble to a byte, then
// its character.
static inline char *text_hex(char *p, uint32_t value, unsigned digits) {
  value <<= 32 - 4 * digits;
  uint64_t x = (uint64_t)(value >> 16) << 32 | (value & 0xffff);
  x = (x & 0x0000ff000000ff00) << 8 | (x & 0x000000ff000000ff);
  x = (x & 0x00f000f000f000f0) << 4 | (x & 0x000f000f000f000f);
  uint64_t letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
  x = __builtin_bswap64(x + 0x3030303030303030 + letters * ('a' - '9' - 1));
  memcpy(p, &x, 8);
  return p + digits;
}

static inline char *text_decimal(char *p, uint64_t value) {
  char digits[20];
  unsigned n = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

// Right-aligned in `width` places, wider if need be.
static inline char *text_column(char *p, uint64_t value, unsigned width) {
  char digits[20];
  char *end = text_decimal(digits, value);
  unsigned n = (unsigned)(end - digits);
  for (; n < width; width--)
    *p++ = ' ';
  memcpy(p, digits, n);
  return p + n;
}

static inline char *text_string(char *p, const char *s) {
  size_t n = strlen(s);
  memcpy(p, s, n);
  return p + n;
}

// ABI name of a register (0..31 x, 32..63 f).
const char *text_register(unsigned number);

// Name of a CSR, e.g. "mstatus", or "csr0x7b0" where the assembler knows none.
void text_csr(unsigned number, char name[24]);

#endif
