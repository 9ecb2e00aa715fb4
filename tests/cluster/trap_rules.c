// tests/cluster/trap_rules.c: what is reported of a run that a trap ends: every cycle of every core
// has one cause, with both engines, which agree on the core that traps.
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "guest.h"

Suite *trap_rules_suite(void);

enum { CORES = 4, IN_FRONT = 9, NOWHERE = 0x50000000, MOST_CYCLES = 20000 };

enum kind { ILLEGAL, BREAKPOINT, LOAD, STORE, LOAD_CROSSING, JUMP, KINDS };
static const char *const reasons[KINDS] = {"illegal instruction", "ebreak without a handler",
                                           "load outside memory", "store outside memory",
                                           "load outside memory", "instruction"};

static const char *const machines[] = {
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal",
    "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=ideal",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal cluster.tcdm.arbiter=xbar",
};
enum { MACHINES = sizeof machines / sizeof *machines };

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

static void check_law(const struct pulpsim_stats *s, const char *what) {
  for (unsigned i = 0; i < s->core_count; i++) {
    const struct pulpsim_counts *n = &s->core[i].total;
    uint64_t sum = 0;
    for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
      sum += n->stalls[k];
    ck_assert_msg(sum == n->cycles, "%s: core %u: causes of %" PRIu64 " of %" PRIu64 " cycles",
                  what, i, sum, n->cycles);
  }
}

static struct pulpsim_counts run(const struct guest *g, const char *settings, enum kind kind,
                                 enum pulpsim_engine engine, const char *what) {
  struct pulpsim *sim = guest_load_on(g, CORES, settings, engine);
  ck_assert_msg(pulpsim_run(sim, MOST_CYCLES) == PULPSIM_TRAPPED, "%s", what);
  ck_assert_msg(strstr(pulpsim_reason(sim), reasons[kind]) != NULL, "%s: %s", what,
                pulpsim_reason(sim));
  check_law(pulpsim_stats(sim), what);
  struct pulpsim_counts counts = pulpsim_stats(sim)->core[CORES - 1].total;
  pulpsim_free(sim);
  return counts;
}

// (How far the others have come where the run ends is the engine's business.)
static void check_trap(unsigned machine, enum kind kind, unsigned what) {
  static struct guest g;
  char text[64];
  snprintf(text, sizeof text, "machine %u, kind %u, %u in front", machine, (unsigned)kind, what);
  program(&g, kind, what);
  struct pulpsim_counts fast = run(&g, machines[machine], kind, PULPSIM_FAST, text);
  struct pulpsim_counts plain = run(&g, machines[machine], kind, PULPSIM_PLAIN, text);
  ck_assert_msg(memcmp(&fast, &plain, sizeof fast) == 0, "%s: the engines differ", text);
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
  tcase_add_loop_test(t, traps_are_counted, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
