#include "mixed_program.h"

#include <string.h>

#include "isa_ops.h"
#include "line.h"

enum { VECTORS = 64, SETUP = 160 }; // words in front of them
enum {
  CSR_MSTATUS = 0x300,
  CSR_MIE = 0x304,
  CSR_MTVEC = 0x305,
  CSR_MSCRATCH = 0x340,
  CSR_MEPC = 0x341,
  CSR_MCAUSE
};
enum { CSR_FFLAGS = 1, CSR_FRM = 2 };
enum { RA = 1, SP = 2, POOL = 256 };

struct mixer {
  struct line l;
  const struct mixed_machine *machine;
  uint16_t pool[ISA_CLASS_COUNT][POOL]; // encodings of each class
  unsigned count[ISA_CLASS_COUNT];
  bool traps, syncs, interrupts, whole; // only words, as in loops of the CV32E40P
};

// ---- any instruction of a class

static void fill_pools(struct mixer *m) {
  for (size_t i = 0; i < isa_enc_count; i++) {
    unsigned cls = isa_ops[isa_encs[i].op].cls;
    if (!isa_encs[i].alias && (m->machine->sets & ISA_BIT(isa_encs[i].set)) && m->count[cls] < POOL)
      m->pool[cls][m->count[cls]++] = (uint16_t)i;
  }
}

static uint8_t some_register(struct mixer *m, uint8_t reg) {
  return (uint8_t)((reg & 32) + line_data(&m->l));
}

static int32_t some_offset(struct mixer *m) {
  int32_t words = (int32_t)line_below(&m->l, 16);
  bool crosses = line_below(&m->l, 8) == 0 && !m->machine->floats;
  return 4 * words + crosses;
}

static uint32_t some_word(struct mixer *m) {
  uint32_t low = line_below(&m->l, 65536);
  return low | line_below(&m->l, 65536) << 16;
}

// Bases, and offsets in registers, are those that mixed_program() sets up.
static void choose_address(struct mixer *m, struct isa_insn *i) {
  bool stores = i->uses & ISA_USES_RS3;
  i->rs1 = (i->uses & ISA_WRITES_RS1) || i->size == 2 ? S1 : S10;
  if (i->uses & ISA_USES_IMM)
    i->imm = some_offset(m);
  else if (stores)
    i->rs3 = S3;
  else
    i->rs2 = S3;
}

static bool is_access(unsigned cls) {
  return cls == ISA_CLASS_LOAD || cls == ISA_CLASS_STORE || cls == ISA_CLASS_MACLOAD;
}

// False: its operands cannot be had.
static bool choose_operands(struct mixer *m, unsigned cls, struct isa_insn *i, uint32_t *word) {
  bool same = i->rs3 == i->rd;
  i->rd = some_register(m, i->rd);
  i->rs1 = some_register(m, i->rs1);
  i->rs2 = some_register(m, i->rs2);
  i->rs3 = same ? i->rd : some_register(m, i->rs3);
  if (is_access(cls))
    choose_address(m, i);
  if ((i->uses & ISA_USES_RD) && line_below(&m->l, 16) == 0)
    i->rd &= 32;
  return isa_encode(i, word);
}

// 0: there is none.
static uint32_t draw(struct mixer *m, unsigned cls) {
  for (unsigned tries = 0; m->count[cls] && tries < 32; tries++) {
    unsigned enc = m->pool[cls][line_below(&m->l, m->count[cls])];
    const struct isa_enc_info *e = &isa_encs[enc];
    uint32_t any = some_word(m), word;
    struct isa_insn i, again;
    word = (e->match | (any & ~e->mask)) & (e->size == 2 ? 0xffff : UINT32_MAX);
    if (!isa_decode(m->machine->decoder, word, &i) || i.enc != enc)
      continue;
    uint8_t rd = i.rd, rs1 = i.rs1;
    if (!choose_operands(m, cls, &i, &word) || !isa_decode(m->machine->decoder, word, &again))
      continue;
    bool fixed = (rd != again.rd && again.rd != i.rd) || (rs1 != again.rs1 && again.rs1 != i.rs1);
    if (again.enc == enc && !fixed && !(m->whole && e->size == 2))
      return word;
  }
  return 0;
}

