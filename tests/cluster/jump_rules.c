// tests/cluster/jump_rules.c: a jump in ID redirects the fetch while the access in front of it
// still waits: the line of its target comes meanwhile. The same in both engines, whatever lies
// between, also where that saves no time.
#include <check.h>

#include "line.h"
#include "outcome.h"

Suite *jump_rules_suite(void);

enum { FUNCTIONS = 64, PASSES = 3, CORES = 2, RA = 1, NOP = 0x13 };

static uint32_t state;

static uint32_t below(uint32_t bound) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % bound;
}

// Four words, a line of the private cache or parts of two, in which the function is a c.jr ra.
static void function(struct guest *g) {
  unsigned at = below(4);
  for (unsigned i = 0; i < 4; i++)
    word(g, i == at ? 0x80820001 : NOP); // c.nop, c.jr ra
}

static unsigned entry(const struct guest *g, unsigned first, unsigned number) {
  for (unsigned i = 0; i < 4; i++) {
    if (g->word[first + 4 * number + i] == 0x80820001)
      return 4 * (first + 4 * number + i) + 2;
  }
  return 0;
}

// Called right behind a load from L2 or L1, or with an instruction between.
static void call(struct guest *g, unsigned first) {
  int base = below(4) ? S9 : S10;
  lw(g, A0, (int)(4 * below(16)), base);
  nops(g, below(3));
  word(g, line_jal(entry(g, first, below(FUNCTIONS)) - 4 * g->count) | RA << 7);
}

// The load brings the function's address, and has to come first: before it does, t1 holds the one
// called last.
static void call_by_table(struct guest *g) {
  lw(g, T1, (int)(4 * below(FUNCTIONS)), S0);
  nops(g, below(3));
  word(g, T1 << 15 | RA << 7 | 0x67); // jalr ra, t1
}

// More functions than the private cache has lines.
static void program(struct guest *g, uint32_t seed) {
  state = seed;
  guest_begin(g);
  unsigned over = g->count;
  word(g, 0);
  unsigned first = g->count;
  for (unsigned i = 0; i < FUNCTIONS; i++)
    function(g);
  unsigned table = g->count;
  for (unsigned i = 0; i < FUNCTIONS; i++)
    word(g, GUEST_L2 + entry(g, first, i));
  g->word[over] = line_jal(4 * (g->count - over));
  li(g, S0, GUEST_L2 + 4 * table);
  for (unsigned i = 0; i < PASSES * FUNCTIONS; i++) {
    if (below(2))
      call(g, first);
    else
      call_by_table(g);
  }
  guest_end(g);
}

START_TEST(fetches_ahead_of_what_waits) {
  enum { SEEDS = 24, CYCLES = 200000 };
  static struct guest g;
  static struct outcome fast, plain;
  for (uint32_t seed = 0; seed < SEEDS; seed++) {
    program(&g, seed);
    enum pulpsim_state end =
        outcome_run(&g, CORES, outcome_machine[_i], PULPSIM_FAST, CYCLES, &fast);
    ck_assert_int_eq(end, PULPSIM_EXITED);
    outcome_run(&g, CORES, outcome_machine[_i], PULPSIM_PLAIN, CYCLES, &plain);
    outcome_compare(&fast, &plain, outcome_machine[_i], (unsigned)_i, seed);
  }
}
END_TEST

Suite *jump_rules_suite(void) {
  Suite *s = suite_create("jump_rules");
  TCase *t = tcase_create("jumps");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, fetches_ahead_of_what_waits, 0, OUTCOME_MACHINES);
  suite_add_tcase(s, t);
  return s;
}
