// A call by a null pointer, and an instruction that no core has.
#include <stdlib.h>

static void (*volatile nothing)(void);

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    nothing();
  __asm__ volatile(".4byte 0x00b7a52f"); // amoadd.w a0,a1,(a5)
  return 0;
}
