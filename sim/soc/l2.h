// sim/soc/l2.h: when the memory behind a port of the cluster answers.
//
// A port is ideal (its own memory that takes `latency` cycles and moves 64 bits per cycle, as
// in the RTL measurements), or one of those that share the cluster's way to L2: a read and a write
// channel, each moving one 64-bit transfer every `interval` cycles of the SoC's clock, but not more
// than one in a cycle of the cluster, taken in turn by the ports that have one to move. The
// latency, in cycles of the cluster, is then what a transfer takes when it need not wait.
//
// L2 itself is made of word-interleaved banks, each of which serves one access per cycle of the
// SoC: a transfer of the cluster takes two of them. The fabric controller and the uDMA go to the
// banks directly. Where two want a bank in one cycle, the uDMA gets it, else the one that asks
// first in the order of a cycle (units, cores, arbiters: the DMA's reads before the controller
// before all others; the RTL's round-robin is unverified); the others ask again. Reads and writes
// of the cluster do not disturb each other.
#ifndef PULPSIM_L2_H
#define PULPSIM_L2_H

#include <stdbool.h>

#include "engine/clocks.h"

struct hyper;

enum l2_port_id { L2_DMA, L2_ICACHE, L2_CORES, L2_PORTS };

struct l2_channel {
  cycle_t wants[L2_PORTS]; // cycle from which the port has a transfer to move; CYCLE_NEVER: none
  cycle_t free;            // the channel is taken until then, in cycles of the SoC
  unsigned last;           // port that moved last
  uint64_t moved, waited;  // transfers; cycles in which a port had to wait
};

enum { L2_READ, L2_WRITE };

// Banks in use in the SoC's cycle `at`, a bit each.
struct l2_use {
  cycle_t at;
  uint64_t banks;
};

struct l2 {
  const struct clocks *clocks;
  unsigned interval; // cycles of the SoC per 64-bit transfer
  unsigned banks;    // power of two, 1..64
  uint64_t pair;     // the banks of 8 bytes, seen from the first
  struct l2_use cluster, controller;
  struct l2_channel channel[2];
  const struct hyper *udma; // NULL: there is none
};

struct l2_port {
  unsigned latency;  // cycles from address handshake to the first transfer
  struct l2 *shared; // NULL: ideal
  enum l2_port_id id;
  cycle_t last; // cycle of the last transfer of the last answer
};

// `interval`: cycles of the SoC per 64-bit transfer, 1 or more; `banks`: a power of two.
void l2_init(struct l2 *l2, const struct clocks *clocks, unsigned interval, unsigned banks);

// The fabric controller's access of up to 4 bytes in the SoC's cycle `now`: whether its bank is
// free.
bool l2_controller(struct l2 *l2, uint32_t address, cycle_t now);

// In the cluster's cycles, as all that follows: a transaction whose address handshake is in cycle
// `address`, of `beats` transfers. Returns the earliest cycle of its first transfer; the others
// follow one per cycle at the earliest.
cycle_t l2_answer(struct l2_port *port, unsigned beats, cycle_t address);

// The port will have a transfer to move on that channel from cycle `when` on (CYCLE_NEVER: none).
// To be known before cycle `when` is decided by anybody.
static inline void l2_want(const struct l2_port *port, unsigned channel, cycle_t when) {
  if (port->shared)
    port->shared->channel[channel].wants[port->id] = when;
}

// Whether the port moves its transfer, of the 8 bytes around `address`, in cycle `now`; only if it
// has said so with l2_want(). If it does not, it asks again in the next cycle.
bool l2_take_shared(const struct l2_port *port, unsigned channel, uint32_t address, cycle_t now);
static inline bool l2_take(const struct l2_port *port, unsigned channel, uint32_t address,
                           cycle_t now) {
  return !port->shared || l2_take_shared(port, channel, address, now);
}

#endif
