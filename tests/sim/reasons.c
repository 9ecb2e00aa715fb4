// tests/sim/reasons.c: what is said of a run that ended badly: where, why, who called, who waits.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/tool.h"

Suite *reasons_suite(void);

#define SOURCE "tests/kernels/target/ends_main.c"

// The line of the program that holds `text`.
static unsigned line_of(const char *text) {
  char *source = tool_file(SOURCE);
  ck_assert_ptr_nonnull(source);
  char *found = strstr(source, text);
  ck_assert_ptr_nonnull(found);
  unsigned line = 1;
  for (char *p = source; p < found; p++)
    line += *p == '\n';
  free(source);
  return line;
}

static const char *end(int how, const char *options, int status) {
  int got;
  const char *text = tool(&got, PULPSIM " -q %s " KERNEL("test/ends") " -- %d", options, how);
  ck_assert_msg(got == status, "%d: status %d: %s", how, got, text);
  return text;
}

static void says(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static const char *const engines[] = {"", "--engine plain"};

START_TEST(a_trap_says_word_line_and_callers) {
  char part[80];
  const char *text = end(0, engines[_i], 120);
  snprintf(part, sizeof part, "(descend+0x");
  says(text, "pulpsim: core 3, pc 0x");
  says(text, part);
  snprintf(part, sizeof part, ", ends_main.c:%u): illegal instruction 0xffffffff in cycle ",
           line_of("if (depth == 0)"));
  says(text, part);
  snprintf(part, sizeof part, ", ends_main.c:%u)\n", line_of("// called"));
  says(text, part);
  const char *first = strstr(text, "\n  called from 0x");
  ck_assert_ptr_nonnull(first);
  says(first, "(descend+0x");
  says(first, "\n  called from 0x");
  says(first, "(rt_start+0x");
}
END_TEST

START_TEST(a_stack_overflow_is_said) {
  unsigned bytes, size;
  const char *text = end(8, engines[_i], 120);
  says(text, "core 3, pc 0x");
  says(text, ": stack overflow: ");
  const char *by = strstr(text, "overflow: ");
  ck_assert_int_eq(sscanf(by, "overflow: %u bytes beyond the %u of its", &bytes, &size), 2);
  ck_assert_uint_ge(bytes, 1);
  ck_assert_uint_le(bytes, 64); // the first frame that did not fit
  ck_assert_uint_eq(size, 992);
}
END_TEST

// Also of a program that `strip` has left without symbols.
START_TEST(a_stack_overflow_of_a_stripped_program_is_said) {
  int status;
  tool(NULL, "riscv64-unknown-elf-strip -o %s/a.out " KERNEL("test/ends"), tool_directory());
  const char *text = tool(&status, PULPSIM " -q %s/a.out -- 8", tool_directory());
  says(text, "core 3, pc 0x");
  says(text, "beyond the 992 of its stack");
  ck_assert_int_eq(status, 120);
}
END_TEST

START_TEST(an_address_is_named) {
  says(end(1, engines[_i], 120), "load outside memory: 4 bytes at address 0x1a105004, which nobody "
                                 "models: the advanced timer (PWM) in cycle ");
  says(end(2, engines[_i], 120), "4 bytes at address 0x1c080000, which nobody models: L2, behind "
                                 "its end");
  says(end(3, engines[_i], 120), "DMA transfer outside L1 or L2: 64 bytes from 0x40000000, to L1 + "
                                 "0x100 (transfer 0) in cycle ");
}
END_TEST

START_TEST(a_word_of_another_set_is_named) {
  says(end(6, "", 120), "illegal instruction 0x04c5f553: fadd.h fa0,fa1,fa2 of Xf16, which this "
                        "machine has not (core.smallfloat=true) in cycle ");
}
END_TEST

// What is said about the words of other_set.S; "" if they mean on this machine what they are.
START_TEST(a_misread_word_is_named) {
  static const struct {
    const char *defines, *machine, *says;
    int status;
  } cases[] = {{"-DNIBBLES", "",
                ") is pv.add.n a0,a1,a2 of XpulpNN, which this machine has not "
                "(core.xpulpnn=true); it ran as pv.add.h a0,a1,a2\n",
                0},
               {"-DNIBBLES", "-s core.xpulpnn=true", "", 0},
               {"-DSIMD -DXPULP_COREV", "",
                " (main+0x4) is cv.add.b a0,a1,a2 of CORE-V, which this machine has "
                "not (core.isa=corev); it ran as lp.endi x0,",
                0},
               {"-DSIMD -DXPULP_COREV", "-s core.isa=corev", "", 0},
               {"-DSIMD", "", "", 0},
               {"-DXPULP_COREV", "",
                "\npulpsim: the program has instructions of CORE-V, which this machine has "
                "not (core.isa=corev), such as cv.clip a0,a1,4 at 0x",
                120},
               {"", "-s core.isa=corev",
                "\npulpsim: the program has instructions of XpulpV2, which this machine "
                "has not (core.isa=xpulpv2), such as p.clip a0,a1,4 at 0x",
                120},
               {"", "", "load outside memory", 120}};
  int status;
  tool(NULL,
       "riscv64-unknown-elf-gcc --specs=" TEST_BUILD_DIR "/kernels/libc/pulpsim.specs %s "
       "tests/programs/libc/other_set.S -o %s/a.out",
       cases[_i].defines, tool_directory());
  const char *text =
      tool(&status, PULPSIM " -q -n 1 %s %s/a.out", cases[_i].machine, tool_directory());
  ck_assert_int_eq(status, cases[_i].status);
  if (*cases[_i].says)
    says(text, cases[_i].says);
  ck_assert_msg((strstr(text, "which this machine has not") != NULL) ==
                    (strstr(cases[_i].says, "machine has") != NULL),
                "it said: %s", text);
}
END_TEST

static const char *end_of_calls(const char *options, const char *argument) {
  int status;
  tool(NULL,
       "riscv64-unknown-elf-gcc --specs=" TEST_BUILD_DIR "/kernels/libc/pulpsim.specs -g %s "
       "tests/programs/libc/calls.c -o %s/a.out",
       options, tool_directory());
  const char *text = tool(&status, PULPSIM " -q -n 1 %s/a.out -- %s", tool_directory(), argument);
  ck_assert_msg(status == 120, "status %d: %s", status, text);
  return text;
}

START_TEST(a_call_by_a_null_pointer_is_named) {
  const char *text = end_of_calls("", "1");
  says(text, "core 0, pc 0x00000000: illegal instruction, near 0: a call by a null pointer in");
  says(text, ", calls.c:");
}
END_TEST

START_TEST(a_call_to_nowhere_is_named) {
  says(end_of_calls("", "2"),
       "core 0, pc 0x30000000: illegal instruction, fetched where no memory is in cycle ");
}
END_TEST

// Of a program that is compiled for more than any of these cores has, and of no other.
START_TEST(a_foreign_extension_is_named) {
  static const char foreign[] = "; the program is compiled for the extension a, which no machine "
                                "has in cycle ";
  says(end_of_calls("-march=rv32imac -mabi=ilp32", ""), foreign);
  ck_assert_ptr_null(strstr(end_of_calls("-march=rv32imc -mabi=ilp32", ""), foreign));
}
END_TEST

START_TEST(a_deadlock_says_who_is_missing) {
  const char *text = end(4, engines[_i], 121);
  says(text, "\n  barrier 0: cores 0, 1, 2, 4, 5, 6, 7 are there, core 3 is missing\n");
  says(text, "\n  core 0 waits for barrier 0 at 0x");
  says(text, "\n  core 3 waits for the mutex, which another core holds at 0x");
  text = end(5, engines[_i], 121);
  says(text, "\n  core 3 waits for an event (mask 0x00000100) of DMA at 0x");
}
END_TEST

START_TEST(a_flag_that_nobody_sets_is_said) {
  char part[80];
  const char *text = end(7, engines[_i], 121);
  says(text, "no core gets any further, and nobody is left to change that\n");
  says(text, "\n  barrier 0: cores 0, 1, 2, 4, 5, 6, 7 are there, core 3 is missing\n");
  says(text, "\n  core 3 goes round and round at 0x");
  snprintf(part, sizeof part, "ends_main.c:%u)", line_of("// polled"));
  says(text, part);
}
END_TEST

// Of a loop that loses a fetch in each pass, and only of that.
START_TEST(a_loop_that_loses_fetches_is_named) {
  static const char *const begin[] = {"", "-DSHIFTED"};
  for (int i = 0; i < 2; i++) {
    tool(NULL,
         "riscv64-unknown-elf-gcc --specs=" TEST_BUILD_DIR "/kernels/libc/pulpsim.specs %s "
         "tests/programs/libc/loop.S -o %s/a.out",
         begin[i], tool_directory());
    const char *text = tool(NULL, PULPSIM " -n 1 %s %s/a.out", engines[_i], tool_directory());
    ck_assert_msg((strstr(text, "1 hardware loop begins at 2 modulo 4 with a 32-bit instruction, "
                                "whose fetch costs a cycle in every pass; the first: 0x") &&
                   strstr(text, " (main+0xa); align with .balign 4\n")) == (i == 1),
                  "%s: %s", begin[i], text);
  }
}
END_TEST

Suite *reasons_suite(void) {
  Suite *s = suite_create("reasons");
  TCase *t = tcase_create("reasons");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, a_trap_says_word_line_and_callers, 0, 2);
  tcase_add_loop_test(t, a_stack_overflow_is_said, 0, 2);
  tcase_add_loop_test(t, an_address_is_named, 0, 2);
  tcase_add_test(t, a_word_of_another_set_is_named);
  tcase_add_loop_test(t, a_misread_word_is_named, 0, 8);
  tcase_add_test(t, a_stack_overflow_of_a_stripped_program_is_said);
  tcase_add_test(t, a_call_by_a_null_pointer_is_named);
  tcase_add_test(t, a_call_to_nowhere_is_named);
  tcase_add_test(t, a_foreign_extension_is_named);
  tcase_add_loop_test(t, a_deadlock_says_who_is_missing, 0, 2);
  tcase_add_loop_test(t, a_flag_that_nobody_sets_is_said, 0, 2);
  tcase_add_loop_test(t, a_loop_that_loses_fetches_is_named, 0, 2);
  suite_add_tcase(s, t);
  return s;
}
