#include "core/prefetch.h"

static bool is_long(uint32_t half) {
  return (half & 3) == 3;
}

// Rule fetch-window: a request may go out while words buffered plus words on their way are fewer
// than two; a redirect empties the buffer, so it counts as empty in that cycle.
static void offer_request(struct prefetch *f, const struct fetch_command *cmd) {
  bool clears = cmd->redirect || cmd->loop_back;
  unsigned used = (clears ? 0u : f->count) + f->outstanding;
  f->asks = cmd->enable && used < PREFETCH_DEPTH;
  if (cmd->redirect)
    f->asks_address = cmd->target & ~UINT32_C(3);
  else if (f->redirect_waits)
    f->asks_address = f->address;
  else if (cmd->loop_back)
    f->asks_address = cmd->loop_start;
  else
    f->asks_address = (f->address & ~UINT32_C(3)) + 4;
  // A request once made is neither withdrawn nor changed: the bus interface keeps its address.
  f->port.request = f->registered || f->asks;
  f->port.request_address =
      (f->registered ? f->registered_address : f->asks_address) & ~UINT32_C(3);
}

// A word at bit 0, plain or registered back.
static void align_word(struct prefetch *f, uint32_t word, bool valid, bool loop_back,
                       const struct fetch_command *cmd) {
  bool full = is_long(word);
  f->valid = f->can_step = valid;
  f->instruction = word;
  f->next_state = full ? ALIGNER_WORD : ALIGNER_CROSSING;
  f->next_pc = f->pc + (full ? 4 : 2);
  // Rule loop-back-pc: only here does the aligner jump to the loop's start; a last instruction that
  // is compressed or crosses a word goes on to the next address.
  if (full && loop_back)
    f->next_pc = cmd->loop_back ? cmd->loop_start : f->loop_pc;
}

static void align_crossing(struct prefetch *f, uint32_t word, bool valid) {
  f->instruction = word << 16 | f->half;
  if (is_long(f->half)) {
    f->valid = f->can_step = valid;
    f->next_state = ALIGNER_CROSSING;
    f->next_pc = f->pc + 4;
  } else {
    // The kept half is an instruction of its own: it needs no new word, and one that comes in
    // this cycle has to wait.
    f->valid = f->can_step = true;
    f->takes_word = !valid;
    f->next_state = ALIGNER_DELAYED;
    f->next_pc = f->pc + 2;
  }
}

static void align_half_target(struct prefetch *f, uint32_t word, bool valid) {
  f->can_step = valid;
  f->instruction = word >> 16;
  if (is_long(word >> 16)) {
    f->valid = false; // rule crossing-target: its second half is in the next word
    f->next_state = ALIGNER_CROSSING;
    f->next_pc = f->pc;
  } else {
    f->valid = valid;
    f->next_state = ALIGNER_WORD;
    f->next_pc = f->pc + 2;
  }
}

static void align(struct prefetch *f, const struct fetch_command *cmd, uint32_t word) {
  bool loop_back = cmd->loop_back || f->loop_armed;
  f->takes_word = true;
  switch (f->aligner) {
  case ALIGNER_WORD:
    align_word(f, word, f->fetch_valid, loop_back, cmd);
    break;
  case ALIGNER_CROSSING:
    align_crossing(f, word, f->fetch_valid);
    break;
  case ALIGNER_DELAYED:
    align_word(f, word, !f->ready_before || f->fetch_valid, false, cmd);
    break;
  case ALIGNER_HALF_TARGET:
    align_half_target(f, word, f->fetch_valid);
    break;
  }
}

void prefetch_request(struct prefetch *f, const struct fetch_command *cmd, bool valid,
                      uint32_t data) {
  f->port.responds = valid;
  f->port.response = data;
  offer_request(f, cmd);
  f->fetch_valid = (f->count > 0 || valid) && !cmd->redirect && f->flush == 0;
  align(f, cmd, f->count > 0 ? f->word[f->read_at] : data);
}

// Rule loop-flush: a hardware loop's jump is announced while the instruction before the last one is
// in ID. Words behind the last one are thrown away: buffered ones at once, those on their way when
// they come; if the last word itself is still on its way, after it.
static void count_flushes(struct prefetch *f, const struct fetch_command *cmd) {
  bool nothing_yet = f->count == 0 && !f->port.responds;
  uint8_t left = f->outstanding;
  if (f->port.responds && left > 0)
    left--;
  bool later_done = f->flush_waits && f->port.responds;
  if (cmd->redirect || (cmd->loop_back && !nothing_yet))
    f->flush = left;
  else if (later_done)
    f->flush = f->flush_later;
  else if (f->port.responds && f->flush > 0)
    f->flush--;

  if (cmd->loop_back && nothing_yet && !cmd->redirect) {
    f->flush_waits = true;
    f->flush_later = (uint8_t)(f->outstanding - 1) & 3;
  } else if (cmd->redirect || later_done) {
    f->flush_waits = false;
    f->flush_later = 0;
  }
}

static void move_fifo(struct prefetch *f, const struct fetch_command *cmd, bool pop, bool push) {
  if (push && f->count < PREFETCH_DEPTH)
    f->word[(f->read_at + f->count) % PREFETCH_DEPTH] = f->port.response;
  if (cmd->redirect || (cmd->loop_back && pop)) {
    f->read_at = 0;
    f->count = 0;
    return;
  }
  if (cmd->loop_back && f->count > 0) {
    f->count = 1;
    return;
  }
  if (push && f->count < PREFETCH_DEPTH)
    f->count++;
  if (pop) {
    f->read_at = (uint8_t)((f->read_at + 1) % PREFETCH_DEPTH);
    f->count--;
  }
}

static void move_bus(struct prefetch *f, const struct fetch_command *cmd, bool granted) {
  bool accepted = f->asks && !f->registered; // by the bus interface, whoever grants later
  if (f->redirect_waits)
    f->redirect_waits = !accepted;
  else
    f->redirect_waits = (cmd->redirect || cmd->loop_back) && !accepted;
  if (cmd->redirect || cmd->loop_back || accepted)
    f->address = f->asks_address;
  if (f->port.request && !granted && !f->registered)
    f->registered_address = f->port.request_address;
  f->registered = f->port.request && !granted;
  f->outstanding = (uint8_t)(f->outstanding + accepted - f->port.responds);
}

static void move_aligner(struct prefetch *f, const struct fetch_command *cmd, bool taken,
                         uint32_t word) {
  bool step = cmd->redirect || (f->can_step && taken);
  if (!step) {
    if (cmd->loop_back) {
      f->loop_armed = true;
      f->loop_pc = cmd->loop_start;
    }
    return;
  }
  f->half = (uint16_t)(word >> 16);
  f->ready_before = f->takes_word;
  f->loop_armed = false;
  if (cmd->redirect) {
    f->pc = cmd->target;
    f->aligner = cmd->target & 2 ? ALIGNER_HALF_TARGET : ALIGNER_WORD;
  } else {
    f->pc = f->next_pc;
    f->aligner = f->next_state;
  }
}

void prefetch_edge(struct prefetch *f, const struct fetch_command *cmd, bool granted, bool taken) {
  uint32_t word = f->count > 0 ? f->word[f->read_at] : f->port.response;
  bool ready = f->fetch_valid && taken && f->takes_word;
  bool pop = f->count > 0 && ready;
  bool push = f->port.responds && (f->count > 0 || !ready) && !cmd->redirect && f->flush == 0;
  move_aligner(f, cmd, taken, word);
  count_flushes(f, cmd);
  move_fifo(f, cmd, pop, push);
  move_bus(f, cmd, granted);
}
