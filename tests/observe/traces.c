// tests/observe/traces.c: each kind of trace, read by its consumer or against its grammar.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

static unsigned lines(const char *text) {
  unsigned n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static char *trace(const char *kind, const char *settings, const char *program) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s.out", tool_directory(), kind);
  tool(NULL, PULPSIM " -q --trace %s=%s%s %s", kind, path, settings, program);
  char *text = tool_file(path);
  ck_assert_ptr_nonnull(text);
  return text;
}

// Instructions that the statistics count for a program.
static unsigned instructions(const char *program) {
  const char *text = tool(NULL,
                          PULPSIM " -q --stats %s/s.json %s >/dev/null && python3 -c \"import json;"
                                  "print(json.load(open('%s/s.json'))['instructions'])\"",
                          tool_directory(), program, tool_directory());
  return (unsigned)atoi(text);
}

START_TEST(log_is_aligned_and_ordered) {
  const char *bad;
  char *text = trace("log", ",to=3000", KERNEL("mm_i8_4x2"));
  char *body = strchr(text, '\n') + 1;
  ck_assert_msg(tool_lines_match(body, "^ *[0-9]+ +[0-7] [0-9a-f]{8} [a-z_0-9.+]+ +[a-z].*", &bad),
                "%s", bad);
  ck_assert_ptr_nonnull(strstr(body, "csrrs t0,mhartid,zero"));
  ck_assert_uint_gt(lines(body), 1000);
  // Per core the cycle never goes back.
  uint64_t last[8] = {0};
  for (char *p = body; *p; p = strchr(p, '\n') + 1) {
    char *end;
    uint64_t cycle = strtoull(p, &end, 10);
    unsigned long core = strtoul(end, NULL, 10);
    ck_assert_uint_ge(cycle, last[core]);
    last[core] = cycle;
  }
  free(text);
}
END_TEST

START_TEST(log_has_every_instruction) {
  char *text = trace("log", "", KERNEL("vec_axpy"));
  unsigned sum = instructions(KERNEL("vec_axpy"));
  ck_assert_uint_gt(sum, 1000);
  ck_assert_uint_eq(lines(text) - 1, sum);
  free(text);
}
END_TEST

// riscv-isa-sim, riscv/execute.cc: the commit log's lines.
START_TEST(spike_follows_the_grammar) {
  const char *bad;
  char *text = trace("spike", "", KERNEL("vec_axpy"));
  ck_assert_msg(
      tool_lines_match(text,
                       "^core   [0-7]: 3 0x[0-9a-f]{8} \\(0x([0-9a-f]{4}|[0-9a-f]{8})\\)"
                       "( [xf]([0-9] |[12][0-9]|3[01]) 0x[0-9a-f]{8})*"
                       "( c[0-9]+_[a-z0-9]+ 0x[0-9a-f]{8})?"
                       "( mem 0x[0-9a-f]{8}( 0x([0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8}))?)?$",
                       &bad),
      "%s", bad);
  ck_assert_uint_eq(lines(text), instructions(KERNEL("vec_axpy")));
  free(text);
}
END_TEST

START_TEST(filters_choose) {
  const char *bad;
  char *text = trace("log", ",from=100,to=200,core=5", KERNEL("vec_axpy"));
  ck_assert_msg(tool_lines_match(strchr(text, '\n') + 1, "^      (1[0-9]{2}|200)    5 .*", &bad),
                "%s", bad);
  free(text);
  char *all = trace("log", "", KERNEL("vec_axpy"));
  unsigned everything = lines(all), barriers = 0;
  for (const char *p = all; (p = strstr(p, " rt_barrier+")); p++)
    barriers++;
  free(all);
  char *region = trace("log", ",region=1", KERNEL("vec_axpy"));
  ck_assert_uint_gt(lines(region), 100);
  ck_assert_uint_lt(lines(region), everything);
  free(region);
  char *function = trace("log", ",region=rt_barrier", KERNEL("vec_axpy"));
  ck_assert_msg(tool_lines_match(strchr(function, '\n') + 1,
                                 "^ *[0-9]+ +[0-7] [0-9a-f]{8} rt_barrier\\+.*", &bad),
                "%s", bad);
  ck_assert_uint_gt(barriers, 1000);
  ck_assert_uint_eq(lines(function) - 1, barriers);
  free(function);
}
END_TEST

START_TEST(compressed_traces_are_the_same) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --trace log=%s/a --trace log=%s/a.gz --trace log=%s/a.zst %s", dir, dir,
       dir, KERNEL("vec_axpy"));
  tool(NULL,
       "cd %s && gzip -dc a.gz | cmp - a && zstd -qdc a.zst | cmp - a && "
       "test $(stat -c %%s a.gz) -lt $(( $(stat -c %%s a) / 4 ))",
       dir);
}
END_TEST

