#include "stretch_program.h"

#include <check.h>

#include "line.h"
#include "stretch_stream.h"

// L1 from S10 on, in bytes: words that all cores read and write; pointers among them; one row of
// banks (or two) per core; code; what the registers hold at the end.
enum {
  SHARED = 0,
  POINTERS = 64,
  OWN = 0x400, // + hart id * OWN_SIZE: the same bank for all cores
  OWN_SIZE = 128,
  CODE = 0x1800,
  LEFT = 0x2000,     // + hart id * OWN_SIZE
  TRANSFER = 0x3000, // what the DMA alone accesses
};

// Beside guest.h's: own row, where stores go mostly, whether this is a chosen round, counters, what
// has been loaded.
enum {
  OWN_ROW = S3,
  TARGET = S2,
  CHOSEN = T0,
  TEMP = T1,
  TO_SHARED = T2,
  ROUNDS = S0,
  TURNS = S1,
  SUM = S4,
};

_Static_assert(OWN + STRETCH_STREAM_MOST <= CODE, "a stream leaves the code alone");

static struct line line;
static struct line *const l = &line;
static struct stretch_program program;
static struct stretch_stream stream;

static unsigned below(unsigned n) {
  return line_below(l, n);
}

static void op_imm(uint32_t f3, int rd, int rs1, int imm) {
  line_put_i(l, 0x13, f3, rd, rs1, imm);
}

static void load(uint32_t size, int rd, int rs1, uint32_t offset) {
  line_put_i(l, 0x03, size, rd, rs1, (int)offset);
}

static void store(uint32_t size, int rs2, int rs1, uint32_t offset) {
  line_put_s(l, size, rs2, rs1, offset);
}

static unsigned skip_begin(void) {
  line_put(l, 0);
  return l->count - 2;
}

// What is between is executed only if x`rs1` is not 0.
static void skip_end(unsigned place, int rs1) {
  line_replace(l, place, line_branch(0, rs1, ZERO, line_distance(l, place)));
}

// ---- what is chosen

static uint32_t shared_word(void) {
  return SHARED + 4 * below(16);
}

// CHOSEN is 1 in some turns or rounds, or when a word that others write says so; else 0.
static void choose(void) {
  static const int counters[] = {TURNS, TURNS, ROUNDS, A5};
  int counter = counters[below(4)];
  unsigned mask = (2u << below(3)) - 1;
  if (below(5) == 0) {
    load(2, TEMP, S10, shared_word());
    counter = TEMP;
  }
  op_imm(7, CHOSEN, counter, (int)mask);
  op_imm(0, CHOSEN, CHOSEN, -(int)below(mask + 1));
  op_imm(3, CHOSEN, CHOSEN, 1); // sltiu: is 0
}

// TARGET: the core's own word, or in chosen turns one that all cores share, in the same bank.
static void aim(void) {
  if (below(2)) { // of one core only, which the others may read
    op_imm(0, TEMP, T5, -(int)below(program.cores));
    op_imm(3, TEMP, TEMP, 1);
    line_put_r(l, 0, 7, CHOSEN, CHOSEN, TEMP);
  }
  line_put_r(l, 0x20, 0, TEMP, ZERO, CHOSEN); // neg
  line_put_r(l, 0, 7, TEMP, TEMP, TO_SHARED); // and
  line_put_r(l, 0, 0, TARGET, OWN_ROW, TEMP);
}

// ---- one of a loop's body, without branches

static void access(void) {
  static const int bases[] = {S3, S3, S3, S2, S2, S10};
  int base = bases[below(6)];
  unsigned size = 2, offset = base == S10 ? 4 * below(4) : 0;
  if (below(3) == 0) {
    size = below(3);
    offset += below(4) & ~((1u << size) - 1);
  }
  if (below(3))
    load(size | (size < 2 ? 4 * below(2) : 0), line_data(l), base, offset);
  else
    store(size, line_data(l), base, offset);
}

static void increment(void) {
  uint32_t word = below(2) ? 0 : shared_word();
  load(2, TEMP, S10, word);
  op_imm(0, TEMP, TEMP, (int)below(4));
  store(2, TEMP, S10, word);
}

static void follow_pointer(void) {
  load(2, TEMP, S10, POINTERS + 4 * below(16));
  if (below(2))
    load(below(3), line_data(l), TEMP, 0);
  else
    store(2, line_data(l), TEMP, 0);
}

// What the core has loaded, be it written by others or the DMA, shows at the end; the DMA may take
// the sum to L2.
static void sum_up(void) {
  load(2, TEMP, below(4) ? OWN_ROW : TARGET, 4 * below(4));
  line_put_r(l, 0, 0, SUM, SUM, TEMP);
  if (below(3) == 0)
    store(2, below(2) ? SUM : TURNS, OWN_ROW, 4 * below(4));
}

