// kernels/rt/rt.c: start, end, barrier and work split on the target.
#include "rt.h"

#include "platform.h"
#include "xpulp.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

int main(void);
_Noreturn void rt_start(unsigned cores);
int rt_main(void); // of a program with a C library: kernels/libc

RT_L1_BSS uint32_t rt_cores_, rt_cores_inverse_;
static RT_L1_BSS int exit_status[RT_MAX_CORES];

void rt_barrier(void) {
  // The load also orders memory: nothing may be moved across it.
  if (rt_cores_ > 1)
    (void)p_elw((void *)RT_EU_BASE, RT_EU_BARRIER_GO);
  __asm__ volatile("" ::: "memory");
}

// Until the end of the program: waits for an event that does not come. (wfi does not stop a core of
// a cluster: only an event load does.)
static _Noreturn void sleep(void) {
  REGISTER(RT_EU_BASE + RT_EU_MASK) = 0;
  for (;;)
    (void)p_elw((void *)RT_EU_BASE, RT_EU_WAIT_CLEAR);
}

_Noreturn void rt_exit(int status) {
  REGISTER(RT_EXIT) = RT_EXIT_VALID | ((uint32_t)status & 0x7ff); // 256 is no success
  sleep();
}

static _Noreturn void leave(int status) {
  unsigned id = rt_core_id();
  exit_status[id] = status;
  rt_barrier();
  if (id != 0)
    sleep();
  for (unsigned i = 0; i < rt_cores_; i++) {
    if (exit_status[i] != 0)
      rt_exit(exit_status[i]);
  }
  rt_exit(0);
}

// Called by crt0.S on every core, each with its own stack. All cores write the same values to
// what they share, so that none has to wait for another before it uses them.
_Noreturn void rt_start(unsigned cores) {
  rt_cores_ = cores;
  rt_cores_inverse_ = UINT32_MAX / cores + 1;
  uint32_t team = (1u << cores) - 1;
  if (rt_core_id() == 0)
    REGISTER(RT_ICACHE_ENABLE) = 0xffffffff;
  REGISTER(RT_EU_BASE + RT_EU_MASK) = RT_EVENT_TEAM;
  REGISTER(RT_EU_BASE + RT_EU_BARRIER) = team;
  REGISTER(RT_EU_BASE + RT_EU_BARRIER_TO) = team;
  rt_barrier(); // every core's event unit is set up before any runs main()
#ifdef RT_LIBC
  leave(rt_main());
#else
  leave(main());
#endif
}
