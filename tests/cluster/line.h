// tests/cluster/line.h: lines of 16- and 32-bit instructions by chance, put together in the test.
#ifndef PULPSIM_TESTS_LINE_H
#define PULPSIM_TESTS_LINE_H

#include <stdbool.h>

#include "guest.h"

enum { LINE_AREA = 64 }; // bytes of L1 and of L2 that line_access() accesses

struct line {
  uint64_t random;
  bool corev;     // hardware loops as the CV32E40P encodes them, else as RI5CY
  unsigned jumps; // by register, so far: see access_program.c
  bool any_loops; // hardware loops may hold anything, see access_program.h
  unsigned count; // halfwords
  uint16_t half[2 * GUEST_WORDS];
};

// The same seed gives the same line on every host.
void line_begin(struct line *l, uint64_t seed, bool corev);
// Its words are the program's next ones.
void line_end(struct line *l, struct guest *g);

// 0 .. n-1
unsigned line_below(struct line *l, unsigned n);
// One of a0 .. a5, and how many these are.
enum { LINE_DATA = 6 };
int line_data(struct line *l);
// One of them becomes another one plus one, or a word of the data at s10.
void line_count_up(struct line *l);
void line_load(struct line *l);

// ---- any instruction

void line_put16(struct line *l, uint32_t value);
void line_put(struct line *l, uint32_t value);
void line_put_i(struct line *l, uint32_t opcode, uint32_t f3, int rd, int rs1, int imm);
void line_put_s(struct line *l, uint32_t f3, int rs2, int rs1, uint32_t offset);
// Integer arithmetic on two registers.
void line_put_r(struct line *l, uint32_t f7, uint32_t f3, int rd, int rs1, int rs2);
void line_li(struct line *l, int rd, uint32_t value);
void line_hint(struct line *l, int which); // of region 1, see kernels/rt/rt.h

// Sets up a hardware loop of the `body` words that follow.
void line_begin_loop(struct line *l, uint32_t rounds, uint32_t body);

// ---- some by chance, of data registers

// A load or a store of any size, aligned or not, from `base` on; if 0, mostly from L1's start on,
// else from L2's data on.
void line_access(struct line *l, int base);
void line_plain(struct line *l);

// ---- jumps. Where they go is known later: a place is a number of halfwords.

uint32_t line_distance(const struct line *l, unsigned from); // bytes to what comes next
void line_replace(struct line *l, unsigned place, uint32_t value);
uint32_t line_branch(uint32_t f3, int rs1, int rs2, uint32_t offset);
uint32_t line_jal(uint32_t offset);
// Goes on at `place` while x`rs1` is not 0, however far that is.
void line_loop_while(struct line *l, int rs1, unsigned place);

#endif