// Its time depends on what has been chosen.
static void divide(void) {
  line_put_r(l, 0x20, 0, TEMP, ZERO, CHOSEN);
  op_imm(6, TEMP, TEMP, 1); // ori: 1, or -1
  line_put_r(l, 1, 4 + below(4), line_data(l), A4, TEMP);
}

// 1.0 + 1.0, or + 2^-30, which is inexact; or 2^127 * 2^127, which overflows.
static void add_floats(void) {
  if (!program.floats)
    return;
  int f = 1 + (int)below(3);
  line_put_r(l, 0x20, 0, TEMP, ZERO, CHOSEN);
  line_put(l, 0xf0000053 | (uint32_t)TEMP << 15 | 8u << 7); // fmv.w.x f8, temp: 0, or a NaN
  if (below(2))
    line_put(l, 0x00007053 | 4u << 20 | 8u << 15 | (uint32_t)f << 7); // fadd.s f, f8, f4
  line_put_r(l, 0, 1, TEMP, CHOSEN, A6);                              // sll: 0, or 2^-30 and such
  line_put(l, 0xf0000053 | (uint32_t)TEMP << 15 | 8u << 7);
  line_put(l, 0x00007053 | 4u << 20 | 8u << 15 | (uint32_t)f << 7);
}

static void one(void) {
  if (program.streams && below(2)) {
    sum_up();
    return;
  }
  switch (below(17)) {
  case 16:                                       // long without an access
    line_put_r(l, 1, 5, line_data(l), A4, ZERO); // divu
    break;
  case 0:
    choose();
    break;
  case 1:
  case 2:
    choose();
    aim();
    break;
  case 3:
    increment();
    break;
  case 4:
    follow_pointer();
    break;
  case 5:
    divide();
    break;
  case 6:
    add_floats();
    break;
  case 7:
  case 8:
    line_plain(l);
    break;
  default:
    access();
    break;
  }
}

// ---- what only chosen turns or rounds do

static void leave_window(void) {
  switch (below(4)) {
  case 0:
    load(2, line_data(l), S9, 4 * below(8));
    break;
  case 1:
    store(2, line_data(l), S9, 4 * below(8));
    break;
  case 2: // crosses a word
    load(2, line_data(l), OWN_ROW, 1 + below(3));
    break;
  default:
    store(1, line_data(l), OWN_ROW, 3);
    break;
  }
}

static void special(void) {
  line_plain(l); // a division right behind a branch is the cycle model's
  static const uint32_t words[] = {0xb0002673, // csrr a2, mcycle
                                   0xb02025f3, // csrr a1, minstret
                                   0x34061673, // csrrw a2, mscratch, a2
                                   0xf14025f3, // csrr a1, mhartid
                                   0x0ff0000f, // fence
                                   0x0000100f, // fence.i
                                   0x02d65633, // divu a2, a2, a3
                                   0x02d61633};
  switch (below(4)) {
  case 0:
    leave_window();
    break;
  case 1:
    for (unsigned n = 1 + below(4); n; n--)
      access();
    break;
  case 2:
    line_put(l, program.floats ? 0x00105673 : 0x02d65633); // csrrwi a2, fflags, 0
    break;
  default:
    line_put(l, words[below(sizeof words / sizeof *words)]);
    break;
  }
}

static void rarely(void) {
  choose();
  unsigned place = skip_begin();
  special();
  skip_end(place, CHOSEN);
}

// ---- loops

static void branch_loop(unsigned turns) {
  line_li(l, TURNS, turns);
  unsigned again = l->count;
  for (unsigned n = 3 + below(8); n; n--)
    if (below(10) == 0)
      rarely();
    else
      one();
  if (below(3) == 0) { // a function in L1
    line_li(l, TEMP, GUEST_TCDM + CODE);
    line_put_i(l, 0x67, 0, 1, TEMP, 0);
  }
  op_imm(0, TURNS, TURNS, -1);
  line_loop_while(l, TURNS, again);
}

static void align(void) {
  if (l->count & 1)
    line_put16(l, 0x0001);
}

static void body(void) {
  for (unsigned n = 2 + below(5); n; n--)
    if (l->corev && below(6) == 0)
      line_put(l, 0x00000013); // its loops hold no 16-bit instructions
    else
      one();
  op_imm(0, TURNS, TURNS, 1);
  op_imm(0, A5, A5, 1);
}

static bool has_halves(unsigned from) {
  for (unsigned i = from; i < l->count; i += 2)
    if ((l->half[i] & 3) != 3)
      return true;
  return false;
}

