// tests/observe/profiles.c: profiles, read by callgrind_annotate; every cycle is in them.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

static unsigned long long number_behind(const char *text, const char *mark) {
  const char *p = strstr(text, mark);
  ck_assert_msg(p != NULL, "no '%s' in: %.400s", mark, text);
  return strtoull(p + strlen(mark), NULL, 10);
}

// Cycles of all cores together, by the statistics.
static unsigned long long all_cycles(const char *program) {
  const char *text = tool(NULL,
                          PULPSIM " -q --stats %s/s.json %s && python3 -c \"import json;"
                                  "print('cycles', sum(c['cycles'] for c in "
                                  "json.load(open('%s/s.json'))['cores']))\"",
                          tool_directory(), program, tool_directory());
  return number_behind(text, "cycles ");
}

START_TEST(callgrind_reads_the_profile) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --profile %s/p --flame %s/f %s", dir, dir, KERNEL("mm_i8_4x2"));
  const char *text = tool(NULL,
                          "callgrind_annotate --show=Cycles,tcdm_conflict --sort=Cycles "
                          "--inclusive=yes %s/p",
                          dir);
  ck_assert_ptr_nonnull(strstr(text, "PROGRAM TOTALS"));
  ck_assert_ptr_nonnull(strstr(text, ":main"));
  // By definition the totals are those of the run; _start includes everything.
  unsigned long long cycles = all_cycles(KERNEL("mm_i8_4x2"));
  char *profile = tool_file(strcat(strcpy((char[96]){0}, dir), "/p"));
  const char *totals = strstr(profile, "\ntotals: ");
  ck_assert_ptr_nonnull(totals);
  char *end;
  strtoull(totals + 9, &end, 10); // instructions
  ck_assert_uint_eq(strtoull(end, NULL, 10), cycles);
  free(profile);
}
END_TEST

// Sums of the per-line costs in the file, by an independent reader.
START_TEST(costs_add_up) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --profile %s/p --flame %s/f %s", dir, dir, KERNEL("vec_axpy"));
  const char *sum = tool(NULL,
                         "awk '/^calls=/ { getline; next } /^0x/ { i += $3; c += $4 } "
                         "/^totals:/ { print (i == $2 && c == $3) ? \"same\" : \"differ\" }' %s/p",
                         dir);
  ck_assert_str_eq(sum, "same\n");
  unsigned long long cycles = all_cycles(KERNEL("vec_axpy"));
  const char *folded = tool(NULL, "awk '{ s += $NF } END { printf \"%%d\", s }' %s/f", dir);
  ck_assert_uint_eq(strtoull(folded, NULL, 10), cycles);
  const char *stack = tool(NULL, "grep -c '^_start;rt_start;main;' %s/f", dir);
  ck_assert_int_gt(atoi(stack), 3);
}
END_TEST

// Sum of all stacks' cycles, with these options, and by the statistics.
static void check_sum(const char *program, const char *options) {
  const char *dir = tool_directory();
  const char *sums =
      tool(NULL,
           PULPSIM " -q %s --flame %s/f --stats %s/s.json %s 2>/dev/null; awk '{ s += $NF } "
                   "END { printf \"%%d\\n\", s }' %s/f; python3 -c \"import json;"
                   "print(sum(c['cycles'] for c in json.load(open('%s/s.json'))['cores']))\"",
           options, dir, dir, program, dir, dir);
  char *end;
  unsigned long folded = strtoul(sums, &end, 10), counted = strtoul(end, NULL, 10);
  ck_assert_msg(folded == counted && counted > 100, "%s %s: %lu of %lu cycles", program, options,
                folded, counted);
}

// Wherever the run ends, and whatever cores have executed ahead by then.
START_TEST(costs_add_up_at_any_end) {
  check_sum(KERNEL("conv2d_u2i2u2_nn"), ""); // traps
  check_sum(KERNEL("conv2d_u2i2u2_nn"), "--engine plain");
  check_sum(KERNEL("mm_i8_4x2"), "--max-cycles 5077");
  check_sum(KERNEL("mm_i8_4x2"), "--max-cycles 5077 --engine plain");
  check_sum(KERNEL("speed_int"), "--max-cycles 5078 -s cluster.icache.model=ideal");
}
END_TEST

// A line of the source appears with its cycles: the loop of the naive product.
START_TEST(lines_are_those_of_the_source) {
  const char *text = tool(NULL, PULPSIM " -q --annotate %s", KERNEL("mm_f32_naive"));
  ck_assert_ptr_nonnull(strstr(text, "Functions"));
  ck_assert_ptr_nonnull(strstr(text, "Innermost loops"));
  ck_assert_ptr_nonnull(strstr(text, "mm_f32.c:"));
  ck_assert_ptr_null(strchr(text, '\033')); // not a terminal: no colour
}
END_TEST

Suite *profiles_suite(void);
Suite *profiles_suite(void) {
  Suite *s = suite_create("profiles");
  TCase *c = tcase_create("profiles");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, callgrind_reads_the_profile);
  tcase_add_test(c, costs_add_up);
  tcase_add_test(c, costs_add_up_at_any_end);
  tcase_add_test(c, lines_are_those_of_the_source);
  suite_add_tcase(s, c);
  return s;
}
