// The shared banks (share_icache_controller) and their way to memory.
#include "cluster/icache_units.h"

#include "cluster/rr_tree.h"

static uint32_t set_of(const struct icache *ic, uint32_t line) {
  return line >> ic->bank_shift & (ic->bank[0].tags.sets - 1);
}

static bool under_refill(const struct icache_bank *b) {
  for (unsigned i = 0; b->stage.valid && i < b->refills; i++)
    if (b->refill[i].line == b->stage.line)
      return true;
  return false;
}

static bool hits(const struct icache *ic, const struct icache_bank *b) {
  return icache_tags_hit(&b->tags, b->stage.line, set_of(ic, b->stage.line));
}

static void answer(struct icache_wires *w, unsigned core) {
  w->answered |= UINT32_C(1) << core;
}

// ---- taking requests

// The private cache that the interconnect offers to the bank, or -1.
static int offered(const struct icache_bank *b) {
  return b->requests ? (int)rr_winner(b->requests, b->pointer) : -1;
}

static int take(struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  int core = offered(b);
  if (core < 0)
    return -1;
  b->pointer++;
  b->requests &= ~(UINT32_C(1) << core);
  w->granted |= UINT32_C(1) << core;
  if (ic->control.counting)
    b->count.fetches++;
  return core;
}

static void take_to_stage(struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  int core = take(ic, b, w);
  b->stage.valid = core >= 0;
  if (core < 0)
    return;
  b->stage.core = (uint8_t)core;
  b->stage.line = icache_line(ic, ic->core[core].asked);
}

// ---- refills

static void serve(struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  struct icache_refill r = b->refill[0];
  icache_tags_put(&b->tags, r.line, set_of(ic, r.line), r.way);
  answer(w, r.core);
  b->line_ready = false;
  b->refills--;
  for (unsigned i = 0; i < b->refills; i++)
    b->refill[i] = b->refill[i + 1];
}

static void update_addresses(struct icache *ic, unsigned bank) {
  unsigned addresses = ic->bank[bank].addresses;
  ic->addressing = icache_set_bit(ic->addressing, bank, addresses != 0);
  ic->room = icache_set_bit(ic->room, bank, addresses < ICACHE_ADDRESSES);
}

// The queue of addresses had room when the cycle began.
static bool has_room(const struct icache *ic, unsigned bank) {
  return ic->bank_room >> bank & 1;
}

static void put_address(struct icache *ic, unsigned bank, uint32_t line) {
  struct icache_bank *b = &ic->bank[bank];
  b->address[b->addresses++] = line * ic->params.line;
  update_addresses(ic, bank);
}

static uint8_t request_refill(struct icache *ic, unsigned bank) {
  struct icache_bank *b = &ic->bank[bank];
  if (b->line_ready)
    return BANK_SERVE_THEN_REQUEST;
  if (!has_room(ic, bank) || b->refills == ICACHE_REFILLS)
    return BANK_REQUEST;
  put_address(ic, bank, b->stage.line);
  b->refill[b->refills++] = (struct icache_refill){b->stage.line, b->stage.core,
                                                   (uint8_t)icache_tags_random_way(&b->tags)};
  b->stage.valid = false;
  if (ic->control.counting)
    b->count.misses++;
  return BANK_OPERATIVE;
}

// ---- in operation

static bool bank_blocked(const struct icache_wires *w, unsigned bank) {
  return w->bypass || (w->flush_bank | w->flush_set_bank) >> bank & 1;
}

static uint8_t blocked_state(const struct icache_wires *w, unsigned bank) {
  if (w->bypass)
    return BANK_OFF;
  return w->flush_set_bank >> bank & 1 ? BANK_FLUSH_SET : BANK_INVALIDATE;
}

static void answer_hit(const struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  if (ic->control.counting)
    b->count.hits++;
  answer(w, b->stage.core);
  b->stage.valid = false;
}

static uint8_t operate_with_line(struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  if (under_refill(b))
    return BANK_SERVE_CRITICAL;
  if (b->stage.valid && hits(ic, b))
    answer_hit(ic, b, w);
  return BANK_SERVE;
}

