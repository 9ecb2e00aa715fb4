// tests/sim/engines.c: whole machines against the RTL, with both engines: the fast one, which the
// user gets, and the cycle model throughout (`--engine plain`).
//
// tests/data/timing/{random,programs,micro}.tar.gz: reference programs and what the RTL measured;
// perf-counters.elf: made from perf-counters.c with the start-up code of the reference programs,
// its expected values are the markers that the CV32E40P RTL recorded.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/pulpsim.h"
#include "tests/timing/archive.h"

Suite *engines_suite(void);

enum { LIMIT = 100000000 };

static void set(struct pulpsim_config *config, const char *assignment) {
  struct pulpsim_error error;
  ck_assert_msg(pulpsim_config_set(config, assignment, &error), "%s", error.text);
}

// The machine of a row: int, ri5cy, or fpXY with the FPU's latencies.
static struct pulpsim *machine(const char *row, const char *elf, enum pulpsim_engine engine) {
  struct pulpsim_error error;
  char text[64];
  struct pulpsim_config *config = pulpsim_config_new("cv32e40p", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  if (strncmp(row, "fp", 2) == 0) {
    snprintf(text, sizeof text, "core.fpu.addmul_latency=%c", row[2]);
    set(config, text);
    snprintf(text, sizeof text, "core.fpu.others_latency=%c", row[3]);
    set(config, text);
  } else if (row[0] == 'r') {
    set(config, "core.model=ri5cy");
  }
  unsigned late;
  const char *gnt = strstr(elf, "elw_eu_gnt");
  if (gnt && sscanf(gnt, "elw_eu_gnt%u", &late) == 1) {
    snprintf(text, sizeof text, "memory.event.grant_delay=%u", late);
    set(config, text);
  }
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  ck_assert(pulpsim_set_engine(sim, engine));
  return sim;
}

// Runs a program of the archive; the caller frees.
static struct pulpsim *run(struct archive *a, const char *row, const char *name,
                           enum pulpsim_engine engine) {
  struct pulpsim_error error;
  size_t size;
  const uint8_t *bytes = archive_member(a, name, &size);
  ck_assert_msg(bytes != NULL, "no %s", name);
  char path[] = "/tmp/pulpsim-engines-XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
  close(fd);
  struct pulpsim *sim = machine(row, name, engine);
  bool loaded = pulpsim_load(sim, path, &error);
  unlink(path);
  ck_assert_msg(loaded, "%s", error.text);
  ck_assert_msg(pulpsim_run(sim, LIMIT) == PULPSIM_EXITED, "%s: %s", name, pulpsim_reason(sim));
  return sim;
}

static void assert_causes_add_up(const char *name, const struct pulpsim_counts *counts) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    sum += counts->stalls[i];
  ck_assert_msg(sum == counts->cycles, "%s: causes of %llu of %llu cycles", name,
                (unsigned long long)sum, (unsigned long long)counts->cycles);
}

static const enum pulpsim_engine engines[] = {PULPSIM_FAST, PULPSIM_PLAIN};
static const char *const engine_names[] = {"fast", "plain"};

// Cycles and instructions from the first marker to the second; the third is the checksum.
static void check_program(struct archive *a, const struct table *t, const char *path) {
  for (unsigned e = 0; e < 2; e++) {
    struct pulpsim *sim = run(a, table_text(t, "config"), path, engines[e]);
    const struct pulpsim_core_stats *core = &pulpsim_stats(sim)->core[0];
    ck_assert_uint_ge(core->marker_count, 3);
    const struct pulpsim_marker *m = core->markers;
    assert_causes_add_up(path, &core->total);
    ck_assert_msg(m[1].cycle - m[0].cycle == table_number(t, "cycles"), "%s, %s: %llu cycles", path,
                  engine_names[e], (unsigned long long)(m[1].cycle - m[0].cycle));
    ck_assert_uint_eq(m[1].instret - m[0].instret, table_number(t, "instret"));
    pulpsim_free(sim);
  }
}

static unsigned check_table(const char *file, const char *table, const char *folder) {
  struct archive *a = archive_open(file);
  struct table *t = table_open(a, table);
  unsigned rows = 0;
  char path[128];
  for (; table_next(t); rows++) {
    snprintf(path, sizeof path, "%s/%s.elf", folder, table_text(t, "name"));
    check_program(a, t, path);
  }
  table_close(t);
  archive_close(a);
  return rows;
}

START_TEST(random_programs) {
  ck_assert_uint_ge(check_table("tests/data/timing/random.tar.gz", "random.tsv", "random"), 30);
}
END_TEST

START_TEST(microprograms) {
  struct archive *a = archive_open("tests/data/timing/micro.tar.gz");
  struct table *t = table_open(a, "micro.tsv");
  char path[128];
  unsigned rows = 0;
  for (; table_next(t); rows++) {
    snprintf(path, sizeof path, "micro/%s", table_text(t, "elf"));
    for (unsigned e = 0; e < 2; e++) {
      struct pulpsim *sim = run(a, table_text(t, "config"), path, engines[e]);
      const struct pulpsim_core_stats *core = &pulpsim_stats(sim)->core[0];
      size_t last = core->marker_count > 2 ? core->marker_count - 2 : core->marker_count - 1;
      uint64_t cycles = core->markers[last].cycle - core->markers[0].cycle;
      assert_causes_add_up(path, &core->total);
      ck_assert_msg(cycles == table_number(t, "cycles"), "%s on %s, %s: %llu cycles, RTL %s", path,
                    table_text(t, "config"), engine_names[e], (unsigned long long)cycles,
                    table_text(t, "cycles"));
      pulpsim_free(sim);
    }
  }
  ck_assert_uint_ge(rows, 1000);
  table_close(t);
  archive_close(a);
}
END_TEST

