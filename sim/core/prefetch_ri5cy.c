#include "core/prefetch_ri5cy.h"

static bool compressed(uint32_t half) {
  return (half & 3) != 3;
}

void prefetch_ri5cy_look(struct prefetch_ri5cy *f) {
  const struct fetch_entry *e = f->fifo;
  uint32_t data = f->port.response;
  f->push = f->port.responds && f->bus == BUS_WAIT_DATA;
  uint32_t incoming = f->push ? data : 0;
  uint32_t head = e[0].valid ? e[0].word : incoming;
  uint32_t second = e[1].valid ? e[1].word : data;
  f->port.pc = e[0].valid ? e[0].address : f->address;
  f->upper_compressed = compressed(head >> 16);
  f->lower_compressed = compressed(head);
  bool any = e[0].valid || f->push || e[1].loop;
  if ((f->port.pc & 2) && !e[1].loop) {
    f->port.instruction = second << 16 | head >> 16;
    bool whole = e[1].valid || (e[0].valid && f->push);
    f->port.valid = f->upper_compressed ? any : whole;
    bool short_stored = e[0].valid && compressed(e[0].word >> 16);
    f->stored = short_stored || e[1].valid;
  } else {
    // The word in front of a loop's start has been aligned already: see replace_second().
    f->port.instruction = head;
    f->port.valid = any;
    f->stored = e[0].valid;
  }
  f->from_loop = e[0].valid ? e[0].loop : f->loop == LOOP_FETCHING;
}

void prefetch_ri5cy_request(struct prefetch_ri5cy *f, const struct fetch_command *cmd) {
  f->restart = f->loop == LOOP_UNALIGNED_COMPRESSED;
  f->masked = f->loop == LOOP_IN || f->loop == LOOP_UNALIGNED ||
              (f->loop == LOOP_NONE && f->loop_seen && !(f->address & 2));
  bool jump = cmd->redirect || f->restart;
  uint32_t jump_address = cmd->redirect ? cmd->target : f->address;
  uint32_t next = (f->address & ~UINT32_C(3)) + 4;
  bool room = !f->fifo[FETCH_FIFO_DEPTH - 2].valid;
  bool to_loop = f->masked && f->stored;
  bool goes_to_loop = f->bus == BUS_WAIT_DATA ? f->masked : to_loop && f->bus != BUS_WAIT_ABORTED;
  bool goes_on = f->bus == BUS_IDLE || f->bus == BUS_WAIT_DATA;
  f->port.request = f->moves = f->asks_loop = false;
  f->port.request_address = jump           ? jump_address
                            : goes_to_loop ? f->loop_start
                            : goes_on      ? next
                                           : f->address;
  switch (f->bus) {
  case BUS_IDLE:
    f->port.request = f->moves = cmd->enable && (room || jump || to_loop);
    f->asks_loop = f->port.request && to_loop;
    break;
  case BUS_WAIT_GRANT:
    f->port.request = true;
    f->moves = jump || to_loop;
    f->asks_loop = !jump && to_loop;
    break;
  case BUS_WAIT_DATA:
    if (!(cmd->enable && (room || jump || f->masked)))
      break;
    f->port.request = f->port.responds;
    f->moves = f->port.responds || jump || (f->masked && f->port.valid);
    f->asks_loop = f->masked && (f->port.responds || (!jump && f->port.valid));
    break;
  case BUS_WAIT_ABORTED:
    f->moves = jump;
    f->port.request = f->port.responds;
    break;
  }
}

static enum fetch_bus_state next_bus(const struct prefetch_ri5cy *f, bool granted) {
  if (f->port.request)
    return granted ? BUS_WAIT_DATA : BUS_WAIT_GRANT;
  if (f->bus == BUS_WAIT_DATA) {
    if (f->port.responds)
      return BUS_IDLE;
    return f->moves ? BUS_WAIT_ABORTED : BUS_WAIT_DATA;
  }
  return f->bus;
}

