// tests/kernels/kernels_sim.c: the kernels on the simulated machine: every grid of shapes on 1..8
// cores, every listed program on some, and the figures that the project promises.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "grid.h"
#include "grid_sample.h"
#include "prints.h"
#include "sim/pulpsim.h"

Suite *kernels_sim_suite(void);

enum { MAX_CORES = 8, LIMIT = 400 * 1000 * 1000, TAIL = 3000 };

static const char *const grids[] = {
#define GRID(name) "test/grid_" #name,
    GRIDS(GRID)
#undef GRID
};
enum { GRID_COUNT = sizeof grids / sizeof *grids };

// The end of what a program printed, for the message of a failure.
struct tail {
  char text[TAIL];
  size_t used;
};

static void keep(void *user, int fd, const char *bytes, size_t count) {
  struct tail *tail = user;
  (void)fd;
  for (size_t i = 0; i < count; i++) {
    if (tail->used == sizeof tail->text - 1)
      memmove(tail->text, tail->text + 1, --tail->used);
    tail->text[tail->used++] = bytes[i];
    tail->text[tail->used] = '\0';
  }
}

static struct pulpsim *load(const char *program, const char *machine, unsigned cores,
                            struct tail *tail) {
  struct pulpsim_error error = {""};
  char text[256];
  struct pulpsim_config *config = pulpsim_config_new(machine, &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  snprintf(text, sizeof text, "cluster.cores=%u", cores);
  ck_assert_msg(pulpsim_config_set(config, text, &error), "%s", error.text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  pulpsim_on_output(sim, keep, tail);
  snprintf(text, sizeof text, "%s/kernels/%s.elf", TEST_BUILD_DIR, program);
  ck_assert_msg(pulpsim_load(sim, text, &error), "%s", error.text);
  return sim;
}

static void assert_causes_add_up(struct pulpsim *sim, const char *program) {
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  for (unsigned i = 0; i < stats->core_count; i++) {
    const struct pulpsim_counts *counts = &stats->core[i].total;
    uint64_t sum = 0;
    for (unsigned cause = 0; cause < PULPSIM_CAUSES; cause++)
      sum += counts->stalls[cause];
    ck_assert_msg(sum == counts->cycles, "%s: causes of core %u: %llu of %llu cycles", program, i,
                  (unsigned long long)sum, (unsigned long long)counts->cycles);
  }
}

// Runs to the end, which must be a good one. The caller frees.
static struct pulpsim *run(const char *program, const char *machine, unsigned cores) {
  struct tail tail = {"", 0};
  struct pulpsim *sim = load(program, machine, cores, &tail);
  enum pulpsim_state state = pulpsim_run(sim, LIMIT);
  ck_assert_msg(state == PULPSIM_EXITED, "%s on %u cores: %s; it printed: %s", program, cores,
                state == PULPSIM_READY ? "cycle limit" : pulpsim_reason(sim), tail.text);
  ck_assert_msg(pulpsim_exit_status(sim) == 0, "%s on %u cores: status %d; it printed: %s", program,
                cores, pulpsim_exit_status(sim), tail.text);
  assert_causes_add_up(sim, program);
  return sim;
}

START_TEST(grid_equals_reference) {
  pulpsim_free(
      run(grids[GRID_OF_RUN(_i, MAX_CORES)], "pulp-open", GRID_NUMBER_OF_RUN(_i, MAX_CORES) + 1));
}
END_TEST

// The mixed-precision grid once more, by nibble and crumb dot products and mac&load.
START_TEST(xpulpnn_equals_reference) {
  pulpsim_free(run("test/xpulpnn", "xpulpnn", (unsigned)_i));
}
END_TEST

static double macs_per_cycle(const char *program, unsigned cores) {
  struct pulpsim *sim = run(program, "pulp-open", cores);
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  ck_assert_uint_ge(stats->region_count, 1);
  ck_assert_uint_gt(stats->region[0].cycles, 0);
  double result = (double)stats->region[0].useful_macs / (double)stats->region[0].cycles;
  pulpsim_free(sim);
  return result;
}

// What the programs of kernels/bench/list.txt must reach, on 8 cores, with all outputs right.
static const struct figure {
  const char *program;
  double macs_per_cycle; // useful MAC per cycle, 8 cores
  double speed_up;       // over one core
} figures[] = {
    {"mm_f32_naive", 1.6, 7.3},    {"mm_f32_2x4", 4.2, 7.3},    {"mm_f32_4x4", 4.5, 7.3},
    {"mm_f32_6x4", 4.5, 7.3},      {"mm_i8_4x2", 14, 7.0},      {"mm_i8_4x4", 18, 7.3},
    {"conv2d", 19.2, 7.5},         {"conv2d_tile", 17.8, 7},    {"pointwise", 17, 7},
    {"vec_axpy", 0.5, 2.5},        {"cifar10", 15.75, 7.3},     {"nn_depthwise", 5.4, 7.2},
    {"nn_depthwise_s2", 4.0, 6.5}, {"nn_linear", 12.5, 6.8},    {"conv2d_u8i4u8", 16.5, 7.5},
    {"conv2d_u8i2u8", 15, 7.5},    {"nn_avgpool_3x3", 0.51, 6}, // outputs, 8,030 cycles
};
enum { FIGURE_COUNT = sizeof figures / sizeof *figures };

START_TEST(figure_is_reached) {
  const struct figure *figure = &figures[_i];
  double one = macs_per_cycle(figure->program, 1), eight = macs_per_cycle(figure->program, 8);
  ck_assert_msg(eight >= figure->macs_per_cycle, "%s: %.2f MAC/cycle, at least %.2f wanted",
                figure->program, eight, figure->macs_per_cycle);
  ck_assert_msg(eight / one >= figure->speed_up, "%s: speed-up %.2f, at least %.2f wanted",
                figure->program, eight / one, figure->speed_up);
}
END_TEST

// Programs made for a chip (KMACHINE=gap8): without float registers, with version 6 of the DMA.
static const char *const chip_programs[] = {"conv2d", "vec_axpy", "lab_barrier", "test/grid_dma",
                                            "test/l3"};
enum { CHIP_PROGRAMS = sizeof chip_programs / sizeof *chip_programs };

START_TEST(chips_run_what_is_made_for_them) {
  char program[64];
  snprintf(program, sizeof program, "../kernels-gap8/%s", chip_programs[_i]);
  for (unsigned cores = 1; cores <= MAX_CORES; cores += 7)
    pulpsim_free(run(program, "gap8", cores));
}
END_TEST

// More cores than their stacks have room for: said, not suffered.
START_TEST(stacks_must_fit) {
  struct tail tail = {"", 0};
  struct pulpsim *sim = load("mm_f32_2x4", "pulp-open", 16, &tail);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 125);
  ck_assert_msg(strstr(tail.text, "no room in L1") != NULL, "it printed: %s", tail.text);
  pulpsim_free(sim);
}
END_TEST

// The program printed in docs/first-kernel.md.
START_TEST(first_kernel_works) {
  pulpsim_free(run("test/first_kernel", "pulp-open", (unsigned)_i));
}
END_TEST

START_TEST(printf_is_printf) {
  char want[TAIL] = "";
  size_t used = 0;
#define PRINT(...) used += (size_t)snprintf(want + used, sizeof want - used, __VA_ARGS__);
  PRINTS(PRINT)
#undef PRINT
  struct tail tail = {"", 0};
  struct pulpsim *sim = load("test/prints", "pulp-open", 2, &tail);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  pulpsim_free(sim);
  ck_assert_str_eq(tail.text, want);
}
END_TEST

// By the number of cores: see tests/kernels/target/status_main.c.
START_TEST(statuses_reach_the_host) {
  static const int want[] = {[1] = 0, [2] = 12, [3] = 13, [4] = 44, [5] = 126, [6] = 256};
  struct tail tail = {"", 0};
  struct pulpsim *sim = load("test/status", "pulp-open", (unsigned)_i, &tail);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), want[_i]);
  pulpsim_free(sim);
  ck_assert(_i != 5 || strstr(tail.text, "rt_dma: ") != NULL);
}
END_TEST

