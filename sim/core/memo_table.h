// sim/core/memo_table.h: what is recorded, and by whom it is shared.
#ifndef PULPSIM_MEMO_TABLE_H
#define PULPSIM_MEMO_TABLE_H

#include "core/memo_state.h"
#include "core/segment.h"
#include "engine/limit.h"

enum { STATES = LIMIT(1 << 17, 50), CASES = STATES, ENDS = STATES, INSNS = STATES / 4 };
enum { STATE_SLOTS = LIMIT(1 << 16, 1), INSN_SLOTS = LIMIT(1 << 13, 1) };

struct pipeline_memo {
  struct pipeline *pipeline[MEMO_PIPELINES];
  unsigned pipelines, states, cases, ends, insns;
  memo_link state_slot[STATE_SLOTS], insn_slot[INSN_SLOTS];
  struct memo_state state[STATES];
  struct memo_case memo_case[CASES];
  struct memo_end end[ENDS];
  struct memo_insn insn[INSNS];
  struct pipeline_key key[STATES]; // of each
  struct segments segments;
};

// What is new finds no room.
bool memo_is_full(const struct pipeline_memo *m);

// The state that the pipeline is in behind the edge of cycle `now`. NULL: it is new, and all is
// full.
struct memo_state *memo_state_behind(struct pipeline *p, cycle_t now);

// The cycle that began in walk.from, which has been computed, ended with `result`, if there is
// room.
void memo_record(struct pipeline *p, const struct memo_result *result);

static inline struct pipeline_key *memo_key(struct pipeline_memo *m, const struct memo_state *s) {
  return &m->key[s - m->state];
}

#endif
