#include "cluster/tcdm.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/rr_tree.h"
#include "cluster/tcdm_wide.h"

static engine_step step;
static uint32_t contest(struct core_banks *b, unsigned bank, uint32_t ports);

static void post(struct core_banks *b, unsigned port, uint32_t offset) {
  tcdm_post((struct tcdm *)b, port, offset);
}

bool tcdm_init(struct tcdm *t, struct engine *e, unsigned actor, uint32_t size, unsigned banks,
               struct tcdm_ports ports, enum tcdm_arbiter arbiter) {
  bool xbar = arbiter == TCDM_XBAR;
  unsigned masters = ports.cores + (xbar ? ports.accelerator : 0);
  unsigned all = masters + ports.external + TCDM_DMA_PORTS;
  unsigned most = !xbar && ports.accelerator ? TCDM_PORTS - 1 : TCDM_PORTS;
  if (all > most || ports.accelerator > banks || banks > CORE_BANKS || (banks & (banks - 1)))
    return false;
  memset(t, 0, sizeof *t);
  t->engine = e;
  t->actor = actor;
  t->size = size;
  t->banks = banks;
  t->bank_mask = banks - 1;
  t->cores = ports.cores;
  t->external = ports.external;
  t->first_slave = masters;
  t->arbiter = arbiter;
  t->shared.leaves = xbar ? rr_leaves(masters) : 0;
  t->shared.contest = contest;
  t->shared.post = post;
  t->wide.words = ports.accelerator;
  t->wide.stalled = CYCLE_NEVER;
  t->shared.locked = CYCLE_NEVER;
  engine_add(e, actor, step, t);
  t->bytes = calloc(size + 16, 1); // readers may look beyond the last word
  return t->bytes != NULL;
}

void tcdm_free(struct tcdm *t) {
  free(t->bytes);
  t->bytes = NULL;
}

unsigned tcdm_ext_port(const struct tcdm *t) {
  return t->first_slave;
}
unsigned tcdm_dma_port(const struct tcdm *t) {
  return t->first_slave + t->external;
}

void tcdm_attach(struct tcdm *t, uint32_t ports, tcdm_granted *granted, void *self) {
  for (uint32_t m = ports; m; m &= m - 1) {
    unsigned p = (unsigned)__builtin_ctz(m);
    t->port[p].granted = granted;
    t->port[p].self = self;
    t->port[p].owned = ports;
  }
}

static inline bool is_one(uint32_t ports) {
  return !(ports & (ports - 1));
}

uint8_t tcdm_next_pointer_lic(uint32_t requests, uint8_t pointer) {
  return (uint8_t)rr_fair_next(requests, pointer);
}

// Each returns the winner's bit.
static inline uint32_t arbitrate_lic(struct bank *b) {
  uint32_t requests = b->requests;
  if (is_one(requests)) {
    b->pointer = (uint8_t)__builtin_ctz(requests);
    return requests;
  }
  unsigned winner = rr_winner(requests, b->pointer);
  b->pointer = (uint8_t)rr_fair_next(requests, b->pointer);
  return UINT32_C(1) << winner;
}

static uint32_t arbitrate_xbar(const struct tcdm *t, struct bank *b) {
  uint32_t masters = b->requests & ((UINT32_C(1) << t->first_slave) - 1);
  uint32_t slaves = b->requests >> t->first_slave;
  bool slave_wins = !masters || (slaves && b->flag);
  if (slave_wins) {
    unsigned leaves = rr_leaves(t->external + TCDM_DMA_PORTS);
    b->flag ^= 1;
    unsigned winner = rr_winner(slaves, b->pointer1);
    b->pointer1 = (uint8_t)((b->pointer1 + 1) & (leaves - 1));
    return UINT32_C(1) << (t->first_slave + winner);
  }
  unsigned winner = rr_winner(masters, b->pointer);
  bank_step_xbar(b, t->shared.leaves);
  return UINT32_C(1) << winner;
}

