// kernels/examples/idle_start.S: where the fabric controller starts (-s soc.boot=soc); see idle.c.
#include "idle.h"

#define CORES        8          // to start
#define CONTROL_UNIT 0x10200000 // of the cluster (pulp_cluster RTL, cluster_control_unit)
#define FETCH_ENABLE 0x008      // a bit per core
#define BOOT_ADDRESS 0x040      // a word per core

  .section .text.start, "ax"
  .globl idle_start
  .type idle_start, @function
idle_start:
#ifdef CONTROLLER_PREPARES
  la    t0, idle_table
  la    t1, idle_table + 4 * IDLE_WORDS
1:
  sw    t0, 0(t0)
  addi  t0, t0, 4
  bne   t0, t1, 1b
#endif
  li    t0, CONTROL_UNIT
  la    t1, enter
  addi  t2, t0, 4 * CORES
2:
  sw    t1, BOOT_ADDRESS(t0)
  addi  t0, t0, 4
  bne   t0, t2, 2b
  li    t0, CONTROL_UNIT
  li    t1, (1 << CORES) - 1
  sw    t1, FETCH_ENABLE(t0)
3:
  wfi                         // the cluster ends the program
  j     3b
enter:                        // not at a multiple of 256, of which 0x80 behind would be taken
  j     _start                // of crt0.S
  .size idle_start, . - idle_start
