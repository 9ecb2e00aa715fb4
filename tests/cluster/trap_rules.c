// tests/cluster/trap_rules.c: what is reported of a run that a trap ends: every cycle of every core
// has one cause, with both engines, which agree.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"

Suite *trap_rules_suite(void);

enum { CORES = 4, IN_FRONT = 9, NOWHERE = 0x50000000, MOST_CYCLES = 20000 };

enum kind { ILLEGAL, BREAKPOINT, LOAD, STORE, LOAD_CROSSING, JUMP, KINDS };
static const char *const reasons[KINDS] = {"illegal instruction", "ebreak without a handler",
                                           "load outside memory", "store outside memory",
                                           "load outside memory", "instruction"};

static void trap(struct guest *g, enum kind kind) {
  switch (kind) {
  case ILLEGAL:
    word(g, 0xffffffff);
    break;
  case BREAKPOINT:
    word(g, 0x00100073);
    break;
  case LOAD:
    lw(g, A1, 0, A0);
    break;
  case STORE:
    sw(g, A1, 0, A0);
    break;
  case LOAD_CROSSING:
    lw(g, A1, 2, A0);
    break;
  default:
    word(g, 0x000500e7); // jalr ra, a0
    break;
  }
}

// What is under way when it comes: accesses that meet those of others, or go to L2, a division.
static void in_front(struct guest *g, unsigned what) {
  for (unsigned i = 0; i < what % 4; i++)
    lw(g, A2, 4 * (int)i, what & 4 ? S9 : S10);
  if (what == 8)
    word(g, 0x02b55633); // divu a2, a0, a1
  nops(g, what % 3);
}

static void program(struct guest *g, enum kind kind, unsigned what) {
  guest_begin(g);
  li(g, A0, NOWHERE);
  li(g, A1, 1);
  unsigned place = only(g, CORES - 1);
  li(g, A3, 20);
  unsigned begin = g->count;
  lw(g, A2, 0, S10);
  addi(g, A3, A3, -1);
  loop_while(g, A3, begin);
  in_front(g, what);
  trap(g, kind);
  end_only(g, place);
  begin = g->count;
  lw(g, A2, 0, S10);
  sw(g, A2, 4, S10);
  lw(g, A4, 0, S9);
  nops(g, 2);
  loop_while(g, A1, begin);
}

static void run(const struct guest *g, const char *settings, enum kind kind,
                enum pulpsim_engine engine, const char *what, struct outcome *o) {
  struct pulpsim *sim = guest_load_on(g, CORES, settings, engine);
  ck_assert_msg(pulpsim_run(sim, MOST_CYCLES) == PULPSIM_TRAPPED, "%s", what);
  ck_assert_msg(strstr(pulpsim_reason(sim), reasons[kind]) != NULL, "%s: %s", what,
                pulpsim_reason(sim));
  guest_check_causes(sim, what);
  outcome_take(sim, o);
  pulpsim_free(sim);
}

static void check_trap(unsigned machine, enum kind kind, unsigned what) {
  static struct guest g;
  static struct outcome fast, plain, keys;
  char text[64];
  snprintf(text, sizeof text, "machine %u, kind %u, %u in front", machine, (unsigned)kind, what);
  program(&g, kind, what);
  run(&g, outcome_machine[machine], kind, PULPSIM_FAST, text, &fast);
  run(&g, outcome_machine[machine], kind, PULPSIM_PLAIN, text, &plain);
  outcome_compare(&fast, &plain, text, machine, what);
  outcome_check_keys(true);
  run(&g, outcome_machine[machine], kind, PULPSIM_FAST, text, &keys);
  outcome_check_keys(false);
  outcome_compare(&keys, &plain, text, machine, what);
}

START_TEST(traps_are_counted) {
  for (unsigned kind = 0; kind < KINDS; kind++)
    for (unsigned what = 0; what < IN_FRONT; what++)
      check_trap((unsigned)_i, (enum kind)kind, what);
}
END_TEST

Suite *trap_rules_suite(void) {
  Suite *s = suite_create("trap_rules");
  TCase *t = tcase_create("traps");
  tcase_add_loop_test(t, traps_are_counted, 0, OUTCOME_MACHINES);
  suite_add_tcase(s, t);
  return s;
}
