// sim/cluster/icache.h: the cluster's instruction cache (hier-icache): a small private cache per
// core in front of a banked shared one, refilled from L2.
//
// Every core has one fetch under way at a time (obi_pulp_adapter). A private hit is answered
// in the cycle after its grant. A miss asks the shared bank of its line in that cycle; banks are
// arbitrated by a tree whose pointer counts grants, look a line up in one cycle, and answer through
// one register: 4 cycles from grant to grant. A line that the bank has not got comes over AXI in
// 64-bit transfers; up to 4 refills per bank are under way, and a second core that asks for a line
// under refill blocks the bank until it is there. Both miss: 9 + latency (icache.tsv, icache2.tsv,
// icache3.tsv).
//
// Replacement: the private cache takes its highest-numbered invalid way, else a random one; the
// shared banks always take a random one. Random means an 8-bit shift register, stepped each time
// its way is taken.
//
// Prefetch: a private cache that was asked for a line looks the next one up, through a second port
// of its tags, once the core asks for something else than that one, and brings it from the shared
// side while the core goes on. A core that gets there waits for it. What comes while the core's own
// fetch holds the tags is lost but for the one word. There is one way to the shared side: a miss
// waits for a prefetch under way.
//
// Off after reset: then every fetch goes to memory. Registers (0x1020_1400):
//   +0x00 enable (bit 0)     +0x04 flush all          +0x08 flush the private caches
//   +0x0c flush the sets that hold an address         +0x10 clear counters, +0x14 count
//   +0x1c prefetch, one bit per core
//   +0x30 private hits, +0x34 fetches, +0x38 misses; +0x40 shared hits, +0x44 requests, +0x48
//   misses
// The store that enables, disables or flushes is answered when that is done. Whoever asks for
// anything in the cycle in which the flush of a set is done gets that answer, and nothing is done
// of what it asked for; who has flushed is never answered (`hier_icache_ctrl_unit`,
// SEL_FLUSH_ICACHE).
#ifndef PULPSIM_ICACHE_H
#define PULPSIM_ICACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "cluster/periph.h"
#include "core/ports.h"
#include "soc/l2.h"

enum {
  ICACHE_CORES = 16,
  ICACHE_BANKS = 16,
  ICACHE_WAYS = 16,
  ICACHE_REFILLS = 4,   // under way per bank
  ICACHE_ADDRESSES = 2, // AXI addresses queued per bank
};

struct icache_params {
  unsigned cores;
  unsigned line;                                   // bytes
  unsigned private_size, private_ways;             // bytes, per core
  unsigned shared_size, shared_banks, shared_ways; // bytes, in all
  bool enabled, prefetch;                          // from the start
};

struct icache_counters {
  uint32_t fetches, hits, misses;
};

// A set-associative directory, a power of two of sets. tags[set * ways + way] is the line's number
// plus one; 0: invalid.
struct icache_tags {
  uint32_t *tag;
  unsigned sets, ways;
  uint8_t random; // shift register
};

enum icache_private_state {
  PRIVATE_OFF,
  PRIVATE_OFF_REQUEST,
  PRIVATE_OFF_WAIT,
  PRIVATE_IDLE,
  PRIVATE_LOOKUP,
  PRIVATE_REQUEST,
  PRIVATE_WAIT,
  PRIVATE_WAIT_PREFETCH, // the line is on its way already
  PRIVATE_CONFLICT,      // it came in the cycle of the fetch, and is answered from the register
  PRIVATE_FLUSH,
  PRIVATE_FLUSH_SET,
};

enum icache_prefetch_state {
  PREFETCH_OFF,
  PREFETCH_IDLE,
  PREFETCH_LOOKUP,
  PREFETCH_REQUEST,
  PREFETCH_WAIT,
};

// The prefetcher of a private cache. RTL's names in brackets.
struct icache_prefetch {
  uint8_t state;       // enum icache_prefetch_state
  uint32_t addr;       // line to look for [fetch_addr_P]
  bool request;        // `addr` is new [fetch_req_P]
  bool missed;         // a fetch came while it was busy [fetch_req_C]
  uint32_t set;        // that the second tag port shows
  int8_t way;          // to fill, or -1 [fetch_way_P]
  bool on_its_way;     // the last fetch was of that line, before it came [r_is_not_branch]
  bool arrived_before; // a line came in the cycle before [r_pre_refill_r_valid_Q]
};

// Whom the way from a private cache to the shared side serves (refill_arbiter).
enum icache_way { WAY_FREE, WAY_FETCH, WAY_PREFETCH };

struct icache_private {
  uint8_t state;   // enum icache_private_state
  bool busy;       // the adapter waits for an answer
  bool requested;  // the core's request, and
  uint32_t wanted; // its address
  uint32_t addr;   // of the fetch under way
  uint8_t way;
  bool pending_off; // a fetch of the disabled cache is not answered
  uint8_t way_of;   // enum icache_way
  uint32_t asked;   // address that the shared side is asked for in this cycle
  struct icache_prefetch prefetch;
  bool answered;    // the shared side answers in this cycle
  bool valid;       // the core is answered in this cycle
  unsigned flushed; // sets so far
  struct icache_tags tags;
  struct icache_counters count;
  struct code_lines lines;
};

