// tests/observe/memory_checks.c: --check finds each kind of mistake, and none where there is none.
#include <check.h>
#include <string.h>

#include "tests/observe/tool.h"

START_TEST(kinds_are_found) {
  static const char *const kinds[] = {"data race", "never written", "out of bounds", "misaligned",
                                      "a null pointer"};
  const char *text = tool(NULL, PULPSIM " -q --check %s", KERNEL("mistakes"));
  ck_assert_msg(strstr(text, kinds[_i]) != NULL, "no '%s' in\n%s", kinds[_i], text);
}
END_TEST

// Through the cluster's view at 0 the same memory is seen.
START_TEST(aliases_are_one_memory) {
  const char *text = tool(NULL, PULPSIM " -q --check %s", KERNEL("test/alias"));
  ck_assert_msg(strstr(text, "data race: put a barrier between; the other is core") != NULL &&
                    strstr(text, "check: 1 finding\n") != NULL,
                "%s", text);
}
END_TEST

// A transfer behind another in 2-D under one identifier is read too early, and only that one.
START_TEST(transfers_are_waited_for) {
  const char *text = tool(NULL, PULPSIM " -q --check %s", KERNEL("test/dma_rows"));
  ck_assert_msg(strstr(text, "too early: 0 apart, ") && !strstr(text, " 0 together"), "%s", text);
  ck_assert_msg(strstr(text, "(arrived_together+") && strstr(text, "race with the DMA") &&
                    strstr(text, "behind a command in two dimensions") &&
                    strstr(text, "check: 1 finding\n"),
                "%s", text);
}
END_TEST

// A member that nobody has set, or padding: once it is used, not when its structure is copied, nor
// when a member beside it is used.
START_TEST(copies_are_no_uses) {
  const char *text = tool(NULL, PULPSIM " -q --check %s -- %d", KERNEL("test/copies"), _i);
  ck_assert_msg(strstr(text, _i ? "check: 1 finding\n" : "check: 0 findings\n") != NULL, "%s",
                text);
  ck_assert_int_eq(strstr(text, "never written") != NULL, _i > 0);
}
END_TEST

START_TEST(good_programs_are_not_blamed) {
  static const char *const programs[] = {KERNEL("hello"), KERNEL("vec_axpy"), KERNEL("mm_i8_4x2")};
  const char *text = tool(NULL, PULPSIM " -q --check %s", programs[_i]);
  ck_assert_msg(strstr(text, "check: 0 findings") != NULL, "%s", text);
}
END_TEST

Suite *memory_checks_suite(void);
Suite *memory_checks_suite(void) {
  Suite *s = suite_create("memory_checks");
  TCase *c = tcase_create("memory_checks");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, kinds_are_found, 0, 5);
  tcase_add_test(c, aliases_are_one_memory);
  tcase_add_test(c, transfers_are_waited_for);
  tcase_add_loop_test(c, copies_are_no_uses, 0, 3);
  tcase_add_loop_test(c, good_programs_are_not_blamed, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