static uint8_t operate(struct icache *ic, unsigned bank, struct icache_wires *w) {
  struct icache_bank *b = &ic->bank[bank];
  if (b->line_ready)
    return operate_with_line(ic, b, w);
  if (!w->bypass)
    w->bank_enabled |= UINT32_C(1) << bank;
  if (b->stage.valid && !hits(ic, b))
    return under_refill(b) ? BANK_WAIT : BANK_REQUEST;
  bool lookup = b->stage.valid;
  if (lookup)
    answer_hit(ic, b, w);
  if (!bank_blocked(w, bank)) {
    take_to_stage(ic, b, w);
    return BANK_OPERATIVE;
  }
  return !lookup && b->refills ? BANK_WAIT : blocked_state(w, bank);
}

static uint8_t dispatch(struct icache *ic, struct icache_bank *b, struct icache_wires *w) {
  if (b->stage.valid)
    answer_hit(ic, b, w);
  return BANK_OPERATIVE;
}

// ---- switched off

static void answer_off(struct icache_bank *b, struct icache_wires *w) {
  if (!b->line_ready)
    return;
  answer(w, b->off_core[0]);
  b->line_ready = false;
  b->offs--;
  for (unsigned i = 0; i < b->offs; i++)
    b->off_core[i] = b->off_core[i + 1];
}

static uint8_t off(struct icache *ic, unsigned bank, struct icache_wires *w) {
  struct icache_bank *b = &ic->bank[bank];
  bool room = b->offs < ICACHE_REFILLS;
  w->bank_disabled |= UINT32_C(1) << bank;
  w->bank_flushed |= UINT32_C(1) << bank;
  w->bank_set_flushed |= UINT32_C(1) << bank;
  answer_off(b, w);
  if (!w->bypass)
    return BANK_EMPTYING;
  int core = room && has_room(ic, bank) ? take(ic, b, w) : -1;
  if (core < 0)
    return BANK_OFF;
  b->off_core[b->offs++] = (uint8_t)core;
  put_address(ic, bank, icache_line(ic, ic->core[core].asked));
  return BANK_OFF;
}

static uint8_t emptying(struct icache_bank *b, unsigned bank, struct icache_wires *w) {
  bool empty = b->offs == 0;
  answer_off(b, w);
  if (!empty)
    return BANK_EMPTYING;
  w->bank_enabled |= UINT32_C(1) << bank;
  b->invalidated = 0;
  return BANK_INVALIDATE;
}

static uint8_t invalidate(struct icache_bank *b, unsigned bank, struct icache_wires *w) {
  b->stage.valid = false;
  icache_tags_clear_set(&b->tags, b->invalidated);
  if (++b->invalidated < b->tags.sets)
    return BANK_INVALIDATE;
  b->invalidated = 0;
  w->bank_flushed |= UINT32_C(1) << bank;
  return w->bypass ? BANK_OFF : BANK_OPERATIVE;
}

static uint8_t flush_set(struct icache *ic, unsigned bank, struct icache_wires *w) {
  struct icache_bank *b = &ic->bank[bank];
  icache_tags_clear_set(&b->tags, set_of(ic, icache_line(ic, ic->control.flush_address)));
  w->bank_set_flushed |= UINT32_C(1) << bank;
  b->stage.valid = false;
  return BANK_OPERATIVE;
}

static uint8_t next_bank_state(struct icache *ic, unsigned bank, struct icache_wires *w) {
  struct icache_bank *b = &ic->bank[bank];
  switch (b->state) {
  case BANK_OFF:
    return off(ic, bank, w);
  case BANK_EMPTYING:
    return emptying(b, bank, w);
  case BANK_INVALIDATE:
    return invalidate(b, bank, w);
  case BANK_OPERATIVE:
    return operate(ic, bank, w);
  case BANK_REQUEST:
    return request_refill(ic, bank);
  case BANK_SERVE:
    serve(ic, b, w);
    return BANK_OPERATIVE;
  case BANK_SERVE_THEN_REQUEST:
    serve(ic, b, w);
    return BANK_REQUEST;
  case BANK_WAIT:
    return b->line_ready ? BANK_SERVE_CRITICAL : BANK_WAIT;
  case BANK_SERVE_CRITICAL:
    serve(ic, b, w);
    return BANK_DISPATCH;
  case BANK_DISPATCH:
    return under_refill(b) ? BANK_WAIT : BANK_DISPATCH2;
  case BANK_DISPATCH2:
    return dispatch(ic, b, w);
  default:
    return flush_set(ic, bank, w);
  }
}

