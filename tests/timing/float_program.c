#include "float_program.h"

#include <string.h>

#include "isa_ops.h"

enum { BASE = 8, POINTER = 9, OTHER_POINTER = 18, STEP = 19, JUMP = 5, HOME = 20 };
enum { POOL = 512, DEVICE = 31, TEXT_END = 0x1d00, PERSISTENT = 6 };

struct emitter {
  const struct random_program *what;
  uint64_t state;
  uint8_t *image;
  uint32_t at, data;
  uint16_t pool[ISA_CLASS_COUNT][POOL];
  uint16_t size[ISA_CLASS_COUNT];
};

static uint32_t chance(struct emitter *e, uint32_t bound) { // splitmix64
  uint64_t z = e->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ z >> 31) >> 32) % bound;
}

static void put_at(struct emitter *e, uint32_t at, uint32_t word) {
  memcpy(e->image + at, &word, (word & 3) == 3 ? 4 : 2);
}

static void put(struct emitter *e, uint32_t word) {
  put_at(e, e->at, word);
  e->at += (word & 3) == 3 ? 4 : 2;
}

static bool moves(const struct isa_enc_info *enc) {
  return (enc->uses & ISA_WRITES_RS1) != 0;
}

// Loads and stores are those with increments, and the plain ones of words.
static bool is_wanted(const struct emitter *e, const struct isa_enc_info *enc) {
  if (e->what->crossing)
    return true;
  enum isa_class cls = isa_ops[enc->op].cls;
  if (cls == ISA_CLASS_LOAD || cls == ISA_CLASS_STORE)
    return moves(enc) || enc->op == ISA_OP_lw || enc->op == ISA_OP_sw;
  return true;
}

static void fill_pools(struct emitter *e) {
  for (size_t i = 0; i < isa_enc_count; i++) {
    const struct isa_enc_info *enc = &isa_encs[i];
    unsigned cls = isa_ops[enc->op].cls;
    bool enabled = !enc->alias && (e->what->sets & ISA_BIT(enc->set)) && enc->size == 4;
    if (enabled && is_wanted(e, enc) && e->size[cls] < POOL)
      e->pool[cls][e->size[cls]++] = (uint16_t)i;
  }
}

static bool draw(struct emitter *e, enum isa_class cls, struct isa_insn *insn) {
  unsigned enc = e->pool[cls][chance(e, e->size[cls])];
  const struct isa_enc_info *info = &isa_encs[enc];
  for (unsigned tries = 0; tries < 8; tries++) {
    uint32_t word = info->match | ((chance(e, 65536) << 16 | chance(e, 65536)) & ~info->mask);
    if (isa_decode(e->what->decoder, word, insn) && insn->enc == enc)
      return true;
  }
  return false;
}

// Registers that results go to and operands come from: x10 to x15, f10 to f15.
static uint8_t near(struct emitter *e, uint8_t reg) {
  return (uint8_t)((reg & 32) + 10 + chance(e, 6));
}

static bool put_insn(struct emitter *e, const struct isa_insn *insn) {
  uint32_t word;
  if (!isa_encode(insn, &word))
    return false;
  put(e, word);
  return true;
}

static void emit_class(struct emitter *e, enum isa_class cls) {
  struct isa_insn insn;
  if (!draw(e, cls, &insn))
    return;
  insn.rd = near(e, insn.rd);
  insn.rs1 = near(e, insn.rs1);
  insn.rs2 = near(e, insn.rs2);
  if (insn.uses & ISA_USES_RS3)
    insn.rs3 = isa_ops[insn.op].cls == ISA_CLASS_ALU || insn.rs3 < 32 ? insn.rd : near(e, insn.rs3);
  put_insn(e, &insn);
}

static void emit_access(struct emitter *e, enum isa_class cls) {
  struct isa_insn insn;
  if (!draw(e, cls, &insn))
    return;
  bool moving = moves(&isa_encs[insn.enc]);
  insn.rd = near(e, insn.rd);
  insn.rs1 = !moving ? BASE : chance(e, 2) ? POINTER : OTHER_POINTER;
  int unit = e->what->crossing ? 1 : 4;
  insn.imm = moving ? unit * ((int)chance(e, 9) - 4) : unit * (int)chance(e, 64);
  if (cls == ISA_CLASS_STORE) {
    insn.rs2 = near(e, insn.rs2);
    insn.rs3 = STEP;
  } else {
    insn.rs2 = STEP;
  }
  put_insn(e, &insn);
}

