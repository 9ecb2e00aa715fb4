#include "cluster/tcdm.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/rr_tree.h"
#include "cluster/tcdm_wide.h"

static engine_step step;

bool tcdm_init(struct tcdm *t, struct engine *e, unsigned actor, uint32_t size, unsigned banks,
               struct tcdm_ports ports, enum tcdm_arbiter arbiter) {
  bool xbar = arbiter == TCDM_XBAR;
  unsigned masters = ports.cores + (xbar ? ports.accelerator : 0);
  unsigned all = masters + ports.external + TCDM_DMA_PORTS;
  unsigned most = !xbar && ports.accelerator ? TCDM_PORTS - 1 : TCDM_PORTS;
  if (all > most || ports.accelerator > banks || banks > TCDM_BANKS || (banks & (banks - 1)))
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
  t->core_leaves = rr_leaves(masters);
  t->wide.words = ports.accelerator;
  t->wide.stalled = CYCLE_NEVER;
  engine_add(e, actor, step, t);
  t->bytes = calloc(size + 8, 1); // readers may look one word beyond the last
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

void tcdm_attach(struct tcdm *t, unsigned port, tcdm_granted *granted, void *self) {
  t->port[port].granted = granted;
  t->port[port].self = self;
}

static unsigned arbitrate_lic(struct tcdm_bank *b) {
  uint32_t requests = b->requests;
  if (!(requests & (requests - 1)))
    return b->pointer = (uint8_t)__builtin_ctz(requests);
  unsigned winner = rr_winner(requests, b->pointer);
  b->pointer = (uint8_t)rr_fair_next(requests, b->pointer);
  return winner;
}

static unsigned arbitrate_xbar(const struct tcdm *t, struct tcdm_bank *b) {
  uint32_t masters = b->requests & ((UINT32_C(1) << t->first_slave) - 1);
  uint32_t slaves = b->requests >> t->first_slave;
  bool slave_wins = !masters || (slaves && b->flag);
  if (slave_wins) {
    unsigned leaves = rr_leaves(t->external + TCDM_DMA_PORTS);
    b->flag ^= 1;
    unsigned winner = rr_winner(slaves, b->pointer1);
    b->pointer1 = (uint8_t)((b->pointer1 + 1) & (leaves - 1));
    return t->first_slave + winner;
  }
  unsigned winner = rr_winner(masters, b->pointer);
  tcdm_step_xbar(b, t->core_leaves);
  return winner;
}

static unsigned arbitrate(const struct tcdm *t, struct tcdm_bank *b) {
  return t->arbiter == TCDM_LIC ? arbitrate_lic(b) : arbitrate_xbar(t, b);
}

void tcdm_count_denials(struct tcdm *t, struct tcdm_bank *b) {
  for (uint32_t m = b->requests; m; m &= m - 1) {
    b->conflicts++;
    t->port[__builtin_ctz(m)].denied++;
  }
}

int tcdm_grant_bank(struct tcdm *t, struct tcdm_bank *b, cycle_t now) {
  int winner = -1;
  if (b->busy_until != now || !now) {
    winner = (int)arbitrate(t, b);
    b->requests &= ~(UINT32_C(1) << winner);
    b->grants++;
  }
  if (b->requests)
    tcdm_count_denials(t, b);
  return winner;
}

uint32_t tcdm_decide_contests(struct tcdm *t, cycle_t now) {
  uint32_t winners = 0;
  for (unsigned i = 0; i < t->contests; i++) {
    struct tcdm_bank *b = t->contested[i];
    int winner = tcdm_grant_bank(t, b, now);
    if (winner >= 0) // no bank that is held is contested
      winners |= UINT32_C(1) << winner;
    b->requests = 0;
  }
  t->contests = 0;
  return winners;
}

static void step(void *self, cycle_t now) {
  struct tcdm *t = self;
  // All banks decide before any winner acts: a winner's next request is for a later cycle.
  uint8_t winners[TCDM_PORTS];
  unsigned n = 0;
  bool asks = t->wide.asks, wide = asks && tcdm_wide_decide(t, now), waiting = t->wide.asks;
  uint32_t none = waiting ? TCDM_WIDE : 0; // of the requests, those not of the ports
  for (unsigned w = 0; w <= t->bank_mask / 64; w++) {
    for (uint64_t m = t->active[w]; m; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctzll(m);
      struct tcdm_bank *b = &t->bank[w * 64 + i];
      int winner = asks ? tcdm_wide_bank(t, w * 64 + i, now) : tcdm_grant_bank(t, b, now);
      if (winner >= 0)
        winners[n++] = (uint8_t)winner;
      if (b->requests != none)
        waiting = true;
      else
        t->active[w] &= ~(UINT64_C(1) << i);
    }
  }
  if (waiting)
    engine_schedule(t->engine, t->actor, now + 1);
  for (unsigned i = 0; i < n; i++)
    t->port[winners[i]].granted(t->port[winners[i]].self, winners[i], now);
  if (wide)
    t->wide.granted(t->wide.self, TCDM_PORTS, now);
}

void tcdm_hold_bank(struct tcdm *t, uint32_t offset, cycle_t cycle) {
  unsigned bank = tcdm_bank_of(t, offset);
  t->bank[bank].busy_until = cycle;
  t->held_banks = tcdm_bank_bit(bank) | (t->held == cycle ? t->held_banks : 0);
  t->held = cycle;
}
