#include "cluster/tcdm_wide.h"

// XBAR: some of its ports have been served.
static void served(void *self, uint32_t ports, cycle_t now) {
  struct tcdm *t = self;
  t->wide.served |= ports >> t->cores;
  if (t->wide.served + 1 == UINT32_C(1) << t->wide.words)
    t->wide.granted(t->wide.self, 0, now);
}

void tcdm_wide_attach(struct tcdm *t, tcdm_granted *granted, void *self) {
  t->wide.granted = granted;
  t->wide.self = self;
  if (t->arbiter == TCDM_XBAR)
    tcdm_attach(t, ((UINT32_C(1) << t->wide.words) - 1) << t->cores, served, t);
}

void tcdm_wide_control(struct tcdm *t, uint32_t value) {
  t->wide.most_stalls = (uint8_t)value;
  t->wide.inverted = value >> 8 & 1;
}

static void mark_banks(struct tcdm *t, bool asks) {
  t->shared.all = asks;
  for (unsigned i = 0; i < t->banks; i++)
    t->shared.bank[i].requests =
        asks ? t->shared.bank[i].requests | TCDM_WIDE : t->shared.bank[i].requests & ~TCDM_WIDE;
}

void tcdm_wide_post(struct tcdm *t, uint32_t offset) {
  if (t->arbiter == TCDM_XBAR) {
    t->wide.served = 0;
    for (unsigned i = 0; i < t->wide.words; i++)
      tcdm_post(t, t->cores + i, offset + 4 * i);
    return;
  }
  t->wide.first = offset >> 2;
  t->wide.nothing = false;
  mark_banks(t, true);
  engine_wake(t->engine, t->actor, t->engine->now);
}

static bool wants(const struct tcdm *t, unsigned bank) {
  return ((bank - t->wide.first) & t->bank_mask) < t->wide.words;
}

// Whether the side that wins is held back in this cycle. `both` sides ask for something.
static bool other_side_s_turn(struct tcdm_wide *w, bool both, cycle_t now) {
  if (w->stalled + 1 != now)
    w->stalls = 0;
  bool turn = w->most_stalls && w->stalls >= w->most_stalls;
  w->stalls = both && !turn ? (uint8_t)(w->stalls + 1) : 0;
  w->stalled = now;
  return turn;
}

static bool tree_asks(const struct tcdm *t, bool for_wanted) {
  for (unsigned i = 0; i < t->banks; i++)
    if ((t->shared.bank[i].requests & ~TCDM_WIDE) && (!for_wanted || wants(t, i)))
      return true;
  return false;
}

bool tcdm_wide_decide(struct tcdm *t, cycle_t now) {
  struct tcdm_wide *w = &t->wide;
  bool asks = !w->nothing, turn = other_side_s_turn(w, asks && tree_asks(t, false), now);
  bool granted = asks && (w->inverted ? !turn : turn || !tree_asks(t, true));
  if (w->inverted)
    w->tree = granted ? TREE_HAS_REST : TREE_HAS_ALL;
  else
    w->tree = turn ? TREE_HAS_NONE : TREE_HAS_ALL;
  w->denied += asks && !granted;
  if (!asks || granted) {
    w->nothing = granted && w->stalls;
    if (!w->nothing)
      mark_banks(t, false);
  }
  return granted;
}

uint32_t tcdm_wide_bank(struct tcdm *t, unsigned bank, cycle_t now) {
  struct bank *b = &t->shared.bank[bank];
  uint32_t wide = b->requests & TCDM_WIDE;
  bool has = t->wide.tree == TREE_HAS_ALL || (t->wide.tree == TREE_HAS_REST && !wants(t, bank));
  uint32_t winner = 0;
  b->requests ^= wide;
  if (b->requests && has)
    winner = tcdm_grant_bank(t, bank, now);
  else if (b->requests)
    tcdm_count_denials(t, bank);
  b->requests |= wide;
  return winner;
}