enum icache_bank_state {
  BANK_OFF,
  BANK_EMPTYING,
  BANK_INVALIDATE,
  BANK_OPERATIVE,
  BANK_REQUEST,
  BANK_SERVE,
  BANK_SERVE_THEN_REQUEST,
  BANK_WAIT,
  BANK_SERVE_CRITICAL,
  BANK_DISPATCH,
  BANK_DISPATCH2,
  BANK_FLUSH_SET,
};

struct icache_refill {
  uint32_t line; // number
  uint8_t core, way;
};

struct icache_bank {
  uint8_t state;
  struct { // the request being looked up
    bool valid;
    uint8_t core;
    uint32_t line;
  } stage;
  bool line_ready; // a refill is complete and not yet taken
  struct icache_refill refill[ICACHE_REFILLS];
  unsigned refills;
  uint8_t off_core[ICACHE_REFILLS]; // fetches under way while off
  unsigned offs;
  uint32_t address[ICACHE_ADDRESSES];
  unsigned addresses;
  unsigned invalidated;
  uint8_t pointer;   // of the arbiter
  uint32_t requests; // private caches that ask, until they are granted
  struct icache_tags tags;
  struct icache_counters count;
};

struct icache_transfer { // on the bus
  uint8_t bank;
  uint32_t address;
  unsigned beat;
  cycle_t first;
  bool nowhere; // the cluster's bus answers by itself
};

enum icache_control_state {
  ICACHE_CONTROL_IDLE,
  ICACHE_CONTROL_ENABLE,
  ICACHE_CONTROL_DISABLE,
  ICACHE_CONTROL_FLUSH,
  ICACHE_CONTROL_FLUSH_SET,
  ICACHE_CONTROL_COUNTERS,
};

struct icache_control {
  uint8_t state;
  bool enable, flush, counting;
  uint32_t private_mask, bank_mask; // units that have acknowledged, or, on enabling, not yet
  uint32_t flush_address, prefetch;
  uint8_t port;     // whom to answer
  uint32_t answer;  // to a flush of a set
  bool lost_answer; // one of them went to another core
};

struct icache {
  struct engine *engine;
  unsigned actor; // rank: arbiter
  struct icache_params params;
  unsigned beats; // transfers per line
  unsigned line_shift, bank_shift;
  uint32_t *tags; // all directories
  size_t tag_count;
  struct icache_private core[ICACHE_CORES];
  struct icache_bank bank[ICACHE_BANKS];
  unsigned bus_pointer;
  struct icache_transfer transfer[ICACHE_BANKS * (ICACHE_REFILLS + ICACHE_ADDRESSES)];
  unsigned transfers;
  struct l2_port memory;
  struct icache_control control;
  struct periph *periph;
  // One bit per private cache or bank:
  uint32_t begun;              // private caches that have taken a fetch in cycle `begun_at` already
  uint32_t active;             // those in which something happens, whatever the banks do
  uint32_t prefetchers;        // those that have one that is not off
  uint32_t alone;              // those of which only their state decides what they do with fetches
  uint32_t unwatched;          // those whose hits nobody counts, and no prefetcher follows
  uint32_t busy_banks;         // banks in which something happens by itself
  uint32_t addressing;         // banks with an address for the bus
  uint32_t room;               // banks with room for another
  int arrived;                 // bank whose line is complete at the end of this cycle, or -1
  uint32_t bank_room;          // banks whose address queue had room when the cycle began
  cycle_t control_free;        // the control unit takes accesses from this cycle on
  struct periph_access posted; // store that takes effect in the cycle after `posted_at`
  cycle_t posted_at, begun_at;
  // The control unit is about to change what the cores' fetches meet, from the next cycle on.
  void (*upsets)(void *self, cycle_t now);
  // Answers to the cores: the fetch is granted in this cycle; the word at `addr` is valid in cycle
  // `valid`, the next one.
  void (*granted)(void *self, unsigned core, cycle_t now);
  void (*valid)(void *self, unsigned core, uint32_t addr, cycle_t valid);
  // What is on the core's address wires in this cycle, whether it asks or not.
  uint32_t (*address)(void *self, unsigned core);
  // Whether the core takes a word in this cycle.
  bool (*answered)(void *self, unsigned core, cycle_t now);
  void *self;
};

// Returns false when out of memory or when the sizes do not divide.
bool icache_init(struct icache *ic, struct engine *e, unsigned actor,
                 const struct icache_params *params, struct l2_port memory);
void icache_free(struct icache *ic);
// Why a core waits forever; NULL: there is nothing to say about it.
const char *icache_stuck(const struct icache *ic);

void icache_connect(struct icache *ic, struct periph *periph);

enum icache_answer {
  ICACHE_HIT,     // granted in this cycle, valid in the next one
  ICACHE_MISS,    // granted in this cycle; valid() tells when it comes, ICACHE_MISS_CYCLES later
  ICACHE_REFUSED, // not granted in this cycle
  ICACHE_OPEN,    // granted() and valid() tell
};
enum { ICACHE_MISS_CYCLES = 3 }; // or more

// Core `core` asks for the word at `addr` in this cycle. Rank CORES. It asks until that is granted,
// whether it calls or not; if it calls again in a cycle, it asks for the same word.
enum icache_answer icache_fetch(struct icache *ic, unsigned core, uint32_t addr);

#endif
