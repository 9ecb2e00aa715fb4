// tests/cluster/run_ends.c: a run ends while other cores execute, by an exit, a trap, a deadlock or
// a limit: what is reported are the cycles in front of that, whichever engine counts them.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_program.h"
#include "fetch_program.h"
#include "loop_program.h"
#include "outcome.h"

Suite *run_ends_suite(void);

enum { CORES = 4, SEEDS = 24, MOST_CYCLES = 4000 };

// Further ones: an end, and a pause, behind which a CV32E40P's hardware loop had been left in the
// middle.
static const unsigned further[] = {245, 394};
enum { FURTHER = sizeof further / sizeof *further };

static unsigned seed_of(unsigned i, unsigned seeds) {
  return i < seeds ? i : further[i - seeds];
}

static unsigned by_chance(unsigned seed, unsigned n) {
  return (unsigned)((seed + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 33) % n;
}

// What all cores go through, or all but the one that ends the run.
static void some_program(struct guest *g, unsigned seed, bool corev) {
  switch (seed % 3) {
  case 0:
    fetch_program(g, seed, corev);
    break;
  case 1:
    loop_program(g, seed, CORES, corev);
    break;
  default:
    access_program(g, seed, corev);
    break;
  }
}

// The law holds at every end, too, and nobody has counted more than there was.
static void check_counts(struct pulpsim *sim, const char *what, unsigned seed) {
  char text[64];
  snprintf(text, sizeof text, "%s, seed %u", what, seed);
  guest_check_causes(sim, text);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < s->core_count; i++)
    ck_assert_msg(s->core[i].total.cycles == s->cycles, "%s: core %u has counted %u of %u cycles",
                  text, i, (unsigned)s->core[i].total.cycles, (unsigned)s->cycles);
}

static void compare(struct pulpsim *fast, struct pulpsim *plain, const char *what, unsigned machine,
                    unsigned seed) {
  static struct outcome a, b;
  outcome_take(fast, &a);
  outcome_take(plain, &b);
  outcome_compare(&a, &b, what, machine, seed);
  check_counts(fast, what, seed);
}

// ---- limits

// Pauses twice, and goes on in between.
START_TEST(pauses_are_exact) {
  static struct guest g;
  unsigned machine = (unsigned)_i;
  for (unsigned i = 0; i < SEEDS + FURTHER; i++) {
    unsigned seed = seed_of(i, SEEDS);
    some_program(&g, seed, outcome_is_corev(machine));
    struct pulpsim *fast = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_FAST);
    struct pulpsim *plain = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_PLAIN);
    uint64_t until = 0;
    for (unsigned n = 0; n < 2; n++) {
      until += 1 + by_chance(2 * seed + n, MOST_CYCLES);
      ck_assert_int_eq(pulpsim_run_exactly(fast, until), pulpsim_run(plain, until));
      compare(fast, plain, n ? "second pause" : "first pause", machine, seed);
    }
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
}
END_TEST

// Of the cycles before the first fetch no more have been counted than there were.
START_TEST(pauses_before_the_first_fetch) {
  static struct guest g;
  unsigned machine = (unsigned)_i;
  some_program(&g, 0, outcome_is_corev(machine));
  struct pulpsim *fast = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_FAST);
  struct pulpsim *plain = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_PLAIN);
  for (uint64_t until = 0; until < 10; until++) {
    ck_assert_int_eq(pulpsim_run_exactly(fast, until), pulpsim_run(plain, until));
    compare(fast, plain, "an early pause", machine, (unsigned)until);
    ck_assert_uint_eq(pulpsim_stats(fast)->cycles, until + 1);
  }
  pulpsim_free(fast);
  pulpsim_free(plain);
}
END_TEST

// ---- exits and traps

enum end { EXIT, CALL, ILLEGAL, LOAD, ENDS };

// An exit by the test device is the core's own: the others go on, for ever or until they wait for
// it.
static void put_end(struct guest *g, enum end end) {
  switch (end) {
  case EXIT:
    sw(g, ZERO, 0, T6);
    break;
  case CALL:
    li(g, A7, 93);
    word(g, 0x00000073); // ecall
    break;
  case ILLEGAL:
    word(g, 0xffffffff);
    break;
  default:
    lw(g, A0, 0, T3);
    break;
  }
}

