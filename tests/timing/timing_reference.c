// tests/timing/timing_reference.c: the cycle model against everything measured on the RTL.
//
// tests/data/timing/*.tar.gz: programs and their cycles, on CV32E40P (int: no floats; fpXY: float
// latencies X and Y) and on RI5CY. The full set of random programs is run if its folder is
// beside the project.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "core/pipeline_stages.h"
#include "testbench.h"

Suite *timing_reference_suite(void);

#define DATA "tests/data/timing/"
#define FULL "../shared/reference/timing"

enum { LIMIT = 3000000 };

static const char *const configs[] = {"int",  "fp00", "fp01", "fp10",  "fp11",   "fp12",
                                      "fp21", "fp22", "fp33", "ri5cy", "ri5cyfp"};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

// One row: a program, and what is expected of it. Returns how many values were wrong.
typedef unsigned check_row(const struct table *t, const char *elf,
                           const struct testbench_result *r);

static unsigned differs(const char *elf, const char *config, const char *what, uint64_t got,
                        uint64_t want) {
  if (got == want)
    return 0;
  fprintf(stderr, "%s on %s: %s %llu, measured %llu\n", elf, config, what, (unsigned long long)got,
          (unsigned long long)want);
  return 1;
}

static unsigned check_micro(const struct table *t, const char *elf,
                            const struct testbench_result *r) {
  const char *config = table_text(t, "config");
  if (r->markers < 3)
    return differs(elf, config, "markers", r->markers, 3);
  cycle_t cycles = r->marker[r->markers - 2].cycle - r->marker[0].cycle;
  return differs(elf, config, "cycles", cycles, table_number(t, "cycles"));
}

static unsigned check_loop(const struct table *t, const char *elf,
                           const struct testbench_result *r) {
  const char *config = table_text(t, "config");
  const struct testbench_marker *m = r->marker;
  if (r->markers < 2)
    return differs(elf, config, "markers", r->markers, 2);
  unsigned bad = differs(elf, config, "cycles", m[1].cycle - m[0].cycle, table_number(t, "cycles"));
  bad += differs(elf, config, "instructions", m[1].instructions - m[0].instructions,
                 table_number(t, "instret"));
  return bad + differs(elf, config, "x10", m[1].value, table_number(t, "x10_final"));
}

static unsigned check_whole(const struct table *t, const char *elf,
                            const struct testbench_result *r) {
  const char *config = table_text(t, "config");
  const struct testbench_marker *m = r->marker;
  if (r->markers < 3)
    return differs(elf, config, "markers", r->markers, 3);
  unsigned bad = differs(elf, config, "cycles", m[1].cycle - m[0].cycle, table_number(t, "cycles"));
  bad += differs(elf, config, "instructions", m[1].instructions - m[0].instructions,
                 table_number(t, "instret"));
  bad += differs(elf, config, "cycles to the exit", r->cycles, table_number(t, "total_cycles"));
  return bad + differs(elf, config, "instructions to the exit", r->instructions,
                       table_number(t, "total_instret"));
}

static unsigned check_program(const struct table *t, const char *elf,
                              const struct testbench_result *r) {
  unsigned bad = check_whole(t, elf, r);
  bool no_checksum = strcmp(table_text(t, "config"), "ri5cyfp") == 0; // not recorded there
  if (bad || no_checksum)
    return bad;
  return differs(elf, table_text(t, "config"), "checksum", r->marker[2].value,
                 table_number(t, "checksum"));
}

// "…_gntN.elf": the event unit grants N cycles late.
static unsigned event_grant_of(const char *elf) {
  const char *p = strstr(elf, "gnt");
  return p && strstr(elf, "elw_eu") ? (unsigned)strtoul(p + 3, NULL, 10) : 0;
}

