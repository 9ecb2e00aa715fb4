// tests/observe/events.c: what observers are told: every instruction once, in order, and every
// cycle.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pulpsim.h"
#include "tests/observe/tool.h"

enum { CORES = 17 };

static struct {
  uint64_t count, cycles, stalls[PULPSIM_CAUSES], last, writes, reads;
  uint32_t r[64];
  bool started;
} seen[CORES];
static uint64_t registers_wrong, times_wrong; // counted: an assertion takes longer than a run

static struct pulpsim *sim;

static void on_insn(void *user, const struct pulpsim_insn_event *e) {
  (void)user;
  uint64_t sum = 0;
  for (unsigned i = 0; e->stalls && i < PULPSIM_CAUSES; i++) {
    seen[e->core].stalls[i] += e->stalls[i];
    sum += e->stalls[i];
  }
  times_wrong += sum != e->stall || e->done <= e->cycle ||
                 (seen[e->core].started && e->cycle != seen[e->core].last + 1 + sum);
  seen[e->core].reads += e->read_count;
  for (unsigned i = 0; i < e->read_count; i++) // a0 has the answers of host calls
    registers_wrong +=
        e->read[i].number != 10 && seen[e->core].r[e->read[i].number] != e->read[i].value;
  for (unsigned i = 0; i < e->write_count; i++)
    seen[e->core].r[e->write[i].number] = e->write[i].value;
  seen[e->core].started = true;
  seen[e->core].last = e->cycle;
  seen[e->core].count++;
  seen[e->core].cycles += 1 + e->stall;
}

static void on_rest(void *user, unsigned core, const uint32_t *stalls) {
  (void)user;
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    seen[core].stalls[i] += stalls[i];
    seen[core].cycles += stalls[i];
    // What is left is the wait that the end of the program cuts off, and nothing that a pipeline
    // does to itself.
    const char *cause = pulpsim_cause_name(i);
    bool waits =
        strcmp(cause, "sleep") == 0 || strcmp(cause, "idle") == 0 || strcmp(cause, "barrier") == 0;
    ck_assert_msg(waits || stalls[i] < 100, "%u cycles of %s at the end", stalls[i], cause);
  }
}

static void load_with(const char *config, const char *setting, const char *program) {
  struct pulpsim_error error;
  struct pulpsim_config *k = pulpsim_config_new(config, &error);
  ck_assert_msg(k != NULL, "%s", error.text);
  ck_assert(!setting || pulpsim_config_set(k, setting, &error));
  sim = pulpsim_new(k, &error);
  pulpsim_config_free(k);
  ck_assert_msg(sim != NULL, "%s", error.text);
  ck_assert_msg(pulpsim_load(sim, program, &error), "%s", error.text);
  memset(seen, 0, sizeof seen);
  registers_wrong = times_wrong = 0;
}

static void load(const char *config, const char *program) {
  load_with(config, NULL, program);
}

static void quiet(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

static const char *const programs[] = {KERNEL("hello"), KERNEL("vec_axpy"), KERNEL("mm_i8_4x2"),
                                       KERNEL("mm_f32_4x4")};

START_TEST(every_cycle_is_reported_once) {
  const struct pulpsim_observer observer = {.sources = true, .insn = on_insn, .rest = on_rest};
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  ck_assert(pulpsim_observe(sim, &observer));
  ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
  pulpsim_observe_end(sim);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < s->core_count; i++) {
    const struct pulpsim_counts *n = &s->core[i].total;
    ck_assert_uint_eq(seen[i].count, n->instructions);
    ck_assert_uint_eq(seen[i].cycles, n->cycles);
    ck_assert_uint_gt(seen[i].reads, n->instructions / 2);
    for (unsigned k = 1; k < PULPSIM_CAUSES; k++)
      ck_assert_msg(seen[i].stalls[k] == n->stalls[k], "core %u %s: %lu reported, %lu counted", i,
                    pulpsim_cause_name(k), (unsigned long)seen[i].stalls[k],
                    (unsigned long)n->stalls[k]);
  }
  // Each register read has the value last written (all are 0 at the start).
  ck_assert_uint_eq(registers_wrong, 0);
  ck_assert_uint_eq(times_wrong, 0);
  pulpsim_free(sim);
}
END_TEST

static void same_totals(const struct pulpsim_core_stats *as) {
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < s->core_count; i++)
    ck_assert_mem_eq(&s->core[i].total, &as[i].total, sizeof as[i].total);
}

static void keep_totals(struct pulpsim_core_stats *to) {
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  memcpy(to, s->core, s->core_count * sizeof *to);
}

// Observing must not change anything: same statistics, cause by cause.
START_TEST(observed_runs_are_the_same) {
  const struct pulpsim_observer observer = {.insn = on_insn};
  struct pulpsim_core_stats bare[CORES];
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  pulpsim_run(sim, PULPSIM_NO_LIMIT);
  keep_totals(bare);
  uint64_t cycles = pulpsim_stats(sim)->cycles;
  pulpsim_free(sim);

  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  pulpsim_observe(sim, &observer);
  pulpsim_run(sim, PULPSIM_NO_LIMIT);
  ck_assert_uint_eq(pulpsim_stats(sim)->cycles, cycles);
  same_totals(bare);
  pulpsim_free(sim);
}
END_TEST

