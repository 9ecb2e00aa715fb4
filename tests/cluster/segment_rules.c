// tests/cluster/segment_rules.c: what cores have gone through often is executed in runs, with
// results handed on and jumps foreseen (core/exec.h, core/chain.h): programs that repeat themselves
// come to the same in both engines.
#include <check.h>
#include <string.h>

#include "isa/isa.h"
#include "isa_ops.h"
#include "line.h"
#include "outcome.h"

Suite *segment_rules_suite(void);

// ROUNDS: enough that all of a round is in chains.
enum { SEEDS = 24, ROUNDS = 120, FUNCTIONS = 2, MOST_CYCLES = 400000, RA = 1 };

struct maker {
  struct line l;
  struct isa_decoder *decoder;
  uint32_t sets;
  unsigned function[FUNCTIONS]; // where they are
};

// ---- multiply-accumulates, several of one operation in a row

static bool accumulates(const struct maker *m, const struct isa_enc_info *e) {
  return !e->alias && e->size == 4 && (m->sets & ISA_BIT(e->set)) && isa_ops[e->op].macs &&
         isa_ops[e->op].cls == ISA_CLASS_ALU;
}

static unsigned draw_encoding(struct maker *m) {
  unsigned i;
  do
    i = line_below(&m->l, (unsigned)isa_enc_count);
  while (!accumulates(m, &isa_encs[i]));
  return i;
}

static void accumulate(struct maker *m, unsigned encoding, int sum, int second) {
  struct isa_insn i;
  uint32_t word;
  if (!isa_decode(m->decoder, isa_encs[encoding].match, &i))
    return;
  i.rd = (uint8_t)sum;
  i.rs1 = (uint8_t)line_data(&m->l);
  i.rs2 = (uint8_t)second;
  if (isa_encode(&i, &word))
    line_put(&m->l, word);
}

// ... and what takes their sum right behind, or not.
static void accumulate_some(struct maker *m) {
  unsigned encoding = draw_encoding(m);
  int sum = line_data(&m->l), second = line_data(&m->l);
  for (unsigned n = 1 + line_below(&m->l, 6); n; n--) {
    bool column = line_below(&m->l, 4);
    accumulate(m, encoding, sum, column ? second : line_data(&m->l));
    if (line_below(&m->l, 4) == 0)
      sum = line_data(&m->l);
  }
  int other = line_data(&m->l), to = line_data(&m->l);
  bool first = line_below(&m->l, 2);
  line_put_r(&m->l, line_below(&m->l, 2), 0, to, first ? sum : other, first ? other : sum);
}

// ---- all

static void call(struct maker *m) {
  unsigned to = m->function[line_below(&m->l, FUNCTIONS)];
  line_put(&m->l, line_jal(2 * to - 2 * m->l.count) | RA << 7);
}

static void some(struct maker *m, bool calls) {
  for (unsigned n = 1 + line_below(&m->l, 5); n; n--) {
    switch (line_below(&m->l, 5)) {
    case 0:
      line_access(&m->l, S10);
      break;
    case 1:
      line_plain(&m->l);
      break;
    case 2:
      if (calls)
        call(m);
      break;
    default:
      accumulate_some(m);
      break;
    }
  }
}

static void functions(struct maker *m) {
  unsigned over = m->l.count;
  line_put(&m->l, 0);
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    m->function[i] = m->l.count;
    if (i)
      some(m, false);
    // Behind a branch its callers' ways are one, up to the return.
    int second = line_data(&m->l), first = line_data(&m->l);
    line_put(&m->l, line_branch(1, first, second, 4));
    for (unsigned n = 2 + line_below(&m->l, 8); n; n--)
      line_plain(&m->l);
    line_put_i(&m->l, 0x67, 0, ZERO, RA, 0);
  }
  line_replace(&m->l, over, line_jal(line_distance(&m->l, over)));
}

// Two rounds of some in a hardware loop, if only of words.
static void hardware_loop(struct maker *m) {
  unsigned at = m->l.count;
  line_begin_loop(&m->l, 2, 4);
  for (unsigned i = 0; i < 4; i++) {
    int b = line_data(&m->l), a = line_data(&m->l), to = line_data(&m->l);
    line_put_r(&m->l, 0, 0, to, a, b);
  }
  ck_assert_uint_gt(m->l.count, at);
}

