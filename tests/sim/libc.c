// tests/sim/libc.c: ordinary programs in C and C++, with picolibc by pulpsim.specs and by
// semihosting, and the public headers in C++.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/tool.h"

Suite *libc_suite(void);

#define SPECS    "--specs=" TEST_BUILD_DIR "/kernels/libc/pulpsim.specs"
#define PICOLIBC "/usr/lib/picolibc/riscv64-unknown-elf"
#define PROGRAM  "tests/programs/libc/"

static const char *const engines[] = {"fast", "plain"};

// The program's ELF, in the scratch directory.
static void build(const char *compiler, const char *options, const char *source) {
  const char *text =
      tool(NULL, "riscv64-unknown-elf-%s " SPECS " -O2 -Wall -Wextra %s " PROGRAM "%s -o %s/a.out",
           compiler, options, source, tool_directory());
  ck_assert_str_eq(text, "");
}

static const char *run(const char *options, const char *arguments, int wanted) {
  int status;
  const char *text = tool(&status, PULPSIM " -q -m 20M %s %s/a.out -- %s </dev/null", options,
                          tool_directory(), arguments);
  ck_assert_msg(status == wanted, "%s: status %d: %s", options, status, text);
  return text;
}

static void has(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static const char *const targets[] = {"",
                                      "-march=rv32imc",
                                      "-march=rv32imc -mabi=ilp32",
                                      "-march=rv32imfc -mabi=ilp32f",
                                      "-march=rv32im",
                                      "-Os -flto"};
enum { TARGETS = sizeof targets / sizeof *targets };

START_TEST(hello_for_any_target) {
  build("gcc", targets[_i], "hello.c");
  static const char *const cores[] = {"", "-n 1"};
  for (int i = 0; i < 2; i++) {
    const char *text = run(cores[i], "one", 7);
    has(text, "hello one of 2 1.414214 1e+30 123456789012345\n");
    has(text, "errno 0 1\n");
    has(text, "bye");
  }
}
END_TEST

START_TEST(hello_in_rust) {
  if (access(TEST_BUILD_DIR "/kernels/libc/rust.args", R_OK) != 0)
    return; // neither rustc nor the sources of its library
  const char *text = tool(NULL,
                          "/usr/bin/rustc @" TEST_BUILD_DIR "/kernels/libc/rust.args -O -g "
                          "-o %s/a.out " PROGRAM "hello.rs",
                          tool_directory());
  ck_assert_str_eq(text, "");
  ck_assert_str_eq(run("", "", 10), "hello from Rust: 1844674407370955161 3.143\n");
  run("-n 1", "one", 100);
  has(run("", "one two", 134), "index out of bounds: the len is 3 but the index is 3");
}
END_TEST

// Before anything is built.
START_TEST(make_says_what_is_missing) {
  static const struct {
    const char *goal, *sentence;
  } rows[] = {{"peer", "make peer: say which folder: make peer PEER=dir"},
              {"peer PEER=/nowhere", "make peer: /nowhere: there is no Makefile in it"},
              {"bench SUITE='nn nosuch'", "make bench: nosuch: no suite; there are networks"},
              {"bench SUITE='nn networks'", "make bench: networks: no suite; there are networks"},
              {"check-rtl", "make check-rtl: say RTL=DIR"},
              {"kernel FILE=/nowhere/x.c", "FILE: there is no file '/nowhere/x.c'"},
              {"libc-there PICOLIBC=/nowhere", "there is no C library in /nowhere: install"}};
  int status;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    has(tool(&status, MAKE "%s", rows[i].goal), rows[i].sentence);
    ck_assert_int_ne(status, 0);
  }
}
END_TEST

// rustup's compiler, to which sources belong that it does not bring.
START_TEST(rust_wants_its_sources) {
  const char *dir = tool_directory();
  int status;
  tool(NULL, "printf '#!/bin/sh\\necho /nowhere\\n' >%s/rustc && chmod +x %s/rustc", dir, dir);
  has(tool(&status, MAKE "rust BUILD=%s/build RUSTC=%s/rustc", dir, dir),
      "rustc has no sources of its library in /nowhere/lib/rustlib/src/rust/library: "
      "install the package rust-src");
  ck_assert_int_ne(status, 0);
  tool(NULL, "rm -rf %s/build", dir);
}
END_TEST

