// tests/cluster/stretch_shared.c: what a stretch (sim/core/stretch.h) that is taken back leaves
// nothing of, beside the core's registers and memory: what it has decoded, declared, raised,
// counted, waited for.
#include <check.h>
#include <string.h>

#include "core/notes.h"
#include "core/stretch_parts.h"
#include "outcome.h"

Suite *stretch_shared_suite(void);

enum { MOST_CYCLES = 400000 };

static struct guest g;

// In one turn of many, core 1 stores what core 0 loads then, and not what was there before.
enum {
  TURNS = 100,
  STALE = 0x200,
  OWN = 0x400,
  OWN_SIZE = 256,
  CODE = 0x1800,
  OTHER_CODE = 0x1900
};
enum {
  IS_0 = S7,
  IS_1 = S8,
  IS_2 = S9,
  NOW = T0,
  TEMP = T1,
  WHERE = T2,
  TO_STALE = S2,
  OWN_ROW = S3
};

static void op(uint32_t f7, uint32_t f3, int rd, int rs1, int rs2) {
  word(&g,
       f7 << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | 0x33);
}
static void sub(int rd, int rs1, int rs2) {
  op(0x20, 0, rd, rs1, rs2);
}
static void both(int rd, int rs1, int rs2) {
  op(0, 7, rd, rs1, rs2);
}

// x`rd` = all ones if x`rs1` is `value`, else 0.
static void is(int rd, int rs1, unsigned value) {
  addi(&g, rd, rs1, -(int)value);
  word(&g, 1u << 20 | (uint32_t)rd << 15 | 3u << 12 | (uint32_t)rd << 7 | 0x13); // sltiu rd, rd, 1
  sub(rd, ZERO, rd);
}

// WHERE = core's own row + `offset`, or, for the core of `mask` in the turn, the shared word.
static void where(int mask, int offset) {
  both(TEMP, NOW, mask);
  both(TEMP, TEMP, TO_STALE);
  add(&g, WHERE, OWN_ROW, TEMP);
  if (!offset)
    return;
  sub(TEMP, ZERO, TEMP); // 0: not there
  word(&g, 1u << 20 | (uint32_t)TEMP << 15 | 3u << 12 | (uint32_t)TEMP << 7 | 0x13);
  sub(TEMP, ZERO, TEMP);
  word(&g, (uint32_t)offset << 20 | (uint32_t)TEMP << 15 | 7u << 12 | (uint32_t)TEMP << 7 | 0x13);
  add(&g, WHERE, WHERE, TEMP);
}

static void crowd(unsigned n) {
  while (n--)
    lw(&g, A0, 192, OWN_ROW);
}

static void begin(void) {
  guest_begin(&g);
  li(&g, S1, TURNS);
  li(&g, A3, 0);
  li(&g, TEMP, 8);
  sll(&g, OWN_ROW, T5, TEMP);
  li(&g, TEMP, GUEST_TCDM + OWN);
  add(&g, OWN_ROW, OWN_ROW, TEMP);
  li(&g, A7, GUEST_TCDM + STALE);
  sub(TO_STALE, A7, OWN_ROW);
  is(IS_0, T5, 0);
  is(IS_1, T5, 1);
  is(IS_2, T5, 2);
}

// From the turn's beginning to where TEMP is what has been loaded.
static void load_in_turn(unsigned turn) {
  crowd(3);
  is(NOW, S1, turn);
  where(IS_1, 64);
  sw(&g, A1, 0, WHERE);
  crowd(4);
  where(IS_0, 0);
  lw(&g, TEMP, 0, WHERE);
}

static void csr(uint32_t f3, int rd, uint32_t number, int rs1) {
  word(&g, number << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | 0x73);
}

enum {
  CSR_FFLAGS = 1,
  CSR_MSTATUS = 0x300,
  CSR_MCOUNTINHIBIT = 0x320,
  CSR_MCYCLE = 0xb00,
  CSR_MINSTRET = 0xb02
};

// What is in a3, or in the CSR, is left in L1.
static void end(unsigned turn, unsigned again, uint32_t number) {
  nops(&g, turn % 5); // where a stretch begins and ends depends on how long a turn is
  addi(&g, S1, S1, -1);
  loop_while(&g, S1, again);
  if (number)
    csr(2, A3, number, ZERO);
  sw(&g, A3, 128, OWN_ROW);
  meet(&g);
  guest_end(&g);
}

static void put_code(uint32_t at, uint32_t number) {
  li(&g, TEMP, GUEST_TCDM + at);
  li(&g, A0, number << 20 | (uint32_t)A3 << 15 | (uint32_t)A3 << 7 | 0x13);
  sw(&g, A0, 0, TEMP);
  li(&g, A0, 0x00008067); // ret
  sw(&g, A0, 4, TEMP);
}

// What core 0 loads is where it stores: code, had that been loaded that was there before. Core 2
// calls it in that turn for the first time.
static void store_to_code(unsigned turn) {
  begin();
  put_code(CODE, 1);
  put_code(OTHER_CODE, 10);
  li(&g, A5, GUEST_TCDM + CODE);
  li(&g, A6, OTHER_CODE - CODE);
  li(&g, TEMP, GUEST_TCDM + OTHER_CODE);
  sw(&g, TEMP, 0, A7);
  addi(&g, A1, OWN_ROW, 128);
  sw(&g, A1, 0, OWN_ROW);
  li(&g, A4, 0x06468693); // addi a3, a3, 100
  li(&g, A1, GUEST_TCDM + OWN + 128);
  meet(&g);
  unsigned again = g.count;
  load_in_turn(turn);
  sw(&g, A4, 0, TEMP);
  both(TEMP, NOW, IS_2);
  both(TEMP, TEMP, A6);
  add(&g, TEMP, TEMP, A5);
  word(&g, (uint32_t)TEMP << 15 | 1u << 7 | 0x67); // jalr ra, temp
  end(turn, again, 0);
}

