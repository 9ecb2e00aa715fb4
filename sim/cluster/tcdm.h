// sim/cluster/tcdm.h: the tightly coupled data memory (L1): banks, and who gets them.
//
// Words are interleaved over the banks: bank = word address mod banks. Each bank grants one
// request per cycle, combinationally, in the cycle of the request; data follow in the next
// cycle, for loads and stores alike. A request that is not granted stays until it is.
// Banks are independent. Both interconnects of the public RTL are modelled, with their
// winner and pointer rules, which 1.1 million measured bank-cycles confirm:
//
//   winner(pointer): walk a binary tree from its root; at each level take the half that
//     the pointer's bit selects (root = most significant) if it has any request, else the
//     other one; lower pointer bits are used unchanged even after a detour.
//
//   LIC (current; cluster_interconnect `tcdm_interconnect` with common_cells `rr_arb_tree`,
//     FairArb): one flat tree over all ports. On a grant the pointer becomes the lowest
//     requesting port above it among this cycle's requesters, else the lowest requesting port.
//   XBAR (2020; `XBAR_TCDM`): one tree over the cores, one over external and DMA ports, then
//     a two-way multiplexer. The pointer of the tree that won is incremented, whoever won. A flag
//     per bank toggles on every granted cycle and decides conflicts between the trees: 0 = cores.
//     Its counter can lock cores into a convoy: a real effect, kept.
//
// Ports: 0 .. cores-1 are the cores; then the external ones (AXI; 4 in pulp_cluster) and 4 of the
// DMA. On the LIC the tree has the next power of two of leaves. An accelerator may be there too,
// see tcdm_wide.h.
#ifndef PULPSIM_TCDM_H
#define PULPSIM_TCDM_H

#include "core/ports.h"

enum { TCDM_PORTS = 32, TCDM_DMA_PORTS = 4 };
// In a bank's requests on the LIC: the accelerator asks for some banks in this cycle.
#define TCDM_WIDE (UINT32_C(1) << 31)

enum tcdm_arbiter { TCDM_LIC, TCDM_XBAR };

// Called when requests of an owner's ports (bit p: port p) are granted, in the cycle of the grant.
// The owner may post the next ones only for a later cycle.
typedef void tcdm_granted(void *self, uint32_t ports, cycle_t now);

// The accelerator's port, tcdm_wide.h.
struct tcdm_wide {
  unsigned words;                                           // 0: there is none
  enum { TREE_HAS_ALL, TREE_HAS_REST, TREE_HAS_NONE } tree; // banks that others may have
  bool nothing;    // LIC: it asks no more, but what it had to wait for still counts
  uint32_t first;  // LIC: word that it begins with
  uint32_t served; // XBAR: ports that have been served
  bool inverted;   // LIC: the accelerator is the side that wins, else the tree
  uint8_t most_stalls, stalls;
  cycle_t stalled; // cycle of the last stall
  uint64_t denied; // cycles
  tcdm_granted *granted;
  void *self;
};

struct tcdm {
  struct core_banks shared; // with the cores; first
  struct engine *engine;
  unsigned actor; // rank: arbiter
  uint8_t *bytes;
  uint32_t size;
  unsigned banks, bank_mask;
  unsigned cores;       // ports below this index are cores
  unsigned external;    // so many external ports follow
  unsigned first_slave; // first external port; XBAR: of the second tree
  enum tcdm_arbiter arbiter;
  struct tcdm_wide wide;
  uint32_t won; // of this cycle's winners, those that are told when the arbiter acts
  struct {
    tcdm_granted *granted;
    void *self;
    uint32_t owned;  // by its owner: it and others
    uint32_t asked;  // byte offset that it has asked for last
    uint64_t denied; // cycles lost to other ports
  } port[TCDM_PORTS];
  uint64_t conflicts[CORE_BANKS]; // requests that had to wait in a cycle
  cycle_t busy_until[CORE_BANKS]; // XBAR test-and-set: the write-back occupies it in this cycle
};

// Who is connected.
struct tcdm_ports {
  unsigned cores, external;
  unsigned accelerator; // words of its port; 0: none
};

// `size` bytes in `banks` (power of two, 1..256). Returns false when out of memory or when the
// ports do not fit.
bool tcdm_init(struct tcdm *t, struct engine *e, unsigned actor, uint32_t size, unsigned banks,
               struct tcdm_ports ports, enum tcdm_arbiter arbiter);
void tcdm_free(struct tcdm *t);

// Index of the first external / DMA port.
unsigned tcdm_ext_port(const struct tcdm *t);
unsigned tcdm_dma_port(const struct tcdm *t);

// Connects the owner of a set of ports (bit p: port p).
void tcdm_attach(struct tcdm *t, uint32_t ports, tcdm_granted *granted, void *self);

static inline unsigned tcdm_bank_of(const struct tcdm *t, uint32_t offset) {
  return offset >> 2 & t->bank_mask;
}

// The same as tcdm_ask(), if it asks at all, without a branch.
static inline void tcdm_ask_if(struct tcdm *t, unsigned port, uint32_t offset, bool asks) {
  unsigned b = tcdm_bank_of(t, offset);
  t->port[port].asked = offset;
  t->shared.bank[b].requests |= (uint32_t)asks << port;
  t->shared.posted |= (uint64_t)asks << (b & 63);
}

// `port` asks for the bank of byte `offset` in the current cycle (and from then on, until granted);
// to be followed by tcdm_wake(), once for all that ask in a cycle.
static inline void tcdm_ask(struct tcdm *t, unsigned port, uint32_t offset) {
  tcdm_ask_if(t, port, offset, true);
}
static inline void tcdm_wake(const struct tcdm *t) {
  engine_wake_now(t->engine, t->actor);
}
static inline void tcdm_post(struct tcdm *t, unsigned port, uint32_t offset) {
  tcdm_ask(t, port, offset);
  tcdm_wake(t);
}

// LIC: a bank's pointer behind a cycle in which `requests` (not 0) ask for it.
uint8_t tcdm_next_pointer_lic(uint32_t requests, uint8_t pointer);

// Decides a bank in cycle `now` among its requests, of which there are some. Returns the winner's
// bit, or 0 when the bank is busy with a write-back.
uint32_t tcdm_grant_bank(struct tcdm *t, unsigned bank, cycle_t now);
void tcdm_count_denials(struct tcdm *t, unsigned bank);

// XBAR test-and-set: the bank writes back in the cycle after the load's grant and serves nobody.
void tcdm_hold_bank(struct tcdm *t, uint32_t offset, cycle_t cycle);

#endif