// As docs/memory-map.md has it be tried.
START_TEST(trials_end_as_expected) {
  has(tool(NULL, "tests/programs/trials/try.sh " TEST_BUILD_DIR), "\nall as expected");
}
END_TEST

// What is lost is noticed, although the program writes elsewhere in between.
START_TEST(lost_output_is_noticed) {
  int status;
  build("gcc", "", "hello.c");
  const char *text = tool(&status, PULPSIM " -q %s/a.out 2>&1 >/dev/full", tool_directory());
  ck_assert_int_eq(status, 73);
  has(text, "errno 0 1\npulpsim: output is lost: it cannot be written: No space left on device\n");
}
END_TEST

// The lines of all cores are there, and whole.
START_TEST(lines_of_eight_cores_are_whole) {
  build("gcc", "", "team.c");
  for (unsigned i = 0; i < 2; i++) {
    char options[40], line[80];
    snprintf(options, sizeof options, "--engine %s", engines[i]);
    char *text = strdup(run(options, "", 0));
    const char *bad;
    ck_assert_msg(tool_lines_match(text, "^core [0-7] of 8: round 0\\.[0-9]{3}$", &bad), "%s", bad);
    for (unsigned core = 0; core < 8; core++) {
      unsigned count = 0;
      snprintf(line, sizeof line, "core %u of 8: round %.3f\n", core, core / 8.0);
      for (const char *p = text; (p = strstr(p, line)); p++)
        count++;
      ck_assert_uint_eq(count, 4);
    }
    free(text);
  }
}
END_TEST

START_TEST(objects_of_the_pulp_compiler_link) {
  int status;
  ck_assert_str_eq(tool(NULL,
                        "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -I" TEST_BUILD_DIR
                        "/gen -c " PROGRAM "theirs.S -o %s/theirs.o",
                        tool_directory()),
                   "");
  ck_assert_str_eq(tool(NULL,
                        "riscv64-unknown-elf-gcc " SPECS " -O2 -march=rv32imc -mabi=ilp32 " PROGRAM
                        "theirs.c %s/theirs.o -o %s/a.out",
                        tool_directory(), tool_directory()),
                   "");
  ck_assert_str_eq(run("", "", 0), "-60080 of -60080\n");
  has(tool(&status, PULPSIM " -q --config cv32e40p %s/a.out", tool_directory()),
      "the program uses XpulpV2 instructions, and this machine has the CORE-V encoding");
  ck_assert_int_ne(status, 0);
}
END_TEST

START_TEST(main_can_be_on_all_cores) {
  build("gcc", "-Wl,--defsym=main_on_all_cores=1", "everywhere.c");
  const char *text = run("", "", 33);
  for (int c = '0'; c < '8'; c++)
    ck_assert_ptr_nonnull(strchr(text, c));
}
END_TEST

START_TEST(cxx_programs_run) {
  build("g++", "-std=c++17", "hello.cpp");
  ck_assert_str_eq(run("", "", 14), "made 7\nmade 7\ngone 7\ngone 7\n");
}
END_TEST

START_TEST(programs_end_themselves) {
  build("gcc", "", "aborts.c");
  has(run("", "0", 134), "assertion \"how > 2\" failed: file ");
  ck_assert_str_eq(run("", "1", 134), "before");
  ck_assert_str_eq(run("", "2", 143), "before");
  ck_assert_str_eq(run("", "3", 0), "before");
}
END_TEST

START_TEST(pmsis_is_as_documented) {
  build("gcc", "-flax-vector-conversions", "pmsis.c");
  static const char *const options[] = {"", "-n 1", "-n 5 --engine plain"};
  for (int i = 0; i < 3; i++)
    ck_assert_str_eq(
        run(options[i], "", 0),
        "pulpsim: the program asked for the file 'not there', and no files are granted "
        "to it: --files DIRECTORY\n");
}
END_TEST

