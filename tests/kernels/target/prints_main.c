// tests/kernels/target/prints_main.c: prints the list of prints.h.
#include "kernels/rt/rt.h"
#include "tests/kernels/prints.h"

int main(void) {
  if (rt_core_id() == 0) {
#define PRINT(...) rt_printf(__VA_ARGS__);
    PRINTS(PRINT)
  }
  return 0;
}
