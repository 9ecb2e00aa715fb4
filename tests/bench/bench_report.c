// tests/bench/bench_report.c: the program pulpsim-bench from outside: suites, cache, failures,
// diff, and what a browser makes of the report.
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *bench_report_suite(void);

static char dir[] = "/tmp/pulpsim-bench-XXXXXX";
static char output[200000];

// Runs a shell command within `dir`; its output and status are kept.
static int run(const char *part) {
  char command[4096], here[512];
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  snprintf(command, sizeof command,
           "BENCH=%s%s%s/pulpsim-bench KERNELS=%s%s%s/kernels; cd %s && { %s; } 2>&1",
           *TEST_BUILD_DIR == '/' ? "" : here, *TEST_BUILD_DIR == '/' ? "" : "/", TEST_BUILD_DIR,
           *TEST_BUILD_DIR == '/' ? "" : here, *TEST_BUILD_DIR == '/' ? "" : "/", TEST_BUILD_DIR,
           dir, part);
  FILE *f = popen(command, "r");
  ck_assert_ptr_nonnull(f);
  size_t n = fread(output, 1, sizeof output - 1, f);
  output[n] = '\0';
  int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void save(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
}

static void load(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "%s is missing", path);
  size_t n = fread(output, 1, sizeof output - 1, f);
  output[n] = '\0';
  fclose(f);
}

static void assert_says(const char *text) {
  ck_assert_msg(strstr(output, text) != NULL, "'%s' expected in: %.2000s", text, output);
}

static void setup(void) {
  ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  if (system(command) != 0)
    fprintf(stderr, "%s stays behind\n", dir);
}

#define CASE(name, program, more) "  - {name: \"" name "\", program: \"" program "\", " more "}\n"
#define MATMUL                    "cores: [1, 8], type: i8, layer: matmul 64 64 64"

static const char good[] = "title: Good <suite>\nabout: text\ncases:\n" CASE(
    "fast", "mm_i8_4x4",
    MATMUL ", published: [{value: 10, platform: paper, source: A & B}, {metric: speedup, value: 8, "
           "platform: paper, source: C}]")
    CASE("block ${b}", "mm_i8_${b}", MATMUL ", over: {b: [4x2]}")
        CASE("later", "no_such_program",
             "cores: [8], published: [{value: 3, platform: paper, source: D}]");

START_TEST(report_has_every_form) {
  save("good.yml", good);
  ck_assert_msg(run("$BENCH report -k $KERNELS -o out ./good.yml") == 0, "%s", output);
  assert_says("5 runs, 0 of them known");
  load("out/report.json");
  assert_says("\"schema\": \"pulpsim-bench/1\"");
  assert_says("\"useful_macs\": 262144");
  assert_says("\"status\": \"not yet available\"");
  load("out/report.csv");
  assert_says("\"good\",\"block 4x2\",\"mm_i8_4x2\"");
  load("out/report.md");
  assert_says("| fast | 8 | MAC/clk | 10 |");
  assert_says("| later | 8 | MAC/clk | 3 | not yet available |");
  load("out/report.html");
  assert_says("Good &lt;suite&gt;");
  ck_assert_ptr_null(strstr(output, "http")); // nothing from outside
}
END_TEST

START_TEST(results_are_cached) {
  save("good.yml", good);
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./good.yml; cp out/report.json a.json"),
                   0);
  ck_assert_int_eq(run("rm out/cache/$(ls out/cache | head -1)"), 0); // as if interrupted
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./good.yml"), 0);
  assert_says("5 runs, 3 of them known");
  ck_assert_msg(run("cmp a.json out/report.json") == 0, "%s", output);
  ck_assert_int_eq(run("$BENCH report -f -k $KERNELS -o out ./good.yml"), 0);
  assert_says("5 runs, 0 of them known");
}
END_TEST

START_TEST(a_failing_case_stops_nothing) {
  save("bad.yml", "title: t\ncases:\n" CASE("trap", "hello", "cores: [8], data: {nothing: 1}")
                      CASE("macs", "mm_i8_4x4", "cores: [8], type: i8, layer: matmul 64 64 65")
                          CASE("slow", "speed_int", "cores: [1], data: {bench_repeat: 2000000000}")
                              CASE("fine", "hello", "cores: [2]"));
  ck_assert_int_eq(run("$BENCH report -t 1 -k $KERNELS -o out ./bad.yml"), 1);
  assert_says("trap, 8 cores: ");
  assert_says("has no variable 'nothing'");
  assert_says("the program states 262144 MACs, but 'matmul 64 64 65' has 266240");
  assert_says("slow, 1 cores: took longer than 1 s");
  load("out/report.csv");
  assert_says("\"fine\",\"hello\",\"pulp-open\",\"\",2,\"ok\"");
}
END_TEST

START_TEST(diff_sees_a_slower_kernel) {
  save("k.yml", "title: t\ncases:\n" CASE("matmul", "mm_i8_4x4", MATMUL));
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./k.yml; cp out/report.json a.json"), 0);
  save("k.yml", "title: t\ncases:\n" CASE("matmul", "mm_i8_4x2", MATMUL));
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./k.yml; cp out/report.json b.json"), 0);
  ck_assert_int_eq(run("$BENCH diff a.json a.json"), 0);
  assert_says("0 slower, 0 broken or gone, 0 faster, 0 new, 2 the same");
  ck_assert_int_eq(run("$BENCH diff a.json b.json"), 1);
  assert_says("SLOWER");
  assert_says("2 slower");
  ck_assert_int_eq(run("$BENCH diff -p 50 a.json b.json"), 0);
  ck_assert_int_eq(run("$BENCH diff b.json a.json"), 0);
  assert_says("2 faster");
  save("k.yml", "title: t\ncases:\n" CASE("matmul", "mm_i8_4x2", "cores: [8]"));
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./k.yml"), 0);
  ck_assert_int_eq(run("$BENCH diff b.json out/report.json"), 1);
  assert_says("GONE");
  ck_assert_int_eq(run("$BENCH diff k.yml a.json"), 65);
  assert_says("k.yml:1: is no report");
}
END_TEST

