// sim/core/memo_recall.h: replays that have been made before.
//
// A loop's last round is mostly replayed from the same state, with the same waits. Where a replay
// ends depends on these, on the hardware loops, and on the words of code that it fetches. All of
// them are compared.
#ifndef PULPSIM_MEMO_RECALL_H
#define PULPSIM_MEMO_RECALL_H

#include "core/core.h"

struct memo_case;
struct memo_state;
struct pipeline;

enum { RECALL_WAITS = 8, RECALL_RANGES = 4, RECALL_WORDS = 192 };

// What decides, but for the code. Compared as bytes.
struct recall_key {
  const struct memo_state *from; // NULL: nothing is known
  uint32_t word;                 // that arrives in the first cycle, if one does
  uint32_t arrives;
  uint32_t cycles;
  struct hwloop loop[2]; // counts that are high are all the same
  struct {
    uint16_t since, grant, valid; // since the first cycle
  } wait[RECALL_WAITS];           // from the last one on; those not used are zero
  uint32_t zero;
};
_Static_assert(sizeof(struct recall_key) == sizeof(void *) + 40 + 6 * RECALL_WAITS,
               "compared as bytes: nothing in between");

// Where the replay ends.
struct recall_end {
  struct memo_state *at;
  struct memo_case *made; // the last cycle
  uint32_t word;          // that arrives in the next one, if one does
  bool arrives;
  uint8_t cause;     // of the last cycle
  uint8_t rounds[2]; // that have been counted down
};

struct memo_recall {
  struct recall_key key;
  struct recall_end end;
  uint8_t ranges;
  bool fits; // all that has been noted so far
  struct {
    uint32_t first;
    uint16_t at, words; // in `word`
  } range[RECALL_RANGES];
  uint16_t words;
  uint32_t word[RECALL_WORDS];
};

// The waits since cycle `t`. False: they are too many, or not plain.
bool recall_list_waits(struct recall_key *k, const struct core *c, cycle_t t);
void recall_list_loops(struct recall_key *k, const struct hwloop loop[2]);
uint32_t recall_hash(const struct recall_key *k);

bool recall_knows(struct pipeline *p, const struct memo_recall *recall, const struct recall_key *k);

// Notes a replay: begins, fetches words, has come to its end.
void recall_begin(struct memo_recall *recall);
void recall_note_words(struct memo_recall *recall, uint32_t address, const uint32_t *word,
                       unsigned words);
void recall_finish(struct memo_recall *recall, const struct recall_key *k,
                   const struct recall_end *end);

#endif
