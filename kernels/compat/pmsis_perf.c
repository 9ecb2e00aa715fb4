// kernels/compat/pmsis_perf.c: RI5CY's performance counters (user manual rev. 4, chapter 10) and
// the cluster's timer.
#include "pmsis.h"

#define PCER          0xcc0
#define PCMR          0xcc1
#define ALL           0x79f
#define TIMER(offset) (*(volatile uint32_t *)(0x10200400 + (offset)))
enum { TIMER_CONFIG = 0x00, TIMER_COUNT = 0x08, TIMER_ON = 1, TIMER_RESET = 2 };

void pi_perf_conf(unsigned events) {
  __builtin_pulp_spr_write(PCER, events & ~(1u << PI_PERF_CYCLES));
}

void pi_perf_reset(void) {
  __builtin_pulp_spr_write(ALL, 0);
  TIMER(TIMER_CONFIG) = TIMER_RESET;
}

void pi_perf_start(void) {
  TIMER(TIMER_CONFIG) = TIMER_ON;
  __builtin_pulp_spr_write(PCMR, 3);
}

void pi_perf_stop(void) {
  __builtin_pulp_spr_write(PCMR, 0);
  TIMER(TIMER_CONFIG) = 0;
}

#define COUNTER(n)                                                                                 \
  case n:                                                                                          \
    return __builtin_pulp_spr_read(0x780 + (n))

unsigned pi_perf_read(int event) {
  switch (event) {
    COUNTER(0);
    COUNTER(1);
    COUNTER(2);
    COUNTER(3);
    COUNTER(4);
    COUNTER(5);
    COUNTER(6);
    COUNTER(7);
    COUNTER(8);
    COUNTER(9);
    COUNTER(10);
    COUNTER(11);
    COUNTER(12);
    COUNTER(13);
    COUNTER(14);
    COUNTER(15);
    COUNTER(16);
  case PI_PERF_CYCLES:
    return TIMER(TIMER_COUNT);
  default:
    return 0;
  }
}