// Python's json module: what the viewer parses.
START_TEST(perfetto_is_json) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --trace perfetto=%s/p.json %s", dir, KERNEL("vec_axpy"));
  const char *text =
      tool(NULL,
           "python3 -c \"import json\n"
           "e = json.load(open('%s/p.json'))['traceEvents']\n"
           "x = [i for i in e if i['ph'] == 'X']\n"
           "assert all(i['dur'] >= 0 and i['ts'] >= 0 for i in x)\n"
           "assert {i['tid'] for i in x if i['cat'] == 'function'} == set(range(8))\n"
           "assert any(i['cat'] == 'dma' for i in x)\n"
           "assert any(i['name'] == 'barrier' for i in x)\n"
           "c = [i['args'] for i in e if i['ph'] == 'C']\n"
           "print('MAC', round(sum(i['MAC'] * 256 for i in c)))\"",
           dir);
  // 8 cores, 4096 elements each, one multiply-accumulate per element.
  ck_assert_msg(strncmp(text, "MAC 32", 6) == 0, "%s", text);
}
END_TEST

START_TEST(rvfi_is_consistent) {
  const char *dir = tool_directory();
  tool(NULL, PULPSIM " -q --trace rvfi=%s/r.json,to=60000 %s", dir, KERNEL("mm_i8_4x2"));
  // An independent reader: per hart, order counts up, pc_wdata is the next pc_rdata, what is read
  // was written before.
  const char *text =
      tool(NULL,
           "python3 -c \"import json\n"
           "last, regs, n = {}, {}, 0\n"
           "for line in open('%s/r.json'):\n"
           "  i = json.loads(line); h = i['hart']; r = regs.setdefault(h, [0] * 64)\n"
           "  if h in last:\n"
           "    assert last[h]['order'] + 1 == i['order'], i\n"
           "    assert last[h]['pc_wdata'] == i['pc_rdata'], i\n"
           "  for s in ('rs1', 'rs2', 'rs3'):\n"
           "    a, v = i[s + '_addr'], i[s + '_rdata']\n"
           "    assert v == (r[a] if a else 0) or a == 10, i\n" // a0: the host's answer
           "  r[i['rd_addr']] = i['rd_wdata'] if i['rd_addr'] else 0\n"
           "  if 'rd2_addr' in i: r[i['rd2_addr']] = i['rd2_wdata']\n"
           "  assert not (i['mem_rmask'] and i['mem_wmask'])\n"
           "  last[h] = i; n += 1\n"
           "print('lines', n)\"",
           dir);
  ck_assert_int_gt(atoi(text + 6), 10000);
}
END_TEST

// The order of lines does not depend on how far ahead of each other an engine lets cores run.
START_TEST(rvfi_is_the_same_from_both_engines) {
  const char *dir = tool_directory();
  tool(NULL,
       "for e in fast plain; do " PULPSIM
       " -q --engine=$e --trace rvfi=%s/$e.json,to=60000 %s; done && "
       "cmp %s/fast.json %s/plain.json",
       dir, KERNEL("mm_i8_4x2"), dir, dir);
}
END_TEST

// vcd2fst and fst2vcd are GTKWave's own readers and writers.
START_TEST(gtkwave_reads_the_waves) {
  const char *dir = tool_directory();
  tool(NULL,
       PULPSIM " -q --trace vcd=%s/w.vcd,to=200000 %s && cd %s && vcd2fst w.vcd w.fst && "
               "fst2vcd w.fst > back.vcd",
       dir, KERNEL("mm_i8_4x2"), dir);
  const char *text = tool(NULL,
                          "cd %s; for f in w back; do grep -v '^#0$' $f.vcd | "
                          "grep -c '^#' ; done",
                          dir);
  char *end;
  unsigned long written = strtoul(text, &end, 10), read = strtoul(end, NULL, 10);
  ck_assert_uint_gt(written, 1000);
  ck_assert_uint_eq(written, read);
  tool(NULL, "cd %s; grep -q 'wire 32 . pc ' w.vcd && grep -q 'grant ' w.vcd", dir);
}
END_TEST

// Konata's grammar (docs/kanata-log-format.md of the viewer): commands and their order.
START_TEST(konata_follows_the_grammar) {
  const char *dir = tool_directory(), *bad;
  tool(NULL, PULPSIM " -q --trace konata=%s/k,from=0,to=2000 %s", dir, KERNEL("mm_i8_4x2"));
  char path[96];
  snprintf(path, sizeof path, "%s/k", dir);
  char *text = tool_file(path);
  ck_assert_int_eq(strncmp(text, "Kanata\t0004\nC=\t", 15), 0);
  ck_assert_msg(tool_lines_match(strchr(text, '\n') + 1,
                                 "^(C=?\t[0-9]+|I\t[0-9]+\t[0-9]+\t[0-7]|L\t[0-9]+\t[01]\t.*|"
                                 "[SE]\t[0-9]+\t[01]\t[A-Za-z_0-9]+|R\t[0-9]+\t[0-9]+\t0)$",
                                 &bad),
                "%s", bad);
  free(text);
  tool(NULL,
       "awk -F'\t' '$1 == \"I\" { if ($2 != n++) exit 1; open[$2] = 1 } "
       "$1 ~ /^[LSE]$/ && !open[$2] { exit 2 } $1 == \"R\" { if (!open[$2]) exit 3; delete "
       "open[$2] } "
       "END { for (i in open) exit 4; if (n < 1000) exit 5 }' %s",
       path);
}
END_TEST