START_TEST(older_runtimes_are_there) {
  build("gcc", "", "rt_api.c");
  ck_assert_str_eq(run("", "", 0), "0 1 8\n");
  build("gcc", "-Wl,--defsym=main_on_all_cores=1", "bench.c");
  ck_assert_str_eq(run("", "", 1), "== test: counting -> success\n== test: timing -> success\n"
                                   "one: 00000001, expected 00000002\n"
                                   "== test: wrong -> fail\n==== SUMMARY: FAIL\n");
}
END_TEST

// A folder with a Makefile as the PULP SDK's programs have it, built and run by it.
START_TEST(makefiles_of_the_sdk_work) {
  const char *dir = tool_directory();
  int status;
  tool(NULL,
       "mkdir -p %s/app && cp " PROGRAM "pmsis.c %s/app/test.c && echo 'one two' >%s/app/words.txt "
       "&& printf 'APP = test\\nAPP_SRCS = test.c\\nAPP_CFLAGS += -O3 -mhwloopalign "
       "-DUNUSED=\"(1)\"\\nAPP_LDFLAGS += -lm\\nREADFS_FILES = words.txt\\n"
       "include $(RULES_DIR)/pmsis_rules.mk\\n' >%s/app/Makefile",
       dir, dir, dir, dir);
  const char *text = tool(&status,
                          "make --no-print-directory -s -C %s/app RULES_DIR=$PWD/kernels/compat "
                          "PULPSIM_BUILD=$PWD/" TEST_BUILD_DIR " PULPSIM=$PWD/" PULPSIM
                          " BUILD_DIR=%s/out all run",
                          dir, dir);
  ck_assert_str_eq(text, "8 bytes in words.txt\n");
  ck_assert_int_eq(status, 0);
}
END_TEST

// The same by `make peer`: a library with a test of its own, golden data made by its own rules.
START_TEST(peers_are_built_and_run) {
  const char *dir = tool_directory();
  static const char *const settings[][2] = {
      {"", "8 cores: 14490 of 14490, some cycles\n"},
      {"NUM_CORES=3 LENGTH=1001", "3 cores: -3628 of -3628, some cycles\n"},
  };
  tool(NULL, "cp -r tests/programs/peer %s/peer", dir);
  for (int i = 0; i < 2; i++)
    has(tool(NULL, MAKE "peer PEER=%s/peer GOALS='get_golden all run' %s", dir, settings[i][0]),
        settings[i][1]);
  int status; // the golden data is still of 1001
  has(tool(&status, MAKE "peer PEER=%s/peer NUM_CORES=1 LENGTH=8", dir),
      "1 cores: -7644 of -3628, some cycles\n");
  ck_assert_int_ne(status, 0);
  ck_assert_str_eq(tool(NULL, "ls %s/peer", dir),
                   "Makefile\ngolden.txt\ninclude\nsource\ntest_dot.c\n");
  tool(NULL, "rm -r " TEST_BUILD_DIR "/peer/*%s-peer", strrchr(dir, '/') + 1);
}
END_TEST

START_TEST(files_are_what_was_granted) {
  build("gcc", "", "files.c");
  has(run("", "", 2),
      "out.txt: Permission denied\npulpsim: the program asked for the file 'out.txt', "
      "and no files are granted to it: --files DIRECTORY");
  const char *dir = tool_directory();
  tool(NULL, "rm -rf %s/files; mkdir %s/files; echo >%s/x; echo x >%s/files/gone.txt", dir, dir,
       dir, dir);
  const char *text = tool(NULL,
                          "printf 'one\\ntwo\\n' | " PULPSIM " -q --engine %s --files %s/files "
                          "%s/a.out",
                          engines[_i], dir, dir);
  ck_assert_str_eq(text,
                   "11 lines, 75 bytes, last more\nstdin: one\nstdin: two\noutside: 0 0; unlink 0 "
                   "-1\ntime passes: 1\n");
  ck_assert_str_eq(tool(NULL, "wc -l <%s/files/out.txt", dir), "11\n"); // written once
  ck_assert_str_eq(tool(NULL, "ls %s/files", dir), "out.txt\n");
}
END_TEST

