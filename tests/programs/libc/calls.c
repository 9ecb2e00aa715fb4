// A call by a null pointer, one to where no memory is, and an instruction that no core has.
#include <stdlib.h>

static void (*volatile nothing)(void);
static void (*volatile nowhere)(void) = (void (*)(void))0x30000000;

int main(int argc, char **argv) {
  if (argc > 1)
    (*argv[1] == '2' ? nowhere : nothing)();
  __asm__ volatile(".4byte 0x00b7a52f"); // amoadd.w a0,a1,(a5)
  return 0;
}