START_TEST(steps_count_instructions) {
  load("pulp-open", KERNEL("vec_axpy"));
  for (unsigned i = 1; i <= 30; i++) {
    ck_assert_int_eq(pulpsim_step(sim, 3), PULPSIM_BREAK);
    ck_assert_uint_eq(pulpsim_retired(sim, 3), i);
  }
  ck_assert_int_eq(pulpsim_stop(sim)->kind, PULPSIM_STOP_STEP);
  ck_assert_uint_eq(pulpsim_stop(sim)->core, 3);
  pulpsim_free(sim);
}
END_TEST

// Some jumps hide a cycle of an access's waiting: there a core stops in front of a cycle that is
// over.
START_TEST(steps_stop_at_jumps_that_hide_waiting) {
  load_with("trainlib", "cluster.icache.model=ideal", KERNEL("conv2d"));
  for (unsigned i = 1; i <= 400; i++) {
    ck_assert_int_eq(pulpsim_step(sim, 0), PULPSIM_BREAK);
    ck_assert_uint_eq(pulpsim_retired(sim, 0), i);
  }
  pulpsim_free(sim);
}
END_TEST

START_TEST(runs_until_a_symbol) {
  uint32_t pc = 0;
  load("pulp-open", KERNEL("vec_axpy"));
  ck_assert(pulpsim_symbol(sim, "vec_axpy_i32", &pc));
  ck_assert_int_eq(pulpsim_run_until(sim, pc, PULPSIM_NO_LIMIT), PULPSIM_BREAK);
  ck_assert_uint_eq(pulpsim_pc(sim, pulpsim_stop(sim)->core), pc);
  ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
  pulpsim_free(sim);
}
END_TEST

// A snapshot restored and run again gives the same statistics as running on.
START_TEST(snapshots_are_complete) {
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  pulpsim_run(sim, 4000 + 977u * (unsigned)_i);
  struct pulpsim_snapshot *snapshot = pulpsim_save(sim);
  ck_assert_ptr_nonnull(snapshot);
  struct pulpsim_core_stats first[CORES];
  for (unsigned round = 0; round < 3; round++) {
    ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
    if (round == 0)
      keep_totals(first);
    same_totals(first);
    ck_assert_int_eq(pulpsim_exit_status(sim), 0);
    pulpsim_restore(sim, snapshot);
  }
  pulpsim_snapshot_free(snapshot);
  pulpsim_free(sim);
}
END_TEST

static void stop_at_barriers(unsigned times) {
  uint32_t pc = 0;
  ck_assert(pulpsim_symbol(sim, "rt_barrier", &pc));
  for (unsigned i = 0; i < times; i++) {
    ck_assert_int_eq(pulpsim_run_until(sim, pc, PULPSIM_NO_LIMIT), PULPSIM_BREAK);
    ck_assert_uint_eq(pulpsim_pc(sim, pulpsim_stop(sim)->core), pc);
  }
}

// Behind the last breakpoint nobody is watched, which costs time, and nothing is different.
START_TEST(breakpoints_leave_no_trace) {
  struct pulpsim_core_stats bare[CORES];
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
  keep_totals(bare);
  pulpsim_free(sim);
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  for (unsigned round = 0; round < 3; round++) {
    stop_at_barriers(3 + round);
    uint64_t retired = pulpsim_retired(sim, 0), cycle = pulpsim_now(sim) + 300 * round;
    ck_assert_uint_gt(retired, 0);
    pulpsim_run(sim, round < 2 ? cycle : PULPSIM_NO_LIMIT);
    ck_assert_uint_eq(pulpsim_retired(sim, 0), retired);
  }
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
  same_totals(bare);
  pulpsim_free(sim);
}
END_TEST

// Snapshots fit whether the cores are watched or not, then and now.
START_TEST(snapshots_fit_watched_or_not) {
  struct pulpsim_core_stats first[CORES];
  struct pulpsim_snapshot *snapshot[2];
  load("pulp-open", programs[_i]);
  pulpsim_on_output(sim, quiet, NULL);
  pulpsim_run(sim, 3000);
  snapshot[0] = pulpsim_save(sim);
  stop_at_barriers(5);
  snapshot[1] = pulpsim_save(sim);
  for (unsigned round = 0; round < 6; round++) {
    if (round)
      pulpsim_restore(sim, snapshot[round % 2]);
    if (round == 2 || round == 3)
      stop_at_barriers(2);
    ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
    if (round == 0)
      keep_totals(first);
    same_totals(first);
  }
  pulpsim_snapshot_free(snapshot[0]);
  pulpsim_snapshot_free(snapshot[1]);
  pulpsim_free(sim);
}
END_TEST

Suite *events_suite(void);
Suite *events_suite(void) {
  enum { PROGRAMS = sizeof programs / sizeof *programs };
  Suite *s = suite_create("events");
  TCase *c = tcase_create("events");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, every_cycle_is_reported_once, 0, PROGRAMS);
  tcase_add_loop_test(c, observed_runs_are_the_same, 0, PROGRAMS);
  tcase_add_test(c, steps_count_instructions);
  tcase_add_test(c, steps_stop_at_jumps_that_hide_waiting);
  tcase_add_test(c, runs_until_a_symbol);
  tcase_add_loop_test(c, snapshots_are_complete, 0, PROGRAMS);
  tcase_add_loop_test(c, breakpoints_leave_no_trace, 1, PROGRAMS); // with barriers enough
  tcase_add_loop_test(c, snapshots_fit_watched_or_not, 0, PROGRAMS);
  suite_add_tcase(s, c);
  return s;
}
