#include "line.h"

#include <check.h>

void line_begin(struct line *l, uint64_t seed, bool corev) {
  *l = (struct line){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .corev = corev};
  line_below(l, 1);
}

void line_end(struct line *l, struct guest *g) {
  if (l->count & 1)
    line_put16(l, 0x0001);
  for (unsigned i = 0; i < l->count; i += 2)
    word(g, l->half[i] | (uint32_t)l->half[i + 1] << 16);
}

unsigned line_below(struct line *l, unsigned n) {
  l->random ^= l->random << 13;
  l->random ^= l->random >> 7;
  l->random ^= l->random << 17;
  return (unsigned)((l->random >> 20) % n);
}

int line_data(struct line *l) {
  return A0 + (int)line_below(l, LINE_DATA);
}

// ---- any instruction

void line_put16(struct line *l, uint32_t value) {
  ck_assert_uint_lt(l->count, sizeof l->half / sizeof *l->half);
  l->half[l->count++] = (uint16_t)value;
}

void line_put(struct line *l, uint32_t value) {
  line_put16(l, value & 0xffff);
  line_put16(l, value >> 16);
}

void line_put_i(struct line *l, uint32_t opcode, uint32_t f3, int rd, int rs1, int imm) {
  line_put(l, (uint32_t)imm << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | opcode);
}

void line_put_s(struct line *l, uint32_t f3, int rs2, int rs1, uint32_t offset) {
  line_put(l, (offset >> 5 & 127) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 |
                  (offset & 31) << 7 | 0x23);
}

void line_put_r(struct line *l, uint32_t f7, uint32_t f3, int rd, int rs1, int rs2) {
  line_put(l, f7 << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 |
                  0x33);
}

void line_li(struct line *l, int rd, uint32_t value) {
  line_put(l, ((value + 0x800) & 0xfffff000) | (uint32_t)rd << 7 | 0x37);
  line_put_i(l, 0x13, 0, rd, rd, (int)(value & 0xfff));
}

void line_hint(struct line *l, int which) {
  line_put_i(l, 0x13, 2, ZERO, 1, which);
}

void line_begin_loop(struct line *l, uint32_t rounds, uint32_t body) {
  if (l->corev && (l->count & 1)) // its loops hold whole words only
    line_put16(l, 0x0001);
  uint32_t end = l->corev ? body + 1 : 2 * body; // words to behind it, halfwords to the last one
  line_put(l, rounds << 20 | end << 15 | (l->corev ? 0x462b : 0x507b));
}

// ---- some by chance

void line_access(struct line *l, int base) {
  static const uint32_t sizes[] = {0, 1, 2, 2};
  uint32_t size = sizes[line_below(l, 4)], offset = line_below(l, LINE_AREA);
  if (!base)
    base = line_below(l, 12) ? S10 : S9;
  if (line_below(l, 8) || base == S9)
    offset &= ~((1u << size) - 1);
  if (line_below(l, 2))
    line_put_i(l, 0x03, size, line_data(l), base, (int)offset);
  else
    line_put_s(l, size, line_data(l), base, offset);
}

void line_plain(struct line *l) {
  if (line_below(l, 3) == 0) {
    line_put16(l, 0x0001); // c.nop
  } else if (line_below(l, 2)) {
    int imm = (int)line_below(l, 64) - 32, a = line_data(l), d = line_data(l);
    line_put_i(l, 0x13, 0, d, a, imm);
  } else {
    int b = line_data(l), a = line_data(l), d = line_data(l);
    line_put_r(l, 0, 0, d, a, b); // add
  }
}

void line_count_up(struct line *l) {
  int a = line_data(l), d = line_data(l);
  line_put_i(l, 0x13, 0, d, a, 1);
}

void line_load(struct line *l) {
  int offset = (int)(4 * line_below(l, LINE_AREA / 4)), d = line_data(l);
  line_put_i(l, 0x03, 2, d, S10, offset);
}

// ---- jumps

uint32_t line_distance(const struct line *l, unsigned from) {
  return 2 * (l->count - from);
}

void line_replace(struct line *l, unsigned place, uint32_t value) {
  l->half[place] = (uint16_t)value;
  l->half[place + 1] = (uint16_t)(value >> 16);
}

uint32_t line_branch(uint32_t f3, int rs1, int rs2, uint32_t o) {
  return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 |
         f3 << 12 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63;
}

uint32_t line_jal(uint32_t o) {
  return (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o & 0xff000) | 0x6f;
}

void line_loop_while(struct line *l, int rs1, unsigned place) {
  line_put(l, line_branch(0, rs1, ZERO, 8)); // a branch back would not reach
  line_put(l, line_jal(2 * (place - l->count)));
}