// Next state of the loop follower; sets `clear` when the FIFO is to be emptied, `ahead` when the
// request address is to become the loop's start although that is not asked for yet.
static enum fetch_loop_state next_loop(struct prefetch_ri5cy *f, bool ready, bool *clear,
                                       bool *ahead) {
  switch (f->loop) {
  case LOOP_NONE:
    if (!f->loop_seen)
      return LOOP_NONE;
    *clear = ready;
    *ahead = (f->address & 2) && (!f->port.valid || f->upper_compressed);
    if (*ahead)
      return f->port.valid ? LOOP_UNALIGNED_COMPRESSED : LOOP_UNALIGNED;
    return f->asks_loop ? LOOP_FETCHING : LOOP_IN;
  case LOOP_UNALIGNED:
    if (!f->port.valid)
      return LOOP_UNALIGNED;
    *clear = ready;
    return LOOP_FETCHING;
  case LOOP_UNALIGNED_COMPRESSED:
    *clear = true;
    return LOOP_FETCHING;
  case LOOP_IN:
    *clear = ready;
    return f->asks_loop ? LOOP_FETCHING : LOOP_IN;
  case LOOP_FETCHING:
    if (f->port.responds && f->bus != BUS_WAIT_ABORTED)
      return f->port.valid && f->from_loop ? LOOP_NONE : LOOP_DONE;
    *clear = ready;
    return LOOP_FETCHING;
  case LOOP_DONE:
    return f->port.valid && f->from_loop ? LOOP_NONE : LOOP_DONE;
  }
  return LOOP_NONE;
}

static const struct fetch_entry empty;

// A loop's start comes in: it takes the second place, and the instruction in front of it is kept
// in the first, cut out already, because its second half may be in a word now lost.
static void replace_second(struct prefetch_ri5cy *f, const struct fetch_entry *start) {
  f->fifo[0].word = f->port.instruction;
  f->fifo[1] = *start;
  for (int j = 2; j < FETCH_FIFO_DEPTH; j++)
    f->fifo[j] = empty;
}

static void push(struct prefetch_ri5cy *f) {
  struct fetch_entry new = {f->address, f->port.response, true, f->loop == LOOP_FETCHING, 0};
  if (new.loop && f->fifo[0].valid) {
    replace_second(f, &new);
    return;
  }
  for (int j = 0; j < FETCH_FIFO_DEPTH; j++) {
    if (f->fifo[j].valid)
      continue;
    f->fifo[j] = new;
    break;
  }
}

static void shift(struct prefetch_ri5cy *f, uint32_t address) {
  struct fetch_entry *e = f->fifo;
  for (int j = 0; j + 1 < FETCH_FIFO_DEPTH; j++)
    e[j] = e[j + 1];
  e[FETCH_FIFO_DEPTH - 1] = empty;
  e[1].loop = false;
  if (e[0].valid)
    e[0].address = address;
}

static void pop(struct prefetch_ri5cy *f) {
  struct fetch_entry *e = f->fifo;
  uint32_t next = (e[0].address & ~UINT32_C(3)) + 4;
  if (e[1].loop) {
    shift(f, e[1].address);
  } else if (e[0].address & 2) {
    shift(f, f->upper_compressed ? next : next | 2);
  } else if (f->lower_compressed) {
    e[0].address |= 2;
    e[0].loop = e[1].loop = false;
  } else {
    shift(f, next);
  }
}

void prefetch_ri5cy_edge(struct prefetch_ri5cy *f, const struct fetch_command *cmd, bool granted,
                         bool ready) {
  bool clear = false, ahead = false;
  enum fetch_loop_state loop = next_loop(f, ready, &clear, &ahead);
  enum fetch_bus_state bus = next_bus(f, granted);
  if (cmd->redirect) {
    loop = LOOP_NONE;
    clear = true;
  }
  if (clear) {
    for (int j = 0; j < FETCH_FIFO_DEPTH; j++)
      f->fifo[j] = empty;
  } else {
    if (f->push)
      push(f);
    if (ready && f->port.valid)
      pop(f);
  }
  if (f->moves)
    f->address = ahead && !cmd->redirect ? f->loop_start : f->port.request_address;
  f->loop = loop;
  f->bus = bus;
}

bool prefetch_ri5cy_follows_loop(const struct prefetch_ri5cy *f) {
  bool follows = f->loop != LOOP_NONE;
  for (int j = 0; j < FETCH_FIFO_DEPTH; j++)
    follows |= f->fifo[j].loop;
  return follows;
}
