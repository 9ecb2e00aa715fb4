
#include <string.h>

#include "cluster/icache_units.h"

static void set_bit(struct code_lines *f, uint32_t line, bool there) {
  uint32_t i = line - f->first;
  unsigned others = f->there[i / 8] & ~(1u << i % 8);
  f->there[i / 8] = (uint8_t)(others | (unsigned)there << i % 8);
}

static void move_window(struct code_lines *f, const struct icache_tags *t, uint32_t line) {
  f->first = line - CODE_LINES / 2;
  memset(f->there, 0, sizeof f->there);
  for (unsigned i = 0; i < t->sets * t->ways; i++)
    if (t->tag[i] && code_lines_cover(f, t->tag[i] - 1))
      set_bit(f, t->tag[i] - 1, true);
}

void code_lines_filled(struct code_lines *f, const struct icache_tags *t, uint32_t line) {
  if (code_lines_cover(f, line))
    set_bit(f, line, true);
  else
    move_window(f, t, line);
}

void code_lines_evicted(struct code_lines *f, const struct icache_tags *t, uint32_t line) {
  if (code_lines_cover(f, line)) // with prefetch on, a line may have come twice
    set_bit(f, line, icache_tags_hit(t, line, line & (t->sets - 1)));
  f->epoch += CODE_EPOCH;
}
