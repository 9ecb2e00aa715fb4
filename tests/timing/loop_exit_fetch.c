// tests/timing/loop_exit_fetch.c: in a hardware loop on CV32E40P, the fetch forgets how it came
// there.
//
// What folded execution knows of the fetch when the cycle model is to take over at the beginning of
// a loop's last rounds is when each instruction has left ID; the cycle model begins as if the fetch
// had been redirected to the loop's start. Here the prefetcher's model runs alone, in loops as the
// manual allows them, with all code at hand, and with every way in which ID may wait. Each state in
// which a round can begin is run beside the one behind a redirection, again with every way of
// waiting: both must deliver in the same cycles, ask for the same words outside of what is at hand
// anyway, and be the same when the loop's last instruction comes into ID.
#include <check.h>
#include <string.h>

#include "core/loop_exit.h"
#include "core/prefetch.h"

Suite *loop_exit_fetch_suite(void);

enum { START = 0x1000, SHORTEST = 3, LONGEST = 7, STATES = 4096 };

// Of the fetch and ID, in the middle of a loop.
struct state {
  struct prefetch f;
  uint32_t waiting[PREFETCH_DEPTH]; // granted requests without their data, oldest first
  unsigned under_way;
  uint32_t id;   // what is in ID; 0: nothing
  bool told;     // to go back, while that is in ID
  unsigned left; // rounds, this one included
};

// A body of words, with each an instruction.
struct loop {
  uint32_t last;
  bool ends; // else its rounds are not counted
};

static uint32_t word_at(uint32_t address) {
  return address | 3;
}

struct outcome {
  bool asks;
  uint32_t address;
  bool enters; // an instruction enters ID: `id`
};

// A cycle. `goes`: what is in ID leaves it.
static struct outcome cycle(struct state *s, const struct loop *l, bool goes) {
  bool before = s->id == l->last - 4 && s->left > 1;
  struct fetch_command cmd = {.enable = true, .loop_back = before && !s->told, .loop_start = START};
  bool valid = s->under_way > 0;
  uint32_t data = valid ? word_at(s->waiting[0]) : 0;
  if (valid)
    s->waiting[0] = s->waiting[--s->under_way];
  prefetch_request(&s->f, &cmd, valid, data);
  struct outcome o = {.asks = s->f.request, .address = s->f.request_address};
  if (o.asks)
    s->waiting[s->under_way++] = o.address;
  bool ready = goes || !s->id;
  o.enters = ready && s->f.valid;
  s->told = !ready && (s->told || cmd.loop_back);
  if (goes && s->id == l->last && s->left > 1 && l->ends)
    s->left--;
  if (ready)
    s->id = o.enters ? s->f.pc : 0;
  prefetch_edge(&s->f, &cmd, o.asks, ready);
  return o;
}

// Behind a redirection, in the cycle in which the loop's first instruction is in ID first.
static struct state redirected(const struct loop *l, unsigned rounds) {
  struct state s = {.left = rounds};
  struct fetch_command cmd = {.enable = true, .redirect = true, .target = START};
  prefetch_reset(&s.f);
  prefetch_request(&s.f, &cmd, false, 0);
  ck_assert_uint_eq(s.f.request_address, START);
  s.waiting[s.under_way++] = START;
  prefetch_edge(&s.f, &cmd, true, false);
  ck_assert(cycle(&s, l, true).enters);
  ck_assert_uint_eq(s.id, START);
  return s;
}

// Of what decides what comes.
static bool is_same(const struct state *a, const struct state *b) {
  const struct prefetch *f = &a->f, *g = &b->f;
  if (a->under_way != b->under_way || a->id != b->id || a->told != b->told || a->left != b->left ||
      memcmp(a->waiting, b->waiting, a->under_way * sizeof *a->waiting) != 0)
    return false;
  for (unsigned i = 0; i < f->count && f->count == g->count; i++)
    if (f->word[(f->read_at + i) % PREFETCH_DEPTH] != g->word[(g->read_at + i) % PREFETCH_DEPTH])
      return false;
  return f->count == g->count && f->outstanding == g->outstanding && f->flush == g->flush &&
         f->flush_waits == g->flush_waits && f->flush_later == g->flush_later &&
         f->redirect_waits == g->redirect_waits && f->held == g->held && f->address == g->address &&
         f->state == g->state && f->pc == g->pc && f->loop_armed == g->loop_armed &&
         (!f->loop_armed || f->loop_pc == g->loop_pc);
}

