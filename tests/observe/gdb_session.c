// tests/observe/gdb_session.c: scripted sessions of gdb-multiarch.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

// Runs gdb-multiarch with these commands on a program, the simulator at the other end of a pipe.
static const char *session(const char *program, const char *commands) {
  char path[128];
  snprintf(path, sizeof path, "%s/commands", tool_directory());
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f,
          "set pagination off\nset confirm off\nset height 0\n"
          "target remote | %s -q --gdb stdio %s\n%s",
          PULPSIM, program, commands);
  fclose(f);
  int status;
  return tool(&status, "timeout 60 gdb-multiarch -nx -batch -x %s %s", path, program);
}

// Every line of `want` must appear in `text`, in this order.
static void expect(const char *text, const char *want) {
  const char *at = text;
  for (const char *w = want; *w;) {
    char line[256];
    size_t n = strcspn(w, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, w);
    const char *found = strstr(at, line);
    ck_assert_msg(found != NULL, "'%s' is not where it should be in:\n%s", line, text);
    at = found + n;
    w += n + (w[n] != '\0');
  }
}

START_TEST(from_load_to_exit) {
  expect(session(KERNEL("vec_axpy"),
                 "info threads\n"
                 "tbreak vec_axpy_i32 thread 3\n"
                 "continue\n"
                 "print $_thread\n"
                 "print/x $pc == (unsigned)&vec_axpy_i32\n"
                 "backtrace 3\n"
                 "print $a3\n"
                 "stepi 5\n"
                 "print $lpcount0\n"
                 "tbreak axpy_odd thread 3\n" // over the hardware loop
                 "continue\n"
                 "print $lpcount0\n"
                 "reverse-stepi\n" // back into its last round
                 "x/i $pc\n"
                 "delete\n"
                 "continue\n"),
         "core 7\n"
         "Temporary breakpoint 1\n"
         "hit Temporary breakpoint 1\n"
         "$1 = 3\n"
         "$2 = 0x1\n"
         "#0  vec_axpy_i32\n"
         "$3 = 128\n"
         "$4 = 64\n"
         "hit Temporary breakpoint 2\n"
         "$5 = 1\n"
         "=> 0x\n"
         "exited normally\n");
}
END_TEST

START_TEST(watch_and_go_back) {
  expect(session(KERNEL("stalls"), "watch stage\n"
                                   "continue\n"
                                   "print stage\n"
                                   "continue\n"
                                   "print stage\n"
                                   "reverse-continue\n"
                                   "print stage\n"
                                   "reverse-continue\n"
                                   "print stage\n"
                                   "continue\n"
                                   "print stage\n"
                                   "delete\n"
                                   "break stall_same_bank thread 2\n"
                                   "continue\n"
                                   "reverse-stepi\n"
                                   "reverse-stepi\n"
                                   "stepi 2\n"
                                   "print $pc == stall_same_bank\n"
                                   "reverse-continue\n"),
         "Hardware watchpoint 1: stage\n"
         "Old value = 0\n"
         "New value = 1\n"
         "$1 = 1\n"
         "New value = 2\n"
         "$2 = 2\n"
         "New value = 1\n"
         "$3 = 1\n"
         "New value = 0\n"
         "$4 = 0\n"
         "New value = 1\n"
         "$5 = 1\n"
         "hit Breakpoint 2\n"
         "$6 = 1\n"
         "No more reverse-execution history\n");
}
END_TEST

START_TEST(registers_and_memory) {
  expect(session(KERNEL("mm_f32_2x4"), "break main\n"
                                       "continue\n"
                                       "print/x $mhartid\n"
                                       "set $a0 = 0x00ff7f80\n"
                                       "print $v_a0.b\n"
                                       "print $v_a0.h\n"
                                       "set $fa0 = 1.5\n"
                                       "print $fa0\n"
                                       "print/x $frm\n"
                                       "set *(int*)0x10000000 = 0x12345678\n"
                                       "x/2xh 0x10000000\n"
                                       "monitor cores\n"
                                       "monitor cycles\n"
                                       "monitor stalls\n"
                                       "monitor disasm rt_barrier 3\n"
                                       "monitor disasm 0x1c008000 1\n"
                                       "monitor disasm nowhere\n"
                                       "monitor nonsense\n"
                                       "x/x 0x1000\n"),
         "hit Breakpoint 1\n"
         "$1 = 0x0\n"
         "$2 = {-128, 127, -1, 0}\n"
         "$3 = {32640, 255}\n"
         "$4 = 1.5\n"
         "$5 = 0x0\n"
         "0x5678\t0x1234\n"
         "core 0: runs at\n"
         "core 7:\n"
         "instructions\n"
         "issue\n"
         "<rt_barrier+0>:\t\n"
         "0x1c008000 <_start+0>:\tcsrrs t0,mhartid,zero\n"
         "nowhere: neither a symbol of the program nor an address\n"
         "no such command: nonsense\n"
         "Cannot access memory at address 0x1000\n");
}
END_TEST

