#include "command.h"

#include <check.h>

static struct {
  int argc;
  char **argv;
  int (*run)(int argc, char **argv);
  int status;
} command;

START_TEST(runs) {
  command.status = command.run(command.argc, command.argv);
}
END_TEST

int command_status(const char *name, int argc, char **argv, int (*run)(int argc, char **argv)) {
  Suite *s = suite_create(name);
  TCase *t = tcase_create("command");
  command.argc = argc;
  command.argv = argv;
  command.run = run;
  tcase_add_test(t, runs);
  suite_add_tcase(s, t);
  SRunner *runner = srunner_create(s);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_SILENT);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 70 : command.status;
}
