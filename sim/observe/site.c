#include "observe/site.h"

#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

// Sites stay where they are: they are read while others are added.
enum { CHUNK = 1024, CHUNKS = 1 << 16 };

struct sites {
  struct site *chunk[CHUNKS];
  uint32_t count;
  uint32_t *hash; // numbers; 0: none
  uint32_t room;  // of `hash`, a power of two
};

struct sites *sites_new(void) {
  struct sites *s = must_have(calloc(1, sizeof *s));
  s->room = LIMIT(4096, 2);
  s->hash = must_have(calloc(s->room, sizeof *s->hash));
  return s;
}

void sites_free(struct sites *s) {
  for (unsigned i = 0; s && i < CHUNKS && s->chunk[i]; i++)
    free(s->chunk[i]);
  if (s)
    free(s->hash);
  free(s);
}

static struct site *place_of(const struct sites *s, uint32_t number) {
  return &s->chunk[number / CHUNK][number % CHUNK];
}

struct site sites_at(const struct sites *s, uint32_t number) {
  return *place_of(s, number);
}

// Where it is among the numbers, or where its number is to be put.
static uint32_t *slot_of(const struct sites *s, const struct site *site) {
  uint32_t i = (site->pc >> 1) * UINT32_C(0x9e3779b1) ^ site->word;
  for (;; i++) {
    uint32_t *slot = &s->hash[i & (s->room - 1)];
    if (!*slot || memcmp(place_of(s, *slot), site, sizeof *site) == 0)
      return slot;
  }
}

static void grow(struct sites *s) {
  free(s->hash);
  s->room *= 2;
  s->hash = must_have(calloc(s->room, sizeof *s->hash));
  for (uint32_t i = 1; i <= s->count; i++)
    *slot_of(s, place_of(s, i)) = i;
}

uint32_t sites_find(struct sites *s, const struct site *site) {
  uint32_t *slot = slot_of(s, site), number = *slot;
  if (number)
    return number;
  number = s->count + 1;
  if (number / CHUNK == CHUNKS)
    out_of_memory();
  struct site **chunk = &s->chunk[number / CHUNK];
  if (!*chunk)
    *chunk = must_have(calloc(CHUNK, sizeof **chunk));
  *slot = s->count = number;
  *place_of(s, number) = *site;
  if (2 * s->count > s->room)
    grow(s);
  return number;
}