static void emit_simple(struct emitter *e) {
  static const uint8_t kinds[] = {ISA_CLASS_ALU,       ISA_CLASS_ALU,       ISA_CLASS_ALU,
                                  ISA_CLASS_ALU,       ISA_CLASS_DIV,       ISA_CLASS_LOAD,
                                  ISA_CLASS_LOAD,      ISA_CLASS_LOAD,      ISA_CLASS_LOAD,
                                  ISA_CLASS_STORE,     ISA_CLASS_STORE,     ISA_CLASS_STORE,
                                  ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_ADDMUL,
                                  ISA_CLASS_FP_ADDMUL, ISA_CLASS_FP_CONV,   ISA_CLASS_FP_NONCOMP,
                                  ISA_CLASS_FP_LOAD,   ISA_CLASS_FP_STORE,  ISA_CLASS_FP_DIVSQRT};
  enum isa_class cls = (enum isa_class)kinds[chance(e, sizeof kinds)];
  if (cls == ISA_CLASS_DIV && e->what->crossing && chance(e, 4))
    cls = ISA_CLASS_MULH;
  switch (cls) {
  case ISA_CLASS_LOAD:
  case ISA_CLASS_STORE:
    emit_access(e, cls);
    break;
  case ISA_CLASS_FP_LOAD:
    put(e, 0x00042007u | (10 + chance(e, 6)) << 7 | 4 * chance(e, 64) << 20); // flw f, n(x8)
    break;
  case ISA_CLASS_FP_STORE:
    put(e, 0x00042027u | (10 + chance(e, 6)) << 20 | 4 * chance(e, 8) << 7); // fsw f, n(x8)
    break;
  default:
    emit_class(e, cls);
    break;
  }
}

static void emit_several(struct emitter *e, unsigned most) {
  for (unsigned n = chance(e, most); n > 0; n--)
    emit_simple(e);
}

// Over a few instructions.
static void emit_branch(struct emitter *e) {
  struct isa_insn insn;
  bool jumps = chance(e, 4) == 0;
  uint32_t from = e->at;
  if (!draw(e, jumps ? ISA_CLASS_JAL : ISA_CLASS_BRANCH, &insn))
    return;
  e->at += 4;
  emit_several(e, PERSISTENT);
  insn.rd = 1;
  insn.rs1 = near(e, insn.rs1);
  if (insn.uses & ISA_USES_RS2)
    insn.rs2 = near(e, insn.rs2);
  insn.imm = (int32_t)(e->at - from);
  uint32_t word;
  put_at(e, from, isa_encode(&insn, &word) ? word : 0x13);
}

// Through a register written right in front, or through memory.
static void emit_jump_register(struct emitter *e) {
  uint32_t from = e->at;
  put(e, 0x17u | JUMP << 7); // auipc
  if (chance(e, 3) == 0) {
    put(e, 0x2023u | JUMP << 20 | HOME << 15);
    put(e, 0x2003u | HOME << 15 | JUMP << 7);
  } else {
    emit_several(e, 3);
  }
  uint32_t jump = e->at;
  e->at += 4;
  emit_several(e, PERSISTENT);
  put_at(e, jump, 0x67u | (e->at - from) << 20 | JUMP << 15 | (chance(e, 2) ? JUMP : 1) << 7);
}

// lp.setupi: a body of three instructions or more.
static void emit_loop(struct emitter *e) {
  uint32_t from = e->at;
  if (e->at & 2)
    put(e, 0x0001), from = e->at;
  e->at += 4;
  while (e->at < from + 4 + 12)
    emit_simple(e);
  emit_several(e, 4);
  uint32_t last = e->at - from - 4;
  if (last < 62)
    put_at(e, from, 0x0000507bu | chance(e, 5) << 20 | last >> 1 << 15 | chance(e, 2) << 7);
  else
    put_at(e, from, 0x13);
}

