#include "random_program.h"

#include <stdio.h>
#include <string.h>

#include "isa_ops.h"

enum {
  REG_DATA_A = 8,
  REG_DATA_B = 9,
  REG_JUMP = 5,
  REG_ALL_ONES = 16,
  TEXT_END = 0x1e00,
  POOL_MAX = 4096
};

struct emitter {
  const struct random_program *what;
  uint64_t state;
  uint8_t *image;
  uint32_t at;
  uint16_t pool[ISA_CLASS_COUNT][POOL_MAX / 8]; // encodings of each class
  uint16_t pool_size[ISA_CLASS_COUNT];
};

static uint32_t chance(struct emitter *e, uint32_t bound) { // splitmix64
  uint64_t z = e->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ z >> 31) >> 32) % bound;
}

static uint32_t word32(struct emitter *e) {
  return chance(e, 65536) << 16 | chance(e, 65536);
}

static void put(struct emitter *e, uint32_t word) {
  unsigned size = (word & 3) == 3 ? 4 : 2;
  memcpy(e->image + e->at, &word, size);
  e->at += size;
}

static bool enabled(const struct emitter *e, const struct isa_enc_info *enc) {
  return !enc->alias && (e->what->sets & ISA_BIT(enc->set));
}

static void fill_pools(struct emitter *e) {
  for (size_t i = 0; i < isa_enc_count; i++) {
    if (!enabled(e, &isa_encs[i]))
      continue;
    unsigned cls = isa_ops[isa_encs[i].op].cls;
    if (e->pool_size[cls] < POOL_MAX / 8)
      e->pool[cls][e->pool_size[cls]++] = (uint16_t)i;
  }
}

// A random word of encoding `enc` that decodes as such.
static bool draw_word(struct emitter *e, unsigned enc, struct isa_insn *insn) {
  const struct isa_enc_info *info = &isa_encs[enc];
  for (unsigned tries = 0; tries < 8; tries++) {
    uint32_t word = info->match | (word32(e) & ~info->mask);
    if (info->size == 2)
      word &= 0xffff;
    if (isa_decode(e->what->decoder, word, insn) && insn->enc == enc)
      return true;
  }
  return false;
}

static bool draw(struct emitter *e, enum isa_class cls, struct isa_insn *insn) {
  if (e->pool_size[cls] == 0)
    return false;
  return draw_word(e, e->pool[cls][chance(e, e->pool_size[cls])], insn);
}

// Registers come from a small set, so that hazards are frequent.
static uint8_t near(struct emitter *e, uint8_t reg) {
  if (chance(e, 3) == 0)
    return reg;
  return (uint8_t)((reg & 32) + 10 + chance(e, 6));
}

static void crowd(struct emitter *e, struct isa_insn *insn) {
  struct isa_insn tried = *insn;
  uint32_t word;
  tried.rd = near(e, insn->rd);
  tried.rs1 = near(e, insn->rs1);
  tried.rs2 = near(e, insn->rs2);
  if (insn->rs3 == insn->rd)
    tried.rs3 = tried.rd;
  if (isa_encode(&tried, &word)) {
    tried.word = word;
    *insn = tried;
  }
}

static bool protects(uint8_t reg) {
  return reg == REG_DATA_A || reg == REG_DATA_B;
}

// Keeps the data pointers: instructions that would overwrite them are not emitted.
static bool spoils(const struct isa_insn *insn) {
  return (insn->uses & ISA_USES_RD) && protects(insn->rd);
}

static void emit(struct emitter *e, struct isa_insn *insn) {
  if (spoils(insn))
    return;
  uint32_t word;
  if (isa_encode(insn, &word))
    put(e, word);
}

static void emit_class(struct emitter *e, enum isa_class cls) {
  struct isa_insn insn;
  if (!draw(e, cls, &insn))
    return;
  crowd(e, &insn);
  emit(e, &insn);
}