static void put(struct mixer *m, uint32_t word) {
  if ((word & 3) == 3)
    line_put(&m->l, word);
  else
    line_put16(&m->l, word);
}

static void one(struct mixer *m, unsigned cls) {
  uint32_t word = draw(m, cls);
  if (word)
    put(m, word);
}

// ---- straight on

static void csr(struct mixer *m, unsigned f3, int rd, int number, int rs1) {
  line_put_i(&m->l, 0x73, f3, rd, rs1, number);
}

static void read_csr(struct mixer *m, int number) {
  csr(m, 2, line_data(&m->l), number, ZERO);
}

static void in_l2(struct mixer *m, bool store) {
  unsigned offset = 4 * line_below(&m->l, 16);
  int data = line_data(&m->l);
  if (store)
    line_put_s(&m->l, 2, data, S9, offset);
  else
    line_put_i(&m->l, 0x03, 2, data, S9, (int)offset);
}

static void elsewhere(struct mixer *m) {
  unsigned kind = line_below(&m->l, 4);
  switch (kind) {
  case 0:
  case 1:
    in_l2(m, kind == 1);
    break;
  case 2:
    line_put_s(&m->l, 2, ZERO, S8, 0x20); // of the cluster's control unit
    break;
  default:
    line_put_i(&m->l, 0x03, 2, line_data(&m->l), S11, 0x1c); // of the event unit
    break;
  }
}

static void float_one(struct mixer *m) {
  static const uint8_t classes[] = {ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_ADDMUL,
                                    ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_NONCOMP,
                                    ISA_CLASS_FP_CONV,   ISA_CLASS_FP_DIVSQRT};
  unsigned kind = line_below(&m->l, 16);
  if (kind == 0)
    read_csr(m, CSR_FFLAGS);
  else if (kind == 1)
    line_put_i(&m->l, 0x73, 5, ZERO, (int)line_below(&m->l, 5), CSR_FRM);
  else
    one(m, classes[kind % sizeof classes]);
}

// A flush, or which cores prefetch.
static void control_caches(struct mixer *m) {
  static const uint16_t registers[] = {0x04, 0x08, 0x0c, 0x1c, 0x1c, 0x1c};
  line_li(&m->l, T1, GUEST_PERIPHERALS + 0x1400);
  line_li(&m->l, T2, line_below(&m->l, 1 << m->machine->cores));
  line_put_s(&m->l, 2, T2, T1, registers[line_below(&m->l, sizeof registers / sizeof *registers)]);
}

static void some_one(struct mixer *m) {
  static const uint8_t classes[] = {ISA_CLASS_ALU,  ISA_CLASS_ALU,   ISA_CLASS_ALU,
                                    ISA_CLASS_ALU,  ISA_CLASS_LOAD,  ISA_CLASS_LOAD,
                                    ISA_CLASS_LOAD, ISA_CLASS_STORE, ISA_CLASS_STORE,
                                    ISA_CLASS_MULH, ISA_CLASS_DIV,   ISA_CLASS_MACLOAD};
  if (m->machine->floats && line_below(&m->l, 3) == 0) {
    float_one(m);
    return;
  }
  unsigned kind = line_below(&m->l, 20);
  if (kind == 0)
    elsewhere(m);
  else if (kind == 1 && line_below(&m->l, 4) == 0)
    line_hint(&m->l, 1 + (int)line_below(&m->l, 2));
  else if (kind == 1)
    read_csr(m, line_below(&m->l, 2) ? CSR_MEPC : CSR_MSCRATCH);
  else if (!m->machine->floats || classes[kind % sizeof classes] != ISA_CLASS_MULH)
    one(m, classes[kind % sizeof classes]);
}

static void some(struct mixer *m, unsigned most) {
  for (unsigned n = line_below(&m->l, most + 1); n; n--)
    some_one(m);
}

// Fences; and what traps, some of it hints that RI5CY refuses.
static void empties(struct mixer *m) {
  static const uint32_t words[] = {0x0ff0000f, 0x0000100f, 0x00000073, 0x00100073,
                                   0xffffffff, 0x7ff02673, 0x00008781, 0x00000000};
  put(m, words[line_below(&m->l, m->traps ? sizeof words / sizeof *words : 2)]);
}