static void emit_csr(struct emitter *e) {
  static const uint32_t words[] = {
      0x00102573, // csrr x10,fflags
      0x001515f3, // csrrw x11,fflags,x10
      0x00202673, // csrr x12,frm
      0x00215073, // csrwi frm,2
      0x00205073, // csrwi frm,0
      0x34059673, // csrrw x12,mscratch,x11
      0x34062573, // csrrs x10,mscratch,x12
  };
  put(e, words[chance(e, sizeof words / sizeof *words)]);
}

static void emit_some(struct emitter *e) {
  switch (chance(e, 16)) {
  case 0:
    emit_branch(e);
    break;
  case 1:
    emit_jump_register(e);
    break;
  case 2:
    emit_loop(e);
    break;
  case 3:
    emit_csr(e);
    break;
  default:
    emit_simple(e);
    break;
  }
}

static void put_address(struct emitter *e, unsigned rd, uint32_t address) {
  put(e, 0x37u | rd << 7 | ((address + 0x800) & 0xfffff000u));
  put(e, 0x13u | rd << 7 | rd << 15 | (address & 0xfff) << 20);
}

static void emit_set_up(struct emitter *e) {
  put_address(e, BASE, e->data + 0x400);
  put_address(e, POINTER, e->data + 0x800 + 4 * chance(e, 64));
  put_address(e, OTHER_POINTER, e->data + 0xc00 + 4 * chance(e, 64));
  put_address(e, STEP, (e->what->crossing ? 1 : 4) * chance(e, 5));
  put_address(e, HOME, e->data + 0x100);
  for (unsigned r = 10; r < 16; r++) {
    put_address(e, r, chance(e, 3) ? chance(e, 4096) : chance(e, 65536) << 16 | chance(e, 65536));
    put(e, 0x00042007u | r << 7 | 4 * chance(e, 64) << 20); // flw
  }
}

// All that the program may have changed.
static void emit_end(struct emitter *e) {
  for (unsigned r = 1; r < 22; r++)
    put(e, 0x2023u | HOME << 15 | r << 20 | (4 * r & 31) << 7 | (4 * r >> 5) << 25);
  for (unsigned f = 10; f < 16; f++)
    put(e, 0x2027u | HOME << 15 | f << 20 | (4 * f & 31) << 7 | (4 + (4 * f >> 5)) << 25);
  put(e, 0x00102573); // csrr x10,fflags
  put(e, 0x2023u | HOME << 15 | 10u << 20);
}

enum { MOST_SUBNORMAL = 0x007fffff, HALF_FLOAT = 0x3f000000 };

static void fill_data(struct emitter *e) {
  random_program_data(e->what->seed, e->image);
  for (uint32_t at = RANDOM_PROGRAM_DATA; at < RANDOM_PROGRAM_SIZE; at += 4) {
    uint32_t word, half = HALF_FLOAT;
    memcpy(&word, e->image + at, sizeof word);
    if (word == MOST_SUBNORMAL)
      memcpy(e->image + at, &half, sizeof half);
  }
}

static struct emitter *begin(const struct random_program *what, uint8_t *image, uint32_t data) {
  static struct emitter emitter; // large; the generator is used by one thread
  struct emitter *e = &emitter;
  memset(e, 0, sizeof *e);
  e->what = what;
  e->state = what->seed * UINT64_C(0x2545f4914f6cdd1d);
  e->image = image;
  e->data = data;
  fill_pools(e);
  return e;
}

static void emit_all(struct emitter *e) {
  emit_set_up(e);
  for (unsigned n = 0; n < e->what->length && e->at < TEXT_END - 512; n++)
    emit_some(e);
  emit_end(e);
}

uint32_t float_program_code(const struct random_program *what, uint32_t data,
                            uint8_t code[RANDOM_PROGRAM_SIZE]) {
  struct emitter *e = begin(what, code, data);
  emit_all(e);
  return e->at;
}

void float_program(const struct random_program *what, uint8_t image[RANDOM_PROGRAM_SIZE]) {
  memset(image, 0, RANDOM_PROGRAM_SIZE);
  struct emitter *e = begin(what, image, RANDOM_PROGRAM_DATA);
  e->at = RANDOM_PROGRAM_ENTRY;
  fill_data(e);
  put_address(e, DEVICE, 0x80000000);
  emit_all(e);
  put(e, 0x000fa023); // sw x0,0(x31)
  put(e, 0x0000006f); // j .
}