static void body_that_fits(void) {
  unsigned from = l->count;
  do {
    l->count = from;
    body();
  } while (line_distance(l, from) > 31 * 2 || (l->corev && has_halves(from)));
}

static void loop_at_once(unsigned turns) {
  unsigned at = l->count;
  line_put(l, 0);
  unsigned from = l->count;
  body_that_fits();
  uint32_t bytes = line_distance(l, from);
  uint32_t ending = l->corev ? (bytes / 4 + 1) << 15 | 0x462b : (bytes / 2) << 15 | 0x507b;
  line_replace(l, at, turns << 20 | ending);
}

// Set up by three instructions, the last of which, lp.endi, is left out in some rounds: then the
// body is gone through once.
static void loop_in_parts(unsigned turns) {
  unsigned start = l->count;
  line_put(l, 0);
  line_put(l, turns << 20 | 0x307b); // lp.counti
  choose();
  unsigned place = skip_begin();
  line_put(l, 0);
  skip_end(place, CHOSEN);
  line_replace(l, start, (line_distance(l, start) / 2) << 20 | 0x007b); // lp.starti
  unsigned from = l->count;
  body_that_fits();
  line_replace(l, from - 2, (line_distance(l, from) / 2) << 20 | 0x107b);
}

static void hardware_loop(unsigned turns) {
  align();
  line_li(l, TURNS, 0);
  if (!l->corev && below(3) == 0)
    loop_in_parts(turns);
  else
    loop_at_once(turns);
  line_plain(l);
}

// ---- between rounds

static unsigned only_core(unsigned core) {
  line_li(l, TEMP, core);
  line_put(l, 0);
  return l->count - 2;
}

static void end_only_core(unsigned place) {
  line_replace(l, place, line_branch(1, TEMP, T5, line_distance(l, place)));
}

// A place for a jump that core `core` alone executes.
static unsigned all_but_core(unsigned core) {
  line_li(l, TEMP, core);
  line_put(l, line_branch(1, TEMP, T5, 8));
  line_put(l, 0);
  return l->count - 2;
}

static void barrier(void) {
  if (below(2))
    load(2, ZERO, T6, 32); // the test device's
  else
    line_put_i(l, l->corev ? 0x0b : 0x03, l->corev ? 3 : 6, A0, S11, 0x21c); // the event unit's
}

// To or from words that cores access, always or in chosen rounds, or beside them.
static void start_transfer(void) {
  bool shared = below(4) == 0;
  uint32_t l1 = GUEST_TCDM + (shared ? (uint32_t)SHARED : (uint32_t)TRANSFER) + 4 * below(8);
  load(2, A0, S7, 0);
  line_li(l, A1,
          (4 + 4 * below(shared ? 8 : 250)) | (uint32_t)below(2) << 17 | 1u << 18 | 1u << 20);
  store(2, A1, S7, 0);
  line_li(l, A1, l1);
  if (!shared && below(2)) {
    choose();
    line_put_r(l, 0x20, 0, TEMP, ZERO, CHOSEN);
    line_li(l, A2, (uint32_t)OWN - (uint32_t)TRANSFER);
    line_put_r(l, 0, 7, TEMP, TEMP, A2);
    line_put_r(l, 0, 0, A1, A1, TEMP);
  }
  store(2, A1, S7, 0);
  line_li(l, A1, GUEST_DATA + 0x100);
  store(2, A1, S7, 0);
}

// In every round the same, while all go through the loops, in step.
static void start_stream(void) {
  barrier();
  unsigned place = only_core(below(program.cores));
  stretch_stream_start(l, &stream, ROUNDS, TEMP);
  end_only_core(place);
  barrier();
}

// In every round, while the others go on.
static void transfer(void) {
  if (below(3))
    barrier();
  unsigned place = only_core(below(program.cores));
  start_transfer();
  end_only_core(place);
}

// The function in L1: adds a number to a3, and returns.
static void write_code(int number) {
  line_li(l, A1, (uint32_t)number << 20 | (uint32_t)A3 << 15 | (uint32_t)A3 << 7 | 0x13);
  line_li(l, TEMP, GUEST_TCDM + CODE);
  store(2, A1, TEMP, 0);
  line_li(l, A1, 0x00008067);
  store(2, A1, TEMP, 4);
  line_put(l, 0x0000100f); // fence.i
}

static void change_something(void) {
  unsigned place = only_core(below(program.cores));
  switch (below(4)) {
  case 0:
  case 1:
    line_li(l, A1, GUEST_TCDM + shared_word());
    store(2, A1, S10, POINTERS + 4 * below(16));
    break;
  case 2:
    store(2, ROUNDS, S10, shared_word());
    break;
  default:
    write_code((int)below(100));
    break;
  }
  end_only_core(place);
}

