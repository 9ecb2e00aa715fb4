#include "stretch_body.h"

void stretch_access(struct stretch *s) {
  static const int bases[] = {S3, S3, S3, S2, S2, S10};
  int base = bases[stretch_below(s, 6)];
  unsigned size = 2, offset = base == S10 ? 4 * stretch_below(s, 4) : 0;
  if (stretch_below(s, 3) == 0) {
    size = stretch_below(s, 3);
    offset += stretch_below(s, 4) & ~((1u << size) - 1);
  }
  if (stretch_below(s, 3))
    stretch_load(s, size | (size < 2 ? 4 * stretch_below(s, 2) : 0), line_data(s->l), base, offset);
  else
    stretch_store(s, size, line_data(s->l), base, offset);
}

static void increment(struct stretch *s) {
  uint32_t word = stretch_below(s, 2) ? 0 : stretch_shared_word(s);
  stretch_load(s, 2, TEMP, S10, word);
  stretch_op_imm(s, 0, TEMP, TEMP, (int)stretch_below(s, 4));
  stretch_store(s, 2, TEMP, S10, word);
}

static void follow_pointer(struct stretch *s) {
  stretch_load(s, 2, TEMP, S10, POINTERS + 4 * stretch_below(s, 16));
  if (stretch_below(s, 2))
    stretch_load(s, stretch_below(s, 3), line_data(s->l), TEMP, 0);
  else
    stretch_store(s, 2, line_data(s->l), TEMP, 0);
}

// What the core has loaded, be it written by others or the DMA, shows at the end; the DMA may take
// the sum to L2.
static void sum_up(struct stretch *s) {
  stretch_load(s, 2, TEMP, stretch_below(s, 4) ? OWN_ROW : TARGET, 4 * stretch_below(s, 4));
  line_put_r(s->l, 0, 0, SUM, SUM, TEMP);
  if (stretch_below(s, 3) == 0)
    stretch_store(s, 2, stretch_below(s, 2) ? SUM : TURNS, OWN_ROW, 4 * stretch_below(s, 4));
}

// Its time depends on what has been chosen.
static void divide(struct stretch *s) {
  line_put_r(s->l, 0x20, 0, TEMP, ZERO, CHOSEN);
  stretch_op_imm(s, 6, TEMP, TEMP, 1); // ori: 1, or -1
  line_put_r(s->l, 1, 4 + stretch_below(s, 4), line_data(s->l), A4, TEMP);
}

// 1.0 + 1.0, or + 2^-30, which is inexact; or 2^127 * 2^127, which overflows.
static void add_floats(struct stretch *s) {
  if (!s->what.floats)
    return;
  int f = 1 + (int)stretch_below(s, 3);
  line_put_r(s->l, 0x20, 0, TEMP, ZERO, CHOSEN);
  line_put(s->l, 0xf0000053 | (uint32_t)TEMP << 15 | 8u << 7); // fmv.w.x f8, temp: 0, or a NaN
  if (stretch_below(s, 2))
    line_put(s->l, 0x00007053 | 4u << 20 | 8u << 15 | (uint32_t)f << 7); // fadd.s f, f8, f4
  line_put_r(s->l, 0, 1, TEMP, CHOSEN, A6); // sll: 0, or 2^-30 and such
  line_put(s->l, 0xf0000053 | (uint32_t)TEMP << 15 | 8u << 7);
  line_put(s->l, 0x00007053 | 4u << 20 | 8u << 15 | (uint32_t)f << 7);
}

void stretch_one(struct stretch *s) {
  if (s->what.streams && stretch_below(s, 2)) {
    sum_up(s);
    return;
  }
  switch (stretch_below(s, 17)) {
  case 16:                                             // long without an access
    line_put_r(s->l, 1, 5, line_data(s->l), A4, ZERO); // divu
    break;
  case 0:
    stretch_choose(s);
    break;
  case 1:
  case 2:
    stretch_choose(s);
    stretch_aim(s);
    break;
  case 3:
    increment(s);
    break;
  case 4:
    follow_pointer(s);
    break;
  case 5:
    divide(s);
    break;
  case 6:
    add_floats(s);
    break;
  case 7:
  case 8:
    line_plain(s->l);
    break;
  default:
    stretch_access(s);
    break;
  }
}

static void leave_window(struct stretch *s) {
  switch (stretch_below(s, 4)) {
  case 0:
    stretch_load(s, 2, line_data(s->l), S9, 4 * stretch_below(s, 8));
    break;
  case 1:
    stretch_store(s, 2, line_data(s->l), S9, 4 * stretch_below(s, 8));
    break;
  case 2: // crosses a word
    stretch_load(s, 2, line_data(s->l), OWN_ROW, 1 + stretch_below(s, 3));
    break;
  default:
    stretch_store(s, 1, line_data(s->l), OWN_ROW, 3);
    break;
  }
}

static void special(struct stretch *s) {
  line_plain(s->l); // a division right behind a branch is the cycle model's
  static const uint32_t words[] = {0xb0002673, // csrr a2, mcycle
                                   0xb02025f3, // csrr a1, minstret
                                   0x34061673, // csrrw a2, mscratch, a2
                                   0xf14025f3, // csrr a1, mhartid
                                   0x0ff0000f, // fence
                                   0x0000100f, // fence.i
                                   0x02d65633, // divu a2, a2, a3
                                   0x02d61633};
  switch (stretch_below(s, 4)) {
  case 0:
    leave_window(s);
    break;
  case 1:
    for (unsigned n = 1 + stretch_below(s, 4); n; n--)
      stretch_access(s);
    break;
  case 2:
    line_put(s->l, s->what.floats ? 0x00105673 : 0x02d65633); // csrrwi a2, fflags, 0
    break;
  default:
    line_put(s->l, words[stretch_below(s, sizeof words / sizeof *words)]);
    break;
  }
}

void stretch_rarely(struct stretch *s) {
  stretch_choose(s);
  unsigned place = stretch_skip(s);
  special(s);
  stretch_skip_end(s, place, CHOSEN);
}