static void point(struct mixer *m) {
  unsigned offset = line_below(&m->l, 32);
  int base = line_below(&m->l, 2) ? SP : S10;
  line_put_i(&m->l, 0x13, 0, S1, base, (int)(m->machine->floats ? offset & ~3u : offset));
  line_put_i(&m->l, 0x13, 0, S3, ZERO, (int)(4 * line_below(&m->l, 8)));
}

// ---- jumps

static void jump(struct mixer *m) {
  unsigned at = m->l.count;
  line_put(&m->l, 0);
  some(m, 3);
  line_replace(&m->l, at, line_jal(line_distance(&m->l, at)));
}

static void branch(struct mixer *m) {
  uint32_t word = draw(m, ISA_CLASS_BRANCH);
  unsigned at = m->l.count;
  struct isa_insn i;
  if (!word)
    return;
  put(m, word);
  some(m, 4);
  isa_decode(m->machine->decoder, word, &i);
  i.imm = (int32_t)line_distance(&m->l, at);
  if (!isa_encode(&i, &word))
    word = i.size == 4 ? 0x13 : 0x01;
  m->l.half[at] = (uint16_t)word;
  if (i.size == 4)
    m->l.half[at + 1] = (uint16_t)(word >> 16);
}

static void jump_by(struct mixer *m, int link, int reg) {
  if (link == ZERO && line_below(&m->l, 2) && !m->whole)
    line_put16(&m->l, (uint32_t)reg << 7 | 0x8002);
  else if (link == RA && line_below(&m->l, 2) && !m->whole)
    line_put16(&m->l, (uint32_t)reg << 7 | 0x9002);
  else
    line_put_i(&m->l, 0x67, 0, link, reg, 0);
}

// The register may be its own link, and may just have been loaded.
static void jump_by_register(struct mixer *m) {
  int reg = line_below(&m->l, 2) ? RA : T0;
  unsigned at = m->l.count, slot = 256 + 4 * line_below(&m->l, 64);
  line_put(&m->l, (uint32_t)reg << 7 | 0x17); // auipc
  line_put(&m->l, 0);
  if (line_below(&m->l, 2)) {
    line_put_s(&m->l, 2, reg, S10, slot);
    some(m, 3);
    line_put_i(&m->l, 0x03, 2, reg, S10, (int)slot);
  }
  some(m, 3);
  jump_by(m, line_below(&m->l, 2) ? ZERO : RA, reg);
  some(m, 3);
  uint32_t distance = line_distance(&m->l, at) << 20;
  line_replace(&m->l, at + 2, distance | (uint32_t)reg << 15 | (uint32_t)reg << 7 | 0x13);
}

static uint32_t back_to(const struct mixer *m, unsigned place) {
  return 2 * place - 2 * m->l.count;
}

static void call(struct mixer *m) {
  unsigned over = m->l.count;
  line_put(&m->l, 0);
  unsigned function = m->l.count;
  some(m, line_below(&m->l, 2) ? 4 : 0);
  jump_by(m, ZERO, RA);
  line_replace(&m->l, over, line_jal(line_distance(&m->l, over)));
  for (unsigned n = 1 + line_below(&m->l, 2); n; n--) {
    some(m, 3);
    if (line_below(&m->l, 2)) {
      line_put(&m->l, line_jal(back_to(m, function)) | RA << 7);
      continue;
    }
    uint32_t distance = back_to(m, function);
    line_put(&m->l, T0 << 7 | 0x17);
    line_put_i(&m->l, 0x13, 0, T0, T0, (int)distance);
    some(m, 2);
    jump_by(m, RA, T0);
  }
}

// ---- hardware loops

enum { STARTI, ENDI, COUNT, COUNTI, SETUP_BY, SETUPI };

static uint32_t loop_word(const struct mixer *m, unsigned what, unsigned loop, uint32_t fields) {
  static const uint8_t corev[] = {0, 2, 5, 4, 7, 6};
  if (m->l.corev)
    return fields | 4u << 12 | (uint32_t)corev[what] << 8 | loop << 7 | 0x2b;
  return fields | what << 12 | loop << 7 | 0x7b;
}