// Misuse of hardware loops runs as on the RTL (see microprograms); with core.strict it is named.
START_TEST(strict_loops) {
  static const struct {
    const char *elf, *text;
  } cases[] = {
      {"hwloop_setupi_len1_cnt10.elf", "fewer than three instructions"},
      {"hwloop_illegal_rvc_body_cnt10.elf", "compressed instruction or a jump"},
      {"hwloop_illegal_jal_in_body_cnt10.elf", "compressed instruction or a jump"},
      {"hwloop_setupi_len4_cnt10.elf", NULL},
  };
  struct archive *a = archive_open("tests/data/timing/micro.tar.gz");
  for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    char path[96], name[96] = "/tmp/pulpsim-strict-XXXXXX";
    size_t size;
    struct pulpsim_error error;
    snprintf(path, sizeof path, "micro/%s", cases[i / 2].elf);
    const uint8_t *bytes = archive_member(a, path, &size);
    ck_assert_msg(bytes != NULL, "no %s", path);
    int fd = mkstemp(name);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
    struct pulpsim_config *config = pulpsim_config_new("cv32e40p", &error);
    set(config, "core.strict=true");
    struct pulpsim *sim = pulpsim_new(config, &error);
    pulpsim_config_free(config);
    ck_assert(pulpsim_set_engine(sim, engines[i % 2]));
    ck_assert(pulpsim_load(sim, name, &error));
    unlink(name);
    enum pulpsim_state state = pulpsim_run(sim, LIMIT);
    if (cases[i / 2].text) {
      ck_assert_int_eq(state, PULPSIM_TRAPPED);
      ck_assert_msg(strstr(pulpsim_reason(sim), cases[i / 2].text) != NULL, "%s: %s", path,
                    pulpsim_reason(sim));
    } else {
      ck_assert_int_eq(state, PULPSIM_EXITED);
    }
    pulpsim_free(sim);
  }
  archive_close(a);
}
END_TEST

// A loop set up in the body of another one is no misuse.
START_TEST(strict_nested_loops) {
  struct pulpsim_error error;
  struct pulpsim_config *config = pulpsim_config_new("pulp-open", &error);
  set(config, "core.strict=true");
  struct pulpsim *sim = pulpsim_new(config, &error);
  pulpsim_config_free(config);
  ck_assert(pulpsim_set_engine(sim, engines[_i]));
  ck_assert_msg(pulpsim_load(sim, TEST_BUILD_DIR "/kernels/mm_f32_2x4.elf", &error), "%s",
                error.text);
  ck_assert_msg(pulpsim_run(sim, LIMIT) == PULPSIM_EXITED, "%s", pulpsim_reason(sim));
  pulpsim_free(sim);
}
END_TEST

START_TEST(performance_counters) {
  static const uint32_t rtl[] = {1,   31,  24,  5, 50,  901,  741,  6,   24,   901, 741, 7,
                                 2,   901, 741, 8, 101, 901,  741,  9,   75,   901, 741, 10,
                                 530, 901, 741, 1, 736, 901,  741,  0,   898,  901, 741, 2,
                                 0,   901, 741, 0, 5,   6798, 1003, 502, 6144, 2,   0};
  for (unsigned e = 0; e < 2; e++) {
    struct pulpsim_error error;
    struct pulpsim_config *config = pulpsim_config_new("cv32e40p", &error);
    set(config, "core.fpu.present=false");
    struct pulpsim *sim = pulpsim_new(config, &error);
    pulpsim_config_free(config);
    ck_assert(pulpsim_set_engine(sim, engines[e]));
    ck_assert_msg(pulpsim_load(sim, "tests/data/timing/perf-counters.elf", &error), "%s",
                  error.text);
    ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
    const struct pulpsim_core_stats *core = &pulpsim_stats(sim)->core[0];
    ck_assert_uint_eq(core->marker_count, sizeof rtl / sizeof *rtl);
    for (size_t i = 0; i < core->marker_count; i++)
      ck_assert_msg(core->markers[i].value == rtl[i], "marker %zu, %s: %u, RTL %u", i,
                    engine_names[e], core->markers[i].value, rtl[i]);
    pulpsim_free(sim);
  }
}
END_TEST

static long resident_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// What is decoded is kept; how often it is left to the cycle model must not count.
START_TEST(memory_does_not_grow_with_time) {
  struct pulpsim_error error;
  struct pulpsim_config *config = pulpsim_config_new("pulp-open", &error);
  struct pulpsim *sim = pulpsim_new(config, &error);
  pulpsim_config_free(config);
  ck_assert_msg(pulpsim_load(sim, TEST_BUILD_DIR "/kernels/speed_layer.elf", &error), "%s",
                error.text);
  ck_assert_int_eq(pulpsim_run(sim, 100000), PULPSIM_READY);
  long before = resident_kilobytes();
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_lt(resident_kilobytes() - before, 16 << 10);
  pulpsim_free(sim);
}
END_TEST

Suite *engines_suite(void) {
  Suite *s = suite_create("engines");
  TCase *tc = tcase_create("against the RTL");
  tcase_set_timeout(tc, 300);
  tcase_add_test(tc, random_programs);
  tcase_add_test(tc, microprograms);
  tcase_add_test(tc, strict_loops);
  tcase_add_loop_test(tc, strict_nested_loops, 0, 2);
  tcase_add_test(tc, performance_counters);
  tcase_add_test(tc, memory_does_not_grow_with_time);
  suite_add_tcase(s, tc);
  return s;
}
