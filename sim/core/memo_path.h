// sim/core/memo_path.h: several noted cycles of the cycle model in a row.
//
// Where every fetch hits, no hardware loop ends, no branch is in ID, and only the first cycle makes
// an access, what follows a cycle is known: its path. It is put together from what is noted of its
// cycles (memo_parts.h), and holds as long as memory holds the same words.
#ifndef PULPSIM_MEMO_PATH_H
#define PULPSIM_MEMO_PATH_H

#include "core/memo_parts.h"
#include "engine/limit.h"

enum { PATH_CYCLES = 16, PATH_EVENTS = 8, PATH_STALLS = 4 };

struct memo_path {
  // Behind its cycles: the state, and the requests of the next cycle, if they are known.
  struct memo_state *at;
  struct memo_case *now;
  struct memo_case *made;         // the last cycle
  uint32_t if_first, if_span;     // where hardware loops are looked for, `now` included
  uint32_t code_first, code_span; // bytes that are asked for, in one line; 0: none
  uint8_t cycles;                 // 1 to PATH_CYCLES
  uint8_t words;                  // that are asked for, without `now`
  uint8_t insns;                  // that leave ID
  uint8_t last_issue;             // cycle in which the last of them does
  uint8_t last_cause;
  uint8_t macs, events, stalls;
  bool arrives; // the last word, in the cycle of `now`
  struct {
    uint8_t event, times;
  } event[PATH_EVENTS];
  struct {
    uint8_t cause, cycles;
  } stall[PATH_STALLS];
  uint32_t word[PATH_CYCLES];
  struct {
    const struct memo_insn *insn;
    uint32_t pc;
  } insn[PATH_CYCLES];
};

// Whether loop `l` may end on the way.
static inline bool memo_path_may_end(const struct memo_path *path, const struct hwloop *l) {
  return l->count > 1 && l->last - path->if_first <= path->if_span;
}

// Whether memory holds the same words.
static inline bool memo_path_reads_same(struct pipeline *p, const struct memo_path *path) {
  for (unsigned i = 0; i < path->words; i++)
    if (fetch_word(p, path->code_first + 4 * i) != path->word[i])
      return false;
  return true;
}

static inline uint32_t memo_path_last_word(const struct memo_path *path) {
  return path->words ? path->word[path->words - 1] : 0;
}

// Puts together the path from state `s` with requests `c`; false if there is none, or if it is not
// known yet how it goes on. `settle`: then it ends there.
bool memo_path_note(struct pipeline *p, struct memo_path *path, struct memo_state *s,
                    struct memo_case *c, bool settle);

#endif
