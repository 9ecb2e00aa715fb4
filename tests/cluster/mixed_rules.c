// tests/cluster/mixed_rules.c: programs of everything that cores do, in any order, come to the same
// in both engines: statistics, memory, how they end.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixed_program.h"
#include "outcome.h"

Suite *mixed_rules_suite(void);

// LATE_SEED: behind a hardware loop that ends with an access is what traps.
enum { SEEDS = 60, LATE_SEED = 5592, MOST_CYCLES = 12000, CORES = 5 };

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

// ---- what observers see

static FILE *seen[CORES];

static void see(void *user, const struct pulpsim_insn_event *e) {
  FILE *f = seen[e->core];
  (void)user;
  fprintf(f, "%u %u %x %u", (unsigned)e->cycle, (unsigned)e->done, e->pc, e->stall);
  for (unsigned i = 0; e->stall && i < PULPSIM_CAUSES; i++)
    if (e->stalls[i])
      fprintf(f, " %s %u", pulpsim_cause_name(i), e->stalls[i]);
  if (e->has_memory)
    fprintf(f, " [%x] %x", e->memory_address, e->memory_data);
  if (e->has_csr)
    fprintf(f, " csr %x %x", e->csr, e->csr_value);
  for (unsigned i = 0; i < e->write_count; i++)
    fprintf(f, " x%u %x", e->write[i].number, e->write[i].value);
  fputc('\n', f);
}

// Of a run that ends: the caller frees it; else NULL.
static char *watch(const struct guest *g, unsigned machine, unsigned cores,
                   enum pulpsim_engine engine) {
  struct pulpsim *sim = guest_load_on(g, cores, machines[machine], engine);
  char *part[CORES], *all = NULL;
  size_t size;
  for (unsigned i = 0; i < cores; i++)
    seen[i] = open_memstream(&part[i], &size);
  ck_assert(pulpsim_observe(sim, &(struct pulpsim_observer){.insn = see}));
  bool ends = pulpsim_run_exactly(sim, MOST_CYCLES) == PULPSIM_EXITED;
  pulpsim_observe_end(sim);
  FILE *f = open_memstream(&all, &size);
  for (unsigned i = 0; i < cores; i++) {
    fclose(seen[i]);
    fprintf(f, "core %u\n%s", i, part[i]);
    free(part[i]);
  }
  fclose(f);
  pulpsim_free(sim);
  if (!ends) {
    free(all);
    return NULL;
  }
  return all;
}

START_TEST(whatever_cores_do_observers_see_the_same) {
  static struct guest g;
  uint32_t sets = sets_of(machines[_i]);
  struct isa_decoder *decoder = isa_decoder_new(sets, false);
  ck_assert_ptr_nonnull(decoder);
  unsigned ended = 0;
  for (unsigned seed = 100; seed < 100 + SEEDS / 4; seed++) {
    unsigned cores = 1 + seed % CORES;
    mixed_program(&g, seed,
                  &(struct mixed_machine){.decoder = decoder, .sets = sets, .cores = cores});
    char *fast = watch(&g, (unsigned)_i, cores, PULPSIM_FAST);
    char *plain = watch(&g, (unsigned)_i, cores, PULPSIM_PLAIN);
    size_t same = 0;
    while (fast && plain && fast[same] && fast[same] == plain[same])
      same++;
    ck_assert_msg(!fast == !plain && (!fast || fast[same] == plain[same]),
                  "machine %d, seed %u, from byte %zu on: %.80s, not %.80s", _i, seed, same,
                  fast ? fast + same : "", plain ? plain + same : "");
    ended += fast != NULL;
    free(fast);
    free(plain);
  }
  isa_decoder_free(decoder);
  ck_assert_uint_gt(ended, SEEDS / 8);
}
END_TEST

START_TEST(whatever_cores_do_both_engines_agree) {
  static struct guest g;
  static struct outcome fast, plain;
  unsigned machine = (unsigned)_i, ends[PULPSIM_BREAK + 1] = {0};
  uint32_t sets = sets_of(machines[machine]);
  struct isa_decoder *decoder = isa_decoder_new(sets, false);
  ck_assert_ptr_nonnull(decoder);
  for (unsigned i = 0; i < SEEDS; i++) {
    unsigned seed = i ? i : LATE_SEED, cores = 1 + seed % CORES;
    mixed_program(&g, seed,
                  &(struct mixed_machine){.decoder = decoder, .sets = sets, .cores = cores});
    outcome_run(&g, cores, machines[machine], PULPSIM_FAST, MOST_CYCLES, &fast);
    ends[outcome_run(&g, cores, machines[machine], PULPSIM_PLAIN, MOST_CYCLES, &plain)]++;
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
  tcase_add_loop_test(t, whatever_cores_do_observers_see_the_same, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
