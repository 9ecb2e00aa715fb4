// tests/sim/cli.c: the command: exit statuses, messages, and where output goes.
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tiny_elf.h"

#define PULPSIM TEST_BUILD_DIR "/pulpsim"
#define KERNELS TEST_BUILD_DIR "/kernels"

// Words for the machine cv32e40p, which starts at START and whose test device is at 0x80000000.
#define LUI_T0_DEVICE 0x800002b7u // lui t0, 0x80000
#define ILLEGAL       0xffffffffu
#define J_BACK        0xffdff06fu // j .-4
enum {
  LI_T1 = 0x00000313,    // addi t1, x0, immediate << 20
  SW_EXIT = 0x0062a023,  // sw t1, 0(t0)
  SW_PRINT = 0x0062a223, // sw t1, 4(t0)
  J_SELF = 0x0000006f,
  COUNT = 0x00130313, // addi t1, t1, 1
  START = 0x80,
};

static char dir[] = "/tmp/pulpsim-cli-XXXXXX";
static char out[1 << 18], err[1 << 16];

static void read_text(const char *name, char *text, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "r");
  ck_assert_ptr_nonnull(f);
  text[fread(text, 1, size - 1, f)] = '\0';
  fclose(f);
}

// Runs `PREFIX pulpsim ARGUMENTS` in the shell; $D is the test's directory. Returns the exit
// status.
static int run_under(const char *prefix, const char *arguments) {
  char command[1024];
  snprintf(command, sizeof command, "D=%s; %s " PULPSIM " %s >$D/out 2>$D/err </dev/null", dir,
           prefix, arguments);
  int status = system(command);
  ck_assert_msg(WIFEXITED(status), "pulpsim %s: wait status 0x%x", arguments, status);
  read_text("out", out, sizeof out);
  read_text("err", err, sizeof err);
  return WEXITSTATUS(status);
}

// Runs a line of the shell; $P is pulpsim.
static int shell(const char *line) {
  char command[1024];
  snprintf(command, sizeof command, "D=%s; P=" PULPSIM "; %s", dir, line);
  int status = system(command);
  ck_assert_msg(WIFEXITED(status), "%s: wait status 0x%x", line, status);
  return WEXITSTATUS(status);
}

static int run(const char *arguments) {
  return run_under("", arguments);
}

static void program(const char *name, uint32_t address, const uint32_t *words, size_t count) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  tiny_elf_write(path, address, words, count);
}

static void setup(void) {
  static const uint32_t seven[] = {LUI_T0_DEVICE, LI_T1 | 7 << 20, SW_EXIT, J_SELF};
  static const uint32_t hello[] = {
      LUI_T0_DEVICE, LI_T1 | 'h' << 20, SW_PRINT, LI_T1 | 'i' << 20, SW_PRINT,
      LI_T1,         SW_EXIT,           J_SELF};
  static const uint32_t loop[] = {COUNT, J_BACK}, spin[] = {J_SELF}, trap[] = {ILLEGAL};
  static const uint32_t chatter[] = {LUI_T0_DEVICE, LI_T1 | 'x' << 20, SW_PRINT, J_BACK};
  static const uint32_t line[] = {
      LUI_T0_DEVICE, LI_T1 | 'x' << 20, SW_PRINT, LI_T1 | '\n' << 20, SW_PRINT, COUNT, J_BACK};
  // lui t0, 0x10204; p.elw t1, 60(t0): waits for an event when none is enabled
  static const uint32_t sleep[] = {0x102042b7, 0x03c2e303};
  strcpy(dir + strlen(dir) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  program("seven", START, seven, sizeof seven / sizeof *seven);
  program("hello", START, hello, sizeof hello / sizeof *hello);
  program("loop", START, loop, 2);
  program("spin", START, spin, 1);
  program("chatter", START, chatter, sizeof chatter / sizeof *chatter);
  program("line", START, line, sizeof line / sizeof *line);
  program("trap", START, trap, 1);
  program("sleep", 0x1c008000, sleep, 2);
  program("controller", 0x1c008080, loop, 2);
}

static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
}