// Of CORE-V's loops only words count.
static void align(struct mixer *m) {
  if (m->l.corev && (m->l.count & 1))
    line_put16(&m->l, 0x0001);
}

static void in_loop(struct mixer *m) {
  switch (line_below(&m->l, m->l.corev ? 24 : 12)) {
  case 0:
    branch(m);
    break;
  case 1:
    jump(m);
    break;
  case 2:
    call(m);
    break;
  case 3:
    empties(m);
    break;
  default:
    some_one(m);
    break;
  }
}

static void loop(struct mixer *m, unsigned number, bool nests);

// Returns where its last instruction is (CORE-V: what is behind that). There are at least two, on
// CORE-V three.
static unsigned loop_body(struct mixer *m, bool nests) {
  unsigned last, least = m->l.count + (m->l.corev ? 4 : 1);
  for (unsigned n = 1 + line_below(&m->l, 4); n; n--)
    in_loop(m);
  while (m->l.count < least)
    some_one(m);
  if (nests)
    loop(m, 0, false);
  align(m);
  do {
    last = m->l.count;
    some_one(m);
  } while (m->l.count == last);
  align(m);
  return m->l.corev ? m->l.count : last;
}

static void loop(struct mixer *m, unsigned number, bool nests) {
  unsigned unit = m->l.corev ? 2 : 1, at[2];
  uint32_t count = 1 + line_below(&m->l, 6);
  bool apart = line_below(&m->l, 2), whole = m->whole;
  m->whole = m->l.corev && line_below(&m->l, 8);
  line_put_i(&m->l, 0x13, 0, S2, ZERO, (int)count);
  align(m);
  for (unsigned i = 0; i < 2; i++) {
    at[i] = m->l.count;
    if (apart || i)
      line_put(&m->l, 0x13);
  }
  if (apart) {
    bool by_register = line_below(&m->l, 2);
    line_put(&m->l, loop_word(m, by_register ? COUNT : COUNTI, number,
                              by_register ? (uint32_t)S2 << 15 : count << 20));
    some(m, 2);
    align(m);
  }
  unsigned start = m->l.count, end = loop_body(m, nests);
  uint32_t last = (end - at[1]) / unit;
  if (apart) {
    line_replace(&m->l, at[0], loop_word(m, STARTI, number, (start - at[0]) / unit << 20));
    line_replace(&m->l, at[1], loop_word(m, ENDI, number, last << 20));
  } else if (last < 32 && line_below(&m->l, 2)) {
    line_replace(&m->l, at[1], loop_word(m, SETUPI, number, count << 20 | last << 15));
  } else {
    line_replace(&m->l, at[1], loop_word(m, SETUP_BY, number, last << 20 | (uint32_t)S2 << 15));
  }
  m->whole = whole;
}

// ---- together

static void wait_for(struct mixer *m, int rd, int offset) {
  line_put_i(&m->l, m->l.corev ? 0x0b : 0x03, m->l.corev ? 3 : 6, rd, S11, offset);
}

static void sync(struct mixer *m) {
  switch (line_below(&m->l, 3)) {
  case 0:
    wait_for(m, line_data(&m->l), 0x21c); // barrier 0
    break;
  case 1:
    wait_for(m, line_data(&m->l), 0xc0); // the mutex
    some(m, 3);
    line_put_s(&m->l, 2, line_data(&m->l), S11, 0xc0);
    break;
  default:
    line_li(&m->l, T2, 1 << 3);
    line_put_s(&m->l, 2, ZERO, S11, 0x10c); // software event 3, to all
    line_put_s(&m->l, 2, T2, S11, 8);
    wait_for(m, line_data(&m->l), 0x3c);
    line_put_s(&m->l, 2, T2, S11, 4);
    line_put_s(&m->l, 2, T2, S11, 0x28);
    break;
  }
}

