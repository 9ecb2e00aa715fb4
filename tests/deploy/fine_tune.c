// tests/deploy/fine_tune.c: a deployed integer network whose last layer learns on the machine
// (kernels/examples/fine_tune.sh): it gets better at what it learns from, and at what it has not
// seen.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *fine_tune_suite(void);

#define DATA "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"

static void counts(const char *text, const char *when, int *held, int *others) {
  const char *at = strstr(text, when);
  ck_assert_msg(at != NULL, "%s: %s", when, text);
  at += strlen(when);
  ck_assert_msg(sscanf(at, ": %d of 20 held-out examples right, %d of 40 others", held, others) ==
                    2,
                "%s", at);
}

START_TEST(the_last_layer_learns_on_the_machine) {
  char text[1000] = "";
  int held, others, held_then, others_then;
  if (access(DATA, R_OK) != 0 || access(TEST_BUILD_DIR "/kernels/libkernels.a", R_OK) != 0)
    return;
  FILE *run = popen("BUILD=" TEST_BUILD_DIR // NOLINT(cert-env33-c)
                    " kernels/examples/fine_tune.sh -DTRAINED=40 -DHELD=20 2>/dev/null",
                    "r");
  ck_assert_ptr_nonnull(run);
  size_t got = fread(text, 1, sizeof text - 1, run);
  ck_assert_int_eq(pclose(run), 0);
  text[got] = '\0';
  counts(text, "as deployed", &held, &others);
  counts(text, "having learned", &held_then, &others_then);
  ck_assert_msg(others_then >= others + 10 && held_then > held, "%s", text);
}
END_TEST

START_TEST(what_is_missing_is_said) {
  char text[300] = "";
  FILE *run =
      popen("FASHION=/nowhere kernels/examples/fine_tune.sh 2>&1", "r"); // NOLINT(cert-env33-c)
  ck_assert_ptr_nonnull(run);
  text[fread(text, 1, sizeof text - 1, run)] = '\0';
  ck_assert_int_eq(WEXITSTATUS(pclose(run)), 66);
  ck_assert_ptr_nonnull(strstr(text, "no images in /nowhere: install the package dataset-fashion"));
}
END_TEST

Suite *fine_tune_suite(void) {
  Suite *suite = suite_create("fine_tune");
  TCase *test = tcase_create("fine_tune");
  tcase_set_timeout(test, 240);
  tcase_add_test(test, what_is_missing_is_said);
  tcase_add_test(test, the_last_layer_learns_on_the_machine);
  suite_add_tcase(suite, test);
  return suite;
}
