#include "outcome.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipeline_memo.h"
#include "sim/machine.h"
#include "sim/stats_json.h"

void outcome_take(struct pulpsim *sim, struct outcome *o) {
  free(o->statistics);
  o->state = pulpsim_state(sim);
  FILE *out = open_memstream(&o->statistics, &o->size);
  ck_assert_ptr_nonnull(out);
  struct run_end end = {
      .state = o->state, .status = pulpsim_exit_status(sim), .reason = pulpsim_reason(sim)};
  ck_assert(stats_json_write(out, pulpsim_stats(sim), &end));
  fclose(out);
  ck_assert(pulpsim_read(sim, GUEST_TCDM, o->l1, sizeof o->l1));
  ck_assert(pulpsim_read(sim, GUEST_DATA, o->l2, sizeof o->l2));
}

const char *const outcome_machine[OUTCOME_MACHINES] = {
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal",
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal cluster.tcdm.arbiter=xbar",
    "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=ideal",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
};

bool outcome_is_corev(unsigned machine) {
  return strstr(outcome_machine[machine], "cv32e40p") != NULL;
}

static enum pulpsim_state run(const struct guest *g, unsigned cores, const char *settings,
                              enum pulpsim_engine engine, uint64_t cycles, struct outcome *o) {
  struct pulpsim *sim = guest_load_on(g, cores, settings, engine);
  enum pulpsim_state state = pulpsim_run_exactly(sim, cycles);
  guest_check_causes(sim, settings);
  outcome_take(sim, o);
  pulpsim_free(sim);
  return state;
}

void outcome_check_keys(bool on) {
  memo_checks_keys = on;
  ck_assert_msg(on || memo_wrong_keys == 0, "%u cycles differ from those noted before",
                memo_wrong_keys);
  memo_wrong_keys = 0;
}

enum { KEYS_EVERY = 3 };

enum pulpsim_state outcome_run(const struct guest *g, unsigned cores, const char *settings,
                               enum pulpsim_engine engine, uint64_t cycles, struct outcome *o) {
  static unsigned runs;
  enum pulpsim_state state = run(g, cores, settings, engine, cycles, o);
  if (engine == PULPSIM_FAST && ++runs % KEYS_EVERY == 0) {
    static struct outcome keys;
    outcome_check_keys(true);
    run(g, cores, settings, engine, cycles, &keys);
    outcome_check_keys(false);
    outcome_compare(&keys, o, settings, 0, runs);
  }
  return state;
}

// `size` if there is none.
static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t size) {
  size_t i = memcmp(a, b, size) ? 0 : size;
  while (i < size && a[i] == b[i])
    i++;
  return i;
}

void outcome_compare(const struct outcome *a, const struct outcome *b, const char *which,
                     unsigned machine, uint64_t seed) {
  size_t i = 0;
  while (i < a->size && i < b->size && a->statistics[i] == b->statistics[i])
    i++;
  ck_assert_msg(a->state == b->state && i == a->size && i == b->size,
                "machine %u, seed %u, %s: statistics from byte %zu on: %.60s, not %.60s", machine,
                (unsigned)seed, which, i, a->statistics + i, b->statistics + i);
  size_t l1 = first_difference(a->l1, b->l1, sizeof a->l1);
  ck_assert_msg(l1 == sizeof a->l1, "machine %u, seed %u, %s: L1 from byte 0x%zx on", machine,
                (unsigned)seed, which, l1);
  size_t l2 = first_difference(a->l2, b->l2, sizeof a->l2);
  ck_assert_msg(l2 == sizeof a->l2, "machine %u, seed %u, %s: L2 from byte 0x%zx of its data on",
                machine, (unsigned)seed, which, l2);
}