static void emit_access(struct emitter *e, enum isa_class cls) {
  struct isa_insn insn;
  if (!draw(e, cls, &insn))
    return;
  crowd(e, &insn);
  bool plain = e->what->flavour == RANDOM_PLAIN;
  if (plain || chance(e, 16))
    insn.rs1 = chance(e, 2) ? REG_DATA_A : REG_DATA_B;
  if (chance(e, 4) || insn.imm > 1024 || insn.imm < -1024) {
    struct isa_insn small = insn;
    small.imm = (int32_t)chance(e, 64) - (isa_encs[insn.enc].size == 2 ? 0 : 24);
    if (chance(e, 3))
      small.imm &= ~3;
    uint32_t word;
    if (isa_encode(&small, &word))
      insn = small;
  }
  if (plain && (insn.uses & (ISA_USES_RS2 | ISA_USES_RS3)) && !(insn.uses & ISA_USES_IMM))
    return;
  emit(e, &insn);
}

static int32_t jump_distance(struct emitter *e) {
  int32_t far = 2 + 2 * (int32_t)chance(e, 14);
  if (e->what->flavour != RANDOM_PLAIN && chance(e, 12) == 0)
    far = -far;
  return far;
}

static void emit_branch(struct emitter *e, enum isa_class cls) {
  struct isa_insn insn;
  if (!draw(e, cls, &insn))
    return;
  crowd(e, &insn);
  uint32_t word;
  for (unsigned tries = 0; tries < 8; tries++) {
    insn.imm = jump_distance(e);
    if (!spoils(&insn) && isa_encode(&insn, &word)) {
      put(e, word);
      return;
    }
  }
}

static void emit_some(struct emitter *e, unsigned depth);

static void put_auipc(struct emitter *e, unsigned rd) {
  put(e, 0x17u | rd << 7);
}

// auipc, some instructions, jalr that goes a little further.
static void emit_jump_register(struct emitter *e) {
  unsigned reg = chance(e, 2) ? REG_JUMP : 1;
  uint32_t base = e->at;
  put_auipc(e, reg);
  for (unsigned n = chance(e, 3); n > 0; n--)
    emit_class(e, ISA_CLASS_ALU);
  if (chance(e, 6) == 0) { // through memory
    put(e, 0x00000023u | reg << 20 | REG_DATA_A << 15 | 2 << 12 | 16 << 7);
    put(e, 0x00000003u | 16u << 20 | REG_DATA_A << 15 | 2 << 12 | reg << 7);
  }
  uint32_t distance = e->at - base + 4 + 2 * chance(e, 8);
  unsigned rd = chance(e, 3) == 0 ? reg : chance(e, 3);
  put(e, 0x67u | distance << 20 | reg << 15 | rd << 7);
}

static void emit_loop(struct emitter *e, unsigned depth) {
  struct isa_insn insn;
  if (!draw(e, ISA_CLASS_HWLOOP, &insn))
    return;
  bool corev = (e->what->sets & ISA_BIT(ISA_COREV)) != 0;
  bool legal = e->what->flavour == RANDOM_PLAIN || chance(e, 2);
  if (legal && insn.op != ISA_OP_lp_setupi)
    return;
  bool plain = insn.op == ISA_OP_lp_setupi;
  int32_t count = (int32_t)chance(e, 6);
  int32_t distance = (int32_t)chance(e, 15) * (corev ? 4 : 2);
  if (legal)
    distance = 4 * (3 + (int32_t)chance(e, 5)) - (corev ? 0 : 4);
  if (legal && (e->at & 2))
    put(e, 0x0001); // CORE-V loops are aligned
  if (plain || insn.op == ISA_OP_lp_counti)
    insn.imm = count;
  else
    insn.imm = distance;
  if (plain)
    insn.imm2 = (uint8_t)distance;
  uint32_t begin = e->at;
  emit(e, &insn);
  uint32_t end = begin + (uint32_t)distance + (corev ? 0 : 4);
  while (legal && e->at < end) {
    uint32_t before = e->at;
    if (chance(e, 4) == 0)
      emit_access(e, ISA_CLASS_LOAD);
    else
      emit_class(e, chance(e, 6) ? ISA_CLASS_ALU : ISA_CLASS_DIV);
    if (e->at - before == 2)
      put(e, 0x0001);
    if (e->at - before == 4 && corev && (e->image[before] & 3) != 3)
      e->at = before;
  }
  if (!legal && depth < 2)
    for (unsigned n = chance(e, 8); n > 0; n--)
      emit_some(e, depth + 1);
}

