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

#include "deploy/emit/folder.h"
#include "deploy/emit/library.h"
#include "deploy/emit/machine.h"
#include "deploy/family/family.h"
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
      "resnet8 --check --tiles estimate --l2 110k",   // activations in L3
      "vww --check --tiles estimate --l2 85k",
      "mobilenet_v2:96:0.25 --check --tiles estimate --l2 120k",
      "ds_cnn --check --tiles estimate --machine pulp-open",
  };
  char text[32768];
  int status = deploy(cases[_i], text, sizeof text);
  ck_assert_msg(status == 0, "%s: status %d: %.3000s", cases[_i], status, text);
}
END_TEST

// Where L2 is short, the layers' descriptions are in L3, and that is worth it: 890 k cycles, and
// twice as many with them in L2.
START_TEST(descriptions_may_be_in_l3) {
  char text[32768];
  ck_assert_int_eq(deploy("ds_cnn --check --tiles estimate --l2 40k", text, sizeof text), 0);
  ck_assert_ptr_nonnull(strstr(text, "with the layers' descriptions"));
  ck_assert_int_eq(deploy("resnet8 --check --tiles estimate --l2 64k", text, sizeof text), 0);
  ck_assert_ptr_nonnull(strstr(text, "with the layers' descriptions"));
  const char *all = strstr(text, "\nall ");
  ck_assert_ptr_nonnull(all);
  ck_assert_int_lt(strtol(all + 4, NULL, 10), 1000000);
  ck_assert_int_eq(deploy("ds_cnn --run --tiles estimate", text, sizeof text), 0);
  ck_assert_ptr_null(strstr(text, "with the layers' descriptions"));
}
END_TEST

// Stripes of one row each that do not fit side by side have L2 one at a time.
START_TEST(stripes_may_be_alone) {
  char text[32768];
  ck_assert_int_eq(deploy("vww --tiles estimate --l2 66k", text, sizeof text), 0);
  ck_assert_int_eq(deploy("mobilenet_v2:96:0.25 --tiles estimate --l2 72k", text, sizeof text), 0);
}
END_TEST

START_TEST(what_does_not_fit_is_said) {
  static const struct {
    const char *arguments, *says;
  } cases[] = {
      {"mobilenet_v1:224:1.0 --l2 100k", "L2: the activations that live there take at least 50176"},
      {"ds_cnn --l2 50k", "L2: the program takes 61440 bytes and leaves none of 51200"},
      {"ds_cnn --l2 61444", "L2: the activations that live there take at least 8000 bytes, with "
                            "the program (61440) there "
                            "are 4"},
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

// Builds ds_cnn, changes its C by an edit of sed's, builds it again, and checks it.
static bool check_edited(const char *edit, struct net_error *error) {
  struct net *net = family_build("ds_cnn", error);
  ck_assert_ptr_nonnull(net);
  char *root = realpath(".", NULL);
  struct folder folder = {
      .dir = TEST_BUILD_DIR "/tests/emit_edited",
      .root = root,
      .machine = "gap8",
      .plan = {.l1 = 57600, .l2 = 512 << 10, .code = 60 << 10, .objective = PLAN_ESTIMATE}};
  struct plan *plan = folder_build(net, &folder, error);
  ck_assert_msg(plan != NULL, "%s", error->text);
  char *command = memory_format("cd %s && cp net.c before.c && sed -i '%s' net.c && "
                                "! cmp -s before.c net.c && make -s -B L2=524288",
                                folder.dir, edit);
  ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c)
  struct machine_result result = {NULL};
  bool good = machine_run(plan, folder.dir, "gap8", &(struct machine_images){.check = true},
                          &result, error);
  machine_result_free(&result);
  plan_free(plan);
  net_free(net);
  free(command);
  free(root);
  return good;
}

// A race of all cores, a wrong requantization of a tile, a tile of which a core computes too
// little.
START_TEST(planted_mistakes_are_found) {
  static const struct {
    const char *edit, *says;
    int status;
  } cases[] = {{"s/^int net_run/static volatile int race;\\n&/; "
                "s/status = (int)tile_run.*/race = (int)rt_core_id() + 1; &/",
                "data race", EX_SOFTWARE},
               {"/ pw2:/,/^};/s/[.]shift = [0-9]*/.shift = 3/", "layer pw2: ", 1},
               {"/ pw2:/,/^};/s/{0, 16, 0, 16}/{0, 8, 0, 16}/", "layer pw2: ", 1}};
  struct net_error error = {.text = ""};
  ck_assert(!check_edited(cases[_i].edit, &error));
  ck_assert_msg(strstr(error.text, cases[_i].says) != NULL, "it said: %s", error.text);
  ck_assert_int_eq(error.status, cases[_i].status);
}
END_TEST

Suite *emit_suite(void) {
  Suite *suite = suite_create("emit");
  TCase *tc = tcase_create("emit");
  tcase_set_timeout(tc, 300);
  tcase_add_loop_test(tc, networks_equal_the_interpreter, 0, 12);
  tcase_add_test(tc, descriptions_may_be_in_l3);
  tcase_add_test(tc, stripes_may_be_alone);
  tcase_add_loop_test(tc, what_does_not_fit_is_said, 0, 4);
  tcase_add_test(tc, an_old_library_is_said);
  tcase_add_loop_test(tc, planted_mistakes_are_found, 0, 3);
  suite_add_tcase(suite, tc);
  return suite;
}
