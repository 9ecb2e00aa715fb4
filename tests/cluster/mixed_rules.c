// tests/cluster/mixed_rules.c: programs of everything that cores do, in any order, come to the same
// in both engines: statistics, memory, how they end.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "mixed_program.h"
#include "outcome.h"

Suite *mixed_rules_suite(void);

enum { SEEDS = 60, MOST_CYCLES = 12000 };

static const char *const machines[] = {
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal core.xpulpnn=true",
    "core.model=ri5cy core.isa=corev cluster.icache.model=ideal cluster.tcdm.arbiter=xbar",
    "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=ideal cluster.tcdm.banks=2",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static uint32_t sets_of(const char *machine) {
  bool corev = strstr(machine, "cv32e40p") || strstr(machine, "isa=corev");
  return ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_ZICSR) |
         ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV) | ISA_BIT(corev ? ISA_COREV : ISA_XPULPV2) |
         (strstr(machine, "xpulpnn=true") ? ISA_BIT(ISA_XPULPNN) : 0);
}

static enum pulpsim_state run(const struct guest *g, unsigned machine, unsigned cores,
                              enum pulpsim_engine engine, struct outcome *o) {
  struct pulpsim *sim = guest_load_on(g, cores, machines[machine], engine);
  enum pulpsim_state state = pulpsim_run_exactly(sim, MOST_CYCLES);
  guest_check_causes(sim, machines[machine]);
  outcome_take(sim, o);
  pulpsim_free(sim);
  return state;
}

START_TEST(whatever_cores_do_both_engines_agree) {
  static struct guest g;
  static struct outcome fast, plain;
  unsigned machine = (unsigned)_i, ends[PULPSIM_BREAK + 1] = {0};
  uint32_t sets = sets_of(machines[machine]);
  struct isa_decoder *decoder = isa_decoder_new(sets, false);
  ck_assert_ptr_nonnull(decoder);
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    unsigned cores = 1 + seed % 5;
    mixed_program(&g, seed, &(struct mixed_machine){decoder, sets, cores});
    run(&g, machine, cores, PULPSIM_FAST, &fast);
    ends[run(&g, machine, cores, PULPSIM_PLAIN, &plain)]++;
    outcome_compare(&fast, &plain, "outcome", machine, seed);
  }
  isa_decoder_free(decoder);
  ck_assert_uint_gt(ends[PULPSIM_EXITED], SEEDS / 3);
}
END_TEST

Suite *mixed_rules_suite(void) {
  Suite *s = suite_create("mixed_rules");
  TCase *t = tcase_create("mixed");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, whatever_cores_do_both_engines_agree, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
