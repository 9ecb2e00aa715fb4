// tests/cluster/cluster_rtl.c: the cluster takes the cycles that its RTL takes: every marker of
// every core of 1288 runs, and the same whatever the order of equal times, and in the cycle model
// too.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"

Suite *cluster_rtl_suite(void);

static struct measured measured;

static void setup(void) {
  measured_open(&measured);
}
static void teardown(void) {
  measured_close(&measured);
}

static const struct {
  const char *name;
  unsigned runs;
} groups[] = {
    {"conflict", 506}, {"stall", 190},    {"test-and-set", 11}, {"event-unit", 137},
    {"dma", 56},       {"dma-queue", 17}, {"dma-disturb", 59},  {"l2", 44},
    {"icache", 68},    {"programs", 164}, {"random", 36},
};
enum { GROUPS = sizeof groups / sizeof *groups };

// Runs every `stride`-th case of the group; returns how many.
static unsigned check_group(const char *group, unsigned stride, struct measured_run run) {
  unsigned seen = 0, bad = 0;
  char first[600] = "";
  for (size_t i = 0; i < measured.count; i++) {
    const struct measured_case *c = &measured.item[i];
    if (strcmp(c->group, group) != 0 || seen++ % stride)
      continue;
    char *marks = measured_run(&measured, c, &run);
    if (strcmp(marks, c->marks) != 0 && !bad++)
      snprintf(first, sizeof first, "%s, %s cores, %s, %s: %.200s, RTL %.200s", c->program,
               c->cores, c->arbiter, c->instruction_memory, marks, c->marks);
    free(marks);
  }
  ck_assert_msg(!bad, "%s: %u of %u runs differ, first %s", group, bad, seen / stride, first);
  return seen;
}

START_TEST(takes_the_cycles_of_the_rtl) {
  unsigned runs = check_group(groups[_i].name, 1, (struct measured_run){false, 0});
  ck_assert_uint_eq(runs, groups[_i].runs);
}
END_TEST

START_TEST(in_any_order_of_equal_times) {
  for (uint64_t seed = 1; seed <= 3; seed++)
    check_group(groups[_i].name, 13,
                (struct measured_run){false, seed * UINT64_C(0x9e3779b97f4a7c15)});
}
END_TEST

START_TEST(and_in_the_cycle_model) {
  check_group(groups[_i].name, 17, (struct measured_run){true, 0});
}
END_TEST

Suite *cluster_rtl_suite(void) {
  Suite *s = suite_create("cluster_rtl");
  TCase *t = tcase_create("measured");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, takes_the_cycles_of_the_rtl, 0, GROUPS);
  tcase_add_loop_test(t, in_any_order_of_equal_times, 0, GROUPS);
  tcase_add_loop_test(t, and_in_the_cycle_model, 0, GROUPS);
  suite_add_tcase(s, t);
  return s;
}