static void says(const char *part) {
  ck_assert_msg(strstr(err, part) != NULL, "no \"%s\" in: %s", part, err);
}

START_TEST(the_guest_decides_the_status) {
  ck_assert_int_eq(run("-c cv32e40p $D/seven"), 7);
  says("exit status 7 after ");
  ck_assert_str_eq(out, "");
  ck_assert_int_eq(run("-n 6 " KERNELS "/test/status.elf"), 255); // a process has 8 bits of it
  says("exit status 256 after ");
}
END_TEST

START_TEST(output_goes_where_it_belongs) {
  ck_assert_int_eq(run("-c cv32e40p -q $D/hello"), 0);
  ck_assert_str_eq(out, "hi");
  ck_assert_str_eq(err, "");
  ck_assert_int_eq(run("-c cv32e40p -q --stats $D/s.json $D/hello"), 0);
  read_text("s.json", out, sizeof out);
  ck_assert_ptr_nonnull(strstr(out, "\"schema\": \"pulpsim-stats/1\""));
  ck_assert_ptr_nonnull(strstr(out, "\"state\": \"exited\", \"status\": 0"));
  ck_assert_int_eq(run("-c cv32e40p -q --stats - $D/hello"), 0);
  ck_assert_int_eq(*out, '{');
  ck_assert_str_eq(err, "hi"); // not in the midst of it
  ck_assert_int_eq(run("-c cv32e40p -q --trace log=- $D/hello"), 0);
  ck_assert_ptr_null(strstr(out, "hi"));
  ck_assert_str_eq(err, "hi");
}
END_TEST

START_TEST(output_that_is_lost_is_an_error) {
  ck_assert_int_eq(shell("$P -c cv32e40p -q $D/hello >/dev/full 2>$D/err"), 73);
  read_text("err", err, sizeof err);
  says("output is lost: it cannot be written: No space left on device");
  ck_assert_int_eq(shell("$P -c cv32e40p -q --stats - $D/seven >/dev/full 2>$D/err"), 73);
  static const char *const lines[] = {"$P --help",        "$P isa",
                                      "$P-bench --help",  ("$P-bench run -k " KERNELS " hello"),
                                      "$P-deploy --help", "$P-tune --help"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char line[120];
    snprintf(line, sizeof line, "%s >/dev/full 2>$D/err", lines[i]);
    ck_assert_int_eq(shell(line), 73);
    read_text("err", err, sizeof err);
    says(": stdout cannot be written");
  }
  // A program that does not end by itself, and a reader who goes away.
  ck_assert_int_eq(shell("{ $P -c cv32e40p --stats $D/s.json $D/chatter 2>$D/err; echo $? >$D/out; "
                         "} | head -c 1 >/dev/null"),
                   0);
  read_text("err", err, sizeof err);
  says("output is lost: it cannot be written: Broken pipe");
  read_text("out", out, sizeof out);
  ck_assert_str_eq(out, "73\n");
  read_text("s.json", out, sizeof out);
  ck_assert_ptr_nonnull(strstr(out, "\"state\": \"interrupted\""));
}
END_TEST

// Who reads a pipe sees each line when it is written, not when the run ends.
START_TEST(a_pipe_sees_lines) {
  ck_assert_int_eq(shell("mkfifo $D/f; $P -q -c cv32e40p -m 4000M $D/line 2>/dev/null >$D/f & "
                         "read x <$D/f && kill $!; wait $!; test $? = 143 && test $x = x"),
                   0);
}
END_TEST

// No result comes to be what is closed.
START_TEST(results_are_not_mixed_with_other_output) {
  static const char *const closed[] = {"2>&- >/dev/null", ">&- 2>/dev/null", ">&- 2>&- <&-"};
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
    char line[160];
    snprintf(line, sizeof line, "$P -c cv32e40p --stats $D/s.json $D/hello %s", closed[i]);
    ck_assert_int_eq(shell(line), 73);
    ck_assert_int_eq(shell("python3 -m json.tool $D/s.json >$D/out"), 0);
  }
  ck_assert_int_eq(shell("$P - <&- 2>$D/err"), 65);
  read_text("err", err, sizeof err);
  says("cannot read the program from its pipe: Bad file descriptor");
}
END_TEST

