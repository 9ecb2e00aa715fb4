// tests/timing/timing_random.c: generated programs, instruction by instruction as on the RTL.
//
// tests/data/timing/generated.tar.gz: programs of random_program.h (their code; the data follow
// from the seed) and, per program, a hash over cycle, pc and trap of every instruction that left ID
// on the RTL, within a limit of cycles: most of them never end.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "archive.h"
#include "random_program.h"
#include "testbench.h"

Suite *timing_random_suite(void);

static void read_delays(const char *text, struct testbench_delays *d) {
  unsigned v[4];
  ck_assert_int_eq(sscanf(text, "%u,%u,%u,%u", &v[0], &v[1], &v[2], &v[3]), 4);
  *d = (struct testbench_delays){(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], 0, 0};
}

static void run_row(struct testbench *b, struct archive *a, const struct table *t) {
  static uint8_t image[RANDOM_PROGRAM_SIZE];
  static struct testbench_result r;
  struct testbench_delays delays;
  size_t size;
  const char *name = table_text(t, "program");
  const uint8_t *code = archive_member(a, name, &size);
  ck_assert_msg(code != NULL && size <= RANDOM_PROGRAM_DATA, "no %s", name);
  memset(image, 0, sizeof image);
  memcpy(image, code, size);
  random_program_data(table_number(t, "seed"), image);
  read_delays(table_text(t, "delays"), &delays);
  testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &delays,
                      table_number(t, "limit"), &r);
  ck_assert_msg(r.traced == table_number(t, "instructions") && r.trace == table_number(t, "trace"),
                "%s with delays %s: %llu instructions, trace %016llx; the RTL: %s, %s", name,
                table_text(t, "delays"), (unsigned long long)r.traced, (unsigned long long)r.trace,
                table_text(t, "instructions"), table_text(t, "trace"));
}

START_TEST(traces) {
  struct archive *a = archive_open("tests/data/timing/generated.tar.gz");
  struct table *t = table_open(a, "generated.tsv");
  struct testbench *b = NULL;
  char config[16] = "";
  unsigned rows = 0;
  for (; table_next(t); rows++) {
    if (strcmp(config, table_text(t, "config")) != 0) {
      if (b)
        testbench_free(b);
      snprintf(config, sizeof config, "%s", table_text(t, "config"));
      b = testbench_new(config);
    }
    run_row(b, a, t);
  }
  ck_assert_uint_ge(rows, 100);
  testbench_free(b);
  table_close(t);
  archive_close(a);
}
END_TEST

// ---- interrupts: tests/data/timing/interrupts.tar.gz, with the lines of interrupt_plan.h

struct hash {
  uint64_t value, count;
};

static void mix(struct hash *h, uint64_t value) {
  for (unsigned i = 0; i < 8; i++)
    h->value = (h->value ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
}

static void note(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                 bool traps, cycle_t now) {
  struct hash *h = self;
  if (!testbench_seen(c, insn, traps))
    return;
  mix(h, now << 32 | pc);
  mix(h, traps);
  h->count++;
}

static void interrupted(struct archive *a, const struct table *t) {
  static uint8_t image[RANDOM_PROGRAM_SIZE];
  static struct testbench_result r;
  struct testbench_delays delays;
  struct hash h = {.value = UINT64_C(0xcbf29ce484222325)};
  size_t size;
  const uint8_t *code = archive_member(a, table_text(t, "program"), &size);
  ck_assert(code != NULL && size <= RANDOM_PROGRAM_DATA);
  memset(image, 0, sizeof image);
  memcpy(image, code, size);
  random_program_data(table_number(t, "seed"), image);
  read_delays(table_text(t, "delays"), &delays);
  delays.interrupts = (uint32_t)table_number(t, "seed");
  struct testbench *b = testbench_new(table_text(t, "config"));
  testbench_watch(b, note, &h);
  testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &delays,
                      table_number(t, "limit"), &r);
  testbench_free(b);
  ck_assert_msg(h.count == table_number(t, "instructions") && h.value == table_number(t, "trace"),
                "%s with delays %s: %llu instructions, trace %016llx", table_text(t, "program"),
                table_text(t, "delays"), (unsigned long long)h.count, (unsigned long long)h.value);
}

START_TEST(interrupts) {
  struct archive *a = archive_open("tests/data/timing/interrupts.tar.gz");
  struct table *t = table_open(a, "interrupts.tsv");
  unsigned rows = 0;
  for (; table_next(t); rows++)
    interrupted(a, t);
  ck_assert_uint_ge(rows, 60);
  table_close(t);
  archive_close(a);
}
END_TEST

// The generator gives the same program for the same seed, and different ones for others.
START_TEST(generator) {
  static uint8_t one[RANDOM_PROGRAM_SIZE], two[RANDOM_PROGRAM_SIZE];
  struct testbench *b = testbench_new("fp11");
  struct random_program what = {
      .seed = 5, .decoder = testbench_decoder(b), .sets = testbench_sets(b), .length = 300};
  for (int flavour = 0; flavour < RANDOM_FLAVOURS; flavour++) {
    what.flavour = (enum random_flavour)flavour;
    what.seed = 5;
    random_program(&what, one);
    random_program(&what, two);
    ck_assert_mem_eq(one, two, sizeof one);
    what.seed = 6;
    random_program(&what, two);
    ck_assert_mem_ne(one, two, sizeof one);
  }
  testbench_free(b);
}
END_TEST

// Leaving out cycles in which nothing can change makes no difference.
START_TEST(skipping) {
  static uint8_t image[RANDOM_PROGRAM_SIZE];
  static struct testbench_result first, second;
  struct testbench *b = testbench_new("fp22");
  struct random_program what = {
      .decoder = testbench_decoder(b), .sets = testbench_sets(b), .length = 250};
  struct testbench_delays slow = {40, 30, 60, 50, 0, 0};
  for (what.seed = 1; what.seed < 20; what.seed++) {
    slow.interrupts = what.seed < 10 ? 0 : (uint32_t)what.seed;
    what.flavour = slow.interrupts ? RANDOM_INTERRUPTS : RANDOM_MIXED;
    random_program(&what, image);
    testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &slow, 20000, &first);
    testbench_skip_nothing(b, true);
    testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &slow, 20000, &second);
    testbench_skip_nothing(b, false);
    ck_assert_uint_eq(first.trace, second.trace);
    ck_assert_uint_gt(first.traced, 50);
  }
  testbench_free(b);
}
END_TEST

Suite *timing_random_suite(void) {
  Suite *s = suite_create("timing_random");
  TCase *c = tcase_create("generated programs");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, traces);
  tcase_add_test(c, interrupts);
  tcase_add_test(c, generator);
  tcase_add_test(c, skipping);
  suite_add_tcase(s, c);
  return s;
}
