#include "cluster/icache_units.h"

uint32_t *icache_tags_init(struct icache_tags *t, unsigned sets, unsigned ways, uint32_t *storage) {
  t->sets = sets;
  t->ways = ways;
  t->random = 0;
  t->tag = storage;
  return storage + (size_t)sets * ways;
}

bool icache_tags_hit(const struct icache_tags *t, uint32_t line, uint32_t set) {
  const uint32_t *tag = t->tag + set * t->ways, *end = tag + t->ways;
  while (tag < end && *tag != line + 1)
    tag++;
  return tag < end;
}

uint32_t icache_tags_put(struct icache_tags *t, uint32_t line, uint32_t set, unsigned way) {
  uint32_t *tag = &t->tag[set * t->ways + way], old = *tag;
  *tag = line + 1;
  return old;
}

void icache_tags_clear_set(struct icache_tags *t, uint32_t set) {
  for (unsigned w = 0; w < t->ways; w++)
    t->tag[set * t->ways + w] = 0;
}

unsigned icache_tags_random_way(struct icache_tags *t) {
  unsigned q = t->random;
  unsigned in = !((q >> 7 ^ q >> 3 ^ q >> 2 ^ q >> 1) & 1);
  t->random = (uint8_t)(q << 1 | in);
  return q & (t->ways - 1);
}

int icache_tags_free_way(const struct icache_tags *t, uint32_t set) {
  for (int w = (int)t->ways - 1; w >= 0; w--)
    if (!t->tag[set * t->ways + (unsigned)w])
      return w;
  return -1;
}
