// tests/deploy/emit.c: networks by name, as C on the machine: every layer of two images equal to
// the interpreter's, with little L1 too; and what does not fit is refused before anything is
// written.
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>

#include "deploy/emit/library.h"
#include "deploy/memory.h"

Suite *emit_suite(void);

// Runs the command; its exit status, and the end of what it printed.
static int deploy(const char *arguments, char *text, size_t size) {
  char *command = memory_format(
      "%s/pulpsim-deploy %s --cache %s/tests/tiles -o %s/tests/emit%d 2>&1", TEST_BUILD_DIR,
      arguments, TEST_BUILD_DIR, TEST_BUILD_DIR, (int)(strlen(arguments)));
  FILE *f = popen(command, "r"); // NOLINT(cert-env33-c)
  ck_assert_ptr_nonnull(f);
  size_t used = fread(text, 1, size - 1, f);
  text[used] = 0;
  free(command);
  return WEXITSTATUS(pclose(f));
}

START_TEST(networks_equal_the_interpreter) {
  static const char *const cases[] = {
      "ds_cnn --check",
      "resnet8 --check --tiles estimate",
      "autoencoder --check --tiles estimate",
      "vww --check --tiles estimate",
      "resnet8 --check --tiles estimate --l1 32k --l2 130k",
      "mobilenet_v2:96:0.25 --check --tiles estimate --l2 240k",
      "ds_cnn --check --tiles eq6 --l1 16k",
      "autoencoder --check --tiles estimate --l1 5k", // linear layers in parts
      "resnet8 --check --tiles estimate --l2 64k",    // activations in L3
      "vww --check --tiles estimate --l2 85k",
      "mobilenet_v2:96:0.25 --check --tiles estimate --l2 120k",
  };
  char text[32768];
  int status = deploy(cases[_i], text, sizeof text);
  ck_assert_msg(status == 0, "%s: status %d: %.3000s", cases[_i], status, text);
}
END_TEST

START_TEST(what_does_not_fit_is_said) {
  static const struct {
    const char *arguments, *says;
  } cases[] = {
      {"mobilenet_v1:224:1.0 --l2 100k", "L2: the activations that live there take"},
      {"ds_cnn --l2 50k", "L2: the program takes 61440 bytes and leaves none of 51200"},
      {"ds_cnn --l2 61444",
       "L2: the activations that live there take 816 bytes, with the program (61440) there are 4"},
      {"resnet8 --l1 2k", "L1: its smallest tile takes"}};
  char text[32768];
  char *net =
      memory_format("%s/tests/emit%d/net.c", TEST_BUILD_DIR, (int)strlen(cases[_i].arguments));
  remove(net);
  ck_assert_int_eq(deploy(cases[_i].arguments, text, sizeof text), 73);
  FILE *written = fopen(net, "r");
  ck_assert_msg(written == NULL, "%s has been written", net);
  free(net);
  ck_assert_msg(strstr(text, cases[_i].says) != NULL, "it said: %s", text);
}
END_TEST

static void touch(const char *path, time_t second) {
  FILE *f = fopen(path, "a");
  ck_assert_ptr_nonnull(f);
  fclose(f);
  const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
  ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

// A library that is older than a header of it is not measured.
START_TEST(an_old_library_is_said) {
  static const char *const root = TEST_BUILD_DIR "/tests/old";
  ck_assert_int_eq(system("mkdir -p " TEST_BUILD_DIR
                          "/tests/old/build/kernels-gap8/obj/nn && cd " // NOLINT
                          TEST_BUILD_DIR "/tests/old && printf 'a.o: a.c \\\\\n a.h\na.h:\n' > "
                          "build/kernels-gap8/obj/nn/a.c.d && touch a.c a.h"),
                   0);
  struct net_error error = {.text = ""};
  touch(TEST_BUILD_DIR "/tests/old/a.c", 1000);
  touch(TEST_BUILD_DIR "/tests/old/a.h", 1000);
  touch(TEST_BUILD_DIR "/tests/old/build/kernels-gap8/libkernels.a", 2000);
  ck_assert_msg(library_is_there(root, &error), "%s", error.text);
  touch(TEST_BUILD_DIR "/tests/old/a.h", 3000);
  ck_assert(!library_is_there(root, &error));
  ck_assert_msg(strstr(error.text, "older than a.h") != NULL, "it said: %s", error.text);
  ck_assert_int_eq(error.status, EX_NOINPUT);
  ck_assert(!library_is_there(TEST_BUILD_DIR "/tests/nowhere", &error));
  ck_assert_ptr_nonnull(strstr(error.text, "is not there"));
}
END_TEST

Suite *emit_suite(void) {
  Suite *suite = suite_create("emit");
  TCase *tc = tcase_create("emit");
  tcase_set_timeout(tc, 300);
  tcase_add_loop_test(tc, networks_equal_the_interpreter, 0, 11);
  tcase_add_loop_test(tc, what_does_not_fit_is_said, 0, 4);
  tcase_add_test(tc, an_old_library_is_said);
  suite_add_tcase(suite, tc);
  return suite;
}