static void emit_csr(struct emitter *e) {
  static const uint16_t numbers[] = {0x300, 0x304, 0x340, 0x341, 0x342, 0x344, 0x301, 0x344, 0x340,
                                     0x320, 0xcc0, 0xcc2, 0x340, 0x304, 0x340, 0x001, 0x002, 0x003};
  struct isa_insn insn;
  if (!draw(e, ISA_CLASS_CSR, &insn))
    return;
  crowd(e, &insn);
  bool floats = (e->what->sets & ISA_BIT(ISA_RV32F)) != 0;
  bool corev = (e->what->sets & ISA_BIT(ISA_COREV)) != 0;
  insn.imm = numbers[chance(e, sizeof numbers / sizeof numbers[0] - (floats ? 0 : 3))];
  if (!corev && insn.imm >= 0xcc0)
    insn.imm = 0x7c0 + (int32_t)chance(e, 7); // hardware loops
  // Registers whose contents depend on the configuration are read into x0.
  bool plain_value = insn.imm == 0x340 || insn.imm == 0x341 || insn.imm == 0x342 ||
                     insn.imm >= 0x7c0 || insn.imm < 0x100;
  if (!plain_value)
    insn.rd = 0;
  bool writes = chance(e, 2);
  bool state = insn.imm == 0x300 || insn.imm == 0x305 || insn.imm == 0x002 || insn.imm == 0x003;
  if (!writes || state || insn.imm == 0x341) { // keep what the handler and the FPU rely on
    insn.rs1 = 0;
    insn.imm2 = 0;
    uint32_t word;
    if (insn.op == ISA_OP_csrrw || insn.op == ISA_OP_csrrwi)
      return;
    if (!isa_encode(&insn, &word))
      return;
  }
  emit(e, &insn);
}

// RI5CY: any CSR that says nothing of the configuration, mostly the counters.
static void emit_counter(struct emitter *e) {
  static const uint16_t others[] = {0xcc0, 0xcc1, 0x7e0, 0x7e1, 0xcc0, 0xcc1, 0x79f, 0x344, 0x304,
                                    0xb00, 0xb02, 0xc00, 0xc10, 0xf11, 0xf12, 0xf13, 0x320, 0x323,
                                    0x343, 0x7a1, 0x7a4, 0x001, 0x002, 0x003, 0x301};
  enum { COUNTERS = 17, CSRRW = 1, CSRRS = 2, SW = 2 };
  unsigned rd = 10 + chance(e, 6), rs1 = 10 + chance(e, 6), how = 1 + chance(e, 2);
  uint32_t number = chance(e, 3) ? 0x781 + chance(e, COUNTERS)
                                 : others[chance(e, sizeof others / sizeof *others)];
  bool selects = number == 0xcc0 || number == 0x7e0;
  if (selects ? chance(e, 2) : how != CSRRW || chance(e, 4)) // all on; or only read
    how = CSRRS, rs1 = selects && chance(e, 2) ? REG_ALL_ONES : 0;
  put(e, number << 20 | rs1 << 15 | how << 12 | rd << 7 | 0x73);
  if (chance(e, 4))
    put(e, 0x23u | SW << 12 | REG_DATA_B << 15 | rd << 20 | 4 * chance(e, 8) << 7);
}

static void emit_odd(struct emitter *e) {
  static const uint32_t words[] = {0x0000000f, 0x0000100f, 0x00000073, 0x00100073, 0x00000000,
                                   0xffffffff, 0x10500073, 0x0000100f, 0x9002,     0x00000013};
  if (e->what->flavour == RANDOM_PLAIN) {
    put(e, 0x0000100f);
    return;
  }
  uint32_t word = words[chance(e, sizeof words / sizeof words[0])];
  if (word == 0x10500073 && (e->what->sets & ISA_BIT(ISA_XPULPV2)))
    return; // sleeps for ever
  put(e, word);
}

// Weights of what is emitted next: one line per kind, one column per flavour.
enum emitted {
  E_ALU,
  E_MULH,
  E_DIV,
  E_LOAD,
  E_STORE,
  E_BRANCH,
  E_JAL,
  E_JALR,
  E_LOOP,
  E_CSR,
  E_ODD,
  E_FLOAT,
  E_FMEM,
  E_FDIV,
  E_KINDS
};
static const uint8_t weights[E_KINDS][RANDOM_INTERRUPTS] = {
    [E_ALU] = {34, 40, 30, 20, 20}, [E_MULH] = {4, 4, 2, 2, 2},    [E_DIV] = {4, 4, 4, 2, 2},
    [E_LOAD] = {14, 16, 8, 34, 8},  [E_STORE] = {9, 10, 4, 24, 4}, [E_BRANCH] = {9, 8, 3, 4, 4},
    [E_JAL] = {4, 4, 2, 2, 1},      [E_JALR] = {3, 4, 1, 2, 2},    [E_LOOP] = {5, 3, 40, 2, 1},
    [E_CSR] = {4, 3, 4, 2, 4},      [E_ODD] = {2, 1, 1, 1, 1},     [E_FLOAT] = {16, 16, 4, 4, 60},
    [E_FMEM] = {6, 6, 2, 6, 16},    [E_FDIV] = {2, 2, 1, 1, 5},
};