// An older result stays until the new one is whole, and nothing is left beside it.
START_TEST(results_are_replaced_by_whole_ones) {
  ck_assert_int_eq(shell("echo old >$D/s.json; echo old >$D/t; ln -s s.json $D/link"), 0);
  ck_assert_int_eq(run("-c cv32e40p --stats $D/s.json --signature $D/x $D/hello"), 73);
  read_text("s.json", out, sizeof out);
  ck_assert_str_eq(out, "old\n");
  ck_assert_int_eq(run("-c cv32e40p -q --stats $D/link $D/hello"), 0);
  read_text("s.json", out, sizeof out);
  ck_assert_int_eq(*out, '{');
  ck_assert_int_eq(shell("test -L $D/link"), 0);
  // The trace is larger than files may be here; the unit are 512 bytes.
  ck_assert_int_eq(run_under("trap '' XFSZ; ulimit -f 16;",
                             "-c cv32e40p -q -m 100k --trace spike=$D/t $D/chatter"),
                   73);
  says("t: not written completely: File too large");
  read_text("t", out, sizeof out);
  ck_assert_str_eq(out, "old\n");
  ck_assert_int_eq(shell("ls $D/*.part >$D/out 2>&1"), 2);
}
END_TEST

START_TEST(the_program_comes_through_a_pipe) {
  ck_assert_int_eq(shell("cat $D/seven | $P -c cv32e40p --profile $D/p - 2>$D/err"), 7);
  ck_assert_int_eq(shell("cat $D/seven | $P -c cv32e40p --profile $D/p /dev/fd/3 3<&0 2>$D/err"),
                   7);
  ck_assert_int_eq(shell("cat $D/seven | $P disasm - >$D/out"), 0);
  ck_assert_int_eq(shell("echo no | $P - 2>$D/err"), 65);
  read_text("err", err, sizeof err);
  says("/dev/stdin: not an ELF file");
}
END_TEST

START_TEST(the_guest_gets_its_arguments) {
  ck_assert_int_eq(run("-q " TEST_BUILD_DIR "/kernels/test/arguments.elf"), 0);
  ck_assert_str_eq(out, "");
  ck_assert_int_eq(run("-q " TEST_BUILD_DIR
                       "/kernels/test/arguments.elf -- 64 -c 'a long one' '' -7 "
                       "2147483647 2147483648 -2147483648 -2147483649"),
                   0);
  ck_assert_str_eq(out, "2 '64' 64\n"
                        "2 '-c' -9\n"
                        "10 'a long ' -9\n"
                        "0 '' -9\n"
                        "2 '-7' -7\n"
                        "10 '2147483' 2147483647\n"
                        "10 '2147483' -9\n"
                        "11 '-214748' -2147483648\n"
                        "11 '-214748' -9\n");
}
END_TEST

START_TEST(engines_agree) {
  static char fast[65536];
  ck_assert_int_eq(run("-c cv32e40p -q --stats - $D/hello"), 0);
  strcpy(fast, out);
  ck_assert_int_eq(run("-c cv32e40p -q --engine plain --stats - $D/hello"), 0);
  ck_assert_str_eq(out, fast);
}
END_TEST

START_TEST(each_end_has_its_status) {
  ck_assert_int_eq(run("-c cv32e40p --max-cycles 10K $D/loop"), 124);
  says("limit after 10,000 cycles");
  says("--max-cycles 10000");
  ck_assert_int_eq(run("-c cv32e40p --until 0x80 $D/loop"), 0);
  says("reached after ");
  says("core 0 is about to execute --until 0x80");
  ck_assert_int_eq(run("-c cv32e40p -q --until 0x3 $D/seven"), 7);
  says("pulpsim: --until 0x3: no core came to it\n");
  ck_assert_int_eq(run("-c cv32e40p $D/trap"), 120);
  says("core 0");
  says("0x00000080");
  ck_assert_int_eq(run("-c cv32e40p -q $D/trap"), 120);
  says("core 0"); // quiet, but not silent about a mistake
  ck_assert_int_eq(run("--max-cycles 1M $D/sleep"), 121);
  says("deadlock");
}
END_TEST

