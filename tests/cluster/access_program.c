#include "access_program.h"

#include <check.h>
#include <string.h>

// Words of L1 that accesses are to, and where a jump's target is kept: one word per jump.
enum { AREA = 64, TARGETS = 256, JUMPS = 128 };

struct line {
  uint64_t random;
  bool corev;
  unsigned jumps;
  unsigned count; // halfwords
  uint16_t half[2 * GUEST_WORDS];
};

static unsigned below(struct line *l, unsigned n) {
  l->random ^= l->random << 13;
  l->random ^= l->random >> 7;
  l->random ^= l->random << 17;
  return (unsigned)((l->random >> 20) % n);
}

static void put16(struct line *l, uint32_t value) {
  ck_assert_uint_lt(l->count, sizeof l->half / sizeof *l->half);
  l->half[l->count++] = (uint16_t)value;
}

static void put(struct line *l, uint32_t value) {
  put16(l, value & 0xffff);
  put16(l, value >> 16);
}

static void put_i(struct line *l, uint32_t opcode, uint32_t f3, int rd, int rs1, int imm) {
  put(l, (uint32_t)imm << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | opcode);
}

static void put_s(struct line *l, uint32_t f3, int rs2, int rs1, uint32_t offset) {
  put(l, (offset >> 5 & 127) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 |
             (offset & 31) << 7 | 0x23);
}

// ---- one instruction

static const int data[] = {A0, A1, A2, A3, A4, A5};

static int any(struct line *l) {
  return data[below(l, sizeof data / sizeof *data)];
}

static void access(struct line *l) {
  static const uint32_t sizes[] = {0, 1, 2, 2};
  uint32_t size = sizes[below(l, 4)], offset = below(l, AREA);
  int base = below(l, 12) ? S10 : S9;
  if (below(l, 8) || base == S9)
    offset &= ~((1u << size) - 1);
  if (below(l, 2))
    put_i(l, 0x03, size, any(l), base, (int)offset);
  else
    put_s(l, size, any(l), base, offset);
}

static void plain(struct line *l) {
  if (below(l, 3) == 0)
    put16(l, 0x0001); // c.nop
  else if (below(l, 2))
    put_i(l, 0x13, 0, any(l), any(l), (int)below(l, 64) - 32);
  else
    put(l, (uint32_t)any(l) << 20 | (uint32_t)any(l) << 15 | (uint32_t)any(l) << 7 | 0x33); // add
}

static void rare(struct line *l) {
  static const uint32_t words[] = {0x02d65633,  // divu a2, a2, a3
                                   0x02d61633,  // mulh a2, a2, a3
                                   0x0ff0000f,  // fence
                                   0xf14025f3,  // csrr a1, mhartid
                                   0x30002673}; // csrr a2, mstatus
  put(l, words[below(l, sizeof words / sizeof *words)]);
}

static void some(struct line *l, unsigned most) {
  for (unsigned n = below(l, most + 1); n; n--)
    if (below(l, 2))
      access(l);
    else
      plain(l);
}

// ---- ways to go on

// Bytes from halfword `from` to what comes next.
static uint32_t distance(const struct line *l, unsigned from) {
  return 2 * (l->count - from);
}

static void replace(struct line *l, unsigned place, uint32_t value) {
  l->half[place] = (uint16_t)value;
  l->half[place + 1] = (uint16_t)(value >> 16);
}

static uint32_t branch(uint32_t f3, int rs1, int rs2, uint32_t o) {
  return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 |
         f3 << 12 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63;
}

static void branch_forward(struct line *l) {
  static const uint32_t f3[] = {0, 1, 4, 7};
  int a = any(l), b = below(l, 2) ? any(l) : ZERO;
  uint32_t kind = f3[below(l, 4)];
  unsigned at = l->count;
  put(l, 0);
  some(l, 4);
  replace(l, at, branch(kind, a, b, distance(l, at)));
}

static void jump_forward(struct line *l) {
  unsigned at = l->count;
  put(l, 0);
  some(l, 3);
  uint32_t o = distance(l, at);
  replace(l, at, (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | 0x6f);
}

// The register may come just in time.
static void jump_by_register(struct line *l) {
  if (l->jumps == JUMPS)
    return;
  uint32_t slot = TARGETS + 4 * l->jumps++;
  unsigned at = l->count;
  put(l, (uint32_t)T4 << 7 | 0x17); // auipc t4, 0
  put(l, 0);
  bool loads = below(l, 4) != 0;
  if (loads) {
    put_s(l, 2, T4, S10, slot);
    some(l, 3);
    put_i(l, 0x03, 2, T4, S10, (int)slot);
  }
  some(l, 3);
  if (below(l, 2))
    put16(l, T4 << 7 | 0x9002); // c.jalr t4
  else
    put_i(l, 0x67, 0, ZERO, T4, 0);
  some(l, 3);
  replace(l, at + 2, distance(l, at) << 20 | (uint32_t)T4 << 15 | (uint32_t)T4 << 7 | 0x13);
}

static void hardware_loop(struct line *l) {
  uint32_t rounds = 1 + below(l, 9), body = 3 + below(l, 5);
  if (l->corev && (l->count & 1)) // its loops hold whole words only
    put16(l, 0x0001);
  uint32_t end = l->corev ? body + 1 : 2 * body; // words to behind it, halfwords to the last one
  put(l, rounds << 20 | end << 15 | (l->corev ? 0x462b : 0x507b));
  for (uint32_t n = 0; n < body; n++)
    if (below(l, 2))
      put_i(l, 0x03, 2, any(l), S10, (int)(4 * below(l, AREA / 4)));
    else
      put_i(l, 0x13, 0, any(l), any(l), 1);
}

static void part(struct line *l) {
  some(l, 6);
  switch (below(l, 6)) {
  case 0:
    jump_forward(l);
    break;
  case 1:
    hardware_loop(l);
    break;
  case 2:
    rare(l);
    break;
  case 3:
    branch_forward(l);
    break;
  default:
    jump_by_register(l);
    break;
  }
}

static void hint(struct line *l, int which) {
  put_i(l, 0x13, 2, ZERO, 1, which); // see kernels/rt/rt.h
}

void access_program(struct guest *g, uint64_t seed, bool corev) {
  static struct line l;
  l = (struct line){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .corev = corev};
  below(&l, 1);
  guest_begin(g);
  li(g, S0, 2 + below(&l, 5));
  for (unsigned i = 0; i < sizeof data / sizeof *data; i++)
    li(g, data[i], (uint32_t)l.random >> i);
  hint(&l, 1);
  unsigned again = l.count;
  for (unsigned n = 2 + below(&l, 40); n; n--)
    part(&l);
  put_i(&l, 0x13, 0, S0, S0, -1);
  put(&l, branch(0, S0, ZERO, 8)); // a branch back would not reach
  uint32_t o = 2 * (again - l.count);
  put(&l, (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o & 0xff000) | 0x6f);
  hint(&l, 2);
  if (l.count & 1)
    put16(&l, 0x0001);
  for (unsigned i = 0; i < l.count; i += 2)
    word(g, l.half[i] | (uint32_t)l.half[i + 1] << 16);
  meet(g);
  guest_end(g);
}