START_TEST(mistakes_are_explained) {
  static const struct {
    const char *spec, *text;
    int status;
  } cases[] = {
      {"lgo=x", "with KIND one of log spike", 64},
      {"log", "takes KIND=FILE", 64},
      {"log=x,core=99", "the machine has no such core; the last one is 7", 64},
      {"log=x,region=nowhere", "no region and no function of that name", 64},
      {"log=x,from=soon", "needs a cycle", 64},
      {"log=x,to=5kk", "needs a cycle", 64},
      {"log=x,from=99G,to=99M", "ends before it begins", 64},
      {"log=/dev/null,from=99G", "no instruction was chosen by its settings", 0},
      {"log=x,from=9,to=5", "ends before it begins", 64},
      {"log=x.fst", "an FST file takes vcd=FILE.fst", 64},
      {"log=/nowhere/x", "cannot be written: No such file or directory", 73},
  };
  int status;
  const char *text = tool(&status, PULPSIM " -q --trace %s %s", cases[_i].spec, KERNEL("hello"));
  ck_assert_int_eq(status, cases[_i].status);
  ck_assert_msg(strstr(text, cases[_i].text) != NULL, "%s", text);
}
END_TEST

// The same waves as by VCD; where vcd2fst is not, or fails, that is said, and an older file stays.
START_TEST(waves_can_be_fst) {
  const char *dir = tool_directory();
  int status;
  tool(NULL, PULPSIM " -q --trace vcd=%s/a.fst %s", dir, KERNEL("hello"));
  tool(NULL, PULPSIM " -q --trace vcd=%s/a.vcd %s", dir, KERNEL("hello"));
  tool(NULL, "vcd2fst %s/a.vcd %s/b.fst", dir, dir);
  tool(NULL,
       "for f in a b; do fst2vcd %s/$f.fst | grep -v date > %s/$f.txt; done; "
       "cmp %s/a.txt %s/b.txt; test -s %s/a.txt",
       dir, dir, dir, dir, dir);
  tool(NULL,
       "mkdir %s/bin; printf '#!/bin/sh\\nhead -c 900 %s/b.fst > $4; cat > /dev/null\\n' > "
       "%s/bin/vcd2fst; chmod +x %s/bin/vcd2fst",
       dir, dir, dir, dir);
  const char *text = tool(&status, "PATH=%s/bin:$PATH " PULPSIM " -q --trace vcd=%s/a.fst %s", dir,
                          dir, KERNEL("hello"));
  ck_assert_int_eq(status, 73);
  ck_assert_ptr_nonnull(strstr(text, "/a.fst: not written completely: "));
  tool(NULL, "fst2vcd %s/a.fst | grep -v date | cmp - %s/a.txt; test ! -e %s/*.part", dir, dir,
       dir);
  text =
      tool(&status, "PATH=/nowhere " PULPSIM " -q --trace vcd=%s/c.fst %s", dir, KERNEL("hello"));
  ck_assert_int_eq(status, 73);
  ck_assert_ptr_nonnull(strstr(text, "vcd2fst is not installed (package gtkwave)"));
}
END_TEST

START_TEST(a_full_disk_is_noticed) {
  int status;
  const char *text = tool(&status, PULPSIM " -q --trace log=/dev/full %s", KERNEL("hello"));
  ck_assert_int_eq(status, 73);
  ck_assert_ptr_nonnull(strstr(text, "not written completely: No space left"));
}
END_TEST

Suite *traces_suite(void);
Suite *traces_suite(void) {
  Suite *s = suite_create("traces");
  TCase *c = tcase_create("traces");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, log_is_aligned_and_ordered);
  tcase_add_test(c, log_has_every_instruction);
  tcase_add_test(c, spike_follows_the_grammar);
  tcase_add_test(c, filters_choose);
  tcase_add_test(c, compressed_traces_are_the_same);
  tcase_add_test(c, perfetto_is_json);
  tcase_add_test(c, rvfi_is_consistent);
  tcase_add_test(c, rvfi_is_the_same_from_both_engines);
  tcase_add_test(c, gtkwave_reads_the_waves);
  tcase_add_test(c, konata_follows_the_grammar);
  tcase_add_loop_test(c, mistakes_are_explained, 0, 11);
  tcase_add_test(c, waves_can_be_fst);
  tcase_add_test(c, a_full_disk_is_noticed);
  suite_add_tcase(s, c);
  return s;
}
