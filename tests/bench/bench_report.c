// tests/bench/bench_report.c: the program pulpsim-bench from outside: suites, cache, failures,
// diff.
#include <check.h>
#include <string.h>

#include "bench/bench_tool.h"

Suite *bench_report_suite(void);

static const char good[] = "title: Good <suite>\nabout: text\ncases:\n" CASE(
    "fast", "mm_i8_4x4",
    MATMUL ", published: [{value: 10, platform: paper, source: A & B}, {metric: speedup, value: 8, "
           "platform: paper, source: C}]")
    CASE("block ${b}", "mm_i8_${b}", MATMUL ", over: {b: [4x2]}")
        CASE("later", "no_such_program",
             "cores: [8], published: [{value: 3, platform: paper, source: D}]");

START_TEST(report_has_every_form) {
  bench_save("good.yml", good);
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./good.yml") == 0, "%s", bench_output);
  bench_says("5 runs, 0 of them known");
  bench_load("out/report.json");
  bench_says("\"schema\": \"pulpsim-bench/1\"");
  bench_says("\"useful_macs\": 262144");
  bench_says("\"status\": \"not yet available\"");
  bench_load("out/report.csv");
  bench_says("\"good\",\"block 4x2\",\"mm_i8_4x2\"");
  bench_load("out/report.md");
  bench_says("| fast | 8 | MAC/clk | 10 |");
  bench_says("| later | 8 | MAC/clk | 3 | not yet available |");
  bench_load("out/report.html");
  bench_says("Good &lt;suite&gt;");
  ck_assert_ptr_null(strstr(bench_output, "http")); // nothing from outside
}
END_TEST

START_TEST(results_are_cached) {
  bench_save("good.yml", good);
  ck_assert_int_eq(
      bench_run("$BENCH report -k $KERNELS -o out ./good.yml; cp out/report.json a.json"), 0);
  ck_assert_int_eq(bench_run("rm out/cache/$(ls out/cache | head -1)"), 0); // as if interrupted
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./good.yml"), 0);
  bench_says("5 runs, 3 of them known");
  ck_assert_msg(bench_run("cmp a.json out/report.json") == 0, "%s", bench_output);
  ck_assert_int_eq(bench_run("$BENCH report -f -k $KERNELS -o out ./good.yml"), 0);
  bench_says("5 runs, 0 of them known");
}
END_TEST

START_TEST(a_failing_case_stops_nothing) {
  bench_save("bad.yml",
             "title: t\ncases:\n" CASE("trap", "hello", "cores: [8], data: {nothing: 1}")
                 CASE("macs", "mm_i8_4x4", "cores: [8], type: i8, layer: matmul 64 64 65")
                     CASE("fine", "hello", "cores: [2]"));
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./bad.yml"), 1);
  bench_says("trap, 8 cores: ");
  bench_says("has no variable 'nothing'");
  bench_says("the program states 262144 MACs, but 'matmul 64 64 65' has 266240");
  bench_load("out/report.csv");
  bench_says("\"fine\",\"hello\",\"pulp-open\",\"\",2,\"ok\"");
}
END_TEST

START_TEST(a_run_takes_only_so_long) {
  bench_save("slow.yml", "title: t\ncases:\n" CASE("slow", "speed_mm_i8",
                                                   "cores: [8], data: {bench_repeat: 2000000000}"));
  ck_assert_int_eq(bench_run("$BENCH report -t 1 -k $KERNELS -o out ./slow.yml"), 1);
  bench_says("slow, 8 cores: took longer than 1 s");
}
END_TEST

