// tests/bench/bench_report.c: the program pulpsim-bench from outside: suites, cache, failures,
// diff.
#include <check.h>
#include <stdio.h>
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

// As the comments of configs/mrwolf.yml say; what a case sets itself is what it asks for.
START_TEST(unverified_values_are_marked) {
  const char *set =
      "set: {l2.latency: 15, cluster.icache.refill_latency: 15, cluster.icache.model: hier, "
      "cluster.tcdm.arbiter: xbar, cluster.dma.memory_latency: 15, "
      "soc.cluster_clock_mhz: 350, soc.soc_clock_mhz: 450}";
  char text[1024];
  snprintf(text, sizeof text,
           "title: t\ncases:\n" CASE("there", "hello", "cores: [2], machine: mrwolf")
               CASE("here", "hello", "cores: [2]")
                   CASE("set", "hello", "cores: [2], machine: mrwolf, %s"),
           set);
  bench_save("marks.yml", text);
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./marks.yml") == 0, "%s", bench_output);
  ck_assert_int_eq(bench_run("grep -c '| there | 2 | [0-9,]*† |' out/report.md"), 0);
  ck_assert_int_eq(bench_run("grep -c '| here | 2 | [0-9,]* |' out/report.md"), 0);
  ck_assert_int_eq(bench_run("grep -c '| set | 2 | [0-9,]* |' out/report.md"), 0);
  bench_load("out/report.md");
  bench_says("† depends on what is unverified of mrwolf: ");
  bench_load("out/report.json");
  bench_says("\"unverified\": \"");
  bench_says("cluster.icache.refill_latency");
  bench_load("out/report.html");
  bench_says("<sup title=\"depends on what is unverified of mrwolf: ");
  bench_load("out/report.csv");
  bench_says("\"cluster.icache.model, ");
}
END_TEST

