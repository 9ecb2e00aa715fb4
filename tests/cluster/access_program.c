#include "access_program.h"

#include "line.h"

// Words of L1 where a jump's target is kept: one word per jump.
enum { TARGETS = 256, JUMPS = 128 };

static void rare(struct line *l) {
  static const uint32_t words[] = {0x02d65633,  // divu a2, a2, a3
                                   0x02d61633,  // mulh a2, a2, a3
                                   0x0ff0000f,  // fence
                                   0xf14025f3,  // csrr a1, mhartid
                                   0x30002673}; // csrr a2, mstatus
  line_put(l, words[line_below(l, sizeof words / sizeof *words)]);
}

static void some(struct line *l, unsigned most) {
  for (unsigned n = line_below(l, most + 1); n; n--)
    if (line_below(l, 2))
      line_access(l, 0);
    else
      line_plain(l);
}

// ---- ways to go on

static void branch_forward(struct line *l) {
  static const uint32_t f3[] = {0, 1, 4, 7};
  int a = line_data(l), b = line_below(l, 2) ? line_data(l) : ZERO;
  uint32_t kind = f3[line_below(l, 4)];
  unsigned at = l->count;
  line_put(l, 0);
  some(l, 4);
  line_replace(l, at, line_branch(kind, a, b, line_distance(l, at)));
}

static void jump_forward(struct line *l) {
  unsigned at = l->count;
  line_put(l, 0);
  some(l, 3);
  line_replace(l, at, line_jal(line_distance(l, at)));
}

static void load_target(struct line *l, int slot) {
  if (l->any_loops && line_below(l, 2)) {
    uint32_t others = 2 + line_below(l, 3);
    line_begin_loop(l, 1 + line_below(l, 3), others + 1);
    for (; others; others--)
      line_count_up(l);
  }
  line_put_i(l, 0x03, 2, T4, S10, slot);
}

// The register may come just in time.
static void jump_by_register(struct line *l) {
  if (l->jumps == JUMPS)
    return;
  uint32_t slot = TARGETS + 4 * l->jumps++;
  unsigned at = l->count;
  line_put(l, (uint32_t)T4 << 7 | 0x17); // auipc t4, 0
  line_put(l, 0);
  bool loads = line_below(l, 4) != 0;
  if (loads) {
    line_put_s(l, 2, T4, S10, slot);
    some(l, 3);
    load_target(l, (int)slot);
  }
  some(l, 3);
  if (line_below(l, 2))
    line_put16(l, T4 << 7 | 0x9002); // c.jalr t4
  else
    line_put_i(l, 0x67, 0, ZERO, T4, 0);
  some(l, 3);
  line_replace(l, at + 2,
               line_distance(l, at) << 20 | (uint32_t)T4 << 15 | (uint32_t)T4 << 7 | 0x13);
}

static void hardware_loop(struct line *l) {
  uint32_t least = l->any_loops ? 2 : 3;
  uint32_t rounds = 1 + line_below(l, 9), body = least + line_below(l, 5);
  line_begin_loop(l, rounds, body);
  for (uint32_t n = 0; n < body; n++)
    if (l->any_loops && line_below(l, 12) == 0)
      rare(l);
    else if (line_below(l, 2))
      line_load(l);
    else
      line_count_up(l);
}

static void part(struct line *l) {
  some(l, 6);
  switch (line_below(l, 6)) {
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

void access_program(struct guest *g, uint64_t seed, bool corev) {
  static struct line l;
  line_begin(&l, seed, corev);
  l.any_loops = seed >= ACCESS_PROGRAM_LOOPS;
  guest_begin(g);
  li(g, S0, 2 + line_below(&l, 5));
  for (unsigned i = 0; i < LINE_DATA; i++)
    li(g, A0 + (int)i, (uint32_t)l.random >> i);
  line_hint(&l, 1);
  unsigned again = l.count;
  for (unsigned n = 2 + line_below(&l, 40); n; n--)
    part(&l);
  line_put_i(&l, 0x13, 0, S0, S0, -1);
  line_loop_while(&l, S0, again);
  line_hint(&l, 2);
  line_end(&l, g);
  meet(g);
  guest_end(g);
}