// ... up to where TEMP is 0, or, had that been loaded that was there before, 1.
static unsigned begin_flag(unsigned turn) {
  begin();
  li(&g, A1, 1);
  sw(&g, A1, 0, A7);
  li(&g, A1, 0);
  sw(&g, ZERO, 0, OWN_ROW);
  li(&g, A6, 2);
  li(&g, A0, 0x6000);
  csr(2, ZERO, CSR_MSTATUS, A0); // floats on
  csr(1, ZERO, CSR_MCOUNTINHIBIT, ZERO);
  li(&g, A0, 0x3f800000);
  word(&g, 0xf0000053 | (uint32_t)A0 << 15); // fmv.w.x f0, a0
  meet(&g);
  unsigned again = g.count;
  load_in_turn(turn);
  return again;
}

// What core 0 loads decides whether it misuses a hardware loop.
static void misuse_loop(unsigned turn) {
  unsigned again = begin_flag(turn);
  word(&g, (uint32_t)TEMP << 15 | 8u << 7 | 0x63);          // beqz temp, over the next
  word(&g, (uint32_t)A6 << 15 | 4u << 12 | 1u << 8 | 0x2b); // cv.start 0, a6
  word(&g, 4u << 12 | 4u << 8 | 0x2b);                      // cv.counti 0, 0
  end(turn, again, 0);
}

// ... whether a sum is exact.
static void raise_flag(unsigned turn) {
  unsigned again = begin_flag(turn);
  word(&g, 0xf0000053 | (uint32_t)TEMP << 15 | 1u << 7); // fmv.w.x f1, temp
  word(&g, 0x00007153 | 1u << 20);                       // fadd.s f2, f0, f1
  end(turn, again, CSR_FFLAGS);
}

// ... whether it reads one counter.
static void read_counter(unsigned turn) {
  unsigned again = begin_flag(turn);
  word(&g, (uint32_t)TEMP << 15 | 8u << 7 | 0x63);
  csr(2, A0, CSR_MINSTRET, ZERO);
  crowd(2);
  end(turn, again, 0);
}

// ... or writes another.
static void write_counter(unsigned turn) {
  unsigned again = begin_flag(turn);
  word(&g, (uint32_t)TEMP << 15 | 8u << 7 | 0x63);
  csr(1, ZERO, CSR_MCYCLE, S1);
  crowd(2);
  end(turn, again, CSR_MCYCLE);
}

START_TEST(what_cores_share_is_taken_back) {
  static struct outcome fast, plain;
  static void (*const programs[])(unsigned) = {store_to_code, misuse_loop, raise_flag, read_counter,
                                               write_counter};
  struct stretch_tally sum = {0};
  const char *settings = "core.model=cv32e40p core.isa=auto core.strict=true "
                         "core.fpu.present=true";
  for (unsigned turn = 3; turn < TURNS * 3 / 4; turn += 4) {
    programs[_i](turn);
    struct pulpsim *sim = guest_load_on(&g, 4, settings, PULPSIM_PLAIN);
    pulpsim_run(sim, MOST_CYCLES);
    outcome_take(sim, &plain);
    pulpsim_free(sim);
    if (plain.state != PULPSIM_EXITED) // core 0 came first, after all
      continue;
    sim = guest_load_on(&g, 4, settings, PULPSIM_FAST);
    pulpsim_run(sim, MOST_CYCLES);
    outcome_take(sim, &fast);
    outcome_compare(&fast, &plain, "turn", (unsigned)_i, turn);
    outcome_tally(&sum, sim);
    pulpsim_free(sim);
  }
  ck_assert_uint_gt(sum.through, 0);
  ck_assert_uint_ge(sum.stopped + sum.raced, LIMIT(1, 0));
}
END_TEST

// ---- what hardly any program shows

static bool waits_are(const struct core *c, const struct wait *expected) {
  for (unsigned i = 0; i < CORE_WAITS; i++)
    if (c->wait[i].since != expected[i].since || c->wait[i].grant != expected[i].grant ||
        c->wait[i].hold != expected[i].hold)
      return false;
  return true;
}

START_TEST(waits_are_taken_back) {
  static struct core c;
  static struct notes n;
  static struct wait before[CORE_WAITS];
  for (unsigned i = 0; i < 3 * CORE_WAITS / 2; i++)
    *core_next_wait(&c) = (struct wait){.since = 100 + i, .grant = 102 + i};
  memcpy(before, c.wait, sizeof before);
  unsigned waits = c.waits;
  notes_begin(&n, &c);
  for (unsigned i = 0; i < 5 * CORE_WAITS / 4; i++)
    *core_next_wait(&c) = (struct wait){.since = 1000 + i, .hold = 3};
  notes_end(&c);
  ck_assert(!waits_are(&c, before));
  notes_take_back(&n, &c);
  ck_assert(waits_are(&c, before));
  ck_assert_uint_eq(c.waits, waits);
}
END_TEST

Suite *stretch_shared_suite(void) {
  Suite *s = suite_create("stretch_shared");
  TCase *t = tcase_create("taken back");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, what_cores_share_is_taken_back, 0, 5);
  tcase_add_test(t, waits_are_taken_back);
  suite_add_tcase(s, t);
  return s;
}
