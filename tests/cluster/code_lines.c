// tests/cluster/code_lines.c: what a core sees of its private instruction cache is what its
// directory holds, wherever in memory, however often, and in whatever order lines come and go.
#include <check.h>
#include <stdlib.h>

#include "cluster/icache_units.h"

Suite *code_lines_suite(void);

enum {
  LINE = 16,
  WAYS = 16,
  SIZE = 4096,
  SETS = SIZE / LINE / WAYS,
  CHANGES = 20000,
  LONGEST = CODE_LINES_AT_ONCE
};

static struct engine e;
static struct icache ic;

static uint32_t below(uint32_t n) {
  return (uint32_t)rand() % n;
}

static void make_cache(void) {
  struct icache_params params = {.cores = 1,
                                 .line = LINE,
                                 .private_size = SIZE,
                                 .private_ways = WAYS,
                                 .shared_size = SIZE,
                                 .shared_banks = 1,
                                 .shared_ways = 1,
                                 .enabled = true};
  engine_init(&e);
  ck_assert(icache_init(&ic, &e, ENGINE_ARBITERS, &params, (struct l2_port){0}));
  srand(1);
}

// A line near the edges of windows around each other, or far from them.
static uint32_t any_line(void) {
  static const uint32_t place[] = {0, 0x1c00000, 0x1c00000 + CODE_LINES / 2, 0x1c00000 + CODE_LINES,
                                   0xfff0000};
  return place[below(5)] + below(LONGEST);
}

static bool is_in_directory(uint32_t first, uint32_t lines) {
  for (uint32_t line = first; line < first + lines; line++)
    if (!icache_tags_hit(&ic.core[0].tags, line, line % SETS))
      return false;
  return true;
}

static void fill(uint32_t line, unsigned way) {
  icache_private_fill(&ic, 0, line * LINE, way);
}

static unsigned way_of(uint32_t line) {
  return line / SETS % WAYS;
}

// A run of lines, each in a way of its own; or one line of it, or one that takes the place of one,
// or one in any way, which may be in another, too. Returns where the run begins.
static uint32_t change(uint32_t run) {
  uint32_t line = run + below(LONGEST), other = line + SETS * WAYS;
  switch (below(5)) {
  case 0:
    run = any_line();
    for (line = run; line < run + LONGEST; line++)
      fill(line, way_of(line));
    break;
  case 1:
    fill(other, way_of(other));
    break;
  case 2:
    fill(line, below(WAYS));
    break;
  default:
    fill(line, way_of(line));
  }
  return run;
}

static void flush(void) {
  struct icache_wires w = {.controlled = true};
  struct icache_private *p = &ic.core[0];
  p->state = PRIVATE_FLUSH;
  p->flushed = below(SETS);
  while (p->state == PRIVATE_FLUSH)
    icache_private_edge(&ic, 0, &w);
}

START_TEST(lines_are_the_directory) {
  unsigned there[2] = {0, 0}, missing[2] = {0, 0}; // short and long ranges
  uint32_t run = 0;
  make_cache();
  for (unsigned i = 0; i < CHANGES; i++) {
    if (below(100) == 0)
      flush();
    run = change(run);
    uint32_t first = below(4) ? run + below(LONGEST) : any_line(), lines = 1 + below(LONGEST);
    bool expected = is_in_directory(first, lines);
    const struct code_lines *f = &ic.core[0].lines;
    uint64_t set = (UINT64_C(2) << (lines - 1)) - 1;
    if (code_lines_cover(f, first) && code_lines_cover(f, first + lines - 1)) {
      ck_assert_msg(code_lines_have_all(f, first, set) == expected, "change %u: %u lines from %x",
                    i, lines, first);
      (expected ? there : missing)[lines > 32]++;
    }
    ck_assert_msg(icache_private_holds(&ic, 0, first * LINE) == is_in_directory(first, 1),
                  "change %u: line %x", i, first);
  }
  ck_assert_uint_gt(there[0], 1000);
  ck_assert_uint_gt(there[1], 100);
  ck_assert_uint_gt(missing[0], 1000);
  ck_assert_uint_gt(missing[1], 1000);
  icache_free(&ic);
}
END_TEST

START_TEST(changes_of_contents_are_told) {
  make_cache();
  icache_private_fill(&ic, 0, 0x1c000000, 0);
  uint64_t epoch = ic.core[0].lines.epoch;
  icache_private_fill(&ic, 0, 0x1c000000 + SETS * LINE, 0); // the first one leaves
  ck_assert_uint_ne(ic.core[0].lines.epoch, epoch);
  epoch = ic.core[0].lines.epoch;
  flush();
  ck_assert_uint_ne(ic.core[0].lines.epoch, epoch);
  icache_free(&ic);
}
END_TEST

Suite *code_lines_suite(void) {
  Suite *s = suite_create("code_lines");
  TCase *t = tcase_create("all");
  tcase_add_test(t, lines_are_the_directory);
  tcase_add_test(t, changes_of_contents_are_told);
  suite_add_tcase(s, t);
  return s;
}