static void emit_float(struct emitter *e) {
  static const uint8_t classes[] = {ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_NONCOMP,
                                    ISA_CLASS_FP_CONV, ISA_CLASS_FP_ADDMUL};
  emit_class(e, (enum isa_class)classes[chance(e, sizeof classes)]);
}

static void emit_some(struct emitter *e, unsigned depth) {
  if (e->what->flavour == RANDOM_INTERRUPTS && chance(e, 40) == 0)
    put(e, 0x10500073); // wfi
  enum random_flavour flavour = e->what->flavour;
  if (flavour == RANDOM_COUNTERS && chance(e, 4) == 0)
    emit_counter(e);
  unsigned column = flavour >= RANDOM_INTERRUPTS ? RANDOM_MIXED : flavour, sum = 0;
  for (unsigned k = 0; k < E_KINDS; k++)
    sum += weights[k][column];
  unsigned pick = chance(e, sum), kind = 0;
  while (pick >= weights[kind][column])
    pick -= weights[kind++][column];
  switch (kind) {
  case E_ALU:
    emit_class(e, ISA_CLASS_ALU);
    break;
  case E_MULH:
    emit_class(e, ISA_CLASS_MULH);
    break;
  case E_DIV:
    emit_class(e, ISA_CLASS_DIV);
    break;
  case E_LOAD:
    emit_access(e, ISA_CLASS_LOAD);
    break;
  case E_STORE:
    emit_access(e, ISA_CLASS_STORE);
    break;
  case E_BRANCH:
    emit_branch(e, ISA_CLASS_BRANCH);
    break;
  case E_JAL:
    emit_branch(e, ISA_CLASS_JAL);
    break;
  case E_JALR:
    emit_jump_register(e);
    break;
  case E_LOOP:
    emit_loop(e, depth);
    break;
  case E_CSR:
    emit_csr(e);
    break;
  case E_ODD:
    emit_odd(e);
    break;
  case E_FLOAT:
    emit_float(e);
    break;
  case E_FMEM:
    emit_access(e, chance(e, 2) ? ISA_CLASS_FP_LOAD : ISA_CLASS_FP_STORE);
    break;
  case E_FDIV:
    emit_class(e, ISA_CLASS_FP_DIVSQRT);
    break;
  default:
    break;
  }
}

static void put_lui(struct emitter *e, unsigned rd, uint32_t value) {
  put(e, 0x37u | rd << 7 | (value & 0xfffff000u));
}

static void put_addi(struct emitter *e, unsigned rd, unsigned rs1, uint32_t imm) {
  put(e, 0x13u | rd << 7 | rs1 << 15 | imm << 20);
}

// The trap handler at 0: skips two bytes (a crossing word then traps again, or is something else).
static void emit_handler(struct emitter *e) {
  e->at = 0;
  put(e, 0x34102f73); // csrr x30, mepc
  put_addi(e, 30, 30, 2);
  put(e, 0x341f1073); // csrw mepc, x30
  put(e, 0x30200073); // mret
}

enum { INTERRUPT_LINES = 32 };

// The vectors behind the trap handler return at once.
static void emit_vectors(struct emitter *e) {
  for (unsigned i = 4; i < INTERRUPT_LINES; i++)
    put(e, 0x30200073); // mret
}

static void enable_interrupts(struct emitter *e) {
  put_addi(e, 31, 0, (uint32_t)-1);
  put(e, 0x304f9073); // csrw mie, x31
  put(e, 0x30046073); // csrsi mstatus, 8
}