static const struct {
  const char *text, *message;
} mistakes[] = {
    {"title: [", "m.yml:"},
    {"title: t\ncases:\n  - {nme: x}\n", "m.yml:3: unknown key 'nme'"},
    {"title: t\ncases:\n  - {name: x, program: y}\n", "m.yml:3: 'cores' takes a list"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [17]"), "m.yml:3: cores: 1 to 16"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], type: i8, layer: conv2d 1 2"), "is no layer"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], layer: linear 1 2"), "needs a 'type'"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], type: int"), "'type' takes"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], published: [{value: 1}]"),
     "a platform, a source"},
    {"title: t\ncases:\n" CASE("x${y}", "y", "cores: [1]"), "no such variable"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1]") CASE("x", "y", "cores: [1]"),
     "two cases are called 'x'"},
    {"title: t\ncases:\n" CASE(
         "x", "y",
         "cores: [1], published: [{metric: relative, to: z, value: 1, platform: p, source: s}]"),
     "there is no case 'z'"},
};

START_TEST(mistakes_in_suites) {
  save("m.yml", mistakes[_i].text);
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./m.yml"), 65);
  assert_says(mistakes[_i].message);
}
END_TEST

START_TEST(mistakes_on_the_command_line) {
  ck_assert_int_eq(run("$BENCH"), 64);
  ck_assert_int_eq(run("$BENCH report -j 0"), 64);
  ck_assert_int_eq(run("$BENCH diff one.json"), 64);
  ck_assert_int_eq(run("$BENCH diff -p -1 a b"), 64);
  ck_assert_int_eq(run("$BENCH report -k /nowhere -o out ./none.yml"), 65);
  assert_says("none.yml");
}
END_TEST

// Appended to the report: what the browser has laid out, and what a click on a column does.
static const char probe[] =
    "<script>window.addEventListener('load',function(){"
    "var "
    "out=document.createElement('pre'),d=document.documentElement,t=document.querySelectorAll('"
    "table');"
    "function names(){return Array.from(t[1].tBodies[0].rows).map(function(r){return "
    "r.cells[0].textContent"
    "+r.cells[1].textContent}).join(',')}"
    "var s='tables='+t.length;"
    "var b=document.querySelector('.bar rect').getBoundingClientRect();"
    "s+=' bar='+(b.width>5&&b.height>5);"
    "s+=' stacks='+document.querySelectorAll('.stack').length;"
    "s+=' dots='+document.querySelectorAll('.dot').length;"
    "s+=' overflow='+(d.scrollWidth>d.clientWidth);"
    "s+=' head='+getComputedStyle(t[1].tHead).display;"
    "t[1].tHead.rows[0].cells[2].click();s+=' down='+names();"
    "t[1].tHead.rows[0].cells[2].click();s+=' up='+names();"
    "out.textContent='PROBE '+s+' END';document.body.appendChild(out);});</script>";

// Shows the report in a window of a size, e.g. "1200,900"; false where there is no Chromium.
static bool browse(const char *size) {
  char command[512];
  if (run("command -v chromium || command -v google-chrome") != 0)
    return false;
  save("good.yml", good);
  save("probe.txt", probe);
  ck_assert_int_eq(run("$BENCH report -k $KERNELS -o out ./good.yml"), 0);
  ck_assert_int_eq(run("cat out/report.html probe.txt > probe.html"), 0);
  snprintf(command, sizeof command,
           "timeout 60 $(command -v chromium || command -v google-chrome) --headless --no-sandbox "
           "--disable-gpu --user-data-dir=$PWD/profile --window-size=%s "
           "--dump-dom file://$PWD/probe.html 2>/dev/null",
           size);
  ck_assert_int_eq(run(command), 0);
  return true;
}

START_TEST(a_browser_shows_it) {
  if (!browse("1200,900")) {
    fprintf(stderr, "bench_report: no Chromium here: the look of the report is not checked\n");
    return;
  }
  assert_says("PROBE tables=2 bar=true stacks=4 dots=2 overflow=false head=table-header-group");
  assert_says(
      "down=block 4x21,fast1,block 4x28,fast8,later8 up=later8,fast8,block 4x28"); // by cycles
}
END_TEST

START_TEST(a_phone_shows_it) {
  if (browse("360,800")) // else said above
    assert_says("overflow=false head=none");
}
END_TEST

Suite *bench_report_suite(void) {
  Suite *suite = suite_create("bench_report");
  TCase *tc = tcase_create("bench_report");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 180);
  tcase_add_test(tc, report_has_every_form);
  tcase_add_test(tc, results_are_cached);
  tcase_add_test(tc, a_failing_case_stops_nothing);
  tcase_add_test(tc, diff_sees_a_slower_kernel);
  tcase_add_loop_test(tc, mistakes_in_suites, 0, (int)(sizeof mistakes / sizeof *mistakes));
  tcase_add_test(tc, mistakes_on_the_command_line);
  tcase_add_test(tc, a_browser_shows_it);
  tcase_add_test(tc, a_phone_shows_it);
  suite_add_tcase(suite, tc);
  return suite;
}