static void change(void) {
  barrier();
  if (below(2)) {
    choose();
    unsigned place = skip_begin();
    change_something();
    skip_end(place, CHOSEN);
  } else {
    change_something();
  }
  barrier();
  line_put(l, 0x0000100f);
}

// ---- from beginning to end

static void set_up(void) {
  line_li(l, TEMP, 5 << 16);
  store(2, TEMP, S11, 0);
  line_li(l, TEMP, (1u << program.cores) - 1);
  store(2, TEMP, S11, 0x200);
  store(2, TEMP, S11, 0x20c);
  line_li(l, TEMP, GUEST_TCDM + OWN);
  op_imm(7, A0, T5, 31); // andi
  op_imm(1, A0, A0, 7);  // slli
  line_put_r(l, 0, 0, OWN_ROW, TEMP, A0);
  line_put_r(l, 0, 0, TARGET, OWN_ROW, ZERO);
  line_li(l, SUM, 0);
  line_put_r(l, 0x20, 0, TO_SHARED, S10, OWN_ROW);
  op_imm(7, T5, T5, 31);
  line_put(l, 0x32001073); // csrw mcountinhibit, x0
  write_code(3);
  for (unsigned i = 0; i < 16; i++) {
    line_li(l, A0, GUEST_TCDM + (below(3) ? shared_word() : 4 * (32 + below(200))));
    store(2, A0, S10, POINTERS + 4 * i);
  }
  for (int i = 0; i < LINE_DATA; i++)
    line_li(l, A0 + i, below(3) ? below(1000) : (uint32_t)(l->random >> 8));
  line_li(l, A6, 23 + below(8));
  line_li(l, CHOSEN, 0);
  if (!program.floats)
    return;
  line_li(l, TEMP, 0x6000);
  line_put(l, 0x30000073 | 2u << 12 | (uint32_t)TEMP << 15); // csrs mstatus, temp
  for (unsigned f = 0; f < 9; f++) {
    line_li(l, TEMP, 0x3f800000 + (below(4) << 23));
    line_put(l, 0xf0000053 | (uint32_t)TEMP << 15 | f << 7);
  }
}

static void leave(void) {
  line_li(l, TEMP, GUEST_TCDM + LEFT);
  op_imm(1, CHOSEN, T5, 7);
  line_put_r(l, 0, 0, TEMP, TEMP, CHOSEN);
  for (int i = 0; i < 8; i++)
    store(2, A0 + i, TEMP, (uint32_t)(4 * i));
  store(2, TARGET, TEMP, 32);
  store(2, TURNS, TEMP, 36);
  store(2, SUM, TEMP, 84);
  line_put(l, 0xb00025f3); // csrr a1, mcycle
  store(2, A1, TEMP, 40);
  if (!program.floats)
    return;
  line_put(l, 0x001025f3); // csrr a1, fflags
  store(2, A1, TEMP, 44);
  for (unsigned f = 0; f < 9; f++) {
    line_put(l, 0xe0000053 | f << 15 | (uint32_t)A1 << 7); // fmv.x.w
    store(2, A1, TEMP, 48 + 4 * f);
  }
}

static void maybe_trap(void) {
  static const uint32_t words[] = {0x00100073, 0x00000000, 0x00002003};
  if (below(6))
    return;
  unsigned place = only_core(below(program.cores));
  line_put(l, words[below(3)]);
  end_only_core(place);
}

static void loops(void) {
  unsigned most = program.streams ? 18 : 30;
  for (unsigned n = 1 + below(3); n; n--)
    if (below(2))
      branch_loop(6 + below(most));
    else
      hardware_loop(6 + below(most));
}

void stretch_program(struct guest *g, const struct stretch_program *what) {
  program = *what;
  line_begin(l, what->seed, what->corev);
  guest_begin(g);
  if (program.streams)
    stretch_stream_choose(l, &stream, OWN, TRANSFER);
  set_up();
  load(2, ZERO, T6, 32);
  line_li(l, ROUNDS, program.streams ? STRETCH_STREAM_ROUNDS : 6 + below(8));
  unsigned again = l->count;
  if (program.streams)
    start_stream();
  else if (below(2))
    transfer();
  loops();
  switch (below(4)) {
  case 0:
    change();
    break;
  case 1:
    barrier();
    break;
  case 2:
    rarely();
    break;
  default:
    break;
  }
  op_imm(0, ROUNDS, ROUNDS, -1);
  line_loop_while(l, ROUNDS, again);
  leave();
  bool all_stay = below(6);
  unsigned place = all_stay ? 0 : all_but_core(below(program.cores));
  loops();
  leave();
  maybe_trap();
  if (!all_stay)
    line_replace(l, place, line_jal(line_distance(l, place)));
  line_end(l, g);
  meet(g);
  guest_end(g);
}