// Of 16-bit floats nothing was measured that works on two at a time.
START_TEST(sixteen_bit_floats_are_marked) {
  bench_save("h.yml", "title: t\ncases:\n" CASE("half", "mmt_f16_nt",
                                                "cores: [8], machine: trainlib, type: f16")
                          CASE("single", "mmt_f32_nn", "cores: [8], machine: trainlib, type: f32"));
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./h.yml") == 0, "%s", bench_output);
  ck_assert_int_eq(bench_run("grep -c '| half | 8 | [0-9,]*† |' out/report.md"), 0);
  ck_assert_int_eq(bench_run("grep -c '| single | 8 | [0-9,]* |' out/report.md"), 0);
  bench_load("out/report.md");
  bench_says("† depends on what is unverified of trainlib: core.smallfloat.");
  ck_assert_int_eq(bench_run("$BENCH run -k $KERNELS mmt_f16_nt hello > run.txt && "
                             "grep -c '^mmt_f16_nt  *8  *[0-9]*† ' run.txt && "
                             "grep -c '^hello  *8  *[0-9]*  ' run.txt"),
                   0);
  bench_load("run.txt");
  bench_says("† depends on what is unverified of trainlib: core.smallfloat\n");
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

// ---------------------------------------------------------------- fronts

// Kept figures of quantized networks: pairs of the same bits are compared, and of a front's points
// only those stand on its line that no other one beats.
START_TEST(fronts_stand_in_the_report) {
  ck_assert_int_eq(
      bench_run("mkdir out; printf 'a<b\\tW8A8\\tlayer\\t90\\t100\\t2000\\t10\\t1000\\t"
                "8\\t8\\na<b\\tW8A8\\tchannel\\t95\\t100\\t2500\\t10\\t1060\\t8\\t8\\n"
                "a<b\\tW4A4\\tchannel\\t85\\t100\\t3000\\t10\\t1200\\t4\\t4\\n' > "
                "out/fronts.tsv; $BENCH report -o out fronts"),
      0);
  bench_load("out/report.html");
  bench_says("at most <b class=\"down\">6.0 %</b>");
  bench_says("(1 pairs;");
  bench_says("<h3>a&lt;b</h3>");
  bench_says("W4A4, a scale a channel: 85.00 %, 3.0 kB, 1 thousand cycles");
  bench_load("out/report.json");
  bench_says("{\"network\": \"a<b\", \"assignment\": \"W8A8\", \"scales\": \"channel\", "
             "\"right\": 95, \"inputs\": 100, \"bytes\": 2500, \"peak\": 10, \"cycles\": 1060}");
  bench_load("out/report.md");
  bench_says("| a<b | W8A8 | a layer | 90 | 100 | 2000 | 10 | 1000† |");
  bench_says("† depends on what is unverified of gap8: cluster.tcdm.arbiter, ");
  bench_load("out/report.html");
  bench_says("1,000<sup title=\"depends on what is unverified of gap8: cluster.tcdm.arbiter, ");
}
END_TEST

START_TEST(fronts_that_are_none_are_refused) {
  ck_assert_int_eq(bench_run("mkdir out; $BENCH report -o out fronts"), 65);
  bench_says("make bench SUITE=fronts");
  ck_assert_int_eq(bench_run("printf 'a\\tb\\n' > out/fronts.tsv; $BENCH report -o out fronts"),
                   65);
  bench_says("out/fronts.tsv: line 1 is not a point");
  ck_assert_int_eq(bench_run("printf 'a\\tb\\tlayer\\t9\\t0\\t1\\t1\\t1\\t8\\n' > out/fronts.tsv; "
                             "$BENCH report -o out fronts"),
                   65);
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
  bench_says(
      "\"note\": \"peak\", \"differs\": \"other machine: board\", \"metric\": \"mac_per_clock\"");
  bench_says("\"note\": \"here\", \"differs\": \"other machine: board\", \"metric\": \"relative\", "
             "\"to\": \"slow\"");
  bench_says("\"bar\": 2, \"goal\": 3");
  bench_load("out/report.md");
  bench_says("| kernel | cores | figure | published | first bar | goal | here | reached |");
  bench_says("| fast | 8 | MAC/clk | 10, not alike | 2 | 3 |");
  bench_says("| goal | 21.33 | 32 |"); // the limit of eight cores, the peak
  bench_says("| bar | 21.33 | 32 |");
  bench_says("| below | 21.33 | 32 |");
  bench_says("| fast | 8 | speed-up | - | 5 | 6 |");
  bench_says("| fast | 8 | speed relative to slow, 8 cores | 2 |");
}
END_TEST

// What counts otherwise, or was measured elsewhere, says so beside its figure, and in no tally.
START_TEST(figures_that_are_not_alike) {
  bench_save("figures.yml",
             "lab:\n  source: A\n  platform: a board\n  machine: pulp-open\n  figures:\n"
             "    same: {value: 10}\n    mean: {value: 9, scope: an average}\n"
             "    else: {value: 8, machine: vega, platform: a chip}\n");
  bench_save("t.yml", "title: t\nfigures: figures.yml\ncases:\n"
                      "  - {name: a, program: mm_i8_4x4, " MATMUL
                      ", published: [lab.same, lab.mean, lab.else], targets: [{bar: 2}]}\n"
                      "  - {name: b, program: mm_i8_4x4, scope: an average, " MATMUL
                      ", published: [lab.mean]}\n");
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./t.yml") == 0, "%s", bench_output);
  bench_run("grep '| A |' out/report.md | cut -d'|' -f2-5,8,9");
  bench_says(" a | 8 | MAC/clk | 10 | - | a board ");
  bench_says(" a | 8 | MAC/clk | 9 | other scope: an average | a board ");
  bench_says(" a | 8 | MAC/clk | 8 | other machine: a chip | a chip ");
  bench_says(" b | 8 | MAC/clk | 9 | - | a board ");
  bench_load("out/report.md");
  bench_says("| 10 (9, not alike) (8, not alike) | 2 |");
  bench_load("out/report.html");
  bench_says("<b>4</b>published figures");
  bench_says("<b>2</b>of them of the same scope and machine");
  bench_says("<em class=\"apart\" title=\"other scope: an average\">other scope</em>");
  bench_says("data-l=\"differs\">other scope: an average</td>"
             "<td class=\"t\" data-l=\"platform\">a board</td>"); // a cell for each heading
  bench_load("out/report.json");
  bench_says("\"differs\": \"other machine: a chip\"");
}
END_TEST

// 262,144 MAC in 14,0xx cycles: at 100 MHz 0.14 ms, 7,1xx frames/s, 7 microjoules at 50 mW.
START_TEST(time_energy_and_bytes) {
  bench_save("t.yml",
             "title: t\ncases:\n" CASE(
                 "a", "mm_i8_4x4",
                 MATMUL ", published: [{metric: ms, mhz: 100, value: 0.28, platform: p, source: s},"
                        " {metric: frames_per_second, mhz: 200, value: 7000, platform: p, source: "
                        "s}, {metric: mj, mhz: 100, mw: 50, value: 0.014, platform: p, source: s}],"
                        " targets: [{metric: bytes, bar: 100000}]"));
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./t.yml") == 0, "%s", bench_output);
  bench_load("out/report.md");
  bench_says("| a | 8 | ms at 100 MHz | 0.28 | 0.14");
  bench_says("| a | 8 | frames/s at 200 MHz | 7000 | 14");
  bench_says("| a | 8 | mJ at 100 MHz, 50 mW | 0.014 | 0.007");
  bench_run("size=$(sed -n 's/.*\"bytes\": \\([0-9]*\\),.*/\\1/p' out/report.json | head -1); "
            "grep \"| a | 8 | bytes | - | 100000 | - | $size | bar |\" out/report.md");
  bench_says("| a |");
}
END_TEST

START_TEST(a_report_says_where_it_is_from) {
  bench_save("t.yml", "title: t\ncases:\n" CASE("a", "hello", "cores: [1]"));
  ck_assert_int_eq(bench_run("SOURCE_DATE_EPOCH=86400 $BENCH report -c abc123 -k $KERNELS -o out "
                             "./t.yml; uname -n > host"),
                   0);
  ck_assert_int_eq(bench_run("grep -q \"^| host | $(cat host) \" out/report.md"), 0);
  bench_load("out/report.md");
  bench_says("| date | 1970-01-02 |");
  bench_says("| commit | abc123 |");
  bench_says("| compiler of the programs | GNU C17 ");
  bench_says("commit abc123: benchmark report of 1970-01-02.");
  bench_load("out/report.html");
  bench_says("commit abc123, on ");
  bench_says("To cite: pulpsim ");
  bench_load("out/report.json");
  bench_says("\"commit\": \"abc123\"");
  bench_says("\"compiler\": \"GNU C17 ");
}
END_TEST

// Whole networks: cycles of the tool's report, of some layers too; in memories that are too small
// the reason.
START_TEST(networks_are_cases) {
  bench_save("n.yml",
             "title: t\ntables:\n  - {name: C, show: ms, base_column: \"100\"}\ncases:\n"
             "  - {name: all, network: ds_cnn, deploy: --tiles estimate, cores: [8], type: i8}\n"
             "  - {name: pw, network: ds_cnn, deploy: --tiles estimate, cores: [8], type: i8, "
             "region: pw*}\n"
             "  - {name: none, network: ds_cnn, deploy: --tiles estimate, cores: [8], region: x*}\n"
             "  - {name: small, network: ds_cnn, deploy: --l1 1k, cores: [8]}\n"
             "  - {name: \"at ${f}\", over: {f: [100, 200]}, network: ds_cnn, deploy: --tiles "
             "estimate, cores: [8], set: {soc.cluster_clock_mhz: \"${f}\"}, table: C, row: r, "
             "column: \"${f}\"}\n");
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./n.yml"), 1);
  bench_says("FAILED n: none, 8 cores: no layer of the network is called 'x*'");
  bench_says("FAILED n: small, 8 cores: ");
  bench_says("L1: its smallest tile takes");
  bench_load("out/report.json");
  bench_says("\"region\": \"network\"");
  bench_says("\"useful_macs\": 2656768"); // of DS-CNN
  bench_says("\"useful_macs\": 2048000"); // of its four pointwise layers
  bench_run("grep -o '| all | 8 | [0-9,]*† | [0-9]' out/report.md; grep '^| r |' out/report.md");
  bench_says("| all | 8 |");
  bench_says("(1.00 ×)† | ");
  ck_assert_int_eq(bench_run("$BENCH report -k $KERNELS -o out ./n.yml"), 1);
  bench_says("6 runs, 4 of them known");
}
END_TEST

// Numbers of cores have logarithmic scales and the ideal line; other columns stand side by side.
START_TEST(cores_have_an_ideal_line) {
  bench_save("t.yml", "title: t\ntables:\n  - {name: T, base_column: 1 core, chart: true}\n"
                      "  - {name: S, base_column: a, chart: true}\ncases:\n"
                      "  - {name: m, program: mm_i8_4x4, cores: [1, 2, 8], table: T, row: m}\n"
                      "  - {name: \"s ${b}\", over: {b: [a, b]}, program: mm_i8_4x4, cores: [8], "
                      "table: S, row: s, column: \"${b}\"}\n");
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./t.yml") == 0, "%s", bench_output);
  bench_run("grep -o 'class=\"ideal\"' out/report.html | wc -l; grep -o 'class=\"point\" "
            "cx=\"[0-9.]*\"' out/report.html | cut -d'\"' -f4 | tr '\\n' ' '");
  bench_says("1\n40.0 176.7 450.0 "); // 1, 2 and 8 cores: a third of the width for each factor 2
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
                "{sub(\":\", \"\", $1); print source \".\" $1, source}' $ROOT/bench/published.yml "
                "> all; test $(wc -l < all) -ge 35 || echo too few; while read figure source; do "
                "grep -qw -- \"$figure\" $ROOT/bench/suites/*.yml || "
                "grep -qF -- \"$source.\\${\" $ROOT/bench/suites/*.yml || " // by a variable
                "echo \"no row for $figure\"; done < all"),
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
    {"title: t\ncases:\n  - {name: x, program: y, network: z, cores: [8]}\n",
     "'program' or 'network'"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [8], deploy: --run"), "for a 'network'"},
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
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], targets: [{metric: ms, bar: 1}]"),
     "'mhz' is the clock of"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], targets: [{mhz: 1, bar: 1}]"),
     "'mhz' is the clock of"},
    {"title: t\ncases:\n" CASE("x", "y", "cores: [1], targets: [{metric: mj, mhz: 1, bar: 1}]"),
     "'mw' is the power of mj"},
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

