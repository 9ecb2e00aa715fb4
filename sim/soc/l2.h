// sim/soc/l2.h: when the memory behind a port of the cluster answers.
//
// A port is ideal (its own memory that takes `latency` cycles and moves 64 bits per cycle, as
// in the RTL measurements), or one of those that share the cluster's way to L2, its bus
// (`axi_xbar`) and what is behind: a read and a write channel, each moving one 64-bit transfer
// every `interval` cycles of the SoC's clock, but not more than one in a cycle of the cluster. The
// latency, in cycles of the cluster, is then what a transfer takes when it need not wait.
//
// Of each channel one address passes per cycle; the ports get there in turn (`rr_arb_tree`). The
// bursts' transfers follow in the order of the addresses, all of one before those of the next: a
// port that is not ready for its answer, or has not got its data yet, holds up the others. Data of
// a write pass one cycle behind their address at the earliest, because the bus notes whose they
// are in a queue that does not fall through. All this was seen on the RTL of a whole pulp_cluster
// v2.0.0 (docs/timing.md, "The whole cluster").
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
#include "soc/hyper.h"

// As the bus numbers its slaves (cluster_bus_wrap.sv).
enum l2_port_id { L2_CORES, L2_ICACHE, L2_DMA, L2_PORTS };
enum { L2_BURSTS = 128 }; // on the way at once: more than all ports' queues hold

struct l2_burst {
  cycle_t address; // from which on the address waits; once it has passed, in which it did
  uint16_t beats;  // left
  uint8_t port;
};

struct l2_channel {
  struct l2_burst burst[L2_BURSTS]; // those whose addresses have passed, in that order; the others
  unsigned count, passed;
  unsigned pointer;  // of the arbiter
  cycle_t addressed; // cycle of the last address
  cycle_t free;      // the channel is taken until then, in cycles of the SoC
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

// The port puts an address on a shared channel in cycle `address`. To be known before the cycle
// behind it is decided by anybody.
void l2_send(const struct l2_port *port, unsigned channel, unsigned beats, cycle_t address);

// Whether an address of the port has not passed when cycle `now` begins.
bool l2_waits(const struct l2_port *port, unsigned channel, cycle_t now);

// ---- the parts of l2_take(), which is called for each transfer

static inline bool l2_in_use(const struct l2_use *use, uint64_t banks, cycle_t now) {
  return use->at == now && (use->banks & banks);
}

static inline void l2_use(struct l2_use *use, uint64_t banks, cycle_t now) {
  use->banks = banks | (use->at == now ? use->banks : 0);
  use->at = now;
}

// The banks of the 8 bytes around `address`.
static inline uint64_t l2_banks_of(const struct l2 *l2, uint32_t address) {
  return l2->pair << (address >> 2 & (l2->banks - 1) & ~1u);
}

// The addresses of all cycles before `now` pass.
void l2_pass(struct l2_channel *c, cycle_t now);
void l2_moved(struct l2_channel *c);

// Whether the next transfer of the channel is the port's.
static inline bool l2_has_turn(struct l2_channel *c, unsigned port, cycle_t now) {
  if (!c->passed)
    l2_pass(c, now);
  return c->passed && c->burst[0].port == port && c->burst[0].address < now;
}

static inline bool l2_move(struct l2 *l2, struct l2_channel *c, unsigned port, uint64_t banks,
                           cycle_t now, cycle_t soc) {
  if (soc < c->free || !l2_has_turn(c, port, now) || l2_in_use(&l2->controller, banks, soc))
    return false;
  l2_use(&l2->cluster, banks, soc);
  c->free = soc + l2->interval;
  l2_moved(c);
  return true;
}

// With another clock, or beside the uDMA.
bool l2_move_beside(struct l2 *l2, struct l2_channel *c, unsigned port, uint64_t banks,
                    cycle_t now);

// What the port has moved last it has not taken from the channel yet, which is in use in cycle
// `now` too. To be said before anybody else asks in that cycle.
void l2_hold(const struct l2_port *port, unsigned channel, cycle_t now);

// Whether the port, which is ready for it, moves its transfer, of the 8 bytes around `address`, in
// cycle `now`. If it does not, it asks again in the next cycle.
static inline bool l2_take(const struct l2_port *port, unsigned channel, uint32_t address,
                           cycle_t now) {
  struct l2 *l2 = port->shared;
  if (!l2)
    return true;
  struct l2_channel *c = &l2->channel[channel];
  uint64_t banks = l2_banks_of(l2, address);
  if (!clocks_equal(l2->clocks) || (l2->udma && l2->udma->count))
    return l2_move_beside(l2, c, port->id, banks, now);
  return l2_move(l2, c, port->id, banks, now, now);
}

#endif