// One core ends the run, after a while, of what the others are in the middle of.
static void ended_program(struct guest *g, unsigned seed, bool corev) {
  static struct guest others;
  guest_begin(g);
  unsigned place = only(g, seed % CORES);
  li(g, T3, 0x50000000); // nothing is there
  li(g, A1, 1 + by_chance(seed, 400));
  unsigned begin = g->count;
  if (seed & 4)
    lw(g, A2, 0, S10);
  addi(g, A1, A1, -1);
  loop_while(g, A1, begin);
  nops(g, seed % 5);
  put_end(g, (enum end)(seed / CORES % ENDS));
  end_only(g, place);
  some_program(&others, seed, corev);
  ck_assert_uint_le(g->count + others.count, GUEST_WORDS);
  memcpy(g->word + g->count, others.word, others.count * sizeof *g->word);
  g->count += others.count;
}

START_TEST(ends_are_exact) {
  static struct guest g;
  unsigned machine = (unsigned)_i, ends[PULPSIM_BREAK + 1] = {0};
  for (unsigned i = 0; i < 2 * SEEDS + FURTHER; i++) {
    unsigned seed = seed_of(i, 2 * SEEDS);
    ended_program(&g, seed, outcome_is_corev(machine));
    struct pulpsim *fast = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_FAST);
    struct pulpsim *plain = guest_load_on(&g, CORES, outcome_machine[machine], PULPSIM_PLAIN);
    ck_assert_int_eq(pulpsim_run_exactly(fast, MOST_CYCLES),
                     pulpsim_run_exactly(plain, MOST_CYCLES));
    ends[pulpsim_state(plain)]++;
    compare(fast, plain, "end", machine, seed);
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
  ck_assert_uint_gt(ends[PULPSIM_EXITED], 8);
  ck_assert_uint_gt(ends[PULPSIM_TRAPPED], 16);
  ck_assert_uint_gt(ends[PULPSIM_DEADLOCK], 2);
  ck_assert_uint_gt(ends[PULPSIM_READY], 2);
}
END_TEST

// ---- what was changed from outside cannot be repeated

START_TEST(writes_in_front_of_the_run_are_repeated) {
  static struct guest g;
  guest_begin(&g);
  unsigned place = only(&g, 1);
  lw(&g, A1, 0, S9);
  unsigned begin = g.count;
  addi(&g, A1, A1, -1);
  loop_while(&g, A1, begin);
  put_end(&g, CALL);
  end_only(&g, place);
  begin = g.count;
  addi(&g, A1, A1, 1);
  loop_while(&g, S10, begin);
  uint64_t cycles[2];
  for (unsigned i = 0; i < 2; i++) {
    struct pulpsim *sim = guest_load_on(&g, CORES, outcome_machine[0], PULPSIM_FAST);
    uint32_t rounds = i ? 500 : 50;
    ck_assert(pulpsim_write(sim, GUEST_DATA, &rounds, sizeof rounds));
    ck_assert_int_eq(pulpsim_run(sim, MOST_CYCLES), PULPSIM_EXITED);
    check_counts(sim, "writes", rounds);
    cycles[i] = pulpsim_stats(sim)->cycles;
    ck_assert_uint_eq(guest_word(sim, GUEST_DATA), rounds);
    pulpsim_free(sim);
  }
  ck_assert_uint_gt(cycles[1], cycles[0] + 450);
}
END_TEST

Suite *run_ends_suite(void) {
  Suite *s = suite_create("run_ends");
  TCase *t = tcase_create("ends");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, pauses_are_exact, 0, OUTCOME_MACHINES);
  tcase_add_loop_test(t, pauses_before_the_first_fetch, 0, OUTCOME_MACHINES);
  tcase_add_loop_test(t, ends_are_exact, 0, OUTCOME_MACHINES);
  tcase_add_test(t, writes_in_front_of_the_run_are_repeated);
  suite_add_tcase(s, t);
  return s;
}
