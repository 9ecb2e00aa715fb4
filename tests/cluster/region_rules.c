// tests/cluster/region_rules.c: what a region counts, however many cores are in it: its marks are
// taken in order of time by either engine, in whatever order the cores of a cycle are stepped.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

Suite *region_rules_suite(void);

enum { CORES = 4, REGION = 1, MARKS = 4096 };

struct figures {
  uint64_t entries, cycles;
};

static struct guest g;

// The hints of kernels/rt/rt.h.
static void begin(void) {
  word(&g, 1u << 20 | REGION << 15 | 2 << 12 | 0x13);
}
static void end(void) {
  word(&g, 2u << 20 | REGION << 15 | 2 << 12 | 0x13);
}

// ---- the same by definition: begins, and then ends, of a cycle after those of all before it

static struct marks {
  struct mark {
    uint64_t cycle;
    bool end;
  } at[MARKS];
  unsigned count;
} marks;

static void note(void *user, unsigned core, uint32_t id, bool begins, uint64_t cycle) {
  struct marks *m = user;
  (void)core;
  ck_assert_uint_eq(id, REGION);
  ck_assert_uint_lt(m->count, MARKS);
  m->at[m->count++] = (struct mark){cycle, !begins};
}

static int in_order(const void *a, const void *b) {
  const struct mark *x = a, *y = b;
  uint64_t i = x->cycle * 2 + x->end, k = y->cycle * 2 + y->end;
  return (i > k) - (i < k);
}

static struct figures by_definition(struct marks *m) {
  struct figures f = {0};
  unsigned inside = 0;
  uint64_t began = 0;
  qsort(m->at, m->count, sizeof *m->at, in_order);
  for (unsigned i = 0; i < m->count; i++) {
    const struct mark *k = &m->at[i];
    if (!k->end && inside++ == 0) {
      f.entries++;
      began = k->cycle;
    } else if (k->end && --inside == 0) {
      f.cycles += k->cycle - began;
    }
  }
  return f;
}

// ---- runs

static struct figures figures_of(struct pulpsim *sim) {
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  ck_assert_uint_eq(s->region_count, 1);
  ck_assert(!s->region[0].open);
  return (struct figures){s->region[0].entries, s->region[0].cycles};
}

static struct figures run(const char *settings, enum pulpsim_engine engine, uint64_t shuffle) {
  struct pulpsim *sim = guest_load_on(&g, CORES, settings, engine);
  if (shuffle)
    pulpsim_shuffle(sim, shuffle);
  guest_run(sim);
  struct figures f = figures_of(sim);
  pulpsim_free(sim);
  return f;
}

static struct figures watched(const char *settings, enum pulpsim_engine engine) {
  struct pulpsim_observer observer = {.user = &marks, .region = note};
  struct pulpsim *sim = guest_load_on(&g, CORES, settings, engine);
  marks.count = 0;
  ck_assert(pulpsim_observe(sim, &observer));
  guest_run(sim);
  struct figures f = figures_of(sim);
  pulpsim_free(sim);
  return f;
}

static void is(struct figures f, struct figures expected, unsigned seed, const char *which) {
  ck_assert_msg(f.entries == expected.entries && f.cycles == expected.cycles,
                "seed %u, %s: %u entries, %u cycles, not %u and %u", seed, which,
                (unsigned)f.entries, (unsigned)f.cycles, (unsigned)expected.entries,
                (unsigned)expected.cycles);
}

static struct figures check_program(const char *settings, unsigned seed) {
  struct figures plain = watched(settings, PULPSIM_PLAIN), truth = by_definition(&marks);
  is(plain, truth, seed, "watched, plain");
  is(watched(settings, PULPSIM_FAST), truth, seed, "watched");
  is(by_definition(&marks), truth, seed, "as it was watched");
  is(run(settings, PULPSIM_PLAIN, 0), truth, seed, "plain");
  is(run(settings, PULPSIM_FAST, 0), truth, seed, "fast");
  is(run(settings, PULPSIM_PLAIN, 77 + seed), truth, seed, "plain, shuffled");
  is(run(settings, PULPSIM_FAST, 77 + seed), truth, seed, "fast, shuffled");
  return truth;
}

// ---- programs by chance

static uint64_t state;

static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 20) % n);
}

// Lines that one core executes and the others pass by, with and without a region in them.
static void part(void) {
  unsigned place = only(&g, below(CORES));
  nops(&g, below(30));
  begin();
  nops(&g, below(12));
  if (below(3) == 0)
    lw(&g, A0, 0, S10);
  end();
  nops(&g, below(6));
  end_only(&g, place);
  if (below(3) == 0)
    lw(&g, A1, (int)(4 * below(4)), S10);
}

static void by_chance(unsigned seed) {
  state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  below(1);
  guest_begin(&g);
  li(&g, S0, 3);
  unsigned again = g.count, parts = 4 + below(12);
  for (unsigned i = 0; i < parts; i++)
    part();
  addi(&g, S0, S0, -1);
  loop_while(&g, S0, again);
  meet(&g);
  guest_end(&g);
}

// Cores that run through segments, on the cycle model or in turns.
static const char *const machines[] = {
    "cluster.icache.model=ideal core.model=ri5cy core.isa=auto", "cluster.icache.model=ideal",
    "cluster.icache.model=hier cluster.icache.private_size=256 core.model=ri5cy core.isa=auto",
    "cluster.icache.model=hier cluster.icache.refill_latency=15"};

START_TEST(marks_are_in_order_of_time) {
  for (unsigned seed = 0; seed < 40; seed++) {
    by_chance(seed);
    check_program(machines[_i], seed);
  }
}
END_TEST

// Core 0 is in it for ten cycles; core 1 comes `late`.
START_TEST(who_comes_as_the_last_leaves_goes_on) {
  for (unsigned late = 0; late < 16; late++) {
    guest_begin(&g);
    nops(&g, 8);
    meet(&g);
    unsigned first = only(&g, 0);
    nops(&g, 2);
    begin();
    nops(&g, 9);
    end();
    end_only(&g, first);
    unsigned second = only(&g, 1);
    nops(&g, late);
    begin();
    nops(&g, 3);
    end();
    end_only(&g, second);
    nops(&g, 40);
    meet(&g);
    guest_end(&g);
    struct figures f = check_program(machines[_i], late);
    // Of core 0's ten cycles, core 1 comes in number `late` + 3, for four.
    uint64_t together = late < 3 ? 10 : late + 7;
    struct figures expected = {late <= 7 ? 1 : 2, together < 14 ? together : 14};
    is(f, expected, late, "by hand");
  }
}
END_TEST

Suite *region_rules_suite(void) {
  Suite *s = suite_create("region_rules");
  TCase *t = tcase_create("regions");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, marks_are_in_order_of_time, 0, sizeof machines / sizeof *machines);
  tcase_add_loop_test(t, who_comes_as_the_last_leaves_goes_on, 0, 2);
  suite_add_tcase(s, t);
  return s;
}
