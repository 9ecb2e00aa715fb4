// tests/kernels/target/copies_main.c: structures of which a member is never set, or that have
// padding behind a narrow one, are copied twice; argument 0 says what is used of the second copy:
// what was set (0), the member that was not (1), the padding (2).
#include "kernels/rt/rt.h"

struct pair {
  uint32_t set, unset;
};

static RT_L1_BSS volatile struct pair first[RT_MAX_CORES], second[RT_MAX_CORES];

static void copy(volatile struct pair *to, const volatile struct pair *from) {
  to->set = from->set;
  to->unset = from->unset;
}

// A register holds the narrow member and what lies behind it, as where a structure is passed.
static uint32_t narrow(bool all) {
  uint32_t own;
  volatile uint8_t *narrow = (volatile uint8_t *)&own;
  volatile uint32_t *from = &own, *middle = &first[rt_core_id()].set,
                    *last = &second[rt_core_id()].set;
  *narrow = 0;
  __asm__ volatile("" : "+r"(from));
  *middle = *from;
  *last = *middle;
  uint32_t passed = *last;
  __asm__ volatile("mv %0, %0" : "+r"(passed));
  return all ? passed & 0x1ff : passed & 0xff;
}

int main(void) {
  volatile struct pair own, *from = &own;
  volatile struct pair *middle = &first[rt_core_id()], *last = &second[rt_core_id()];
  own.set = 1;
  __asm__ volatile("" : "+r"(from)); // or the compiler would warn
  copy(middle, from);
  copy(last, middle);
  int32_t used = rt_argument_number(0, 0);
  bool wrong = last->set != 1 || (used == 1 && last->unset > 1000);
  return wrong || narrow(used == 2) != 0;
}
