// tests/kernels/target/arguments_main.c: says what its arguments are, as texts and as numbers.
#include "kernels/rt/rt.h"

int main(void) {
  char text[8];
  if (rt_core_id() != 0)
    return 0;
  for (unsigned i = 0;; i++) {
    int length = rt_argument(i, text, sizeof text);
    if (length < 0)
      return 0;
    rt_printf("%d '%s' %d\n", length, text, rt_argument_number(i, -9));
  }
}
