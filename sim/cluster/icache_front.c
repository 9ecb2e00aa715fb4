#include "cluster/icache_front.h"

#include <string.h>

#include "cluster/icache_parts.h"

static void set_bit(struct icache_front *f, uint32_t line, bool held) {
  uint32_t i = line - f->first;
  unsigned others = f->held[i / 8] & ~(1u << i % 8);
  f->held[i / 8] = (uint8_t)(others | (unsigned)held << i % 8);
}

static void move_window(struct icache_front *f, const struct icache_tags *t, uint32_t line) {
  f->first = line - FRONT_LINES / 2;
  memset(f->held, 0, sizeof f->held);
  for (unsigned i = 0; i < t->sets * t->ways; i++)
    if (t->tag[i] && icache_front_covers(f, t->tag[i] - 1))
      set_bit(f, t->tag[i] - 1, true);
}

void icache_front_filled(struct icache_front *f, const struct icache_tags *t, uint32_t line) {
  if (icache_front_covers(f, line))
    set_bit(f, line, true);
  else
    move_window(f, t, line);
}

void icache_front_evicted(struct icache_front *f, const struct icache_tags *t, uint32_t line) {
  if (icache_front_covers(f, line)) // with prefetch on, a line may have come twice
    set_bit(f, line, icache_tags_hit(t, line, line & (t->sets - 1)));
  f->epoch += CODE_EPOCH;
}
