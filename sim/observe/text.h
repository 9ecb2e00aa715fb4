// sim/observe/text.h: numbers as text, faster than printf. Each function returns the end.
#ifndef PULPSIM_TEXT_H
#define PULPSIM_TEXT_H

#include <stdint.h>
#include <string.h>

extern const char text_hex_pairs[256][2]; // "00" to "ff"

// The last `digits` digits, 1 to 8; writes 8 places.
static inline char *text_hex(char *p, uint32_t value, unsigned digits) {
  value <<= 32 - 4 * digits;
  memcpy(p, text_hex_pairs[value >> 24], 2);
  memcpy(p + 2, text_hex_pairs[value >> 16 & 0xff], 2);
  memcpy(p + 4, text_hex_pairs[value >> 8 & 0xff], 2);
  memcpy(p + 6, text_hex_pairs[value & 0xff], 2);
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
