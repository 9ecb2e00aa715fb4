// tests/kernels/target/copies_main.c: structures of which a member is never set are copied twice;
// of the second copy, argument 0 says whether that member is used.
#include "kernels/rt/rt.h"

struct pair {
  uint32_t set, unset;
};

static RT_L1_BSS volatile struct pair first[RT_MAX_CORES], second[RT_MAX_CORES];

static void copy(volatile struct pair *to, const volatile struct pair *from) {
  to->set = from->set;
  to->unset = from->unset;
}

int main(void) {
  volatile struct pair own, *from = &own;
  volatile struct pair *middle = &first[rt_core_id()], *last = &second[rt_core_id()];
  own.set = 1;
  __asm__ volatile("" : "+r"(from)); // or the compiler would warn
  copy(middle, from);
  copy(last, middle);
  bool used = rt_argument_number(0, 0) != 0;
  return last->set != 1 || (used && last->unset > 1000);
}
