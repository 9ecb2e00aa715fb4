#include "core/perf_counter.h"

#include "core/pipeline.h"

// What the core has counted so far.
static const uint64_t *counted(struct core *c) {
  memo_count_all(c);
  return c->count.event;
}

uint64_t perf_floats(struct core *c) {
  return counted(c)[EVENT_FLOAT];
}

enum { CYCLES, INSTRUCTIONS, LOADS = 5, STORES, BRANCHES = 8, TAKEN };
enum { ELW = 11, LOADING = 14, DENIED = 16 };

// RI5CY: what was counted of event `i` when it left ID, and has not come about in EX.
static bool is_to_come(const struct core *c, unsigned i, cycle_t now) {
  const struct pipeline *p = c->pipeline;
  bool store = c->in_ex.kind == ACCESS_STORE;
  if (i == LOADS || i == STORES)
    return p->lsu.request && store == (i == STORES);
  if (i == BRANCHES || i == TAKEN)
    return p->ex.branch && (i == BRANCHES || p->ex.taken);
  return i > ELW && i < DENIED && c->csr.outside_at == now && store == (i & 1);
}

static const uint8_t counts[] = { // from 2 on
    EVENT_LOAD_STALL, EVENT_JUMP_STALL, EVENT_FETCH_MISS,  EVENT_LOAD,        EVENT_STORE,
    EVENT_JUMP,       EVENT_BRANCH,     EVENT_TAKEN,       EVENT_COMPRESSED,  EVENT_ELW,
    EVENT_FAR_LOAD,   EVENT_FAR_STORE,  EVENT_FAR_LOADING, EVENT_FAR_STORING, EVENT_DENIED};

// Event `i` in cycles before `now`, the one under way: bit of CV32E40P's mhpmevent; RI5CY's PCCR
// are these in the same order, then more.
static uint64_t event_total(struct core *c, unsigned i, cycle_t now) {
  const uint64_t *event = counted(c);
  if (i == CYCLES)
    return now;
  if (i == INSTRUCTIONS)
    return c->count.instructions - event[EVENT_UNSEEN];
  if (c->model == CORE_CV32E40P && i >= ELW)
    return i == ELW ? c->count.stall[CAUSE_CSR] : 0;
  uint64_t sum = event[counts[i - 2]] - (c->model == CORE_RI5CY && is_to_come(c, i, now));
  if (i == ELW || i == LOADING)
    sum -= event[EVENT_ASLEEP];
  if (i == DENIED) // by L1
    sum -= event[EVENT_FAR_LOADING] - event[EVENT_FAR_LOAD] + event[EVENT_FAR_STORING] -
           event[EVENT_FAR_STORE];
  return sum;
}

// Several selected events add up, unless they fall into one cycle.
static uint64_t total(struct core *c, uint32_t events, cycle_t now) {
  uint64_t sum = 0;
  for (uint32_t m = events & 1 ? 1 : events; m; m &= m - 1)
    sum += event_total(c, (unsigned)__builtin_ctz(m), now);
  return sum;
}

static uint32_t events_of_counter(const struct core *c, unsigned i) {
  if (c->model == CORE_RI5CY)
    return UINT32_C(1) << i;
  return i == PERF_HPM3 ? c->csr.mhpmevent[i] : i == PERF_INSTRET ? 1 << INSTRUCTIONS : 1 << CYCLES;
}

uint64_t perf_read(struct core *c, unsigned i, cycle_t t) {
  const struct perf_counter *p = &c->csr.counter[i];
  uint64_t value = p->value + total(c, p->events, t - 1) - p->since;
  if (c->model == CORE_CV32E40P || value <= UINT32_MAX)
    return value;
  return c->csr.pcmr & 2 ? UINT32_MAX : (uint32_t)value;
}

void perf_settle(struct core *c, cycle_t now) {
  const struct perf_change *written = &c->csr.written, *selected = &c->csr.selected[now & 1];
  for (unsigned i = 0; i < PERF_PCCR; i++) {
    struct perf_counter *p = &c->csr.counter[i];
    bool writes = written->due == now && (written->counters >> i & 1);
    p->value = writes ? p->next : perf_read(c, i, now + 1);
    if (selected->due == now)
      p->events = selected->counters >> i & 1 ? events_of_counter(c, i) : 0;
    p->since = total(c, p->events, now);
  }
}

static void change(struct core *c, struct perf_change *what, cycle_t due, uint32_t counters) {
  *what = (struct perf_change){due, (what->due == due ? what->counters : 0) | counters};
  if (c->csr.settled < due)
    c->csr.settled = due;
}

void perf_select(struct core *c, cycle_t t) {
  bool ri5cy = c->model == CORE_RI5CY;
  uint32_t on = ri5cy ? (c->csr.pcmr & 1) * c->csr.pcer : ~c->csr.mcountinhibit & PERF_CV32E40P;
  change(c, &c->csr.selected[(t + ri5cy) & 1], t + ri5cy, on);
}

void perf_write(struct core *c, unsigned i, uint64_t value, cycle_t t) {
  if (c->model == CORE_CV32E40P && !(PERF_CV32E40P >> i & 1))
    return; // not there: reads 0
  change(c, &c->csr.written, t, UINT32_C(1) << i);
  c->csr.counter[i].next = value;
}

void perf_access(struct core *c, unsigned number) {
  for (unsigned n = 1; n < PERF_PCCR; n++)
    if (number == PERF_PCCR0 + n || number == PERF_PCCR0 + PERF_ALL)
      perf_write(c, n, perf_read(c, n, c->t), c->t);
}
