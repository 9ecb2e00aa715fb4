#include "core/loop_table.h"

#include <stddef.h>
#include <stdlib.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

enum { FIRST_ROOM = LIMIT(512, 2) };

// From slot `i` on, round and round.
static const struct loop_bounds *search(const struct loop_table *t, unsigned i, uint32_t last) {
  for (;; i++) {
    const struct loop_bounds *l = &t->slot[i & (t->room - 1)];
    if (l->last == last)
      return l;
    if (!l->last)
      return NULL;
  }
}

const struct loop_bounds *loop_table_first(const struct loop_table *t, uint32_t last) {
  return t->room && last ? search(t, last >> 1, last) : NULL;
}

const struct loop_bounds *loop_table_next(const struct loop_table *t, const struct loop_bounds *l) {
  return search(t, (unsigned)(l - t->slot) + 1, l->last);
}

struct loop_starts loop_table_starts(const struct loop_table *t, uint32_t last, unsigned core) {
  struct loop_starts s = {.first = UINT32_MAX};
  if (!t->room)
    return s;
  const struct loop_bounds *l = &t->slot[last >> 1 & (t->room - 1)];
  for (; l->last; l = l + 1 < t->slot + t->room ? l + 1 : t->slot) {
    if (l->last != last || !(l->cores >> core & 1))
      continue;
    if (l->start < s.first)
      s.first = l->start;
    if (l->start > s.last)
      s.last = l->start;
  }
  return s;
}

static void put(struct loop_table *t, struct loop_bounds l) {
  unsigned i = l.last >> 1;
  while (t->slot[i & (t->room - 1)].last)
    i++;
  t->slot[i & (t->room - 1)] = l;
  t->count++;
}

static void grow(struct loop_table *t) {
  struct loop_table old = *t;
  t->room = old.room ? 2 * old.room : FIRST_ROOM;
  t->slot = must_have(calloc(t->room, sizeof *t->slot));
  t->count = 0;
  for (unsigned i = 0; i < old.room; i++)
    if (old.slot[i].last)
      put(t, old.slot[i]);
  free(old.slot);
}

enum loop_news loop_table_add(struct loop_table *t, uint32_t last, uint32_t start, unsigned core) {
  const uint32_t bit = UINT32_C(1) << core;
  const struct loop_bounds *l = loop_table_first(t, last);
  while (l && l->start != start)
    l = loop_table_next(t, l);
  if (!last || (l && l->cores & bit))
    return LOOP_KNOWN;
  if (l) {
    t->slot[l - t->slot].cores |= bit;
    return LOOP_OF_OTHERS;
  }
  if (2 * (t->count + 1) > t->room)
    grow(t);
  put(t, (struct loop_bounds){last, start, bit});
  return LOOP_NEW;
}

void loop_table_free(struct loop_table *t) {
  free(t->slot);
}