static bool bank_is_active(const struct icache_bank *b) {
  bool waits = b->state == BANK_WAIT, takes = b->state == BANK_OPERATIVE || b->state == BANK_OFF;
  return b->line_ready || b->addresses || (takes ? b->stage.valid || b->requests : !waits);
}

void icache_bank_update(struct icache *ic, unsigned bank) {
  ic->busy_banks = icache_set_bit(ic->busy_banks, bank, bank_is_active(&ic->bank[bank]));
}

void icache_bank_init(struct icache *ic, unsigned bank) {
  ic->bank[bank].state = ic->params.enabled ? BANK_OPERATIVE : BANK_OFF;
  update_addresses(ic, bank);
  icache_bank_update(ic, bank);
}

void icache_bank_cycle(struct icache *ic, unsigned bank, struct icache_wires *w) {
  struct icache_bank *b = &ic->bank[bank];
  b->state = next_bank_state(ic, bank, w);
  b->requests &= ~ic->prefetchers; // those may ask for something else now
  icache_bank_update(ic, bank);
}

// ---- the bus: one address per cycle, one transfer per cycle, in order

// What is below the clusters is nowhere (`cluster_bus_wrap`): the bus answers so, soon.
enum { CLUSTERS = 0x10000000, NOWHERE = 2 };

// In the order of their answers.
static void add_transfer(struct icache *ic, const struct icache_transfer *t) {
  unsigned at = ic->transfers++;
  for (; at > 0 && !ic->transfer[at - 1].beat && ic->transfer[at - 1].first > t->first; at--)
    ic->transfer[at] = ic->transfer[at - 1];
  ic->transfer[at] = *t;
}

// The bus answers each bank in order: an address of the one kind waits until the bank has all that
// it has asked for of the other (`axi_demux`: one identifier per bank), and keeps the other bank's.
static bool waits_for_others(const struct icache *ic) {
  if (!ic->addressing)
    return false;
  unsigned bank = rr_winner(ic->addressing, ic->bus_pointer);
  bool nowhere = ic->bank[bank].address[0] < CLUSTERS;
  for (unsigned i = 0; i < ic->transfers; i++)
    if (ic->transfer[i].bank == bank && ic->transfer[i].nowhere != nowhere)
      return true;
  return false;
}

// A bank that has been chosen stays so until its address passes (`rr_arb_tree`, LockIn); then the
// others have their turn, with what they have got meanwhile.
static void send_address(struct icache *ic, cycle_t now) {
  uint32_t waiting = ic->addressing;
  if (!waiting)
    return;
  unsigned bank = rr_winner(waiting, ic->bus_pointer);
  struct icache_bank *b = &ic->bank[bank];
  struct icache_transfer t = {.bank = (uint8_t)bank, .address = b->address[0]};
  t.nowhere = t.address < CLUSTERS;
  if (!t.nowhere && l2_waits(&ic->memory, L2_READ, now))
    return;
  ic->bus_pointer = rr_fair_next(waiting, ic->bus_pointer);
  t.first = t.nowhere ? now + NOWHERE : l2_answer(&ic->memory, ic->beats, now);
  add_transfer(ic, &t);
  if (!t.nowhere)
    l2_send(&ic->memory, L2_READ, ic->beats, now);
  b->address[0] = b->address[1];
  b->addresses--;
  update_addresses(ic, bank);
  icache_bank_update(ic, bank);
}

// Returns the bank whose line is complete at the end of this cycle, or -1.
static int receive(struct icache *ic, cycle_t now) {
  struct icache_transfer *t = &ic->transfer[0];
  if (!ic->transfers || now < t->first + t->beat || ic->bank[t->bank].line_ready ||
      (!t->nowhere && !l2_take(&ic->memory, L2_READ, t->address + 8 * t->beat, now)))
    return -1;
  if (++t->beat < ic->beats)
    return -1;
  int bank = t->bank;
  ic->transfers--;
  for (unsigned i = 0; i < ic->transfers; i++)
    ic->transfer[i] = ic->transfer[i + 1];
  return bank;
}

// Before the banks: what they see is the state at the beginning of the cycle, except that what
// arrives now is kept back until the end.
void icache_bus_cycle(struct icache *ic, cycle_t now) {
  ic->bank_room = ic->room;
  ic->arrived = -1;
  if (!ic->transfers && !ic->addressing)
    return;
  bool waits = waits_for_others(ic);
  ic->arrived = receive(ic, now);
  if (!waits)
    send_address(ic, now);
}