// By argument 0: see tests/kernels/target/l3_main.c.
START_TEST(bad_l3_transfers_are_refused) {
  static const struct {
    const char *argument, *text;
  } cases[] = {{"1", "at least one byte"}, {"2", "outside L2 or L3"}};
  struct tail tail = {"", 0};
  char *arguments[] = {(char *)cases[_i].argument};
  struct pulpsim *sim = load("test/l3", "pulp-open", 2, &tail);
  pulpsim_arguments(sim, 1, arguments);
  enum pulpsim_state state = pulpsim_run(sim, LIMIT);
  ck_assert(state == (_i == 0 ? PULPSIM_EXITED : PULPSIM_TRAPPED));
  const char *text = _i == 0 ? tail.text : pulpsim_reason(sim);
  ck_assert_msg(strstr(text, cases[_i].text) != NULL, "it said: %s", text);
  pulpsim_free(sim);
}
END_TEST

START_TEST(debug_builds_say_what_is_refused) {
  struct tail tail = {"", 0};
  struct pulpsim *sim = load("test/refused", "pulp-open", 1, &tail);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 119);
  pulpsim_free(sim);
  ck_assert_str_eq(tail.text, "nn_maxpool: a shape it does not take\n");
}
END_TEST

START_TEST(all_cores_print) {
  struct tail tail = {"", 0};
  struct pulpsim *sim = load("hello", "pulp-open", 3, &tail);
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  pulpsim_free(sim);
  ck_assert_ptr_nonnull(strstr(tail.text, "core 0 of 3\n"));
  ck_assert_ptr_nonnull(strstr(tail.text, "core 1 of 3\n"));
  ck_assert_ptr_nonnull(strstr(tail.text, "core 2 of 3\n"));
}
END_TEST

Suite *kernels_sim_suite(void) {
  Suite *suite = suite_create("kernels_sim");
  TCase *grid = tcase_create("grid");
  tcase_set_timeout(grid, 120);
  tcase_add_loop_test(grid, grid_equals_reference, 0, GRID_RUNS(GRID_COUNT, MAX_CORES));
  tcase_add_loop_test(grid, xpulpnn_equals_reference, 1, MAX_CORES + 1);
  suite_add_tcase(suite, grid);
  TCase *figure = tcase_create("figures");
  tcase_set_timeout(figure, 120);
  tcase_add_loop_test(figure, figure_is_reached, 0, FIGURE_COUNT);
  suite_add_tcase(suite, figure);
  TCase *rt = tcase_create("runtime");
  tcase_add_loop_test(rt, chips_run_what_is_made_for_them, 0, CHIP_PROGRAMS);
  tcase_add_test(rt, stacks_must_fit);
  tcase_add_test(rt, all_cores_print);
  tcase_add_loop_test(rt, bad_l3_transfers_are_refused, 0, 2);
  tcase_add_test(rt, debug_builds_say_what_is_refused);
  tcase_add_test(rt, printf_is_printf);
  tcase_add_loop_test(rt, statuses_reach_the_host, 1, 7);
  tcase_add_loop_test(rt, first_kernel_works, 1, MAX_CORES + 1);
  suite_add_tcase(suite, rt);
  return suite;
}