// A kernel becomes slower: the same suite, the same name, another program in the file.
START_TEST(diff_sees_a_slower_kernel) {
  bench_save("k.yml", "title: t\ncases:\n" CASE("matmul", "mm_i8_4x4", MATMUL)
                          CASE("hello", "hello", "cores: [2]"));
  ck_assert_int_eq(
      bench_run("mkdir k; cp $KERNELS/list.txt $KERNELS/mm_i8_4x4.elf $KERNELS/hello.elf k; $BENCH "
                "report -k k -o out ./k.yml; cp out/report.json a.json"),
      0);
  ck_assert_int_eq(bench_run("cp $KERNELS/mm_i8_4x2.elf k/mm_i8_4x4.elf; $BENCH report -k k -o out "
                             "./k.yml; cp out/report.json b.json"),
                   0);
  bench_says("3 runs, 1 of them known"); // what did not change
  ck_assert_int_eq(bench_run("$BENCH diff a.json a.json"), 0);
  bench_says("0 slower, 0 broken or gone, 0 faster, 0 new, 3 the same");
  ck_assert_int_eq(bench_run("$BENCH diff a.json b.json"), 1);
  bench_says("SLOWER");
  bench_says("2 slower");
  ck_assert_int_eq(bench_run("$BENCH diff -p 50 a.json b.json"), 0);
  ck_assert_int_eq(bench_run("$BENCH diff b.json a.json"), 0);
  bench_says("2 faster");
}
END_TEST

START_TEST(diff_sees_what_is_gone_or_broken) {
  bench_save("k.yml", "title: t\ncases:\n" CASE("a", "hello", "cores: [1, 2]"));
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./k.yml; cp out/report.json a.json"),
                   0);
  bench_save("k.yml", "title: t\ncases:\n" CASE("a", "hello", "cores: [1], data: {nothing: 1}"));
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./k.yml"), 1);
  ck_assert_int_eq(bench_run("$BENCH diff a.json out/report.json"), 1);
  bench_says("GONE");
  bench_says("BROKEN");
  bench_says("0 slower, 2 broken or gone");
  ck_assert_int_eq(bench_run("$BENCH diff k.yml a.json"), 65);
  bench_says("k.yml:1: is no report");
}
END_TEST

// Killed at once, in the middle; what was finished is there, and a damaged file is no result.
START_TEST(an_interrupted_run_resumes) {
  bench_save("r.yml", "title: t\ncases:\n" CASE("quick", "hello", "cores: [1, 2, 3, 4]") CASE(
                          "long", "speed_mm_i8", "cores: [8], data: {bench_repeat: 2000000000}"));
  bench_run("$BENCH report -t 10 -j 1 -k $KERNELS -o out ./r.yml & p=$!; "
            "while [ $(ls out/cache 2>/dev/null | grep -c 'json$') -lt 4 ]; do sleep 0.05; done; "
            "kill -9 $p; wait $p; ls out");
  ck_assert_ptr_null(strstr(bench_output, "report.json"));
  ck_assert_int_eq(
      bench_run("f=out/cache/$(ls out/cache | grep 'json$' | head -1); head -c 40 $f > "
                "half; mv half $f; sed -i '/long/d' r.yml; $BENCH report -k $KERNELS "
                "-o out ./r.yml"),
      0);
  bench_says("4 runs, 3 of them known");
}
END_TEST

// ---------------------------------------------------------------- figures, targets, tables

static const char figures[] = "lab:\n  source: A & B\n  platform: board\n  figures:\n"
                              "    fast: {value: 10, note: peak}\n"
                              "    twice: {value: 2, metric: relative}\n";

