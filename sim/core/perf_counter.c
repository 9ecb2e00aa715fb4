#include "core/perf_counter.h"

#include "core/pipeline.h"

// All that the core has counted so far.
static const struct core_counters *counted(struct core *c) {
  memo_count_all(c);
  return &c->count;
}

uint64_t perf_floats(struct core *c) {
  return counted(c)->event[EVENT_FLOAT];
}

// CV32E40P events, by bit of mhpmevent; RI5CY's PCCR are these in the same order, then more.
static uint64_t event_total(const struct core *c, const struct core_counters *k, unsigned event,
                            cycle_t t) {
  static const uint8_t counts[] = {[2] = EVENT_LOAD_STALL,
                                   EVENT_JUMP_STALL,
                                   EVENT_FETCH_MISS,
                                   EVENT_LOAD,
                                   EVENT_STORE,
                                   EVENT_JUMP,
                                   EVENT_BRANCH,
                                   EVENT_TAKEN,
                                   EVENT_COMPRESSED};
  switch (event) {
  case 0:
    return t - c->started;
  case 1:
    return k->instructions;
  case 11:
    return c->model == CORE_RI5CY ? k->event[EVENT_ELW] : k->stall[CAUSE_CSR];
  case 12:
    return k->stall[CAUSE_L2_WAIT] + k->stall[CAUSE_PERIPH_WAIT];
  case 16:
    return k->stall[CAUSE_TCDM_CONFLICT];
  default:
    return event < sizeof counts ? k->event[counts[event]] : 0;
  }
}

// What counter `i` counts, in all.
static uint64_t total(const struct core *c, const struct core_counters *k, unsigned i, cycle_t t) {
  if (c->model == CORE_RI5CY)
    return event_total(c, k, i, t);
  if (i != PERF_HPM3)
    return event_total(c, k, i == PERF_INSTRET ? 1 : 0, t);
  if (c->csr.mhpmevent[PERF_HPM3] & 1)
    return event_total(c, k, 0, t); // whatever else is selected falls into some cycle
  uint64_t sum = 0; // several selected events add up, unless they fall into one cycle
  for (unsigned e = 0; e < 16; e++)
    if (c->csr.mhpmevent[PERF_HPM3] >> e & 1)
      sum += event_total(c, k, e, t);
  return sum;
}

static bool is_on(const struct core *c, unsigned i) {
  if (c->model == CORE_RI5CY)
    return i < PERF_PCCR && (c->csr.pcmr & 1) && (c->csr.pcer >> i & 1);
  bool there = i == PERF_CYCLE || i == PERF_INSTRET || i == PERF_HPM3;
  return there && !(c->csr.mcountinhibit >> i & 1);
}

uint64_t perf_read(struct core *c, unsigned i, cycle_t t) {
  const struct perf_counter *p = &c->csr.counter[i];
  if (!p->runs)
    return p->value;
  struct core_counters k = *counted(c);
  return p->value + total(c, &k, i, t) - p->since;
}

// Counts as they are behind the instruction in EX, which itself is one.
static struct core_counters counts_behind(struct core *c) {
  struct core_counters k = *counted(c);
  k.instructions++;
  return k;
}

void perf_stop(struct core *c, cycle_t t) {
  struct core_counters k = counts_behind(c);
  for (unsigned i = 0; i < 32; i++) {
    struct perf_counter *p = &c->csr.counter[i];
    if (p->runs)
      p->value += total(c, &k, i, t + 1) - p->since;
    p->runs = false;
  }
}

void perf_restart(struct core *c, cycle_t t) {
  struct core_counters k = counts_behind(c);
  for (unsigned i = 0; i < 32; i++) {
    struct perf_counter *p = &c->csr.counter[i];
    p->runs = is_on(c, i);
    p->since = total(c, &k, i, t + 1);
  }
}

void perf_write(struct core *c, unsigned i, uint64_t value, cycle_t t) {
  if (c->model == CORE_CV32E40P && i != PERF_CYCLE && i != PERF_INSTRET && i != PERF_HPM3)
    return; // not there: reads 0
  struct core_counters k = counts_behind(c);
  c->csr.counter[i].value = value;
  c->csr.counter[i].since = total(c, &k, i, t + 1);
}