void tcdm_count_denials(struct tcdm *t, unsigned bank) {
  for (uint32_t m = t->shared.bank[bank].requests; m; m &= m - 1) {
    t->conflicts[bank]++;
    t->port[__builtin_ctz(m)].denied++;
  }
}

// Of a bank that is not locked.
static inline uint32_t grant_free_bank(struct tcdm *t, unsigned bank) {
  struct bank *b = &t->shared.bank[bank];
  uint32_t winner = t->arbiter == TCDM_LIC ? arbitrate_lic(b) : arbitrate_xbar(t, b);
  b->requests ^= winner;
  t->shared.grants[bank]++;
  if (b->requests)
    tcdm_count_denials(t, bank);
  return winner;
}

uint32_t tcdm_grant_bank(struct tcdm *t, unsigned bank, cycle_t now) {
  if (t->shared.locked != now || t->busy_until[bank] != now)
    return grant_free_bank(t, bank);
  tcdm_count_denials(t, bank);
  return 0;
}

// Those for which other requests are posted are decided for these, too, who hear of it when the
// arbiter acts.
static uint32_t contest(struct core_banks *b, unsigned bank, uint32_t ports) {
  struct tcdm *t = (struct tcdm *)b;
  struct bank *k = &b->bank[bank];
  k->decided = k->requests != 0;
  k->requests |= ports;
  uint32_t winner = grant_free_bank(t, bank);
  k->requests &= ~ports;
  t->won |= winner & ~ports;
  return winner & ports;
}

// Decides all banks that contest() has not; returns the winners. `wide`: the accelerator asks for
// some. `plain`: it does not, and no bank is locked.
static inline uint32_t decide(struct tcdm *t, cycle_t now, bool wide, bool plain) {
  uint32_t winners = t->won;
  uint32_t none = wide && t->shared.all ? TCDM_WIDE : 0; // of the requests, those not of the ports
  uint64_t waiting = 0;
  for (uint64_t m = t->shared.posted; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctzll(m);
    do {
      struct bank *b = &t->shared.bank[i];
      if (b->decided)
        b->decided = false;
      else if (b->requests != none)
        winners |= plain  ? grant_free_bank(t, i)
                   : wide ? tcdm_wide_bank(t, i, now)
                          : tcdm_grant_bank(t, i, now);
      if (b->requests != none)
        waiting |= m & -m;
    } while ((i += 64) < t->banks);
  }
  t->shared.posted = waiting;
  t->won = 0;
  return winners;
}

static __attribute__((noinline)) uint32_t decide_rarely(struct tcdm *t, cycle_t now, bool wide) {
  return decide(t, now, wide, false);
}

static void tell_owners(const struct tcdm *t, uint32_t winners, cycle_t now) {
  while (winners) {
    unsigned p = (unsigned)__builtin_ctz(winners);
    uint32_t ports = winners & t->port[p].owned;
    winners ^= ports;
    t->port[p].granted(t->port[p].self, ports, now);
  }
}

// All banks decide before any winner acts: a winner's next request is for a later cycle.
static void step(void *self, cycle_t now) {
  struct tcdm *t = self;
  bool wide = t->shared.all, served = wide && tcdm_wide_decide(t, now);
  uint32_t winners =
      wide || t->shared.locked == now ? decide_rarely(t, now, wide) : decide(t, now, false, true);
  if (t->shared.posted || t->shared.all)
    engine_schedule(t->engine, t->actor, now + 1);
  tell_owners(t, winners, now);
  if (served)
    t->wide.granted(t->wide.self, 0, now);
}

void tcdm_hold_bank(struct tcdm *t, uint32_t offset, cycle_t cycle) {
  unsigned bank = tcdm_bank_of(t, offset);
  t->busy_until[bank] = cycle;
  t->shared.locked_banks =
      bank_bit(bank) | (t->shared.locked == cycle ? t->shared.locked_banks : 0);
  t->shared.locked = cycle;
  engine_wake(t->engine, t->actor, cycle); // nobody else need act in it
}
