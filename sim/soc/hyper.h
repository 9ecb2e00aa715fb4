// sim/soc/hyper.h: external memory (L3: HyperRAM or HyperFlash) behind a channel pair of the uDMA.
//
// Registers (GAP8: peripheral 3 of the uDMA, 0x1a10_2180):
//   +0x00 address in L2   +0x04 bytes   +0x08 configuration, of transfers from L3 to L2
//   +0x10, +0x14, +0x18   the same of transfers from L2 to L3
//   +0x20 address in L3
// Configuration: writing 1 << 4 starts; reading gives 1 << 4 while a transfer is under way and
// 1 << 5 while another one waits. Each direction takes one transfer and one that waits; address and
// bytes read as what is left of the one under way. The L3 address is taken with the start.
//
// The interface has a clock of its own. A transfer takes its latency, from command to first
// data, and then bytes / bytes_per_clock; one transfer at a time, in order of their starts. The
// bytes arrive together at the end, with an event of the SoC: 6 for L3 to L2, 7 for L2 to L3. All
// else happens in cycles of the SoC's clock.
//
// Towards L2 the uDMA has a port of 32 bits (pulp_soc, udma_subsystem): at most one word per cycle
// of the SoC's clock. Each word takes its bank of L2 for a cycle; they are spread evenly over the
// time that the data take. When in that time the RTL moves them, through its queues, is unverified.
#ifndef PULPSIM_HYPER_H
#define PULPSIM_HYPER_H

#include <stdbool.h>

#include "soc/device.h"
#include "soc/soc_bus.h"

enum { HYPER_SIZE = 0x80, HYPER_EVENT_TO_L2 = 6, HYPER_EVENT_FROM_L2 = 7, HYPER_QUEUE = 16 };
enum { HYPER_PAIR = 8 }; // its channels' numbers; those before are hyper_channels.h's

struct hyper_params {
  unsigned latency, bytes_per_clock; // of the interface's clock
  unsigned clock_mhz, soc_mhz;       // its ratio to the SoC's, which cycles are of
};

// Bytes in rows that begin `stride` apart; 0 bytes: all in one.
struct hyper_rows {
  uint32_t bytes, stride;
};

struct hyper_transfer {
  uint32_t l2, l3, bytes;
  bool to_l2;
  unsigned channel, event; // whose it is; the SoC's event at its end
  struct hyper_rows l2_rows, l3_rows;
};

struct hyper {
  struct engine *engine; // the SoC's
  unsigned actor;        // rank: units
  struct hyper_params params;
  const struct soc_bus *bus;
  struct memory *memory;                    // L3
  uint32_t address[2], bytes[2], external;  // registers; [1]: from L2 to L3
  struct hyper_transfer queue[HYPER_QUEUE]; // the first is under way
  unsigned count;
  cycle_t began, ends; // of it; its data begin at `data`
  cycle_t data;
  // A transfer has ended.
  void (*event)(void *self, unsigned id, cycle_t now);
  // The same, with its begin; NULL: nobody watches.
  void (*observe)(void *self, const struct hyper_transfer *transfer, cycle_t began, cycle_t now);
  void *observe_self;
  // A transfer names addresses that are not there.
  void (*fault)(void *self, struct core *c, const char *text, cycle_t now);
  void *self;
};

void hyper_init(struct hyper *h, struct engine *e, unsigned actor,
                const struct hyper_params *params, const struct soc_bus *bus,
                struct memory *memory);
struct device hyper_device(struct hyper *h, uint32_t base);

// Starts a transfer, or lets it wait, of which a channel may have `most`.
void hyper_start(struct hyper *h, struct hyper_transfer t, unsigned most, struct core *c,
                 cycle_t now);
// Transfers of a channel that have not ended.
unsigned hyper_waiting(const struct hyper *h, unsigned channel);

// Banks of L2, of `banks` word-interleaved ones, that the transfer under way takes in cycle `now`,
// a bit each.
uint64_t hyper_banks(const struct hyper *h, unsigned banks, cycle_t now);

#endif