static void part(struct mixer *m) {
  if (m->machine->caches && line_below(&m->l, 3) == 0)
    control_caches(m);
  unsigned kind = line_below(&m->l, 16);
  some(m, 4);
  if (kind < 4)
    loop(m, kind & 1, kind == 1);
  else if (kind < 6)
    branch(m);
  else if (kind < 8)
    jump_by_register(m);
  else if (kind < 10)
    call(m);
  else if (kind == 10)
    jump(m);
  else if (kind == 11)
    point(m);
  else if (kind < 14)
    empties(m);
  else if (kind == 14 && m->syncs)
    sync(m);
}

// ---- the frame

// All vectors lead behind them: an interrupt returns, a trap goes on behind what has trapped.
static void handler(struct mixer *m) {
  some(m, 2);
  csr(m, 2, T4, CSR_MCAUSE, ZERO);
  unsigned at = m->l.count;
  line_put(&m->l, 0);
  csr(m, 2, T4, CSR_MEPC, ZERO);
  line_put_i(&m->l, 0x13, 0, T4, T4, 4);
  csr(m, 1, ZERO, CSR_MEPC, T4);
  line_replace(&m->l, at, line_branch(4, T4, ZERO, line_distance(&m->l, at))); // blt
  some(m, 3);
  line_put(&m->l, 0x30200073); // mret
}

static void vectors(struct mixer *m, struct guest *g) {
  word(g, line_jal(4 * (SETUP - g->count)));
  nops(g, VECTORS - g->count);
  for (unsigned i = 32; i; i--)
    word(g, line_jal(4 * i));
  handler(m);
  line_end(&m->l, g);
  m->l.count = 0;
  nops(g, SETUP - g->count);
}

static void enable_interrupts(struct mixer *m) {
  line_li(&m->l, T2, 1 << 10); // the timer's
  line_put_s(&m->l, 2, T2, S11, 0xc);
  line_put_i(&m->l, 0x13, 0, T2, ZERO, -1);
  csr(m, 1, ZERO, CSR_MIE, T2);
  line_put_i(&m->l, 0x73, 6, ZERO, 8, CSR_MSTATUS);
  line_li(&m->l, T1, GUEST_PERIPHERALS + 0x400);
  line_li(&m->l, T2, 60 + line_below(&m->l, 200));
  line_put_s(&m->l, 2, T2, T1, 0x10);
  line_li(&m->l, T2, 1 | 1 << 2 | 1 << 4); // enable, interrupt, clear on compare
  line_put_s(&m->l, 2, T2, T1, 0);
}

static void set_up(struct mixer *m) {
  line_li(&m->l, T2, GUEST_L2 + 4 * VECTORS + 1);
  csr(m, 1, ZERO, CSR_MTVEC, T2);
  line_put_i(&m->l, 0x13, 0, SP, S10, 64);
  line_li(&m->l, T2, 0x70000); // barrier, mutex, dispatch
  line_put_s(&m->l, 2, T2, S11, 0);
  line_li(&m->l, T2, (1u << m->machine->cores) - 1);
  line_put_s(&m->l, 2, T2, S11, 0x200);
  line_put_s(&m->l, 2, T2, S11, 0x20c);
  for (int i = 0; i < LINE_DATA; i++)
    line_li(&m->l, A0 + i, line_below(&m->l, 2) ? line_below(&m->l, 64) : (uint32_t)m->l.random);
  point(m);
  if (m->interrupts)
    enable_interrupts(m);
}

void mixed_program(struct guest *g, uint64_t seed, const struct mixed_machine *machine) {
  static struct mixer m;
  memset(&m, 0, sizeof m);
  m.machine = machine;
  line_begin(&m.l, seed, machine->sets & ISA_BIT(ISA_COREV));
  fill_pools(&m);
  m.traps = line_below(&m.l, 2);
  m.syncs = line_below(&m.l, 2);
  m.interrupts = line_below(&m.l, 3) == 0;
  guest_begin(g);
  vectors(&m, g);
  set_up(&m);
  line_put_i(&m.l, 0x13, 0, S0, ZERO, 1 + (int)line_below(&m.l, 4));
  unsigned again = m.l.count;
  for (unsigned n = 2 + line_below(&m.l, 16); n; n--)
    part(&m);
  line_put_i(&m.l, 0x13, 0, S0, S0, -1);
  line_loop_while(&m.l, S0, again);
  line_end(&m.l, g);
  meet(g);
  guest_end(g);
}
