// tests/cluster/emptying_rules.c: what empties the pipeline, behind accesses that still wait: the
// controller may see it while they do. Both engines count the same.
#include <check.h>

#include "line.h"
#include "outcome.h"

Suite *emptying_rules_suite(void);

enum { CORES = 4, SEEDS = 40, MOST_CYCLES = 20000 };
enum { HANDLER = 64, CSR_MTVEC = 0x305, CSR_MEPC = 0x341 }; // words in front of it: mtvec's least

// Of L1, mostly; of L2, or the event unit's, which holds nothing but the mask there.
static void any_access(struct line *l) {
  switch (line_below(l, 8)) {
  case 0:
    line_put_i(l, 0x03, 2, line_data(l), S11, 0);
    break;
  case 1:
    line_put_s(l, 2, ZERO, S8, 0x20); // of the cluster's control unit
    break;
  default:
    line_access(l, 0);
    break;
  }
}

// What ends a block, or takes its time.
static void rare(struct line *l) {
  static const uint32_t words[] = {0x00001463,  // bne zero, zero, ...
                                   0xf14025f3,  // csrr a1, mhartid
                                   0x02d65633,  // divu a2, a2, a3
                                   0x02d61633,  // mulh a2, a2, a3
                                   0x00157653}; // fadd.s a2, a0, a1
  line_put(l, words[line_below(l, sizeof words / sizeof *words)]);
}

static void some(struct line *l, unsigned most) {
  for (unsigned n = line_below(l, most + 1); n; n--)
    if (line_below(l, 3))
      any_access(l);
    else if (line_below(l, 3))
      line_plain(l);
    else
      rare(l);
}

static void csr(struct line *l, unsigned f3, int rd, unsigned number, int rs1) {
  line_put_i(l, 0x73, f3, rd, rs1, (int)number);
}

// Goes on behind what has trapped.
static void handler(struct line *l) {
  some(l, 2);
  csr(l, 2, T4, CSR_MEPC, ZERO);
  line_put_i(l, 0x13, 0, T4, T4, 4);
  csr(l, 1, ZERO, CSR_MEPC, T4);
  some(l, 3);
  line_put(l, 0x30200073); // mret
}

static void empties(struct line *l, bool sleeps) {
  static const uint32_t words[] = {0x0ff0000f,  // fence
                                   0x0000100f,  // fence.i
                                   0x00000073,  // ecall
                                   0x00100073,  // ebreak
                                   0xffffffff,  // illegal
                                   0x30002673,  // csrr a2, mstatus
                                   0x7ff02673,  // csrr a2 of a CSR that there is not
                                   0x00b55653,  // fadd.s a2, a0, a1: no such rounding mode
                                   0x02d65633,  // divu a2, a2, a3
                                   0x10500073}; // wfi
  line_put(l, words[line_below(l, sizeof words / sizeof *words - !sleeps)]);
}

// A hardware loop of some instructions, the last one an access.
static void rounds(struct line *l) {
  uint32_t count = 1 + line_below(l, 4), body = 3 + line_below(l, 4);
  line_begin_loop(l, count, body);
  for (; body > 1; body--)
    line_count_up(l);
  line_load(l);
}

// As many as a block holds, or nearly.
static void many(struct line *l) {
  for (unsigned n = 44 + line_below(l, 8); n; n--)
    any_access(l);
}

static void part(struct line *l, bool sleeps) {
  if (line_below(l, 4) == 0)
    rounds(l);
  if (line_below(l, 8) == 0)
    many(l);
  some(l, 3);
  empties(l, sleeps);
  some(l, 3);
}

// Where cores may sleep in wfi they do for ever, if no line is high that wakes them.
static void program(struct guest *g, unsigned seed, bool corev) {
  static struct line l;
  line_begin(&l, seed, corev);
  guest_begin(g);
  li(g, T1, GUEST_L2 + 4 * HANDLER);
  word(g, (uint32_t)CSR_MTVEC << 20 | (uint32_t)T1 << 15 | 1 << 12 | 0x73);
  if (seed % 4 == 1) {
    li(g, T1, 1 << 3);
    sw(g, T1, 0x0c, S11);
    sw(g, ZERO, 0x10c, S11); // software event 3, to all
  }
  word(g, line_jal(4 * (2 * HANDLER - g->count)));
  nops(g, HANDLER - g->count);
  handler(&l);
  line_end(&l, g);
  nops(g, 2 * HANDLER - g->count);
  l.count = 0;
  li(g, S0, 2 + line_below(&l, 4));
  for (unsigned n = 2 + line_below(&l, 20); n; n--)
    part(&l, seed % 2);
  line_put_i(&l, 0x13, 0, S0, S0, -1);
  line_loop_while(&l, S0, 0);
  line_end(&l, g);
  meet(g);
  guest_end(g);
}

START_TEST(what_empties_the_pipeline_is_seen_in_time) {
  static struct guest g;
  static struct outcome fast, plain;
  const char *settings = outcome_machine[_i];
  unsigned machine = (unsigned)_i, ends[PULPSIM_BREAK + 1] = {0};
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    program(&g, seed, outcome_is_corev(machine));
    outcome_run(&g, CORES, settings, PULPSIM_FAST, MOST_CYCLES, &fast);
    ends[outcome_run(&g, CORES, settings, PULPSIM_PLAIN, MOST_CYCLES, &plain)]++;
    outcome_compare(&fast, &plain, "outcome", machine, seed);
  }
  ck_assert_uint_gt(ends[PULPSIM_EXITED], SEEDS / 2);
  if (!outcome_is_corev(machine))
    ck_assert_uint_gt(ends[PULPSIM_DEADLOCK], 2);
}
END_TEST

Suite *emptying_rules_suite(void) {
  Suite *s = suite_create("emptying_rules");
  TCase *t = tcase_create("emptying");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, what_empties_the_pipeline_is_seen_in_time, 0, OUTCOME_MACHINES);
  suite_add_tcase(s, t);
  return s;
}
