// tests/observe/trace_law.c: the law of time over whole runs, on both engines: every instruction
// leaves ID one cycle behind the one before it and the cycles lost in between, each of which has a
// cause; and both engines tell exactly the same of each instruction.
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pulpsim.h"
#include "tests/observe/tool.h"

Suite *trace_law_suite(void);

enum { CORES = 17, LIMIT = 100000000 };

// nn_avgpool has accesses that wait in front of jumps; nn_maxpool the same, and the code behind the
// jump is not in the cache; nn_depthwise_s2 loops in front of such code.
static const char *const kernels[] = {"hello",      "stalls",     "nn_add",
                                      "nn_avgpool", "nn_maxpool", "nn_depthwise_s2"};
static const char *const machines[] = {"cluster.icache.model=hier", "cluster.icache.model=ideal",
                                       "cluster.tcdm.arbiter=xbar"};
enum {
  KERNELS = sizeof kernels / sizeof *kernels,
  MACHINES = sizeof machines / sizeof *machines,
};

// What was told about an instruction.
struct told {
  uint32_t pc;
  uint64_t cycle, rest; // hash of the rest
};

// The instructions of one core, in the first run; the second is compared with them.
static struct history {
  struct told *told;
  size_t count, room, compared;
} history[CORES];

static struct run {
  bool compares;
  bool started[CORES];
  uint64_t last[CORES], sum[CORES];
} run;

static uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * UINT64_C(0x100000001b3); // FNV-1a, a word at a time
}

static uint64_t hash_of(const struct pulpsim_insn_event *e) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  h = mix(mix(h, e->word), e->done);
  for (unsigned i = 0; e->stalls && i < PULPSIM_CAUSES; i++)
    h = mix(h, (uint64_t)i << 32 | e->stalls[i]);
  for (unsigned i = 0; i < e->write_count; i++)
    h = mix(mix(h, e->write[i].number), e->write[i].value);
  if (e->has_memory)
    h = mix(mix(h, e->memory_address), e->memory_data);
  return h;
}

static void append(struct history *h, struct told told) {
  if (h->count == h->room) {
    h->room = h->room ? 2 * h->room : 1 << 12;
    h->told = realloc(h->told, h->room * sizeof *h->told);
    ck_assert_ptr_nonnull(h->told);
  }
  h->told[h->count++] = told;
}

static bool same(struct told a, struct told b) {
  return a.pc == b.pc && a.cycle == b.cycle && a.rest == b.rest;
}

static void compare(struct history *h, unsigned core, struct told now) {
  if (h->compared < h->count && same(h->told[h->compared], now)) {
    h->compared++;
    return;
  }
  ck_assert_msg(h->compared < h->count, "core %u: more instructions than before", core);
  struct told then = h->told[h->compared];
  ck_abort_msg("core %u, instruction %zu: pc %08" PRIx32 " in cycle %" PRIu64 ", but pc %08" PRIx32
               " in cycle %" PRIu64 " on the cycle model%s",
               core, h->compared, then.pc, then.cycle, now.pc, now.cycle,
               then.rest == now.rest ? "" : "; causes, results or access differ");
}

// Assertions take much longer than what they are about here: only what fails reaches one.
static void check_law(const struct pulpsim_insn_event *e) {
  unsigned core = e->core;
  uint64_t sum = 0;
  for (unsigned i = 0; e->stalls && i < PULPSIM_CAUSES; i++)
    sum += e->stalls[i];
  if (sum != e->stall || (run.started[core] && e->cycle != run.last[core] + 1 + sum))
    ck_abort_msg("core %u, pc %08" PRIx32 ": cycle %" PRIu64 ", %" PRIu64 " (%" PRIu32
                 ") lost behind %" PRIu64,
                 core, e->pc, e->cycle, sum, e->stall, run.last[core]);
  run.started[core] = true;
  run.last[core] = e->cycle;
  run.sum[core] += 1 + sum;
}

static void on_insn(void *user, const struct pulpsim_insn_event *e) {
  (void)user;
  struct told told = {e->pc, e->cycle, hash_of(e)};
  check_law(e);
  if (run.compares)
    compare(&history[e->core], e->core, told);
  else
    append(&history[e->core], told);
}

static void on_rest(void *user, unsigned core, const uint32_t *stalls) {
  (void)user;
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    run.sum[core] += stalls[i];
}

static void quiet(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

static struct pulpsim *load(const char *kernel, const char *machine, enum pulpsim_engine engine) {
  struct pulpsim_error error;
  char path[160];
  struct pulpsim_config *config = pulpsim_config_new("trainlib", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  ck_assert_msg(pulpsim_config_set(config, machine, &error), "%s", error.text);
  ck_assert_msg(pulpsim_config_set(config, "cluster.cores=8", &error), "%s", error.text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  ck_assert(pulpsim_set_engine(sim, engine));
  snprintf(path, sizeof path, "%s/kernels/%s.elf", TEST_BUILD_DIR, kernel);
  ck_assert_msg(pulpsim_load(sim, path, &error), "%s", error.text);
  return sim;
}

static void observe(const char *kernel, const char *machine, enum pulpsim_engine engine) {
  const struct pulpsim_observer observer = {.insn = on_insn, .rest = on_rest};
  struct pulpsim *sim = load(kernel, machine, engine);
  run = (struct run){.compares = engine == PULPSIM_PLAIN};
  pulpsim_on_output(sim, quiet, NULL);
  ck_assert(pulpsim_observe(sim, &observer));
  ck_assert_msg(pulpsim_run(sim, LIMIT) == PULPSIM_EXITED, "%s: %s", kernel, pulpsim_reason(sim));
  pulpsim_observe_end(sim);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < s->core_count; i++)
    ck_assert_uint_eq(run.sum[i], s->core[i].total.cycles);
  pulpsim_free(sim);
}

START_TEST(every_cycle_has_one_cause_in_both_engines) {
  const char *kernel = kernels[_i / MACHINES], *machine = machines[_i % MACHINES];
  memset(history, 0, sizeof history);
  observe(kernel, machine, PULPSIM_FAST);
  observe(kernel, machine, PULPSIM_PLAIN);
  size_t instructions = 0;
  for (unsigned i = 0; i < CORES; i++) {
    ck_assert_uint_eq(history[i].compared, history[i].count);
    instructions += history[i].count;
    free(history[i].told);
  }
  ck_assert_uint_gt(instructions, 100);
}
END_TEST

Suite *trace_law_suite(void) {
  Suite *s = suite_create("trace_law");
  TCase *c = tcase_create("whole runs");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, every_cycle_has_one_cause_in_both_engines, 0, KERNELS * MACHINES);
  suite_add_tcase(s, c);
  return s;
}