START_TEST(figures_of_speed_go_where_they_are_asked_for) {
  bench_save("w.yml", "title: t\ncases:\n" CASE("one", "hello", "cores: [2]"));
#define SPEED "$BENCH speed -n 1 -w w.yml -k $KERNELS -o "
  ck_assert_msg(bench_run(SPEED "- 2>table; test ! -e -") == 0, "%s", bench_output);
  ck_assert_int_eq(strncmp(bench_output, "{\"schema\"", 9), 0);
  bench_load("table");
  bench_says("| one | ");
  ck_assert_int_eq(bench_run(SPEED "/nowhere/x"), 73);
  bench_says("pulpsim-bench: /nowhere/x: No such file");
  ck_assert_int_eq(bench_run(SPEED "- >/dev/full"), 73);
  ck_assert_int_eq(bench_run(SPEED "x -w none.yml"), 65);
  ck_assert_int_eq(bench_run("$BENCH speed -n 1 -w w.yml -k none"), 1);
  bench_says("none/hello.elf: No such file or directory; `make kernels` makes it");
  ck_assert_int_eq(bench_run("$BENCH report -o -"), 64);
  bench_says("-o -: reports go into a folder");
}
END_TEST

START_TEST(mistakes_on_the_command_line) {
  ck_assert_int_eq(bench_run("$BENCH run -k $KERNELS hello nosuch"), 64);
  bench_says("no program 'nosuch'");
  ck_assert_int_eq(bench_run("$BENCH run -k build/kernels-gap8 hello"), 65);
  bench_says("list.txt: No such file or directory; `make kernels KMACHINE=gap8` makes it");
  ck_assert_int_eq(bench_run("$BENCH run"), 65);
  bench_says("`make kernels` makes it");
  ck_assert_int_eq(bench_run("$BENCH reprot"), 64);
  bench_says("the command is one of");
  ck_assert_int_eq(bench_run("$BENCH report --jobs"), 64);
  bench_says("requires an argument");
  ck_assert_int_eq(bench_run("$BENCH"), 64);
  ck_assert_int_eq(bench_run("$BENCH report -j 0"), 64);
  ck_assert_int_eq(bench_run("$BENCH diff one.json"), 64);
  ck_assert_int_eq(bench_run("$BENCH diff . ."), 65);
  bench_says("pulpsim-bench: .: Is a directory");
  ck_assert_int_eq(bench_run("$BENCH report -d $ROOT/bench/suites -k $KERNELS -o /dev/full nn"),
                   73);
  bench_says("/dev/full: reports cannot be written here: Not a directory");
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
  tcase_add_test(tc, unverified_values_are_marked);
  tcase_add_test(tc, sixteen_bit_floats_are_marked);
  tcase_add_test(tc, results_are_cached);
  tcase_add_test(tc, a_failing_case_stops_nothing);
  tcase_add_test(tc, a_run_takes_only_so_long);
  tcase_add_test(tc, an_interrupted_run_resumes);
  tcase_add_test(tc, fronts_stand_in_the_report);
  tcase_add_test(tc, fronts_that_are_none_are_refused);
  tcase_add_test(tc, diff_sees_a_slower_kernel);
  tcase_add_test(tc, diff_sees_what_is_gone_or_broken);
  tcase_add_test(tc, figures_and_targets);
  tcase_add_test(tc, figures_that_are_not_alike);
  tcase_add_test(tc, time_energy_and_bytes);
  tcase_add_test(tc, a_report_says_where_it_is_from);
  tcase_add_test(tc, cores_have_an_ideal_line);
  tcase_add_test(tc, networks_are_cases);
  tcase_add_test(tc, a_passed_limit_is_none);
  tcase_add_test(tc, tables_by_row_and_column);
  tcase_add_test(tc, a_region_by_name);
  tcase_add_test(tc, the_suites_are_complete);
  tcase_add_loop_test(tc, mistakes_in_suites, 0, (int)(sizeof mistakes / sizeof *mistakes));
  tcase_add_test(tc, help_and_version);
  tcase_add_test(tc, figures_of_speed_go_where_they_are_asked_for);
  tcase_add_test(tc, mistakes_on_the_command_line);
  suite_add_tcase(suite, tc);
  return suite;
}