static void emit_setup(struct emitter *e) {
  e->at = RANDOM_PROGRAM_ENTRY;
  if (e->what->flavour == RANDOM_INTERRUPTS)
    enable_interrupts(e);
  put_lui(e, 31, 0x6000);
  put(e, 0x300fa073); // csrs mstatus, x31: floats on
  for (unsigned r = 1; r < 32; r++) {
    put_lui(e, r, chance(e, 3) ? word32(e) : chance(e, 2) ? 0 : 0xfffff000);
    put_addi(e, r, r, chance(e, 4096));
  }
  if (e->what->flavour == RANDOM_COUNTERS)
    put_addi(e, REG_ALL_ONES, 0, (uint32_t)-1);
  put_lui(e, REG_DATA_A, RANDOM_PROGRAM_DATA + 0x1000);
  put_addi(e, REG_DATA_A, REG_DATA_A, (uint32_t)-1024 + 4 * chance(e, 64));
  put_lui(e, REG_DATA_B, RANDOM_PROGRAM_DATA);
  put_addi(e, REG_DATA_B, REG_DATA_B, 1024 + chance(e, 256));
  if (!(e->what->sets & ISA_BIT(ISA_RV32F)))
    return;
  for (unsigned f = 0; f < 32; f++) // flw f, 4 f(x8)
    put(e, 0x07u | f << 7 | 2 << 12 | REG_DATA_A << 15 | (4 * f) << 20);
}

static void emit_exit(struct emitter *e) {
  for (unsigned n = 0; n < 8; n++)
    put(e, 0x0001);
  put_lui(e, 31, 0x80000000);
  put(e, 0x000fa023); // sw x0, 0(x31)
  put(e, 0x0000006f); // j .
  put(e, 0x0000006f);
}

// Data: half of the words are floats of ordinary size or special ones.
static uint32_t datum(struct emitter *e) {
  static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff,
                                     0x3f800000, 0xbf800000, 0x40000000};
  switch (chance(e, 4)) {
  case 0:
    return special[chance(e, sizeof special / sizeof special[0])];
  case 1:
    return (word32(e) & 0x80ffffff) | (0x3c + chance(e, 8)) << 24;
  case 2:
    return (word32(e) & 0x80f00000) | (0x3f + chance(e, 2)) << 24;
  default:
    return word32(e);
  }
}

void random_program_data(uint64_t seed, uint8_t image[RANDOM_PROGRAM_SIZE]) {
  struct emitter e = {.state = ~seed * UINT64_C(0x2545f4914f6cdd1d)};
  for (uint32_t a = RANDOM_PROGRAM_DATA; a < RANDOM_PROGRAM_SIZE; a += 4) {
    uint32_t word = datum(&e);
    memcpy(image + a, &word, 4);
  }
}

void random_program(const struct random_program *what, uint8_t image[RANDOM_PROGRAM_SIZE]) {
  static struct emitter emitter; // large; the generator is used by one thread
  struct emitter *e = &emitter;
  memset(e, 0, sizeof *e);
  e->what = what;
  e->state = what->seed * UINT64_C(0x2545f4914f6cdd1d) + what->flavour;
  e->image = image;
  memset(image, 0, RANDOM_PROGRAM_SIZE);
  fill_pools(e);
  random_program_data(what->seed, image);
  emit_handler(e);
  if (what->flavour == RANDOM_INTERRUPTS)
    emit_vectors(e);
  emit_setup(e);
  for (unsigned n = 0; n < what->length && e->at < TEXT_END; n++)
    emit_some(e, 0);
  emit_exit(e);
}

bool random_program_write_elf(const uint8_t image[RANDOM_PROGRAM_SIZE], const char *path) {
  uint8_t head[84] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
  const uint32_t fields[] = {0x00f30002, 1,          RANDOM_PROGRAM_ENTRY, 52, 0,
                             0,          0x00200034, 0x00000001,           0};
  memcpy(head + 16, fields, sizeof fields);
  const uint32_t segment[8] = {1, sizeof head, 0, 0, RANDOM_PROGRAM_SIZE, RANDOM_PROGRAM_SIZE, 7,
                               4};
  memcpy(head + 52, segment, sizeof segment);
  FILE *f = fopen(path, "wb");
  if (!f)
    return false;
  bool ok = fwrite(head, sizeof head, 1, f) == 1 && fwrite(image, RANDOM_PROGRAM_SIZE, 1, f) == 1;
  return (fclose(f) == 0) && ok;
}