// Those who count down in registers get further; where the first look at them comes, a branch back
// is taken and ID holds the endless loop behind it.
START_TEST(cores_that_count_get_further) {
  static const uint32_t words[] = {0x00055337u, LI_T1 | 6 << 15 | 0x681 << 20, // lui; addi t1, t1
                                   COUNT ^ 0xffe00000u, 0xfe031ee3u,           // addi -1; bnez
                                   J_SELF};
  static const char *const engine[] = {"fast", "plain"};
  char options[80];
  program("laps", START, words, sizeof words / sizeof *words);
  ck_assert_int_eq(run("-c cv32e40p -q -m 1390k $D/laps"), 124); // of 0x55681 laps of 4 cycles
  for (int i = 0; i < 2; i++) {
    snprintf(options, sizeof options, "-c cv32e40p -q --engine %s $D/laps", engine[i]);
    ck_assert_int_eq(run(options), 121);
    says("pulpsim: deadlock in cycle 2097152: no core gets any further, and nobody is left to "
         "change that\n  core 0 goes round and round at 0x00000090");
  }
}
END_TEST

START_TEST(cores_that_spin_end_the_run) {
  static const char *const engine[] = {"fast", "plain"};
  char options[80], first[256];
  for (int i = 0; i < 2; i++) {
    snprintf(options, sizeof options, "-c cv32e40p -q --engine %s $D/spin", engine[i]);
    ck_assert_int_eq(run(options), 121);
    says("pulpsim: deadlock in cycle 1048576: no core gets any further, and nobody is left to "
         "change "
         "that\n  core 0 goes round and round at 0x00000080");
    if (i)
      ck_assert_int_eq(strncmp(err, first, strlen(first)), 0);
    snprintf(first, sizeof first, "%.200s", err);
  }
  ck_assert_int_eq(run("-c cv32e40p -q -m 5M $D/loop"), 124); // it counts
}
END_TEST

START_TEST(the_fabric_controller_is_named) {
  ck_assert_int_eq(run("--max-cycles 1k $D/controller"), 124);
  says("pulp-open, 9 cores");
  says("Core 8 is the fabric controller");
  ck_assert_int_eq(run("--max-cycles 1k -s soc.boot=standalone $D/controller"), 124);
  ck_assert_ptr_null(strstr(err, "controller"));
}
END_TEST

START_TEST(signals_report) {
  static const char *const names[] = {"TERM", "HUP", "PIPE"};
  static const int numbers[] = {SIGTERM, SIGHUP, SIGPIPE};
  for (int i = 0; i < 3; i++) {
    char prefix[60];
    signal(numbers[i], SIG_DFL);
    snprintf(prefix, sizeof prefix, "timeout --preserve-status -s %s 0.3", names[i]);
    ck_assert_int_eq(run_under(prefix, "-c cv32e40p --stats $D/s.json $D/loop"), 128 + numbers[i]);
    says("interrupted after ");
    read_text("s.json", out, sizeof out);
    ck_assert_ptr_nonnull(strstr(out, "\"state\": \"interrupted\""));
  }
}
END_TEST

START_TEST(ctrl_c_reports) {
  signal(SIGINT, SIG_DFL); // ignored when the tests run in the background of a shell
  ck_assert_int_eq(run_under("timeout --preserve-status -s INT 0.3", "-c cv32e40p $D/loop"), 130);
  says("interrupted after ");
  ck_assert_ptr_null(strstr(err, "after 0 cycles"));
}
END_TEST

// script gives it a terminal. The run is long; it is ended after two seconds. When a command ends,
// script may leave what it printed last, so the command outlasts the run.
START_TEST(a_terminal_shows_progress) {
  char command[512];
  signal(SIGINT, SIG_DFL);
  snprintf(command, sizeof command,
           "SHELL=/bin/sh script -qec 'timeout --preserve-status -s INT 2 " PULPSIM
           " -c trainlib --engine plain " TEST_BUILD_DIR
           "/kernels/train_mlp.elf; status=$?; sleep 1; exit $status' /dev/null "
           ">%s/out </dev/null",
           dir);
  int status = system(command);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 130);
  read_text("out", out, sizeof out);
  ck_assert_msg(strstr(out, "M cycles, ") && strstr(out, " MIPS, 1 s, in epoch"), "%s", out);
  ck_assert_ptr_nonnull(strstr(out, "interrupted after "));
}
END_TEST

