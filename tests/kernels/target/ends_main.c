// tests/kernels/target/ends_main.c: ways in which a run ends, by the number in its argument. What
// it does wrong stands on lines of which tests/sim/reasons.c knows the text.
#include "kernels/rt/platform.h"
#include "kernels/rt/rt.h"

enum { LATE = 3 };

static volatile uint32_t words[4];

static volatile uint32_t *hidden(uint32_t address) {
  __asm__ volatile("" : "+r"(address));
  return (volatile uint32_t *)address;
}

__attribute__((noinline)) static uint32_t wait_for(uint32_t offset) {
  uint32_t value;
  __asm__ volatile(".insn i 0x03, 6, %0, %1, 0" : "=r"(value) : "r"(RT_EU_BASE + offset));
  return value;
}

__attribute__((noinline, noclone)) static uint32_t descend(uint32_t depth) {
  if (depth == 0)
    __asm__ volatile(".4byte 0xffffffff"); // illegal
  uint32_t below = depth ? descend(depth - 1) : 0;
  words[depth & 3] = below;
  return below + 1;
}

__attribute__((noinline)) static void load(uint32_t address) {
  words[0] = *hidden(address); // nobody
}

static void end_late_core(int how) {
  switch (how) {
  case 0:
    descend(2); // called
    break;
  case 1:
    load(0x1a105004);
    break;
  case 2:
    load(0x1c080000);
    break;
  case 3:
    rt_dma_wait(rt_dma_in((void *)0x10000100, (void *)0x40000000, 64));
    break;
  case 4:
    wait_for(RT_EU_MUTEX);
    wait_for(RT_EU_MUTEX);
    break;
  case 5:
    *hidden(RT_EU_BASE + RT_EU_MASK) = 1 << RT_EVENT_DMA;
    wait_for(RT_EU_WAIT_CLEAR);
    break;
  case 8:
    descend(200); // its stack is smaller than that
    break;
  case 7:
    while (!words[3]) // polled
      ;
    break;
  default:
    __asm__ volatile(".4byte 0x04c5f553"); // fadd.h fa0,fa1,fa2
  }
}

int main(void) {
  if (rt_core_id() == LATE)
    end_late_core(rt_argument_number(0, 0));
  rt_barrier();
  return 0;
}
