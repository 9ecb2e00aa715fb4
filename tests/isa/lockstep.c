// tests/isa/lockstep.c: a sample of the random programs on which pulpsim and qemu-riscv32 agree in
// registers, memory and float flags; `make check-qemu` runs more.

#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>

Suite *lockstep_suite(void);

START_TEST(agrees_with_qemu) {
  int status = system("tests/isa/lockstep/run.sh " TEST_BUILD_DIR " 600000 >/dev/null");
  ck_assert_msg(WIFEXITED(status), "wait status 0x%x", status);
  if (WEXITSTATUS(status) != 77) // qemu or the cross compiler is missing
    ck_assert_msg(WEXITSTATUS(status) == 0,
                  "run tests/isa/lockstep/run.sh " TEST_BUILD_DIR " 600000 to see the difference");
}
END_TEST

Suite *lockstep_suite(void) {
  Suite *s = suite_create("lockstep");
  TCase *c = tcase_create("qemu");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, agrees_with_qemu);
  suite_add_tcase(s, c);
  return s;
}
