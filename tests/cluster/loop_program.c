#include "loop_program.h"

#include <check.h>

enum { PLACES = 3, PASSES = 5, BODY_AT = 512, BODY_HALVES = 1024 };

// What to write of a hardware loop, as RI5CY's encodings number it.
enum { START, END, COUNTI = 3, SETUP };

struct layout {
  uint64_t random;
  struct guest *guest;
  bool corev;
  bool at_once;           // the inner loop is set up by one instruction
  unsigned at;            // halfword where the next instruction of the body goes
  unsigned place[PLACES]; // where it is entered and loops start
  unsigned last;          // the loop's last instruction
};

static unsigned below(struct layout *l, unsigned n) {
  l->random ^= l->random << 13;
  l->random ^= l->random >> 7;
  l->random ^= l->random << 17;
  return (unsigned)((l->random >> 20) % n);
}

// ---- instructions

static uint32_t loop_word(const struct layout *l, unsigned loop, unsigned what, uint32_t imm) {
  static const unsigned corev[] = {[START] = 0, [END] = 2, [COUNTI] = 4, [SETUP] = 7};
  if (l->corev)
    return imm << 20 | 4u << 12 | corev[what] << 8 | loop << 7 | 0x2b;
  return imm << 20 | what << 12 | loop << 7 | 0x7b;
}

// A bound is the distance from halfword `at` to `to`: in halfwords, on CV32E40P in words, where an
// end is that of the instruction behind.
static uint32_t bound(const struct layout *l, unsigned loop, unsigned what, unsigned at,
                      unsigned to) {
  unsigned distance = to - at;
  return loop_word(l, loop, what, l->corev ? distance / 2 + (what != START) : distance);
}

static uint32_t jal(int rd, unsigned at, unsigned to) {
  uint32_t o = (to - at) * 2;
  return (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 255) << 12 |
         (uint32_t)rd << 7 | 0x6f;
}

static void half(struct layout *l, uint32_t value) {
  ck_assert_uint_lt(l->at, 2 * BODY_AT + BODY_HALVES);
  uint32_t *w = &l->guest->word[l->at / 2];
  *w = l->at & 1 ? (*w & 0xffff) | value << 16 : (*w & 0xffff0000) | (value & 0xffff);
  l->at++;
}

static void whole(struct layout *l, uint32_t value) {
  half(l, value);
  half(l, value >> 16);
}

static void one_instruction(struct layout *l, bool slow) {
  uint32_t r = A0 + below(l, 4);
  switch (below(l, slow ? 16 : 14)) {
  case 0:
  case 1:
  case 2:
    whole(l, below(l, 8) << 22 | S10 << 15 | 2 << 12 | r << 7 | 0x03); // lw
    break;
  case 3:
    whole(l, 0x04000000 | r << 20 | S10 << 15 | 2 << 12 | 0x23); // sw
    break;
  case 4:
    if (!l->corev) // beq x0, x0 or bne x0, x0 over nothing
      whole(l, 0x00000263 | below(l, 2) << 12);
    break;
  case 5:
  case 6:
  case 7:
  case 8:
  case 9:
    if (!l->corev)
      half(l, 0x0001); // c.nop
    break;
  case 14:
    whole(l, 0x02b55533); // divu a0, a0, a1: up to 35 cycles
    break;
  case 15:
    whole(l, 0x02b51533); // mulh a0, a0, a1: 5
    break;
  default:
    whole(l, below(l, 64) << 20 | A1 << 15 | r << 7 | 0x13); // addi
  }
}

static void instructions(struct layout *l, unsigned n, bool slow) {
  while (n--)
    one_instruction(l, slow);
}

// ---- the body

static void plain(struct layout *l, unsigned n) {
  while (n--)
    whole(l, 0x00158593); // addi a1, a1, 1
}

static void inner_loop(struct layout *l) {
  unsigned setup = l->at, start = l->at + (l->at_once ? 4 : 6), rounds;
  l->at = start;
  plain(l, 1);
  instructions(l, 2 + below(l, 16), false);
  plain(l, 2);
  unsigned last = l->at - 2, behind = l->at;
  l->at = setup;
  rounds = 1 + below(l, 9);
  if (l->at_once) {
    whole(l, rounds << 20 | A4 << 7 | 0x13); // addi a4, x0, rounds
    whole(l, bound(l, 0, SETUP, setup + 2, last) | A4 << 15);
  } else {
    whole(l, bound(l, 0, START, setup, start));
    whole(l, bound(l, 0, END, setup + 2, last));
    whole(l, loop_word(l, 0, COUNTI, rounds));
  }
  l->at = behind;
}

// Ends with a return.
static void body(struct layout *l) {
  unsigned size = 1 + below(l, 48);
  for (unsigned i = 0; i < PLACES; i++) {
    l->place[i] = l->at;
    bool slow = below(l, 2);
    instructions(l, 3 + below(l, size), slow);
    plain(l, 1);
  }
  if (below(l, 3))
    inner_loop(l);
  instructions(l, below(l, 20), false);
  plain(l, 2 + below(l, 3));
  l->last = l->at - 2;
  instructions(l, below(l, 12), true);
  whole(l, 0x00008067); // ret
  if (l->at & 1)
    half(l, 0x0001);
}

// Its end is written before its start, which is still that of the pass before; or not again.
static void one_pass(struct layout *l, bool first) {
  struct guest *g = l->guest;
  unsigned start = l->place[below(l, PLACES)], enter = l->place[below(l, PLACES)];
  if (first || below(l, 2))
    word(g, bound(l, 1, END, 2 * g->count, l->last));
  word(g, bound(l, 1, START, 2 * g->count, start));
  word(g, loop_word(l, 1, COUNTI, 1 + below(l, 6)));
  word(g, jal(1, 2 * g->count, enter));
}

void loop_program(struct guest *g, uint64_t seed, unsigned cores, bool corev) {
  struct layout l = {.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                     .guest = g,
                     .corev = corev,
                     .at_once = seed >= LOOP_PROGRAM_AT_ONCE,
                     .at = 2 * BODY_AT};
  below(&l, 1);
  guest_begin(g);
  body(&l);
  for (unsigned i = 0; i < cores; i++) {
    unsigned place = only(g, i);
    for (unsigned n = 0; n < PASSES; n++)
      one_pass(&l, n == 0);
    end_only(g, place);
  }
  word(g, 0x0000006f); // j .
  ck_assert_uint_le(g->count, BODY_AT);
  while (g->count < BODY_AT)
    nops(g, 1);
  g->count = l.at / 2;
}