START_TEST(semihosting_is_answered) {
  const char *dir = tool_directory();
  tool(
      NULL,
      "riscv64-unknown-elf-gcc --specs=" PICOLIBC "/picolibc.specs --oslib=semihost "
      "--crt0=hosted -march=rv32im -mabi=ilp32 -O2 -Wl,--defsym=__flash=0x1c008000,"
      "--defsym=__flash_size=0x20000,--defsym=__ram=0x1c030000,--defsym=__ram_size=0x20000 " PROGRAM
      "hosted.c -o %s/a.out",
      dir);
  ck_assert_str_eq(run("-n 1", "", 1),
                   "semi 1.50\nSHFB 0x3\npulpsim: the program asked for the file 'x', and no "
                   "files are granted to it: --files DIRECTORY\n");
  char options[300];
  snprintf(options, sizeof options, "-n 1 --engine %s --files %s", engines[_i], dir);
  ck_assert_str_eq(run(options, "", 0), "semi 1.50\nSHFB 0x3\nread abc 5\n");
}
END_TEST

static const char *const headers[] = {"kernels/rt/rt.h",        "kernels/kernels.h",
                                      "kernels/libc/team.h",    "kernels/status.h",
                                      "sim/pulpsim.h",          "xpulp.h",
                                      "kernels/compat/pmsis.h", "kernels/compat/pmsis_storage.h"};
enum { HEADERS = sizeof headers / sizeof *headers };

START_TEST(headers_are_cxx_too) {
  const char *text =
      tool(NULL,
           "echo '#include \"%s\"' | riscv64-unknown-elf-g++ -x c++ -std=c++17 "
           "-march=rv32imfc_zicsr -mabi=ilp32f -isystem " PICOLIBC "/include -I. -Ikernels/compat "
           "-I" TEST_BUILD_DIR "/gen -Wall -Wextra -Werror -fsyntax-only -",
           headers[_i]);
  ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(a_kernel_can_be_cxx) {
  const char *dir = tool_directory();
  tool(NULL,
       "echo '#include \"kernels/kernels.h\"\nextern \"C\" int part(int);\nint main() { int "
       "unused; if (rt_core_id() == 0) rt_printf(\"%%d\", part(N)); return 0; }' "
       ">%s/whole_program.cpp; echo 'int part(int x) { return x + 1; }' >%s/part.c",
       dir, dir);
  const char *text = tool(NULL,
                          MAKE "kernel KCFLAGS+=-DN=4 "
                               "FILE='%s/whole_program.cpp %s/part.c' 2>&1",
                          dir, dir);
  has(text, "warning: unused variable");
  ck_assert_str_eq(tool(NULL, PULPSIM " -q " KERNEL("whole_program")), "5");
}
END_TEST

Suite *libc_suite(void) {
  Suite *s = suite_create("libc");
  TCase *t = tcase_create("libc");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, hello_for_any_target, 0, TARGETS);
  tcase_add_test(t, trials_end_as_expected);
  tcase_add_test(t, lost_output_is_noticed);
  tcase_add_test(t, hello_in_rust);
  tcase_add_test(t, make_says_what_is_missing);
  tcase_add_test(t, rust_wants_its_sources);
  tcase_add_test(t, lines_of_eight_cores_are_whole);
  tcase_add_test(t, objects_of_the_pulp_compiler_link);
  tcase_add_test(t, main_can_be_on_all_cores);
  tcase_add_test(t, cxx_programs_run);
  tcase_add_test(t, programs_end_themselves);
  tcase_add_test(t, pmsis_is_as_documented);
  tcase_add_test(t, older_runtimes_are_there);
  tcase_add_test(t, makefiles_of_the_sdk_work);
  tcase_add_test(t, peers_are_built_and_run);
  tcase_add_loop_test(t, files_are_what_was_granted, 0, 2);
  tcase_add_loop_test(t, semihosting_is_answered, 0, 2);
  tcase_add_loop_test(t, headers_are_cxx_too, 0, HEADERS);
  tcase_add_test(t, a_kernel_can_be_cxx);
  suite_add_tcase(s, t);
  return s;
}
