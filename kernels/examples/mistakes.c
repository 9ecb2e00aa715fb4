// kernels/examples/mistakes.c: what `pulpsim --check` finds, one of each kind; see
// docs/debugging.md.
#include "kernels/rt/rt.h"

static RT_L1_BSS volatile uint32_t shared;
static RT_L1_BSS volatile uint32_t words[8];

// Where a pointer comes from is hidden, or the compiler would warn of all this.
static volatile uint32_t *hidden(volatile uint32_t *pointer, uint32_t bytes) {
  __asm__ volatile("add %0, %0, %1" : "+r"(pointer) : "r"(bytes));
  return pointer;
}

// Every core adds to the same word, without a lock.
static void race(void) {
  shared = shared + rt_core_id() + 1;
}

static uint32_t never_written(void) {
  volatile uint32_t local[4];
  return *hidden(local, 8);
}

// Behind the data, in front of the stacks.
static void out_of_bounds(void) {
  *hidden(words, 0x6000) = 1;
}

static void misaligned(void) {
  *hidden(words, 2) = 7;
}

// 4 bytes behind nothing: the cluster sees its L1 there, so that the machine does not mind.
static void null_pointer(void) {
  *hidden(0, 4) = 0;
}

int main(void) {
  race();
  rt_barrier();
  if (rt_core_id() == 0) {
    words[1] = never_written() + 1;
    out_of_bounds();
    misaligned();
    null_pointer();
  }
  rt_barrier();
  return 0;
}
