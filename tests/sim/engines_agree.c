// tests/sim/engines_agree.c: both engines, the fast one and the plain one, give the same
// statistics to the last bit: kernels on many cores, with and without the instruction cache.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/pulpsim.h"
#include "sim/stats_json.h"

Suite *engines_agree_suite(void);

enum { LIMIT = 100000000 };

// Kernels with little set-up, of every kind of timing: bank conflicts, jumps that hide waiting,
// DMA, divisions, event loads, accesses to L2, hardware loops that end in code that is not in the
// cache.
static const char *const kernels[] = {"hello",      "stalls",     "vec_axpy",       "mm_i8_4x4",
                                      "mm_f32_2x4", "nn_add",     "nn_avgpool",     "nn_maxpool",
                                      "nn_linear",  "mmt_f32_tn", "nn_depthwise_s2"};
static const char *const machines[] = {"cluster.icache.model=ideal", "cluster.icache.model=hier",
                                       "cluster.tcdm.arbiter=xbar"};
static const unsigned core_counts[] = {8, 8, 5};
enum {
  KERNELS = sizeof kernels / sizeof *kernels,
  MACHINES = sizeof machines / sizeof *machines,
};

static void set(struct pulpsim_config *config, const char *assignment) {
  struct pulpsim_error error;
  ck_assert_msg(pulpsim_config_set(config, assignment, &error), "%s", error.text);
}

static void keep(void *out, int fd, const char *bytes, size_t count) {
  (void)fd;
  fwrite(bytes, 1, count, out);
}

// What a run printed, and its statistics, as text; the caller frees.
static char *statistics(const char *kernel, unsigned machine, enum pulpsim_engine engine) {
  struct pulpsim_error error;
  char text[160];
  struct pulpsim_config *config = pulpsim_config_new("trainlib", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  set(config, machines[machine]);
  snprintf(text, sizeof text, "cluster.cores=%u", core_counts[machine]);
  set(config, text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  ck_assert(pulpsim_set_engine(sim, engine));
  snprintf(text, sizeof text, "%s/kernels/%s.elf", TEST_BUILD_DIR, kernel);
  ck_assert_msg(pulpsim_load(sim, text, &error), "%s", error.text);
  char *bytes = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&bytes, &size);
  ck_assert_ptr_nonnull(out);
  pulpsim_on_output(sim, keep, out);
  ck_assert_msg(pulpsim_run(sim, LIMIT) == PULPSIM_EXITED, "%s: %s", kernel, pulpsim_reason(sim));
  struct run_end end = {.state = PULPSIM_EXITED};
  ck_assert(stats_json_write(out, pulpsim_stats(sim), &end));
  fclose(out);
  pulpsim_free(sim);
  return bytes;
}

START_TEST(statistics_are_identical) {
  unsigned machine = (unsigned)_i % MACHINES;
  const char *kernel = kernels[_i / MACHINES];
  char *fast = statistics(kernel, machine, PULPSIM_FAST);
  char *plain = statistics(kernel, machine, PULPSIM_PLAIN);
  size_t same = 0;
  while (fast[same] && fast[same] == plain[same])
    same++;
  ck_assert_msg(fast[same] == plain[same], "%s, %s: from byte %zu on: %.80s ... and %.80s ...",
                kernel, machines[machine], same, fast + same, plain + same);
  ck_assert_uint_gt(same, 500);
  free(fast);
  free(plain);
}
END_TEST

Suite *engines_agree_suite(void) {
  Suite *s = suite_create("engines_agree");
  TCase *tc = tcase_create("statistics");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, statistics_are_identical, 0, KERNELS * MACHINES);
  suite_add_tcase(s, tc);
  return s;
}
