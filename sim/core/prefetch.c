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
  f->port.valid = valid;
  f->port.instruction = word;
  f->next_state = full ? ALIGNER_WORD : ALIGNER_CROSSING;
  f->next_pc = f->pc + (full ? 4 : 2);
  // Rule loop-back-pc: only here does the aligner jump to the loop's start; a last instruction that
  // is compressed or crosses a word goes on to the next address.
  if (full && loop_back)
    f->next_pc = cmd->loop_back ? cmd->loop_start : f->loop_pc;
}

// If the kept half is an instruction of its own, it needs no new word, and one that comes in this
// cycle has to wait.
static void align_crossing(struct prefetch *f, uint32_t word) {
  bool full = is_long(f->half);
  f->port.valid = f->fetch_valid || !full;
  f->port.instruction = word << 16 | f->half;
  f->next_state = full ? ALIGNER_CROSSING : ALIGNER_DELAYED;
  f->next_pc = f->pc + (full ? 4 : 2);
}

// Rule crossing-target: the second half of a long instruction is in the next word.
static void align_half_target(struct prefetch *f, uint32_t word) {
  bool full = is_long(word >> 16);
  f->port.valid = f->fetch_valid && !full;
  f->port.instruction = word >> 16;
  f->next_state = full ? ALIGNER_CROSSING : ALIGNER_WORD;
  f->next_pc = f->pc + (full ? 0 : 2);
}

static void align(struct prefetch *f, const struct fetch_command *cmd, uint32_t word) {
  f->port.pc = f->pc;
  switch (f->aligner) {
  case ALIGNER_WORD:
    align_word(f, word, f->fetch_valid, cmd->loop_back || f->loop_armed, cmd);
    break;
  case ALIGNER_CROSSING:
    align_crossing(f, word);
    break;
  case ALIGNER_DELAYED:
    align_word(f, word, true, false, cmd);
    break;
  case ALIGNER_HALF_TARGET:
    align_half_target(f, word);
    break;
  }
}

// The word at the aligner.
static uint32_t word_at_hand(const struct prefetch *f) {
  return f->count > 0 ? f->word[0] : f->port.response;
}

void prefetch_request(struct prefetch *f, const struct fetch_command *cmd) {
  offer_request(f, cmd);
  f->fetch_valid = (f->count > 0 || f->port.responds) && !cmd->redirect && f->flush == 0;
  align(f, cmd, word_at_hand(f));
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
  if (cmd->redirect || (cmd->loop_back && pop)) {
    f->word[0] = f->word[1] = 0;
    f->count = 0;
    return;
  }
  if (cmd->loop_back && f->count > 0) {
    f->word[1] = 0;
    f->count = 1;
    return;
  }
  if (push && f->count < PREFETCH_DEPTH)
    f->word[f->count++] = f->port.response;
  if (pop) {
    f->word[0] = f->word[1];
    f->word[1] = 0;
    f->count--;
  }
}

static void move_bus(struct prefetch *f, const struct fetch_command *cmd, bool granted) {
  bool accepted = f->asks && !f->registered; // by the bus interface, whoever grants later
  f->redirect_waits = (f->redirect_waits || cmd->redirect || cmd->loop_back) && !accepted;
  if (cmd->redirect || cmd->loop_back || accepted)
    f->address = f->asks_address;
  f->registered = f->port.request && !granted;
  f->registered_address = f->registered ? f->port.request_address : 0;
  f->outstanding = (uint8_t)(f->outstanding + accepted - f->port.responds);
}

static void move_aligner(struct prefetch *f, const struct fetch_command *cmd, bool taken) {
  if (cmd->redirect) {
    f->pc = cmd->target;
    f->aligner = cmd->target & 2 ? ALIGNER_HALF_TARGET : ALIGNER_WORD;
  } else if (taken) {
    f->pc = f->next_pc;
    f->aligner = f->next_state;
  }
  bool steps = cmd->redirect || taken;
  if (steps)
    f->half = f->aligner == ALIGNER_CROSSING ? (uint16_t)(word_at_hand(f) >> 16) : 0;
  if (steps || cmd->loop_back) {
    f->loop_armed = !steps;
    f->loop_pc = steps ? 0 : cmd->loop_start;
  }
}

void prefetch_edge(struct prefetch *f, const struct fetch_command *cmd, bool granted, bool taken) {
  bool ready = taken && f->next_state != ALIGNER_DELAYED;
  bool pop = f->count > 0 && ready;
  bool push = f->port.responds && (f->count > 0 || !ready) && !cmd->redirect && f->flush == 0;
  move_aligner(f, cmd, taken);
  count_flushes(f, cmd);
  move_fifo(f, cmd, pop, push);
  move_bus(f, cmd, granted);
}
