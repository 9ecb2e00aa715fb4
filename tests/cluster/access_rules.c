// tests/cluster/access_rules.c: whatever waits for an access, and whatever that waiting hides, is
// the same in the fast engine and in the plain one, cause by cause.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "access_program.h"
#include "outcome.h"

Suite *access_rules_suite(void);

enum { CORES = 4, SEEDS = 40, LOOP_SEEDS = 24 };

// 61: the first jump to a loop that is the fetch's is made while an access waits. The others: what
// the last instruction of a loop loads is jumped by behind another access, which is not to come
// late for that. 413, 503: fences in hardware loops.
static const unsigned late_seeds[] = {61,
                                      ACCESS_PROGRAM_LOOPS + 34,
                                      ACCESS_PROGRAM_LOOPS + 42,
                                      ACCESS_PROGRAM_LOOPS + 57,
                                      ACCESS_PROGRAM_LOOPS + 73,
                                      ACCESS_PROGRAM_LOOPS + 113,
                                      ACCESS_PROGRAM_LOOPS + 413,
                                      ACCESS_PROGRAM_LOOPS + 503};

static const char *const machines[] = {"cluster.icache.model=ideal",
                                       "cluster.icache.model=ideal cluster.tcdm.arbiter=xbar",
                                       "cluster.icache.model=hier cluster.icache.refill_latency=3"};
static const char *const models[] = {"ri5cy", "cv32e40p"};
enum { MACHINES = sizeof machines / sizeof *machines };

struct counts {
  uint64_t cycles;
  struct pulpsim_counts core[CORES];
};

// Of all cores, in the region.
static void counts_of(const struct guest *g, const char *settings, enum pulpsim_engine engine,
                      struct counts *k) {
  struct pulpsim *sim = guest_load_on(g, CORES, settings, engine);
  guest_run(sim);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  ck_assert_uint_eq(s->region_count, 1);
  k->cycles = s->region[0].cycles;
  for (unsigned i = 0; i < CORES; i++)
    k->core[i] = s->region[0].core[i];
  pulpsim_free(sim);
}

static void compare(const struct counts *a, const struct counts *b, const char *settings,
                    unsigned seed) {
  ck_assert_msg(a->cycles == b->cycles, "%s, seed %u: %u cycles, by the cycle model %u", settings,
                seed, (unsigned)a->cycles, (unsigned)b->cycles);
  for (unsigned i = 0; i < CORES; i++) {
    ck_assert_uint_eq(a->core[i].instructions, b->core[i].instructions);
    for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
      ck_assert_msg(a->core[i].stalls[k] == b->core[i].stalls[k],
                    "%s, seed %u, core %u: %s %u, by the cycle model %u", settings, seed, i,
                    pulpsim_cause_name(k), (unsigned)a->core[i].stalls[k],
                    (unsigned)b->core[i].stalls[k]);
  }
}

static void engines_agree(unsigned seed, bool corev, const char *machine) {
  static struct guest g;
  struct counts fast, plain, keys;
  char settings[160];
  snprintf(settings, sizeof settings, "core.model=%s core.isa=auto %s", models[corev], machine);
  access_program(&g, seed, corev);
  counts_of(&g, settings, PULPSIM_FAST, &fast);
  counts_of(&g, settings, PULPSIM_PLAIN, &plain);
  compare(&fast, &plain, settings, seed);
  outcome_check_keys(true);
  counts_of(&g, settings, PULPSIM_FAST, &keys);
  outcome_check_keys(false);
  compare(&keys, &plain, settings, seed);
  ck_assert_uint_gt(plain.core[0].instructions, 10);
}

START_TEST(every_cause_is_the_cycle_models) {
  const char *machine = machines[_i % MACHINES];
  bool corev = _i / MACHINES;
  for (unsigned seed = 0; seed < SEEDS; seed++)
    engines_agree(seed, corev, machine);
  for (unsigned i = 0; i < LOOP_SEEDS; i++)
    engines_agree(ACCESS_PROGRAM_LOOPS + i, corev, machine);
  for (unsigned i = 0; i < sizeof late_seeds / sizeof *late_seeds; i++)
    engines_agree(late_seeds[i], corev, machine);
}
END_TEST

Suite *access_rules_suite(void) {
  Suite *s = suite_create("access_rules");
  TCase *t = tcase_create("causes");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, every_cause_is_the_cycle_models, 0, 2 * MACHINES);
  suite_add_tcase(s, t);
  return s;
}