// ---- all states in which a round can begin

static struct state seen[STATES];
static unsigned seen_count;

static void see(const struct state *s) {
  for (unsigned i = 0; i < seen_count; i++)
    if (is_same(&seen[i], s))
      return;
  ck_assert_uint_lt(seen_count, STATES);
  seen[seen_count++] = *s;
}

static void see_all(const struct loop *l) {
  struct state first = redirected(l, 2);
  seen_count = 0;
  see(&first);
  for (unsigned i = 0; i < seen_count; i++)
    for (unsigned goes = 0; goes < 2; goes++) {
      struct state s = seen[i];
      cycle(&s, l, goes);
      see(&s);
    }
}

static bool begins_round(const struct state *s, const struct loop *l, struct state *begun) {
  *begun = *s;
  return s->id == l->last && cycle(begun, l, true).enters && begun->id == START;
}

// ---- two of them side by side

struct pair {
  struct state a, b;
};
static struct pair pair[STATES];
static unsigned pairs;

static void see_pair(const struct pair *p) {
  for (unsigned i = 0; i < pairs; i++)
    if (is_same(&pair[i].a, &p->a) && is_same(&pair[i].b, &p->b))
      return;
  ck_assert_uint_lt(pairs, STATES);
  pair[pairs++] = *p;
}

// One cycle of both.
static void compare(const struct loop *l, struct pair *p, bool goes) {
  uint32_t reach = prefetch_reach(l->last + 4);
  struct outcome a = cycle(&p->a, l, goes), b = cycle(&p->b, l, goes);
  ck_assert_msg(a.enters == b.enters && p->a.id == p->b.id, "body up to %x: %x and %x enter ID",
                l->last, p->a.id, p->b.id);
  bool a_behind = a.asks && a.address >= reach, b_behind = b.asks && b.address >= reach;
  ck_assert_msg(a_behind == b_behind, "body up to %x: %x and %x are asked for", l->last, a.address,
                b.address);
  if (p->a.left == 1 && p->a.id == l->last)
    ck_assert_msg(is_same(&p->a, &p->b), "body up to %x: the fetch is ahead by %u and %u words",
                  l->last, p->a.f.count, p->b.f.count);
}

// Until the last instruction is in ID for the last time.
static void compare_all(const struct loop *l, const struct state *a, const struct state *b) {
  pairs = 0;
  see_pair(&(struct pair){*a, *b});
  for (unsigned i = 0; i < pairs; i++)
    for (unsigned goes = 0; goes < 2; goes++) {
      struct pair p = pair[i];
      if (p.a.left == 1 && p.a.id == l->last)
        continue;
      compare(l, &p, goes);
      see_pair(&p);
    }
}

// A loop with so many words, with so many rounds left. Returns in how many other states than the
// one behind a redirection these can begin.
static unsigned compare_loop(unsigned words, unsigned rounds) {
  struct loop l = {.last = START + 4 * (words - 1)};
  unsigned others = 0;
  see_all(&l);
  l.ends = true;
  const struct state known = redirected(&l, rounds);
  for (unsigned i = 0; i < seen_count; i++) {
    struct state begun;
    if (!begins_round(&seen[i], &l, &begun))
      continue;
    begun.left = rounds;
    others += !is_same(&begun, &known);
    compare_all(&l, &known, &begun);
  }
  return others;
}

START_TEST(a_round_forgets_the_one_before) {
  for (unsigned words = SHORTEST; words <= LONGEST; words++)
    for (unsigned rounds = LOOP_EXIT_ROUNDS; rounds <= LOOP_EXIT_ROUNDS + 1; rounds++)
      ck_assert_uint_gt(compare_loop(words, rounds), 1);
}
END_TEST

Suite *loop_exit_fetch_suite(void) {
  Suite *s = suite_create("loop_exit_fetch");
  TCase *t = tcase_create("CV32E40P");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, a_round_forgets_the_one_before);
  suite_add_tcase(s, t);
  return s;
}
