#include "observe/text.h"

#include <stdio.h>

#include "isa/csr_names.h"

#define DIGITS_2(a, b)                                                                             \
  { (a), (b) }
#define DIGITS_16(a)                                                                               \
  DIGITS_2(a, '0'), DIGITS_2(a, '1'), DIGITS_2(a, '2'), DIGITS_2(a, '3'), DIGITS_2(a, '4'),        \
      DIGITS_2(a, '5'), DIGITS_2(a, '6'), DIGITS_2(a, '7'), DIGITS_2(a, '8'), DIGITS_2(a, '9'),    \
      DIGITS_2(a, 'a'), DIGITS_2(a, 'b'), DIGITS_2(a, 'c'), DIGITS_2(a, 'd'), DIGITS_2(a, 'e'),    \
      DIGITS_2(a, 'f')
const char text_hex_pairs[256][2] = {
    DIGITS_16('0'), DIGITS_16('1'), DIGITS_16('2'), DIGITS_16('3'), DIGITS_16('4'), DIGITS_16('5'),
    DIGITS_16('6'), DIGITS_16('7'), DIGITS_16('8'), DIGITS_16('9'), DIGITS_16('a'), DIGITS_16('b'),
    DIGITS_16('c'), DIGITS_16('d'), DIGITS_16('e'), DIGITS_16('f')};

const char *text_register(unsigned number) {
  static const char *const names[64] = {
      "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",  "a2",
      "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",  "s9",
      "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5", "ft6",
      "ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2", "fs3",
      "fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  return number < 64 ? names[number] : "?";
}

void text_csr(unsigned number, char name[24]) {
  for (size_t i = 0; i < sizeof csr_names / sizeof *csr_names; i++) {
    unsigned index = number - csr_names[i].number;
    if (index >= csr_names[i].count)
      continue;
    if (csr_names[i].count > 1)
      snprintf(name, 24, "%s%u%s", csr_names[i].name, csr_names[i].first + index,
               csr_names[i].tail);
    else
      snprintf(name, 24, "%s", csr_names[i].name);
    return;
  }
  snprintf(name, 24, "csr0x%03x", number);
}
