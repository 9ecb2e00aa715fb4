// tests/deploy/spread.c: work in processes gives what one process gives.
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/quant/spread.h"

Suite *spread_suite(void);

enum { PIECES = 40 };

// Leaves traces in memory that no other piece may see.
static bool count_up(void *context, uint32_t number, void *result, struct net_error *error) {
  uint32_t *seen = context;
  uint64_t product[2] = {number * 3, ++*seen};
  (void)error;
  memcpy(result, product, sizeof product);
  return true;
}

static uint64_t *counted(uint32_t processes, uint32_t *seen) {
  return spread(&(struct spread){PIECES, 2 * sizeof(uint64_t), count_up, seen}, processes, NULL);
}

START_TEST(results_are_in_order) {
  uint32_t seen = 0;
  uint64_t *one = counted(1, &seen), *many = counted((uint32_t)_i, &seen);
  ck_assert(one && many);
  for (uint64_t i = 0; i < PIECES; i++)
    ck_assert(one[2 * i] == 3 * i && one[2 * i + 1] == 1);
  ck_assert_mem_eq(one, many, 2 * PIECES * sizeof *one);
  ck_assert_uint_eq(seen, 0);
  free(one);
  free(many);
}
END_TEST

static bool fail_twice(void *context, uint32_t number, void *result, struct net_error *error) {
  (void)context, (void)result;
  error->status = (int)number;
  return number != 7 && number != 30 ? true : net_fail(error, "piece %u", number);
}

START_TEST(the_first_mistake_is_told) {
  struct net_error error = {.text = ""};
  ck_assert_ptr_null(spread(&(struct spread){PIECES, 8, fail_twice, NULL}, 3, &error));
  ck_assert_str_eq(error.text, "piece 7");
  ck_assert_int_eq(error.status, 7);
}
END_TEST

static bool die(void *context, uint32_t number, void *result, struct net_error *error) {
  (void)context, (void)result, (void)error;
  if (number == 5)
    _exit(9);
  return true;
}

START_TEST(a_process_that_ends_is_told) {
  struct net_error error = {.text = ""};
  ck_assert_ptr_null(spread(&(struct spread){PIECES, 8, die, NULL}, 2, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "ended before its time"));
  ck_assert_int_ne(error.status, 0);
}
END_TEST

START_TEST(no_work_is_done_at_once) {
  void *nothing = spread(&(struct spread){0, 8, die, NULL}, 0, NULL);
  ck_assert_ptr_nonnull(nothing);
  free(nothing);
}
END_TEST

Suite *spread_suite(void) {
  Suite *s = suite_create("spread");
  TCase *tc = tcase_create("spread");
  tcase_add_loop_test(tc, results_are_in_order, 1, 6);
  tcase_add_test(tc, the_first_mistake_is_told);
  tcase_add_test(tc, a_process_that_ends_is_told);
  tcase_add_test(tc, no_work_is_done_at_once);
  suite_add_tcase(s, tc);
  return s;
}
