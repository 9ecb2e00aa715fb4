#include "core/memo_table.h"
#include "core/segment_run.h"

// After so often, what follows is known if it ever is.
enum { CHAIN_AFTER = 16, CHAIN_UOPS = CHAIN_SEGMENTS * (SEGMENT_CYCLES + 3) };

// Adds the micro-operations of `s`, but for its access where that has been made.
static struct uop *append(struct uop *to, const struct segment *s, bool made) {
  unsigned counts = s->decrement[0] || s->decrement[1], first = counts + made;
  memcpy(to, s->uop, counts * sizeof *to);
  to += counts;
  memcpy(to, s->uop + first, (s->uops - first) * sizeof *to);
  return to + (s->uops - first);
}

static bool may_follow(const struct segment *s, const struct segment *next) {
  return s->ends != SEGMENT_BRANCHES && next && (!next->asks || s->ends == SEGMENT_ACCESSES);
}

static struct chain *chain_new(struct segments *all, const struct core *c, struct segment *s) {
  if (all->chains == CHAINS || all->uops + CHAIN_UOPS > SEGMENT_UOPS)
    return NULL;
  struct chain *k = &all->chain[all->chains];
  struct uop *to = k->uop = &all->uop[all->uops];
  *k = (struct chain){.uop = to};
  while (k->count < CHAIN_SEGMENTS && !s->turns && *segment_valid(c, s) == segment_stamp(c)) {
    bool made = k->count > 0 && s->asks;
    if (made)
      exec_access_at_once(to - 1);
    to = append(to, s, made);
    k->last[k->count] = to - 1;
    k->segment[k->count++] = s;
    k->cycles += s->cycles;
    if (!may_follow(s, s->next[0]))
      break;
    s = s->next[0];
  }
  if (!k->count)
    return NULL;
  exec_end(to++);
  exec_forward(k->uop, (unsigned)(to - k->uop));
  all->uops = (unsigned)(to - all->uop);
  all->chains++;
  return k;
}

struct chain *chain_find(const struct core *c, struct segment *s) {
  struct pipeline_memo *m = c->pipeline->walk.memo;
  struct chain *k = memo_follow_if(m, s->chain);
  if (!k) {
    if (s->alone < CHAIN_AFTER && ++s->alone == CHAIN_AFTER) {
      k = chain_new(&m->segments, c, s);
      s->chain = k ? memo_link_to(m, k) : 0;
    }
    return NULL;
  }
  for (unsigned i = 0; i < k->count; i++)
    if (k->segment[i]->turns || !segment_holds(c, k->segment[i]) ||
        *segment_valid(c, k->segment[i]) != segment_stamp(c))
      return NULL;
  k->core[c->index].valid = segment_stamp(c);
  return k;
}

void chain_leave(struct core *c, struct chain *k, cycle_t t) {
  struct segment **s = k->segment;
  k->core[c->index].entered--;
  for (unsigned i = 0;; i++) {
    (*segment_entered(c, s[i]))++;
    t += s[i]->cycles;
    if (k->last[i] != c->ahead.left_at)
      continue;
    c->ahead.left_at = NULL;
    c->engine->now = t - 1;
    (void)segment_leave(c, s[i], s[i + 1], t);
    return;
  }
}

void chains_count(struct segments *all, struct core *c) {
  for (unsigned i = 0; i < all->chains; i++) {
    struct chain *k = &all->chain[i];
    for (unsigned n = 0; k->core[c->index].entered && n < k->count; n++)
      segment_count(&c->count, &all->counts[k->segment[n]->number], k->core[c->index].entered);
    k->core[c->index].entered = 0;
  }
}