// Writes a register of hardware loop 0: 0 where it starts, 1 where it ends, 2 its count. Addresses
// are so many words from here.
static void set_loop(struct line *l, unsigned which, uint32_t value) {
  static const uint32_t xpulp[] = {0x0000007b, 0x0000107b, 0x0000307b};
  static const uint32_t corev[] = {0x0000402b, 0x0000422b, 0x0000442b};
  if (l->corev)
    line_put(l, (value + (which == 1)) << 20 | corev[which]); // the end is behind the last one
  else
    line_put(l, (which < 2 ? 2 * value : value) << 20 | xpulp[which]);
}

// T1 is 0 in one round of the program in `rounds`, a power of two. What follows may be a loop.
static void count_rounds(struct line *l, int rounds) {
  line_put_i(l, 0x13, 7, T1, S0, rounds - 1);
  if (l->corev && (l->count & 1)) // its loops hold whole words only
    line_put16(l, 0x0001);
}

static void put_body(struct line *l) {
  for (unsigned i = 0; i < 4; i++)
    line_put_i(l, 0x13, 0, A0, A0, 1 + (int)i);
}

// The same end, but in every other round of the program it starts one instruction later.
static void hardware_loop_that_moves(struct line *l) {
  count_rounds(l, 2);
  set_loop(l, 1, 8);
  set_loop(l, 2, 3);
  set_loop(l, 0, 3);
  line_put(l, line_branch(1, T1, ZERO, 8));
  set_loop(l, 0, 2);
  put_body(l);
}

// Straight in most rounds of the program; in one of eight a loop ends there.
static void hardware_loop_now_and_then(struct line *l) {
  count_rounds(l, 8);
  set_loop(l, 1, 9);
  set_loop(l, 2, 3);
  set_loop(l, 0, 4);
  line_put(l, line_branch(0, T1, ZERO, 12));
  set_loop(l, 2, 0);
  set_loop(l, 1, 30);
  put_body(l);
}

static void program(struct guest *g, struct maker *m, uint64_t seed) {
  guest_begin(g);
  line_begin(&m->l, seed, m->sets & ISA_BIT(ISA_COREV));
  for (int i = 0; i < LINE_DATA; i++) {
    uint32_t high = line_below(&m->l, 65536) << 16;
    line_li(&m->l, A0 + i, high | line_below(&m->l, 65536));
  }
  functions(m);
  line_put_i(&m->l, 0x13, 0, S0, ZERO, ROUNDS);
  unsigned again = m->l.count;
  for (unsigned n = 3; n; n--) {
    some(m, true);
    call(m);
    if (line_below(&m->l, 2))
      hardware_loop(m);
    if (line_below(&m->l, 2))
      hardware_loop_that_moves(&m->l);
    if (line_below(&m->l, 2))
      hardware_loop_now_and_then(&m->l);
  }
  line_put_i(&m->l, 0x13, 0, S0, S0, -1);
  line_loop_while(&m->l, S0, again);
  for (int i = 0; i < LINE_DATA; i++)
    line_put_s(&m->l, 2, A0 + i, S9, (uint32_t)(4 * i));
  line_end(&m->l, g);
  meet(g);
  guest_end(g);
}

// On one core, which acts alone throughout, and on three.
START_TEST(what_is_repeated_is_the_same) {
  static struct guest g;
  static struct outcome fast, plain;
  static struct maker m;
  unsigned machine = (unsigned)_i;
  m.sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) |
           ISA_BIT(outcome_is_corev(machine) ? ISA_COREV : ISA_XPULPV2);
  m.decoder = isa_decoder_new(m.sets, false);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    unsigned cores = seed % 4 ? 1 : 3;
    program(&g, &m, seed);
    const char *settings = outcome_machine[machine];
    outcome_run(&g, cores, settings, PULPSIM_FAST, MOST_CYCLES, &fast);
    enum pulpsim_state end = outcome_run(&g, cores, settings, PULPSIM_PLAIN, MOST_CYCLES, &plain);
    ck_assert_int_eq(end, PULPSIM_EXITED);
    outcome_compare(&fast, &plain, "repeated", machine, seed);
  }
  isa_decoder_free(m.decoder);
}
END_TEST

Suite *segment_rules_suite(void) {
  Suite *s = suite_create("segment_rules");
  TCase *t = tcase_create("repeated");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, what_is_repeated_is_the_same, 0, OUTCOME_MACHINES);
  suite_add_tcase(s, t);
  return s;
}
