// tests/cluster/stretch_rules.c: stretches of cycles that are looked up (sim/core/stretch.h) change
// nothing: statistics and memory are the same as with the cycle model, also of a run in slices; and
// there are such stretches, of every kind.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/stretch_parts.h"
#include "outcome.h"
#include "stretch_program.h"

Suite *stretch_rules_suite(void);

enum { SEEDS = 24, MOST_CYCLES = 400000 };

static const struct {
  const char *settings;
  bool corev, floats;
} machines[] = {
    {"core.model=ri5cy core.isa=auto core.fpu.present=true", false, true},
    {"core.model=cv32e40p core.isa=auto core.fpu.present=true", true, true},
    {"core.model=ri5cy core.isa=auto cluster.tcdm.banks=8 l2.latency=70 "
     "cluster.dma.memory_latency=90",
     false, false},
    {"core.model=cv32e40p core.isa=auto cluster.tcdm.banks=32", true, false},
};
enum { MACHINES = sizeof machines / sizeof *machines };
static const unsigned core_counts[] = {8, 5, 8, 3, 8, 2};

static struct guest g;

static unsigned cores_of(uint64_t seed) {
  return core_counts[seed % (sizeof core_counts / sizeof *core_counts)];
}

static struct pulpsim *load(unsigned machine, uint64_t seed, enum pulpsim_engine engine) {
  struct stretch_program what = {.seed = seed,
                                 .cores = cores_of(seed),
                                 .corev = machines[machine].corev,
                                 .floats = machines[machine].floats,
                                 .streams = (seed + seed / 6) % 2 == 1};
  stretch_program(&g, &what);
  return guest_load_on(&g, what.cores, machines[machine].settings, engine);
}

static void run_by_cycle_model(unsigned machine, uint64_t seed, struct outcome *o) {
  struct pulpsim *sim = load(machine, seed, PULPSIM_PLAIN);
  pulpsim_run(sim, MOST_CYCLES);
  outcome_take(sim, o);
  pulpsim_free(sim);
}

// (Where a core traps, the others have not always come to the same cycle.)
static void check_at_once(unsigned machine, uint64_t seed, const struct outcome *plain,
                          struct stretch_tally *sum) {
  static struct outcome fast;
  struct pulpsim *sim = load(machine, seed, PULPSIM_FAST);
  pulpsim_run(sim, MOST_CYCLES);
  outcome_take(sim, &fast);
  outcome_compare(&fast, plain, "fast", machine, seed);
  outcome_tally(sum, sim);
  pulpsim_free(sim);
}

// In slices, with steps back in time. (How far a core has run ahead where such a run ends is the
// engine's business.)
static void check_in_slices(unsigned machine, uint64_t seed, const struct outcome *plain) {
  static struct outcome fast;
  struct pulpsim *sim = load(machine, seed, PULPSIM_FAST);
  struct pulpsim_snapshot *before = NULL;
  uint64_t until = 0;
  char what[48];
  snprintf(what, sizeof what, "machine %u, seed %u", machine, (unsigned)seed);
  for (unsigned i = 0; pulpsim_state(sim) == PULPSIM_READY && until < MOST_CYCLES; i++) {
    until += i % 16 == 15 ? 600 + seed % 977 : 1 + (seed + i * 37) % 97;
    enum pulpsim_state state = pulpsim_run(sim, until);
    ck_assert(state != PULPSIM_READY || pulpsim_now(sim) == until);
    guest_check_causes(sim, what);
    if (i % 4 == 1) {
      pulpsim_snapshot_free(before);
      before = pulpsim_save(sim);
    } else if (i % 4 == 3) {
      pulpsim_restore(sim, before);
    }
  }
  outcome_take(sim, &fast);
  if (plain->state != PULPSIM_TRAPPED)
    outcome_compare(&fast, plain, "in slices", machine, seed);
  pulpsim_snapshot_free(before);
  pulpsim_free(sim);
}

static void check_program(unsigned machine, uint64_t seed, struct stretch_tally *sum) {
  static struct outcome plain;
  run_by_cycle_model(machine, seed, &plain);
  check_at_once(machine, seed, &plain, sum);
  if (seed % 3 == 0)
    check_in_slices(machine, seed, &plain);
}

// STRETCH_SEEDS=from-to: by hand, more of them.
START_TEST(they_change_nothing) {
  struct stretch_tally sum = {0};
  unsigned long long from = 0, to = SEEDS - 1;
  const char *seeds = getenv("STRETCH_SEEDS");
  ck_assert(!seeds || sscanf(seeds, "%llu-%llu", &from, &to) == 2);
  for (uint64_t seed = from; seed <= to; seed++)
    check_program((unsigned)_i, seed, &sum);
  ck_assert_uint_gt(sum.through, 0);
  ck_assert_uint_gt(sum.stopped, 0);
  ck_assert_uint_gt(sum.otherwise, 0);
  ck_assert_uint_gt(sum.raced, 0);
  ck_assert_uint_ge(sum.followed, LIMIT(1, 0)); // tiny ones end before the DMA acts
  ck_assert_uint_ge(sum.cut, LIMIT(1, 0));
}
END_TEST

Suite *stretch_rules_suite(void) {
  Suite *s = suite_create("stretch_rules");
  TCase *t = tcase_create("stretches");
  tcase_set_timeout(t, getenv("STRETCH_SEEDS") ? 7200 : 120);
  tcase_add_loop_test(t, they_change_nothing, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