static unsigned run_table(struct archive *a, const char *table, const char *name_column,
                          const char *folder, const char *suffix, check_row *check,
                          unsigned *rows) {
  unsigned bad = 0;
  for (unsigned k = 0; k < CONFIGS; k++) {
    struct testbench *b = testbench_new(configs[k]);
    struct table *t = table_open(a, table);
    while (table_next(t)) {
      if (strcmp(table_text(t, "config"), configs[k]) != 0)
        continue;
      char path[256];
      snprintf(path, sizeof path, "%s/%s%s", folder, table_text(t, name_column), suffix);
      size_t size;
      const uint8_t *elf = archive_member(a, path, &size);
      ck_assert_msg(elf != NULL, "no %s", path);
      struct testbench_delays delays = {.event_grant = event_grant_of(path)};
      static struct testbench_result r;
      testbench_run_elf(b, elf, size, &delays, LIMIT, &r);
      bad += check(t, path, &r);
      ++*rows;
    }
    table_close(t);
    testbench_free(b);
  }
  return bad;
}

static void expect_none(struct archive *a, const char *table, const char *column,
                        const char *folder, const char *suffix, check_row *check,
                        unsigned at_least) {
  unsigned rows = 0;
  unsigned bad = run_table(a, table, column, folder, suffix, check, &rows);
  archive_close(a);
  ck_assert_msg(bad == 0, "%s: %u values differ from the RTL", table, bad);
  ck_assert_uint_ge(rows, at_least);
}

START_TEST(microprograms) {
  expect_none(archive_open(DATA "micro.tar.gz"), "micro.tsv", "elf", "micro", "", check_micro,
              1109);
}
END_TEST

START_TEST(hardware_loops) {
  expect_none(archive_open(DATA "micro.tar.gz"), "hwloop-elf.tsv", "elf", "micro", "", check_loop,
              159);
}
END_TEST

START_TEST(whole_programs) {
  expect_none(archive_open(DATA "programs.tar.gz"), "programs.tsv", "elf", "programs", "",
              check_program, 62);
}
END_TEST

START_TEST(random_programs) {
  expect_none(archive_open(DATA "random.tar.gz"), "random.tsv", "name", "random", ".elf",
              check_whole, 50);
}
END_TEST

// One row of the full table counts an instruction less than the RTL does.
static unsigned check_full(const struct table *t, const char *elf,
                           const struct testbench_result *r) {
  return strstr(elf, "ri0091") ? 0 : check_whole(t, elf, r);
}

START_TEST(all_random_programs) {
  struct archive *a = archive_folder(FULL);
  if (!a)
    return; // only where the full reference is
  expect_none(a, "random.tsv", "name", "random", ".elf", check_full, 500);
}
END_TEST

// ---- slow memories

static const struct {
  const char *column;
  struct testbench_delays delays;
} memories[] = {
    {"ideal", {0}},
    {"dgnt1", {.data_grant = 1}},
    {"dgnt2", {.data_grant = 2}},
    {"dlat2", {.data_data = 1}},
    {"dlat3", {.data_data = 2}},
    {"dlat5", {.data_data = 4}},
    {"ilat2", {.fetch_data = 1}},
    {"ilat3", {.fetch_data = 2}},
    {"ignt1", {.fetch_grant = 1}},
};

static cycle_t between_markers(struct testbench *b, struct archive *a, const char *test,
                               unsigned repeats, const struct testbench_delays *delays) {
  static struct testbench_result r;
  char path[128];
  size_t size;
  snprintf(path, sizeof path, "memstall/%s_%u.elf", test, repeats);
  const uint8_t *elf = archive_member(a, path, &size);
  ck_assert_msg(elf != NULL, "no %s", path);
  testbench_run_elf(b, elf, size, delays, LIMIT, &r);
  ck_assert_uint_ge(r.markers, 2);
  return r.marker[1].cycle - r.marker[0].cycle;
}

START_TEST(slow_memories) {
  struct archive *a = archive_open(DATA "memstall.tar.gz");
  struct table *t = table_open(a, "memstall.tsv");
  struct testbench *cv = testbench_new("int"), *ri = testbench_new("ri5cy");
  unsigned values = 0;
  while (table_next(t)) {
    struct testbench *b = strcmp(table_text(t, "core"), "int") == 0 ? cv : ri;
    const char *test = table_text(t, "test");
    for (size_t k = 0; k < sizeof memories / sizeof memories[0]; k++, values++) {
      double slope = (double)(between_markers(b, a, test, 24, &memories[k].delays) -
                              between_markers(b, a, test, 8, &memories[k].delays)) /
                     16;
      double measured = strtod(table_text(t, memories[k].column), NULL);
      ck_assert_msg(slope == measured, "%s on %s, %s: %g cycles a round, measured %g", test,
                    table_text(t, "core"), memories[k].column, slope, measured);
    }
  }
  ck_assert_uint_eq(values, 468);
  testbench_free(cv);
  testbench_free(ri);
  table_close(t);
  archive_close(a);
}
END_TEST