START_TEST(figures_and_targets) {
  bench_save("figures.yml", figures);
  bench_save("t.yml",
             "title: t\nfigures: figures.yml\ncases:\n"
             "  - {name: slow, program: mm_i8_4x2, " MATMUL ", limit: 32/14}\n"
             "  - {name: fast, program: mm_i8_4x4, " MATMUL ", limit: 64/24,\n"
             "     published: [lab.fast, {figure: lab.twice, to: slow, note: here}],\n"
             "     targets: [{bar: 2, goal: 3}, {bar: 10, goal: 25}, {bar: 30, goal: 40},\n"
             "       {metric: cycles, bar: 1000000}, {metric: speedup, bar: 5, goal: 6}]}\n");
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./t.yml") == 0, "%s", bench_output);
  bench_load("out/report.json");
  bench_says("\"source\": \"A & B\", \"note\": \"peak\", \"metric\": \"mac_per_clock\"");
  bench_says("\"note\": \"here\", \"metric\": \"relative\", \"to\": \"slow\"");
  bench_says("\"bar\": 2, \"goal\": 3");
  bench_load("out/report.md");
  bench_says("| kernel | cores | figure | published | first bar | goal | here | reached |");
  bench_says("| fast | 8 | MAC/clk | 10 | 2 | 3 |");
  bench_says("| goal | 21.33 | 32 |"); // the limit of eight cores, the peak
  bench_says("| bar | 21.33 | 32 |");
  bench_says("| below | 21.33 | 32 |");
  bench_says("| fast | 8 | speed-up | - | 5 | 6 |");
  bench_says("| fast | 8 | speed relative to slow, 8 cores | 2 |");
}
END_TEST

START_TEST(a_passed_limit_is_none) {
  bench_save("t.yml", "title: t\ncases:\n" CASE("low", "mm_i8_4x4", MATMUL ", limit: 1/4"));
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./t.yml"), 0);
  bench_says("low, 8 cores: 18.");
  bench_says("is above the stated limit of 2.000: correct the suite");
}
END_TEST

START_TEST(tables_by_row_and_column) {
  bench_save("t.yml",
             "title: t\ntables:\n  - {name: T, rows: kernel, base_column: 1 core, about: why}\n"
             "  - {name: L, rows: kernel, base_row: 4x2, show: latency, fold: true}\ncases:\n"
             "  - {name: \"matmul ${b}\", over: {b: [4x2, 4x4]}, program: \"mm_i8_${b}\", " MATMUL
             ", table: T, row: \"${b}\"}\n"
             "  - {name: \"latency ${b}\", over: {b: [4x2, 4x4]}, program: \"mm_i8_${b}\", cores: "
             "[8], table: L, row: \"${b}\", column: \"8\"}\n");
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./t.yml") == 0, "%s", bench_output);
  bench_load("out/report.md");
  bench_says("### T\n\nwhy Useful MAC/clk (speed over the base).\n\n| kernel | 1 core | 8 cores |\n"
             "|---|---:|---:|\n| 4x2 | 2.0");
  bench_says("(1.00 ×) | 1");
  bench_says("| 4x2 | 1.00 |");
  bench_says("| 4x4 | **0.8");
  bench_says("2 runs of the tables above are in report.json");
  bench_load("out/report.json");
  bench_says("\"table\": \"L\", \"row\": \"4x2\", \"column\": \"8\"");
}
END_TEST

START_TEST(a_region_by_name) {
  bench_save("t.yml", "title: t\ncases:\n" CASE("l", "cifar10", "cores: [8], region: pool1 3x3/2")
                          CASE("no", "cifar10", "cores: [8], region: pool9"));
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./t.yml"), 1);
  bench_says("the program has no region 'pool9'");
  bench_load("out/report.json");
  bench_says("\"region\": \"pool1 3x3/2\"");
}
END_TEST

// Every published figure has a row, and every program that a suite names is built.
START_TEST(the_suites_are_complete) {
  ck_assert_int_eq(
      bench_run("awk '/^[a-z0-9-]+:/ {source = substr($1, 1, length($1) - 1)} /^    [a-z0-9-]+:/ "
                "{sub(\":\", \"\", $1); print source \".\" $1}' $ROOT/bench/published.yml > all; "
                "test $(wc -l < all) -ge 35 || echo too few; while read figure; do grep -qw -- "
                "\"$figure\" $ROOT/bench/suites/*.yml || echo \"no row for $figure\"; done < all"),
      0);
  ck_assert_str_eq(bench_output, "");
  ck_assert_int_eq(
      bench_run(
          "sed -n 's/^ *program: \\([a-z0-9_]*\\)$/\\1/p' $ROOT/bench/suites/*.yml | sort -u | "
          "while read p; do test -f $KERNELS/$p.elf || echo \"no program $p\"; done"),
      0);
  ck_assert_str_eq(bench_output, "");
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
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], published: [lab.fast]"),
     "no published figure 'lab.fast'"},
    {"title: t\nfigures: none.yml\ncases: []\n", "none.yml"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], limit: 1/x"), "takes MAC per cycle"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], targets: [{goal: 1}]"), "positive 'bar'"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], table: T"), "there is no table 'T'"},
};

