// kernels/rt/argument.c: what stands behind `--` on pulpsim's command line.
#include "platform.h"
#include "rt.h"

int rt_argument(unsigned index, char *text, unsigned size) {
  register uint32_t a0 __asm__("a0") = index;
  register uint32_t a1 __asm__("a1") = (uint32_t)(uintptr_t)text;
  register uint32_t a2 __asm__("a2") = size;
  register uint32_t a7 __asm__("a7") = RT_HOST_ARGUMENT;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return (int)a0 < 0 ? -1 : (int)a0;
}

int rt_argument_number(unsigned index, int otherwise) {
  char text[12]; // -2147483648
  int length = rt_argument(index, text, sizeof text);
  int negative = length > 0 && text[0] == '-';
  if (length <= negative || length >= (int)sizeof text)
    return otherwise;
  uint32_t value = 0;
  for (int i = negative; i < length; i++) {
    uint32_t digit = (uint32_t)text[i] - '0';
    if (digit > 9 || value > (0x80000000u - digit) / 10)
      return otherwise;
    value = 10 * value + digit;
  }
  if (value == 0x80000000u && !negative)
    return otherwise;
  return (int)(negative ? -value : value);
}
