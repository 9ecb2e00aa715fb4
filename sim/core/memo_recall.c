#include "core/memo_recall.h"

#include <string.h>

#include "core/pipeline_stages.h"

// Whether a loop goes on is asked of one with fewer than three rounds. So many can be counted down
// before, of one that is said to have ROUNDS_MANY: it has that many, or more.
enum { ROUNDS_MANY = 4, ROUNDS_DOWN = ROUNDS_MANY - 3 };

bool recall_list_waits(struct recall_key *k, const struct core *c, cycle_t t) {
  for (unsigned i = 0; i <= RECALL_WAITS; i++) {
    const struct wait *w = core_last_wait(c, i);
    if (w->since < t || i >= c->waits)
      return true;
    bool plain = !w->split && !w->hold && w->valid - t <= UINT16_MAX;
    if (i == RECALL_WAITS || !plain)
      return false;
    k->wait[i].since = (uint16_t)(w->since - t);
    k->wait[i].grant = (uint16_t)(w->grant - t);
    k->wait[i].valid = (uint16_t)(w->valid - t);
  }
  return false;
}

void recall_list_loops(struct recall_key *k, const struct hwloop loop[2]) {
  for (unsigned i = 0; i < 2; i++) {
    k->loop[i] = loop[i];
    if (loop[i].count > ROUNDS_MANY)
      k->loop[i].count = ROUNDS_MANY;
  }
}

uint32_t recall_hash(const struct recall_key *k) {
  uint64_t h = (uintptr_t)k->from / 64 * 31 + k->cycles;
  for (unsigned i = 0; i < 2; i++)
    h = h * 31 + k->loop[i].count;
  for (unsigned i = 0; i < RECALL_WAITS && k->wait[i].valid; i++)
    h = (h * 31 + k->wait[i].since) * 31 + k->wait[i].grant;
  return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 40); // Fibonacci hashing
}

// Whether memory holds these words.
static bool holds_words(struct pipeline *p, uint32_t address, const uint32_t *word,
                        unsigned words) {
  if (fetch_word(p, address) != word[0])
    return false;
  uint32_t offset = address - p->code_base;
  if (offset < p->code_size && 4 * (words - 1) < p->code_size - offset)
    return memcmp(p->code_at + offset, word, 4 * words) == 0;
  for (unsigned i = 1; i < words; i++)
    if (fetch_word(p, address + 4 * i) != word[i])
      return false;
  return true;
}

bool recall_knows(struct pipeline *p, const struct memo_recall *recall,
                  const struct recall_key *k) {
  if (memcmp(&recall->key, k, sizeof *k) != 0)
    return false;
  for (unsigned i = 0; i < recall->ranges; i++)
    if (!holds_words(p, recall->range[i].first, recall->word + recall->range[i].at,
                     recall->range[i].words))
      return false;
  return true;
}

void recall_begin(struct memo_recall *recall) {
  recall->key.from = NULL;
  recall->fits = true;
  recall->ranges = 0;
  recall->words = 0;
}

static bool goes_on(const struct memo_recall *recall, uint32_t address) {
  if (!recall->ranges)
    return false;
  unsigned last = recall->ranges - 1u;
  return address == recall->range[last].first + 4u * recall->range[last].words;
}

void recall_note_words(struct memo_recall *recall, uint32_t address, const uint32_t *word,
                       unsigned words) {
  if (!words)
    return;
  bool new_range = !goes_on(recall, address);
  recall->fits &=
      recall->words + words <= RECALL_WORDS && !(new_range && recall->ranges == RECALL_RANGES);
  if (!recall->fits)
    return;
  if (new_range) {
    recall->range[recall->ranges].first = address;
    recall->range[recall->ranges].at = recall->words;
    recall->range[recall->ranges++].words = 0;
  }
  memcpy(recall->word + recall->words, word, words * sizeof *word);
  recall->words = (uint16_t)(recall->words + words);
  recall->range[recall->ranges - 1].words =
      (uint16_t)(recall->range[recall->ranges - 1].words + words);
}

void recall_finish(struct memo_recall *recall, const struct recall_key *k,
                   const struct recall_end *end) {
  for (unsigned i = 0; i < 2; i++)
    recall->fits &= k->loop[i].count < ROUNDS_MANY || end->rounds[i] <= ROUNDS_DOWN;
  if (!recall->fits)
    return;
  recall->key = *k;
  recall->end = *end;
}