START_TEST(mistakes_in_suites) {
  bench_save("m.yml", mistakes[_i].text);
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./m.yml"), 65);
  bench_says(mistakes[_i].message);
}
END_TEST

START_TEST(help_and_version) {
  ck_assert_int_eq(bench_run("$BENCH --help 2>/dev/null"), 0);
  bench_says("Usage: pulpsim-bench run");
  ck_assert_int_eq(bench_run("$BENCH report --help 2>/dev/null"), 0);
  bench_says("--kernels=DIR");
  ck_assert_int_eq(bench_run("$BENCH -V | grep -c '^pulpsim-bench [0-9.]*$'"), 0);
  // The manual page names every option, and no other.
  ck_assert_int_eq(
      bench_run("$BENCH --help | grep -o -e '--[a-z]*' | sort -u > a; sed 's/\\\\-/-/g' "
                "$ROOT/docs/pulpsim-bench.1 | grep -o -e '--[a-z][a-z]*' | sort -u | diff a -"),
      0);
}
END_TEST

START_TEST(mistakes_on_the_command_line) {
  ck_assert_int_eq(bench_run("$BENCH run -k $KERNELS hello nosuch"), 64);
  bench_says("no program 'nosuch'");
  ck_assert_int_eq(bench_run("$BENCH reprot"), 64);
  bench_says("the command is one of");
  ck_assert_int_eq(bench_run("$BENCH report --jobs"), 64);
  bench_says("requires an argument");
  ck_assert_int_eq(bench_run("$BENCH"), 64);
  ck_assert_int_eq(bench_run("$BENCH report -j 0"), 64);
  ck_assert_int_eq(bench_run("$BENCH diff one.json"), 64);
  ck_assert_int_eq(bench_run("$BENCH diff -p -1 a b"), 64);
  ck_assert_int_eq(bench_run("$BENCH report -k /nowhere -o out ./none.yml"), 65);
  bench_says("none.yml");
}
END_TEST

Suite *bench_report_suite(void) {
  Suite *suite = suite_create("bench_report");
  TCase *tc = tcase_create("bench_report");
  tcase_add_checked_fixture(tc, bench_setup, bench_teardown);
  tcase_set_timeout(tc, 180);
  tcase_add_test(tc, report_has_every_form);
  tcase_add_test(tc, results_are_cached);
  tcase_add_test(tc, a_failing_case_stops_nothing);
  tcase_add_test(tc, a_run_takes_only_so_long);
  tcase_add_test(tc, an_interrupted_run_resumes);
  tcase_add_test(tc, diff_sees_a_slower_kernel);
  tcase_add_test(tc, diff_sees_what_is_gone_or_broken);
  tcase_add_test(tc, figures_and_targets);
  tcase_add_test(tc, a_passed_limit_is_none);
  tcase_add_test(tc, tables_by_row_and_column);
  tcase_add_test(tc, a_region_by_name);
  tcase_add_test(tc, the_suites_are_complete);
  tcase_add_loop_test(tc, mistakes_in_suites, 0, (int)(sizeof mistakes / sizeof *mistakes));
  tcase_add_test(tc, help_and_version);
  tcase_add_test(tc, mistakes_on_the_command_line);
  suite_add_tcase(suite, tc);
  return suite;
}
