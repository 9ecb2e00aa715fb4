// Replaying cycles that have been noted: what memo_request() and memo_edge() would do, without what
// is thrown away afterwards. Fetches hit, no branch is taken, accesses wait as they did.
#include "core/memo_parts.h"

struct replay {
  struct memo_state *at;
  struct memo_case *made; // the cycle made last
  cycle_t t;              // the next cycle
  uint32_t word;          // that arrives in it
  bool arrives;
  bool asks;     // an access is asked for, from ...
  cycle_t since; // ... on ...
  cycle_t grant; // ... until then
  uint16_t data_after;
  uint8_t cause; // of the cycle made last
  struct hwloop loop[2];
};

static bool can_be_resumed(const struct pipeline *p, cycle_t t) {
  return p->walk.at && !p->walk.now && !p->data_posted && !p->fetch_posted &&
         t == p->last_edge + 1 && !interrupt_possible(p->core) && p->answers <= 1;
}

// When the access is granted that the next cycle asks for. False: that is not to be told here.
// `before`: it has to wait from there on.
static bool look_at_access(const struct core *c, struct replay *r, struct replay *before) {
  if (r->asks)
    return true;
  const struct wait *w = core_wait_since(c, r->t);
  if (w && w->split)
    return false;
  if (w && w->grant > r->t)
    *before = *r;
  r->asks = true;
  r->since = r->t;
  r->grant = w ? w->grant : r->t;
  r->data_after = (uint16_t)(w ? w->valid - w->grant : 1);
  return true;
}

// An instruction that enters EX in cycle `t` is replayed as one that crosses a word.
static bool is_split(const struct core *c, const struct memo_state *s, cycle_t t) {
  const struct wait *w = s->id->id.unit == ID_LSU ? core_wait_since(c, t) : NULL;
  return w && w->split;
}

static void make_cycle(struct pipeline *p, struct replay *r, struct memo_case *now,
                       const struct memo_result *result) {
  for (unsigned i = 0; result->decrement >> i; i++)
    r->loop[i].count -= result->decrement >> i & 1;
  r->arrives = now->fetches;
  r->word = now->fetches ? fetch_word(p, memo_word_asked(now)) : 0;
  r->made = now;
  r->cause = result->cause;
  r->at = result->state;
  r->t++;
}

// Makes the next cycle. False: it has not been noted, or is not to be looked
// up.
static bool go_through(struct pipeline *p, struct replay *r, struct replay *before) {
  struct memo_case *now = memo_find_requests(r->at, r->arrives, r->word, r->loop, p->core->r);
  if (!now || (now->accesses && !look_at_access(p->core, r, before)))
    return false;
  bool granted = now->accesses && r->grant == r->t;
  unsigned data_after = granted ? r->data_after : 0;
  struct memo_end *end = memo_find_end(now, now->fetches, data_after, 0);
  if (!end || !end->result[0].state || (end->issues && is_split(p->core, r->at, r->t + 1)))
    return false;
  r->asks &= !granted;
  make_cycle(p, r, now, &end->result[0]);
  return true;
}

// Leaves what it was in the pipeline.
static void settle(struct pipeline *p, const struct replay *r) {
  memo_settle_made(p, r->at, r->made, r->made->fetches, r->t);
  memo_settle_word(p, r->arrives, r->word, r->t);
  p->fetch_from = 0;
  p->last_cause = r->cause;
  p->ex.whole = (struct access){.size = 1};
  for (unsigned i = 0; i < 2; i++)
    p->core->loop[i] = r->loop[i];
}

static void replay_all(struct pipeline *p, struct replay *r, cycle_t until) {
  struct replay before;
  while (r->t < until && go_through(p, r, &before))
    ;
  if (r->asks && r->since < r->t)
    *r = before;
}

cycle_t memo_replay(struct pipeline *p, cycle_t t, cycle_t until) {
  const struct core *c = p->core;
  if (!can_be_resumed(p, t))
    return t;
  struct replay r = {.at = p->walk.at, .t = t, .loop = {c->loop[0], c->loop[1]}};
  r.arrives = fetch_arrives(p, t, &r.word);
  if (r.arrives != (p->answers > 0))
    return t;
  replay_all(p, &r, until);
  if (r.made)
    settle(p, &r);
  return r.t;
}
