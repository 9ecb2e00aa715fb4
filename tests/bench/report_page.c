// tests/bench/report_page.c: what a browser makes of the report: headless Chromium lays the page
// out, a script that is appended to it measures what is there and clicks. Skipped, with a word,
// where there is no Chromium.
#include <check.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/bench_tool.h"

Suite *report_page_suite(void);

static const char suite[] =
    "title: Page <one>\nabout: text\ntables:\n"
    "  - {name: T, rows: kernel, columns: cores, base_column: 1 core, chart: true, about: "
    "why}\ncases:\n" CASE(
        "fast", "mm_i8_4x4",
        MATMUL ", limit: 64/24, table: T, row: a row, published: [{value: 10, platform: paper, "
               "source: A & B}, {metric: speedup, value: 8, platform: paper, source: C}], targets: "
               "[{bar: 2, goal: 3}, {bar: 30, goal: 40}]")
        CASE("block ${b}", "mm_i8_${b}", MATMUL ", over: {b: [4x2]}, table: T, row: other")
            CASE("later", "no_such_program",
                 "cores: [8], published: [{value: 3, platform: paper, source: D}]");

// Names of the runs, top to bottom, in the table of single runs, the last but one.
static const char probe[] =
    "<script>addEventListener('load', function () {"
    "function all(s) { return Array.from(document.querySelectorAll(s)); }"
    "function shown(e) { var b = e.getBoundingClientRect(); return b.width > 4 && b.height > 4; }"
    "function style(s, p) { return getComputedStyle(document.querySelector(s))[p]; }"
    "var d = document.documentElement, runs = all('table.cards').slice(-2)[0], s = '';"
    "function names() { return Array.from(runs.tBodies[0].rows).map(function (r) {"
    "  return r.cells[0].textContent + '/' + r.cells[1].textContent; }).join(','); }"
    "function light(c) { var n = c.match(/\\d+/g); return n[0] * 0.3 + n[1] * 0.6 + n[2] * 0.1; }"
    "s += ' tables=' + all('table').length;"
    "s += ' ratio=' + all('svg.ratio').filter(shown).length;"
    "s += ' target=' + all('svg.target rect.here').filter(shown).length;"
    "s += ' stacks=' + all('svg.stack').filter(shown).length;"
    "s += ' dots=' + all('.dot').filter(shown).length;"
    "s += ' lines=' + all('.lines .point').filter(shown).length;"
    "s += ' strip=' + all('.strip i').filter(shown).length;"
    "s += ' cells=' + all('.matrix td.v').filter(shown).length;"
    "s += ' overflow=' + (d.scrollWidth > d.clientWidth);"
    "s += ' head=' + getComputedStyle(runs.tHead).display;"
    "s += ' nav=' + style('nav', 'display');"
    "s += ' dark=' + (light(style('body', 'backgroundColor')) < 60);"
    "s += ' contrast=' + (Math.abs(light(style('body', 'color')) - light(style('body', "
    "'backgroundColor'))) > 120);"
    "s += ' reached=' + all('td.goal, td.below').map(function (c) { return c.textContent; });"
    "runs.tHead.rows[0].cells[2].click(); s += ' down=' + names();"
    "runs.tHead.rows[0].cells[2].click(); s += ' up=' + names();"
    "var out = document.createElement('pre'); out.textContent = 'PROBE' + s + ' END';"
    "document.body.appendChild(out); });</script>";

// False, said once, where there is no browser.
static bool browse(const char *size, const char *change) {
  char command[2048];
  static bool said;
  if (bench_run("command -v chromium || command -v google-chrome") != 0) {
    if (!said)
      fprintf(stderr, "report_page: no Chromium here: the look of the report is not checked\n");
    said = true;
    return false;
  }
  bench_save("page.yml", suite);
  bench_save("probe.txt", probe);
  ck_assert_msg(bench_run("$BENCH report -k $KERNELS -o out ./page.yml") == 0, "%s", bench_output);
  snprintf(command, sizeof command,
           "sed '%s' out/report.html | cat - probe.txt > probe.html; timeout 100 $(command -v "
           "chromium || command -v google-chrome) --headless --no-sandbox --disable-gpu "
           "--user-data-dir=$PWD/profile --window-size=%s --dump-dom file://$PWD/probe.html "
           "2>/dev/null | grep -o 'PROBE .* END<'",
           change, size);
  ck_assert_int_eq(bench_run(command), 0);
  return true;
}

START_TEST(a_browser_shows_it) {
  if (!browse("1200,900", ""))
    return;
  bench_says("PROBE tables=5 ratio=2 target=2 stacks=4 dots=2 lines=4 strip=2 cells=4 "
             "overflow=false head=table-header-group nav=flex dark=false contrast=true "
             "reached=goal,below ");
  bench_says("down=block 4x2/1,fast/1,block 4x2/8,fast/8,later/8 up=later/8,fast/8,block 4x2/8");
}
END_TEST

START_TEST(a_phone_shows_it) {
  if (browse("360,800", ""))
    bench_says("strip=2 cells=4 overflow=false head=none nav=flex");
}
END_TEST

// As in the dark, and as on paper: what the style sheet has for them, for every medium.
START_TEST(the_dark_shows_it) {
  if (browse("1200,900", "s/(prefers-color-scheme: dark)/all/"))
    bench_says("overflow=false head=table-header-group nav=flex dark=true contrast=true");
}
END_TEST

START_TEST(paper_shows_it) {
  if (browse("1000,900", "s/@media print/@media all/"))
    bench_says("overflow=false head=table-header-group nav=none dark=false contrast=true");
}
END_TEST

Suite *report_page_suite(void) {
  Suite *s = suite_create("report_page");
  TCase *tc = tcase_create("report_page");
  tcase_add_checked_fixture(tc, bench_setup, bench_teardown);
  tcase_set_timeout(tc, 240);
  tcase_add_test(tc, a_browser_shows_it);
  tcase_add_test(tc, a_phone_shows_it);
  tcase_add_test(tc, the_dark_shows_it);
  tcase_add_test(tc, paper_shows_it);
  suite_add_tcase(s, tc);
  return s;
}
