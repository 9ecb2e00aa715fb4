#include "stretch_parts.h"

_Static_assert(OWN + STRETCH_STREAM_MOST <= CODE, "a stream leaves the code alone");

unsigned stretch_below(struct stretch *s, unsigned n) {
  return line_below(s->l, n);
}

void stretch_op_imm(struct stretch *s, uint32_t f3, int rd, int rs1, int imm) {
  line_put_i(s->l, 0x13, f3, rd, rs1, imm);
}

void stretch_load(struct stretch *s, uint32_t size, int rd, int rs1, uint32_t offset) {
  line_put_i(s->l, 0x03, size, rd, rs1, (int)offset);
}

void stretch_store(struct stretch *s, uint32_t size, int rs2, int rs1, uint32_t offset) {
  line_put_s(s->l, size, rs2, rs1, offset);
}

unsigned stretch_skip(struct stretch *s) {
  line_put(s->l, 0);
  return s->l->count - 2;
}

void stretch_skip_end(struct stretch *s, unsigned place, int rs1) {
  line_replace(s->l, place, line_branch(0, rs1, ZERO, line_distance(s->l, place)));
}

uint32_t stretch_shared_word(struct stretch *s) {
  return SHARED + 4 * stretch_below(s, 16);
}

void stretch_choose(struct stretch *s) {
  static const int counters[] = {TURNS, TURNS, ROUNDS, A5};
  int counter = counters[stretch_below(s, 4)];
  unsigned mask = (2u << stretch_below(s, 3)) - 1;
  if (stretch_below(s, 5) == 0) {
    stretch_load(s, 2, TEMP, S10, stretch_shared_word(s));
    counter = TEMP;
  }
  stretch_op_imm(s, 7, CHOSEN, counter, (int)mask);
  stretch_op_imm(s, 0, CHOSEN, CHOSEN, -(int)stretch_below(s, mask + 1));
  stretch_op_imm(s, 3, CHOSEN, CHOSEN, 1); // sltiu: is 0
}

void stretch_aim(struct stretch *s) {
  if (stretch_below(s, 2)) { // of one core only, which the others may read
    stretch_op_imm(s, 0, TEMP, T5, -(int)stretch_below(s, s->what.cores));
    stretch_op_imm(s, 3, TEMP, TEMP, 1);
    line_put_r(s->l, 0, 7, CHOSEN, CHOSEN, TEMP);
  }
  line_put_r(s->l, 0x20, 0, TEMP, ZERO, CHOSEN); // neg
  line_put_r(s->l, 0, 7, TEMP, TEMP, TO_SHARED); // and
  line_put_r(s->l, 0, 0, TARGET, OWN_ROW, TEMP);
}
