// kernels/rt/l3.c: transfers between L3 (HyperRAM) and L2, through the uDMA.
//
// The interface has a channel per direction, each with one transfer under way and one that waits; a
// channel's transfers end in the order of their starts, so that it is enough to count them. Source:
// archi/udma of the public GAP8 runtime; registers: sim/soc/hyper.h.
#include "rt.h"

#include "platform.h"
#include "xpulp.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum {
  CHANNEL = 0x10, // bytes from one direction's registers to the other's
  ADDRESS = 0x00,
  BYTES = 0x04,
  CONFIG = 0x08,
  EXTERNAL = 0x20,
  UNDER_WAY = 1 << 4,
  WAITS = 1 << 5,
};

static RT_L1_BSS uint32_t started[2]; // [1]: from L2 to L3

static uint32_t open_in(unsigned direction) {
  uint32_t config = REGISTER(RT_L3_BASE + CHANNEL * direction + CONFIG);
  return (config & UNDER_WAY ? 1u : 0u) + (config & WAITS ? 1u : 0u);
}

// Sleeps until some transfer has ended: the event unit keeps a line high as long as its queue of
// the SoC's events is not empty.
static void sleep(void) {
  REGISTER(RT_EU_BASE + RT_EU_MASK) = 1u << RT_EVENT_SOC;
  (void)p_elw((void *)RT_EU_BASE, RT_EU_WAIT_CLEAR);
  (void)REGISTER(RT_EU_SOC_QUEUE); // takes the event
  REGISTER(RT_EU_BASE + RT_EU_MASK) = RT_EVENT_TEAM;
}

bool rt_l3_room(bool out) {
  return open_in(out) < 2;
}

static struct rt_l3 start(unsigned direction, const volatile void *l2, uint32_t l3,
                          uint32_t bytes) {
  if (bytes == 0) {
    rt_print("rt_l3: a transfer has at least one byte\n");
    rt_exit(RT_DMA_ERROR);
  }
  while (!rt_l3_room(direction))
    sleep();
  __asm__ volatile("" ::: "memory"); // what the program stored before is what is moved
  REGISTER(RT_L3_BASE + CHANNEL * direction + ADDRESS) = (uint32_t)l2;
  REGISTER(RT_L3_BASE + CHANNEL * direction + BYTES) = bytes;
  REGISTER(RT_L3_BASE + EXTERNAL) = l3;
  REGISTER(RT_L3_BASE + CHANNEL * direction + CONFIG) = UNDER_WAY;
  return (struct rt_l3){++started[direction], direction == 1};
}

struct rt_l3 rt_l3_in(void *l2, uint32_t l3, uint32_t bytes) {
  return start(0, l2, l3, bytes);
}

struct rt_l3 rt_l3_out(uint32_t l3, const void *l2, uint32_t bytes) {
  return start(1, l2, l3, bytes);
}

bool rt_l3_done(struct rt_l3 transfer) {
  return started[transfer.out] - open_in(transfer.out) >= transfer.number;
}

void rt_l3_wait(struct rt_l3 transfer) {
  while (!rt_l3_done(transfer))
    sleep();
  __asm__ volatile("" ::: "memory");
}