// What a program of eight cores says on a terminal of so many columns.
static void run_on_terminal(const char *kind, int columns) {
  char command[512];
  snprintf(command, sizeof command,
           "SHELL=/bin/sh TERM=%s script -qec 'stty cols %d rows 24; " PULPSIM " " TEST_BUILD_DIR
           "/kernels/mm_i8_4x4.elf; sleep 1' /dev/null >%s/out </dev/null",
           kind, columns, dir);
  ck_assert_int_eq(system(command), 0);
  read_text("out", out, sizeof out);
}

static size_t longest_line(const char *text) {
  size_t longest = 0, column = 0;
  for (const char *p = text; *p; p++) {
    column = *p == '\n' || *p == '\r' ? 0 : column + 1;
    longest = column > longest ? column : longest;
  }
  return longest;
}

START_TEST(a_narrow_terminal_shows_the_largest_causes) {
  run_on_terminal("dumb", 80); // colours would count as columns
  ck_assert_ptr_null(strchr(out, '\033'));
  ck_assert_uint_le(longest_line(out), 80);
  ck_assert_msg(strstr(out, "  lost to\r\n") && strstr(out, "  barrier 2") &&
                    strstr(out, ", branch 1") &&
                    strstr(out, "MAC/clk: useful MACs; executed: all."),
                "%s", out);
  run_on_terminal("xterm", 200);
  ck_assert_ptr_nonnull(strstr(out, "\033[1m"));
  ck_assert_ptr_null(strstr(out, "lost to"));
  ck_assert_ptr_nonnull(strstr(out, "  issue  load_use"));
}
END_TEST

