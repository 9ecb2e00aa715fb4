// sim/cluster/event_unit.h: events, sleep and the synchronization primitives of the cluster.
//
// Each core has 32 event lines, a buffer that records every line, and a mask. A load from a
// "wait" register is granted in the first cycle in which buffer & mask is not zero; until
// then the core sleeps. Registers, as offsets from the core-private port (0x1020_4000;
// event_unit_flex):
//
//   0x000 mask            0x004 mask, clear bits   0x008 mask, set bits
//   0x00c irq mask        0x010                    0x014
//   0x018 status: 1 when the core's clock runs
//   0x01c buffer          0x020 buffer & mask      0x024 buffer & irq mask
//   0x028 clear buffer    0x02c software event target mask, 0x030 clear bits, 0x034 set bits
//   0x038 wait            0x03c wait, then clear the masked bits
//   0x080 dispatch: read (waits) the next word, write pushes one; 0x084 its team
//   0x0c0 mutex: read (waits) locks, write unlocks and leaves a message
//   0x100 + 4 e  trigger software event e (0..7) on the cores written; 0 means all
//   0x140 + 4 e  trigger it on the target mask and wait; 0x180 + 4 e  and clear
//   0x200 + 0x20 b  barrier b, see barrier.h
//
// The same registers of core i are at 0x40 i of the plug on the peripheral interconnect
// (0x1020_0800), the barriers at 0x400, software events at 0x600, the queue of SoC events at 0x700.
//
// Lines in the irq mask interrupt the core: the highest of buffer & irq mask, one cycle after it is
// in the buffer, until the core takes it, which clears it in the buffer. A core that waits is
// granted without an event, and repeats its wait behind the handler: one cycle late, unless a wait
// was interrupted before and the core has not slept since, which it does not while it fetches.
//
// Timing (measured on the RTL, eu.tsv): a register access takes one cycle; the last core's arrival
// at a barrier in cycle T completes its status in T + 1 and grants all cores in T + 2; a
// software event or mutex hand-over stored in T grants in T + 1, a dispatched word in T + 2.
#ifndef PULPSIM_EVENT_UNIT_H
#define PULPSIM_EVENT_UNIT_H

#include "cluster/barrier.h"
#include "cluster/dispatch.h"
#include "cluster/mutex.h"
#include "engine/engine.h"

struct core;
struct periph;

enum { EVENT_CORES = 16, EVENT_BARRIERS = 16, EVENT_SOC_QUEUE = 8 };

// Event lines.
enum {
  EVENT_SW = 0, // 8 of them
  EVENT_DMA = 8,
  EVENT_DMA_IRQ = 9,
  EVENT_TIMER_LOW = 10,
  EVENT_TIMER_HIGH = 11,
  EVENT_ACCELERATOR = 12, // 4
  EVENT_BARRIER = 16,
  EVENT_MUTEX = 17,
  EVENT_DISPATCH = 18,
  EVENT_CLUSTER = 22, // 2
  EVENT_SOC = 27,
};

// What the event unit keeps per core.
struct event_core {
  uint32_t mask, irq_mask, buffer;
  uint32_t sw_mask; // targets of the trigger-and-wait registers
  bool triggered;   // the pending wait has had its effect on barrier, mutex, dispatch
  bool clearing;    // a wait-and-clear was granted in the last cycle
  bool interrupted; // a wait was broken off by an interrupt, and the core has not slept since
  bool busy;        // a core that waits fetched in the last cycle, or did not wait: it cannot sleep
  cycle_t sleeps;   // a core that waits has no clock from this cycle on; 0: it still fetches
};

// An access that came through the peripheral interconnect.
struct event_plug {
  uint32_t offset, data;
  bool write;
  uint8_t port;   // of the interconnect: whom to answer
  cycle_t pushed; // visible from the next cycle on
};

struct event_unit {
  struct engine *engine;
  unsigned actor; // rank: arbiter
  unsigned cores, barriers;
  struct event_core core[EVENT_CORES];
  struct barrier barrier[EVENT_BARRIERS];
  struct mutex mutex;
  struct dispatch dispatch;
  struct core *request[EVENT_CORES]; // accesses of the private ports
  uint32_t requests;
  uint32_t lines[EVENT_CORES]; // events of this cycle from outside
  struct event_plug plug[2];
  unsigned plug_count;
  cycle_t plug_popped;
  struct periph *periph; // whom to answer plug accesses
  uint8_t soc_queue[EVENT_SOC_QUEUE];
  unsigned soc_first, soc_count;
  uint32_t irq[EVENT_CORES]; // line that the core sees; 0: none
  // A core's interrupt lines from cycle `from` on; NULL: not connected.
  void (*interrupt)(void *self, unsigned core, uint32_t lines, cycle_t from);
  void *interrupt_self;
};

// `cores` 1..16, `barriers` 1..16.
void event_unit_init(struct event_unit *eu, struct engine *e, unsigned actor, unsigned cores,
                     unsigned barriers);

// Core-private port: the access in c->acc is high from this cycle on. Rank CORES.
void event_unit_request(struct event_unit *eu, struct core *c);

// Makes it a slave of the peripheral interconnect.
void event_unit_connect(struct event_unit *eu, struct periph *periph);

// Raises event lines of a core for this cycle. Ranks UNITS and CORES.
void event_unit_raise(struct event_unit *eu, unsigned core, uint32_t lines);

// An event of the SoC, queued for the cores; false when the queue is full.
bool event_unit_soc_event(struct event_unit *eu, uint8_t id);

// Core `core` takes interrupt `id` in cycle `now`, rank EDGES.
void event_unit_acknowledge(struct event_unit *eu, unsigned core, unsigned id, cycle_t now);

#endif
