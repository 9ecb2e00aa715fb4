// kernels/examples/stalls.c: each cause of lost cycles, before and after its remedy.
//
// docs/bottleneck-to-remedy.md explains each pair; a test checks that the cause goes away. All code
// is run once to fill the instruction caches; the second time counts, as a region per half.
#include "stalls.h"
#include "kernels/rt/platform.h"
#include "kernels/rt/rt.h"
#include "xpulp.h"

enum { WORDS = 512, ROUNDS = 64 };

RT_REGION(1, "load_use before");
RT_REGION(2, "load_use after");
RT_REGION(3, "tcdm_conflict before");
RT_REGION(4, "tcdm_conflict after");
RT_REGION(5, "l2_wait before");
RT_REGION(6, "l2_wait after");
RT_REGION(7, "fetch before");
RT_REGION(8, "fetch after");
RT_REGION(9, "branch before");
RT_REGION(10, "branch after");
RT_REGION(11, "jump before");
RT_REGION(12, "jump after");
RT_REGION(13, "multicycle before");
RT_REGION(14, "multicycle after");
RT_REGION(15, "fpu_dependency before");
RT_REGION(16, "fpu_dependency after");
RT_REGION(17, "misaligned before");
RT_REGION(18, "misaligned after");
RT_REGION(19, "barrier before");
RT_REGION(20, "barrier after");
RT_REGION(21, "dma_wait before");
RT_REGION(22, "dma_wait after");
RT_REGION(23, "csr before");
RT_REGION(24, "csr after");
RT_REGION(25, "periph_wait before");
RT_REGION(26, "periph_wait after");
RT_REGION(27, "sleep before");
RT_REGION(28, "sleep after");
RT_REGION(29, "fpu_contention before"); // on a machine with shared float units
RT_REGION(30, "fpu_contention after");

static RT_L1_BSS uint32_t l1[RT_MAX_CORES * WORDS / 2 + 64];
static RT_L1_BSS uint32_t target[4 * WORDS]; // 8 kB: 1,024 cycles of the DMA
static uint32_t l2[4 * WORDS];
static RT_L1_BSS volatile uint32_t sum;
static RT_L1_BSS volatile uint32_t stage; // how far core 0 is, for debuggers

// Runs `code` twice; the second time is the region.
#define CASE(id, code)                                                                             \
  do {                                                                                             \
    code;                                                                                          \
    rt_barrier();                                                                                  \
    rt_region_begin(id);                                                                           \
    code;                                                                                          \
    rt_region_end(id);                                                                             \
    rt_barrier();                                                                                  \
  } while (0)

static void wait_at_once(void) {
  if (rt_core_id() == 0) {
    rt_dma_wait(rt_dma_in(target, l2, sizeof target));
    stall_branch_after(l1, WORDS);
  }
}

static void work_meanwhile(void) {
  if (rt_core_id() == 0) {
    unsigned id = rt_dma_in(target, l2, sizeof target);
    stall_branch_after(l1, WORDS);
    rt_dma_wait(id);
  }
}

static void one_core_works(void) {
  if (rt_core_id() == 0)
    for (unsigned i = 0; i < 8; i++)
      stall_branch_after(l1, 64);
  rt_barrier();
}

static void all_cores_work(void) {
  struct rt_range part = rt_split(8, 1);
  for (unsigned i = part.begin; i < part.end; i++)
    stall_branch_after(l1, 64);
  rt_barrier();
}

// What does not change is asked for in every round, or once.
static uint32_t status(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, mstatus" : "=r"(value));
  return value;
}

static uint32_t device(void) {
  return *(volatile uint32_t *)RT_ICACHE_ENABLE;
}

static void ask_each_time(uint32_t (*ask)(void), volatile uint32_t *mine) {
  for (unsigned i = 0; i < ROUNDS; i++)
    mine[i] = ask();
}

static void ask_once(uint32_t (*ask)(void), volatile uint32_t *mine) {
  uint32_t answer = ask();
  for (unsigned i = 0; i < ROUNDS; i++)
    mine[i] = answer;
}

// The event unit's mutex: reading it waits until it is free.
static void add_to_sum(uint32_t value) {
  (void)p_elw((void *)RT_EU_BASE, RT_EU_MUTEX);
  sum += value;
  *(volatile uint32_t *)(RT_EU_BASE + RT_EU_MUTEX) = 0;
}

static void lock_each_time(const uint32_t *mine) {
  for (unsigned i = 0; i < ROUNDS; i++)
    add_to_sum(mine[i]);
}

static void lock_once(const uint32_t *mine) {
  add_to_sum(stall_branch_after(mine, ROUNDS));
}

int main(void) {
  unsigned id = rt_core_id();
  if (id == 0)
    stage = 1;
  uint32_t *mine = l1 + id * 256; // every core's part begins in bank 0
  CASE(1, stall_load_use_before(mine, 128));
  CASE(2, stall_load_use_after(mine, 128));
  CASE(3, stall_same_bank(mine, 16));
  CASE(4, stall_same_bank(mine + id, 16));
  CASE(5, stall_load_use_after(l2, 128));
  CASE(6, stall_load_use_after(mine, 128));
  CASE(7, stall_fetch_before(8));
  CASE(8, stall_fetch_after(8 * 16));
  CASE(9, stall_branch_before(mine, 128));
  CASE(10, stall_branch_after(mine, 128));
  CASE(11, stall_jump_before(mine, 64));
  CASE(12, stall_jump_after(mine, 64));
  CASE(13, stall_divide_before(64));
  CASE(14, stall_divide_after(64));
  CASE(15, stall_float_before(64));
  CASE(16, stall_float_after(64));
  CASE(17, stall_load_use_after((uint32_t *)((uintptr_t)mine + 1), 128));
  CASE(18, stall_load_use_after(mine, 128));
  CASE(19, one_core_works());
  CASE(20, all_cores_work());
  if (id == 0)
    stage = 2;
  CASE(21, wait_at_once());
  CASE(22, work_meanwhile());
  CASE(23, ask_each_time(status, mine));
  CASE(24, ask_once(status, mine));
  CASE(25, ask_each_time(device, mine));
  CASE(26, ask_once(device, mine));
  CASE(27, lock_each_time(mine));
  CASE(28, lock_once(mine));
  CASE(29, stall_share_before(ROUNDS));
  CASE(30, stall_share_after(ROUNDS));
  return 0;
}