START_TEST(mistakes_on_the_command_line) {
  static const char *const cases[][2] = {
      {"", "no program given"},
      {"$D/seven $D/loop", "one program at a time"},
      {"--no-such-option $D/seven", "unrecognized option"},
      {"--max-cycles soon $D/seven", "--max-cycles soon: takes a number such as 5000, 10k"},
      {"--max-cycles -1 $D/seven", "takes a number"},
      {"--max-cycles 0 $D/seven", "--max-cycles 0: nothing would run"},
      {"--max-cycles 1T $D/seven", "takes a number"},
      {"--max-cycles 18446744073709551615k $D/seven", "takes a number"},
      {"--engine slow $D/seven", "--engine slow: takes fast or plain"},
      {"--load weights $D/seven", "--load weights: takes FILE@ADDRESS"},
      {"--load weights@0x100000000 $D/seven", "takes FILE@ADDRESS"},
      {"--signature-granularity 3 $D/seven", "takes 4, 8 or 16"},
      {"-c cv32e40p --until nowhere $D/seven", "--until nowhere: neither a symbol"},
      {"-c cv32e40p --trace log=$D/a --trace spike=$D/a,core=0 $D/loop", "go to the same file"},
      {"-c cv32e40p --trace log=$D/../${D##*/}/a --profile $D/a $D/loop", "go to the same file"},
      {"-c cv32e40p --stats - --trace log=- $D/loop", "go to the same file"},
      {"-c cv32e40p --flame $D/loop $D/loop", "would write over the program"},
      {"-c cv32e40p --load $D/trap@0 --stats $D/trap $D/loop", "would write over --load"},
      {"conifg --list",
       "'conifg': neither a command nor a program; did you mean 'pulpsim config'?"},
      {"disam 0x13", "did you mean 'pulpsim disasm'?"},
      {"config", "say what to do"},
      {"config --list --show", "at a time"},
      {"isa no.such.insn", "no such instruction"},
      {"disasm", "give an ELF file"},
      {"disasm 0x123456789", "not a 32-bit word"},
      {"disasm --with zebra 0x0", "no such set"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert_int_eq(run(cases[i][0]), 64);
    says(cases[i][1]);
    ck_assert_str_eq(out, "");
  }
}
END_TEST

START_TEST(mistakes_in_inputs) {
  ck_assert_int_eq(run("-c nowhere $D/seven"), 78);
  says("pulpsim: no configuration is called 'nowhere'");
  ck_assert_int_eq(run("--set cluster.corse=4 $D/seven"), 78);
  says("did you mean 'cluster.cores'?");
  ck_assert_int_eq(run("-n 17 $D/seven"), 78);
  says("'17' is out of range (allowed: 1..16)");
  ck_assert_int_eq(run("-s cluster.tcdm.size=1025 $D/seven"), 78);
  ck_assert_int_eq(run("-c cv32e40p $D/missing"), 65);
  says("missing: cannot read the program: No such file or directory");
  ck_assert_int_eq(run("-c cv32e40p /dev/null"), 65);
  says("/dev/null: cannot read the program: it is no file");
  ck_assert_int_eq(run("missing"), 65); // of no command
  says("missing: cannot read the program");
  ck_assert_int_eq(run("-c cv32e40p $D/out"), 65);
  says("not an ELF file");
  ck_assert_int_eq(run("-c pulp-open $D/seven"), 65); // no memory at 0x80
  says("lies outside the machine's memories");
  ck_assert_int_eq(run("-c cv32e40p --load $D/missing@0 $D/seven"), 65);
  ck_assert_int_eq(run("-c cv32e40p --load $D@0 $D/seven"), 65);
  says("cannot be read: Is a directory");
  ck_assert_int_eq(run("-c cv32e40p --load $D/seven@0xffffff $D/seven"), 65);
  says("seven: does not fit into memory at 0x00ffffff");
  ck_assert_int_eq(run("-c cv32e40p --stats '' $D/seven"), 73);
  says("--stats : No such file or directory");
  ck_assert_int_eq(run("-c cv32e40p --stats $D/no/dir.json $D/seven"), 73);
  says("No such file or directory");
  ck_assert_int_eq(run("-c cv32e40p --stats /dev/full $D/seven"), 73);
  says("No space left on device");
  ck_assert_int_eq(run("-c cv32e40p --signature $D/sig $D/seven"), 73);
  says("no symbols begin_signature and end_signature");
  // Said before the run, which would not end.
  ck_assert_int_eq(run("-c cv32e40p --signature $D/sig $D/loop"), 73);
  ck_assert_int_eq(run("-c cv32e40p --profile $D/nowhere/p $D/loop"), 73);
  says("--profile ");
  says("cannot be written: No such file or directory");
  ck_assert_int_eq(run("-c cv32e40p --flame $D $D/loop"), 73);
  says("Is a directory");
}
END_TEST

// All commands call it --config, and take --machine for it.
START_TEST(a_configuration_has_two_names) {
  static const char *const commands[] = {" /dev/null", "-tune layer linear --shape 8,4",
                                         "-deploy ds_cnn -o $D/out --run"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    for (int k = 0; k < 2; k++) {
      char line[200];
      snprintf(line, sizeof line, "$P%s --%s nowhere 2>&1 | grep -q \"is called 'nowhere'\"",
               commands[i], k ? "machine" : "config");
      ck_assert_msg(shell(line) == 0, "%s", line);
    }
}
END_TEST

START_TEST(configurations_are_shown_and_checked) {
  ck_assert_int_eq(run("config --names"), 0);
  ck_assert_ptr_nonnull(strstr(out, "pulp-open\n"));
  ck_assert_int_eq(run("config --list"), 0);
  ck_assert_ptr_nonnull(strstr(out, "cluster.cores  (1..16; default 8)\n"));
  ck_assert_int_eq(run("config --set cluster.cores=4"), 0);
  ck_assert_ptr_nonnull(strstr(out, "cores: 4 "));
  ck_assert_int_eq(run("config --show gap8 --set cluster.cores=2"), 0);
  ck_assert_ptr_nonnull(strstr(out, "  cores: 2 "));
  ck_assert_int_eq(run("config --check gap8 vega"), 0);
  ck_assert_str_eq(out, "");
  ck_assert_int_eq(run("config --check gap8 --set soc.map=cv32e40p"), 78);
  says("gap8: cluster.cores: the maps cv32e40p and generic have one core");
  ck_assert_int_eq(run("config --show gap8 >$D/x.yml; echo 'x: 1' >>$D/x.yml; " PULPSIM
                       " config --check $D/x.yml"),
                   78);
  says("x.yml:");
  says("unknown key 'x'");
}
END_TEST

START_TEST(help_fits_a_screen) {
  ck_assert_int_eq(run("--help"), 0);
  int lines = 0;
  size_t column = 0;
  for (const char *p = out; *p; p++) {
    column = *p == '\n' ? 0 : column + 1;
    lines += *p == '\n';
    ck_assert_uint_le(column, 80);
  }
  ck_assert_int_le(lines, 48);
  ck_assert_int_eq(run("--version"), 0);
  ck_assert_ptr_eq(strstr(out, "pulpsim "), out);
}
END_TEST

// Every option of the help is in the manual page, among the options.
START_TEST(the_manual_is_complete) {
  static char page[65536];
  FILE *f = fopen("docs/pulpsim.1", "r");
  ck_assert_ptr_nonnull(f);
  size_t used = 0;
  for (int c; (c = fgetc(f)) != EOF && used < sizeof page - 1;) {
    if (c != '\\') // the page writes \\-\\-stats
      page[used++] = (char)c;
  }
  fclose(f);
  const char *options = strstr(page, ".SH OPTIONS");
  char *behind = strstr(page, ".SH EXIT STATUS");
  ck_assert(options && behind);
  *behind = '\0';
  ck_assert_int_eq(run("--help"), 0);
  unsigned count = 0;
  for (char *p = out; (p = strstr(p, "--")) != NULL; count++) {
    size_t length = 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-");
    char after = p[length];
    p[length] = '\0';
    ck_assert_msg(strstr(options, p) != NULL, "%s is not in docs/pulpsim.1", p);
    p[length] = after;
    p += length;
  }
  ck_assert_uint_ge(count, 12);
}
END_TEST

START_TEST(no_colour_in_pipes) {
  ck_assert_int_eq(run("-c cv32e40p $D/seven"), 7);
  ck_assert_ptr_null(strchr(err, '\033'));
  ck_assert_ptr_null(strchr(err, '\r'));
}
END_TEST

START_TEST(words_are_disassembled) {
  ck_assert_int_eq(run("disasm 0x00a50533 0x4501 0xffffffff"), 0);
  ck_assert_str_eq(out, "       0:  00a50533  add a0,a0,a0\n"
                        "       0:  4501      c.li a0,0\n"
                        "       0:  ffffffff  .word 0xffffffff\n");
  ck_assert_int_eq(run("disasm $D/seven"), 0);
  ck_assert_ptr_nonnull(strstr(out, "      88:  0062a023  sw t1,0(t0)\n"));
  ck_assert_int_eq(run("disasm -a 0x00008067 0x4501 0x02c12083"), 0);
  ck_assert_str_eq(out, "       0:  00008067  ret\n"
                        "       0:  4501      li a0,0\n"
                        "       0:  02c12083  lw ra,44(sp)\n");
  ck_assert_int_eq(run("disasm --corev 0x0070007b"), 0);
  ck_assert_str_eq(out, "       0:  0070007b  cv.add.h zero,zero,t2\n");
  ck_assert_int_eq(run("disasm 0x0070007b"), 0);
  ck_assert_str_eq(out, "       0:  0070007b  lp.starti x0,e\n");
}
END_TEST

// Sections of code alone, with names, targets and source lines.
START_TEST(programs_are_disassembled) {
  ck_assert_int_eq(run("disasm " KERNELS "/test/first_kernel.elf"), 0);
  const char *code = strstr(out, " <main>:\n; first_kernel.c:");
  ck_assert_msg(code != NULL, "no main in the first lines: %.200s", out);
  ck_assert_ptr_null(strstr(out, "464c457f"));     // the ELF header
  ck_assert_ptr_nonnull(strstr(out, " <main>\n")); // the start-up code calls it
  ck_assert_int_eq(run("disasm --no-source " KERNELS "/test/first_kernel.elf"), 0);
  ck_assert_ptr_null(strstr(out, "first_kernel.c:"));
}
END_TEST

START_TEST(instructions_are_listed) {
  ck_assert_int_eq(run("isa"), 0);
  ck_assert_ptr_nonnull(strstr(out, "RV32I "));
  ck_assert_int_eq(run("isa 'pv.sdotsp.?'"), 0);
  ck_assert_ptr_nonnull(strstr(out, "pv.sdotsp.b"));
  ck_assert_ptr_nonnull(strstr(out, "4 MAC"));
}
END_TEST

START_TEST(an_instruction_is_shown) {
  ck_assert_int_eq(run("isa cv.lw"), 0);
  ck_assert_ptr_nonnull(strstr(out, "cv.lw rd,(rs1),imm   (CORE-V)\n"
                                    "  meaning   uint32_t value = LOAD(uint32_t, RS1);"));
  ck_assert_ptr_nonnull(strstr(out, "  timing    LOAD: one cycle;"));
  ck_assert_ptr_nonnull(strstr(out, "   |  imm[11:0]   | rs1!  |  010  |  rd   | 0001011 |\n"
                                    "   | 000000001000 | 01011 |  010  | 01010 | 0001011 |\n"
                                    "  example   0x0085a50b  cv.lw a0,(a1),8\n"
                                    "  also      XpulpV2   p.lw rd,imm(rs1!)\n"));
  ck_assert_int_eq(run("isa 0x0070007b"), 0); // two sets, two meanings
  ck_assert_ptr_nonnull(strstr(out, "  word      0x0070007b  lp.starti x0,e\n"));
  ck_assert_ptr_nonnull(strstr(out, "  word      0x0070007b  cv.add.h zero,zero,t2\n"));
  ck_assert_int_eq(run("isa 0xffffffff"), 64);
  says("no instruction in any set");
}
END_TEST

Suite *cli_suite(void);
Suite *cli_suite(void) {
  Suite *suite = suite_create("cli");
  TCase *tc = tcase_create("cli");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, the_guest_decides_the_status);
  tcase_add_test(tc, output_goes_where_it_belongs);
  tcase_add_test(tc, output_that_is_lost_is_an_error);
  tcase_add_test(tc, a_pipe_sees_lines);
  tcase_add_test(tc, results_are_replaced_by_whole_ones);
  tcase_add_test(tc, results_are_not_mixed_with_other_output);
  tcase_add_test(tc, the_program_comes_through_a_pipe);
  tcase_add_test(tc, the_guest_gets_its_arguments);
  tcase_add_test(tc, engines_agree);
  tcase_add_test(tc, each_end_has_its_status);
  tcase_add_test(tc, cores_that_count_get_further);
  tcase_add_test(tc, cores_that_spin_end_the_run);
  tcase_add_test(tc, the_fabric_controller_is_named);
  tcase_add_test(tc, signals_report);
  tcase_add_test(tc, ctrl_c_reports);
  tcase_add_test(tc, a_terminal_shows_progress);
  tcase_add_test(tc, a_narrow_terminal_shows_the_largest_causes);
  tcase_add_test(tc, mistakes_on_the_command_line);
  tcase_add_test(tc, mistakes_in_inputs);
  tcase_add_test(tc, a_configuration_has_two_names);
  tcase_add_test(tc, configurations_are_shown_and_checked);
  tcase_add_test(tc, help_fits_a_screen);
  tcase_add_test(tc, the_manual_is_complete);
  tcase_add_test(tc, no_colour_in_pipes);
  tcase_add_test(tc, words_are_disassembled);
  tcase_add_test(tc, programs_are_disassembled);
  tcase_add_test(tc, instructions_are_listed);
  tcase_add_test(tc, an_instruction_is_shown);
  suite_add_tcase(suite, tc);
  return suite;
}
