// tests/isa/selfcheck.c: the self-checking programs of tests/programs/rv32u*/, assembled and run on
// the simulated machines. A program's exit status is 0 or the number of the check that failed.

#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

Suite *selfcheck_suite(void);

#define CROSS "riscv64-unknown-elf-gcc"
#define DIR   TEST_BUILD_DIR "/selfcheck"

static glob_t programs;

static const struct machine {
  const char *options, *text, *data;
} machines[] = {
    {"--config=cv32e40p", "0x10000", "0x80000"},
    {"--config=pulp-open --cores=1", "0x1c008000", "0x1c020000"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static int run(const char *command) {
  int status = system(command);
  ck_assert_msg(WIFEXITED(status), "%s: wait status 0x%x", command, status);
  return WEXITSTATUS(status);
}

static void check_program(const char *source, int number, const struct machine *m) {
  char command[1024], elf[64];
  snprintf(elf, sizeof elf, DIR "/%d-%d.elf", number, (int)(m - machines));
  snprintf(command, sizeof command,
           "mkdir -p " DIR " && " CROSS " -march=rv32imfc_zicsr_zifencei -mabi=ilp32f -nostdlib "
           "-static -Itests/programs -Wl,-Ttext=%s,-Tdata=%s,--no-warn-rwx-segments -o %s %s",
           m->text, m->data, elf, source);
  ck_assert_msg(run(command) == 0, "%s does not assemble", source);
  snprintf(command, sizeof command,
           "timeout 60 " TEST_BUILD_DIR "/pulpsim --quiet --max-cycles=1M %s %s", m->options, elf);
  int status = run(command);
  ck_assert_msg(status == 0, "%s on %s: check %d failed", source, m->options, status);
}

START_TEST(passes) {
  if (system("command -v " CROSS " >/dev/null") != 0)
    return; // nothing to assemble with
  const char *source = programs.gl_pathv[_i];
  for (int i = 0; i < MACHINES; i++)
    check_program(source, _i, &machines[i]);
}
END_TEST

// Words that are no instructions, or only in some rounding modes of frm.
static const struct refusal {
  unsigned mode;
  const char *word, *what;
} refusals[] = {
    {5, "0x00c5f553", "fadd.s fa0,fa1,fa2,dyn with frm 5"},
    {6, "0x58057553", "fsqrt.s fa0,fa0,dyn with frm 6"},
    {7, "0xc005f553", "fcvt.w.s a0,fa1,dyn with frm 7"},
    {5, "0x68c5f543", "fmadd.s fa0,fa1,fa2,fa3,dyn with frm 5"},
    {0, "0x00c5d553", "fadd.s with rounding mode 5"},
    {0, "0x68c5e543", "fmadd.s with rounding mode 6"},
    {0, "0xe0158553", "fmv.x.w with rs2 1"},
    {0, "0x20c5b553", "fsgnj.s with function 3"},
    {0, "0x02c5f553", "fadd.d"},
    {0, "0xc025f553", "fcvt.l.s"},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

START_TEST(is_refused) {
  const struct refusal *r = &refusals[_i];
  char command[1024];
  if (system("command -v " CROSS " >/dev/null") != 0)
    return;
  snprintf(command, sizeof command,
           "mkdir -p " DIR " && " CROSS " -march=rv32imfc_zicsr -mabi=ilp32f -nostdlib -static "
           "-DMODE=%u -DWORD=%s -Wl,-Ttext=0x10000 -o " DIR "/trap%d.elf tests/programs/trap.S",
           r->mode, r->word, _i);
  ck_assert_int_eq(run(command), 0);
  snprintf(command, sizeof command,
           "timeout 60 " TEST_BUILD_DIR "/pulpsim --quiet --max-cycles=1M --config=cv32e40p " DIR
           "/trap%d.elf 2>&1 >/dev/null | grep -q 'pc 0x00010004 .*illegal instruction'",
           _i);
  ck_assert_msg(run(command) == 0, "%s is not refused", r->what);
}
END_TEST

START_TEST(are_there) {
  ck_assert_uint_ge(programs.gl_pathc, 20);
}
END_TEST

Suite *selfcheck_suite(void) {
  glob("tests/programs/rv32u*/*.S", 0, NULL, &programs);
  Suite *s = suite_create("selfcheck");
  TCase *c = tcase_create("programs");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, are_there);
  tcase_add_loop_test(c, passes, 0, (int)programs.gl_pathc);
  tcase_add_loop_test(c, is_refused, 0, REFUSALS);
  suite_add_tcase(s, c);
  return s;
}