// Another program in the place of the one that was begun with.
START_TEST(load_replaces_the_program) {
  const char *text = session(KERNEL("vec_axpy"), "file " KERNEL("hello") "\n"
                                                                         "load\n"
                                                                         "tbreak main\n"
                                                                         "continue\n"
                                                                         "monitor disasm\n"
                                                                         "monitor disasm main\n"
                                                                         "continue\n");
  expect(text, "Start address 0x1c008000\n"
               "Temporary breakpoint 1\n"
               "=> 0x1c009000 <?+0>:\t\n" // the old program's names are not those of the new one
               "main: neither a symbol of the program nor an address\n"
               "core 7 of 8\n"
               "exited normally\n");
}
END_TEST

// All cores stop, one after the other, at a breakpoint that all meet in the same cycle.
START_TEST(every_core_stops) {
  const char *text = session(KERNEL("vec_axpy"), "break main\n"
                                                 "continue\ncontinue\ncontinue\ncontinue\n"
                                                 "continue\ncontinue\ncontinue\ncontinue\n"
                                                 "continue\n");
  for (unsigned i = 1; i <= 8; i++) {
    char line[48];
    snprintf(line, sizeof line, "Thread %u hit Breakpoint 1", i);
    ck_assert_msg(strstr(text, line) != NULL, "%s: %s", line, text);
  }
  expect(text, "exited normally\n");
}
END_TEST

START_TEST(exit_codes_and_detach) {
  expect(session(KERNEL("hello"), "continue\n"), "exited normally\n");
  expect(session(KERNEL("hello"), "break main\ncontinue\nkill\n"), "killed\n");
  expect(session(KERNEL("hello"), "break main\ncontinue\ndetach\n"),
         "hit Breakpoint 1\n[Inferior 1 (Remote target) detached]\n");
}
END_TEST

// Over TCP: the port that the simulator chose, and Ctrl-C while the program runs.
START_TEST(tcp_on_the_loopback) {
  const char *dir = tool_directory();
  char script[1024];
  snprintf(script, sizeof script,
           "rm -f %s/log && (%s -q --gdb 0 %s 2>%s/log >%s/out; echo status $? >>%s/log) & "
           "for i in 1 2 3 4 5 6 7 8 9 10; do grep -q port %s/log 2>/dev/null && break; sleep 0.1; "
           "done; port=$(sed -n 's/.*port \\([0-9]*\\):.*/\\1/p' %s/log); "
           "timeout 60 gdb-multiarch -nx -batch -ex \"target remote 127.0.0.1:$port\" "
           "-ex 'break main' -ex continue -ex delete -ex continue %s; wait; cat %s/log %s/out",
           dir, PULPSIM, KERNEL("hello"), dir, dir, dir, dir, dir, KERNEL("hello"), dir, dir);
  int status;
  const char *text = tool(&status, "%s", script);
  expect(text, "hit Breakpoint 1\nexited normally\nstatus 0\n");
}
END_TEST

START_TEST(a_wrong_address_is_refused) {
  int status;
  const char *text = tool(&status, PULPSIM " -q --gdb here %s", KERNEL("hello"));
  ck_assert_int_eq(status, 64);
  expect(text, "takes [HOST:]PORT or stdio\n");
}
END_TEST

Suite *gdb_session_suite(void);
Suite *gdb_session_suite(void) {
  Suite *s = suite_create("gdb_session");
  TCase *c = tcase_create("gdb_session");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, from_load_to_exit);
  tcase_add_test(c, watch_and_go_back);
  tcase_add_test(c, registers_and_memory);
  tcase_add_test(c, every_core_stops);
  tcase_add_test(c, load_replaces_the_program);
  tcase_add_test(c, exit_codes_and_detach);
  tcase_add_test(c, tcp_on_the_loopback);
  tcase_add_test(c, a_wrong_address_is_refused);
  suite_add_tcase(s, c);
  return s;
}