// ---- dividers

START_TEST(integer_divider) {
  struct archive *a = archive_open(DATA "dividers.tar.gz");
  struct table *t = table_open(a, "div.tsv");
  unsigned rows = 0;
  for (; table_next(t); rows++) {
    const char *op = table_text(t, "op");
    bool is_signed = op[strlen(op) - 1] != 'u';
    uint32_t divisor = (uint32_t)table_number(t, "b");
    unsigned cycles = id_divider(is_signed, divisor);
    ck_assert_msg(cycles == table_number(t, "cycles"), "%s by 0x%08x: %u cycles, measured %s", op,
                  divisor, cycles, table_text(t, "cycles"));
  }
  ck_assert_uint_eq(rows, 895);
  table_close(t);
  archive_close(a);
}
END_TEST

// The table counts from the instruction's ID to a store of its result: 4 more.
START_TEST(float_divider) {
  struct archive *a = archive_open(DATA "dividers.tar.gz");
  struct table *t = table_open(a, "fdivsqrt.tsv");
  unsigned rows = 0;
  for (; table_next(t); rows++) {
    bool sqrt = table_text(t, "mnemonic")[1] == 's';
    uint32_t x = (uint32_t)strtoul(table_text(t, "rs1"), NULL, 16);
    uint32_t y = (uint32_t)strtoul(table_text(t, "rs2"), NULL, 16);
    unsigned cycles = 4 + fpu_divsqrt_latency(FPU_DIVIDER_E906, FPU_BINARY32, sqrt, x, y);
    if (!sqrt)
      cycles += fpu_division_prepares(FPU_DIVIDER_E906, x, y);
    ck_assert_msg(cycles == table_number(t, "cycles_fp00_raw"),
                  "%s of %08x, %08x: %u cycles, measured %s", table_text(t, "mnemonic"), x, y,
                  cycles, table_text(t, "cycles_fp00_raw"));
  }
  ck_assert_uint_eq(rows, 813);
  table_close(t);
  archive_close(a);
}
END_TEST

// Rows: format, operation, operands, cycles of the unit `div_sqrt_top_mvp` on its RTL. FPnew's
// result comes one later.
START_TEST(float_divider_16) {
  FILE *f = fopen(DATA "divsqrt16.tsv", "r");
  char format[16], operation[8];
  unsigned x, y, cycles, rows = 0;
  ck_assert_ptr_nonnull(f);
  for (; fscanf(f, "%15s %7s %x %x %u", format, operation, &x, &y, &cycles) == 5; rows++) {
    bool half = strcmp(format, "binary16") == 0;
    unsigned model = fpu_divsqrt_latency(FPU_DIVIDER_MVP, half ? FPU_BINARY16 : FPU_BFLOAT16,
                                         strcmp(operation, "sqrt") == 0, x, y);
    ck_assert_msg(model == cycles + 1, "%s %s %x, %x: %u cycles, the unit takes %u", format,
                  operation, x, y, model, cycles);
  }
  fclose(f);
  ck_assert_uint_eq(rows, 500);
}
END_TEST

Suite *timing_reference_suite(void) {
  Suite *s = suite_create("timing_reference");
  TCase *c = tcase_create("as measured");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, microprograms);
  tcase_add_test(c, hardware_loops);
  tcase_add_test(c, whole_programs);
  tcase_add_test(c, random_programs);
  tcase_add_test(c, all_random_programs);
  tcase_add_test(c, slow_memories);
  tcase_add_test(c, integer_divider);
  tcase_add_test(c, float_divider);
  tcase_add_test(c, float_divider_16);
  suite_add_tcase(s, c);
  return s;
}
