// kernels/rt/argument.c: what stands behind `--` on pulpsim's command line.
#include "rt.h"

int rt_argument_call(unsigned index, char *text, unsigned size); // argument_call.S

int rt_argument(unsigned index, char *text, unsigned size) {
  int length = rt_argument_call(index, text, size);
  return length < 0 ? -1 : length;
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
