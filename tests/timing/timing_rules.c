// tests/timing/timing_rules.c: every rule of docs/timing-rules.md, with its microprogram.
//
// tests/data/timing/rules.tsv: rule, configuration, memory delays (instruction grant and data, data
// grant and data), code, and the distances between consecutive instructions' T as the RTL gave
// them. The code is put at 0x100, behind a set-up that gives x8 a word-aligned data address,
// small numbers to x11 to x15 and floats to f1 to f5; at 0 is a trap handler that goes on four
// bytes later.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "testbench.h"

Suite *timing_rules_suite(void);

enum { BODY = 0x100, ENTRY = 0x80, DATA = 0x2000, IMAGE = 0x2040, GAPS_MAX = 256, LIMIT = 1000 };

static const uint32_t handler[] = {0x34102f73, 0x004f0f13, 0x341f1073, 0x30200073};
static const uint32_t set_up[] = {
    0x00002437, 0x000024b7, 0x04048493,                                     // x8, x9
    0x00000513, 0x00700593, 0x00300613, 0x00100693, 0x00000713, 0x00500793, // x10..x15
    0x80000fb7,                                                             // x31: the device
};
static const uint32_t set_up_floats[] = {
    0x000062b7, 0x3002a073,                                     // mstatus.FS
    0x00042087, 0x00442107, 0x00c42187, 0x01042207, 0x01442287, // f1..f5
};
static const uint32_t data[] = {0x3f800000, 0x40000000, 0, 0x40400000, 0, 0x123, 0, 0};
static const uint32_t leave[] = {0x13, 0x13, 0x13, 0x13, 0x13, 0x000fa023, 0x6f, 0x6f};

struct recorder {
  cycle_t left[GAPS_MAX];
  unsigned count;
};

static void record(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                   bool traps, cycle_t now) {
  struct recorder *r = self;
  (void)c, (void)insn, (void)traps;
  if (r->count == 0 && pc != BODY)
    return;
  if (r->count < GAPS_MAX)
    r->left[r->count++] = now;
}

static size_t unhex(const char *text, uint8_t *to) {
  size_t n = 0;
  for (unsigned byte; sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
    to[n] = (uint8_t)byte;
  return n;
}

static void build(uint8_t *image, const char *code, bool floats) {
  memset(image, 0, IMAGE);
  memcpy(image, handler, sizeof handler);
  memcpy(image + DATA, data, sizeof data);
  uint8_t *p = image + ENTRY;
  memcpy(p, set_up, sizeof set_up);
  if (floats)
    memcpy(p + sizeof set_up, set_up_floats, sizeof set_up_floats);
  p += sizeof set_up + (floats ? sizeof set_up_floats : 0);
  for (const uint32_t nop = 0x13; p < image + BODY; p += 4)
    memcpy(p, &nop, 4);
  p += unhex(code, p);
  memcpy(p, leave, sizeof leave);
}

static void read_delays(const char *text, struct testbench_delays *d) {
  unsigned v[4];
  ck_assert_int_eq(sscanf(text, "%u,%u,%u,%u", &v[0], &v[1], &v[2], &v[3]), 4);
  *d = (struct testbench_delays){(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], 0, 0};
}

static void check_gaps(const struct table *t, const struct recorder *r) {
  const char *p = table_text(t, "gaps");
  unsigned i = 0;
  for (char *end; *p; p = end, i++) {
    unsigned long want = strtoul(p, &end, 10);
    ck_assert_uint_lt(i + 1, r->count);
    ck_assert_msg(r->left[i + 1] - r->left[i] == want,
                  "rule %s on %s, %s: instruction %u leads to the next by %u, on the RTL by %lu",
                  table_text(t, "rule"), table_text(t, "config"), table_text(t, "program"), i,
                  (unsigned)(r->left[i + 1] - r->left[i]), want);
  }
  ck_assert_uint_gt(i, 0);
}

static void run_rule(const struct table *t) {
  static uint8_t image[IMAGE];
  static struct testbench_result result;
  const char *config = table_text(t, "config");
  struct testbench *b = testbench_new(config);
  struct recorder r = {.count = 0};
  struct testbench_delays delays;
  testbench_watch(b, record, &r);
  build(image, table_text(t, "code"), strstr(config, "fp") != NULL);
  read_delays(table_text(t, "delays"), &delays);
  testbench_run_image(b, image, IMAGE, ENTRY, &delays, LIMIT, &result);
  check_gaps(t, &r);
  testbench_free(b);
}

START_TEST(rules) {
  struct archive *a = archive_folder("tests/data/timing");
  ck_assert(a != NULL);
  struct table *t = table_open(a, "rules.tsv");
  unsigned rows = 0;
  for (; table_next(t); rows++)
    run_rule(t);
  ck_assert_uint_gt(rows, 80);
  table_close(t);
  archive_close(a);
}
END_TEST

// The page lists every rule, its programs and the cycles, as the table has them.
START_TEST(page) {
  struct archive *a = archive_folder("."), *d = archive_folder("tests/data/timing");
  size_t size;
  const char *text = (const char *)archive_member(a, "docs/timing-rules.md", &size);
  ck_assert_msg(text != NULL, "no docs/timing-rules.md");
  struct table *t = table_open(d, "rules.tsv");
  while (table_next(t)) {
    char want[1024];
    snprintf(want, sizeof want, "**%s** ", table_text(t, "rule"));
    ck_assert_msg(strstr(text, want), "docs/timing-rules.md does not name the rule %s",
                  table_text(t, "rule"));
    snprintf(want, sizeof want, "| `%s` | %s |\n", table_text(t, "program"), table_text(t, "gaps"));
    ck_assert_msg(strstr(text, want), "docs/timing-rules.md lacks this program of rule %s: %s",
                  table_text(t, "rule"), want);
  }
  table_close(t);
  archive_close(a);
  archive_close(d);
}
END_TEST

Suite *timing_rules_suite(void) {
  Suite *s = suite_create("timing_rules");
  TCase *c = tcase_create("rules");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, rules);
  tcase_add_test(c, page);
  suite_add_tcase(s, c);
  return s;
}
