// tests/fuzz/fuzz_word.c: any word as an instruction of each set; what it does with any registers.
#include <stdlib.h>
#include <string.h>

#include "core/step.h"
#include "isa/isa.h"
#include "tests/fuzz/fuzz.h"

static uint32_t mix(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  return *state ^= *state << 5;
}

static const struct isa_decoder *decoder(unsigned i) {
  static struct isa_decoder *made[4];
  uint32_t common = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) |
                    ISA_BIT(ISA_RV32F) | ISA_BIT(ISA_ZICSR) | ISA_BIT(ISA_ZIFENCEI) |
                    ISA_BIT(ISA_PRIV);
  uint32_t small = ISA_BIT(ISA_XF16) | ISA_BIT(ISA_XF16ALT) | ISA_BIT(ISA_XFVEC);
  if (!made[i])
    made[i] = isa_decoder_new(
        common | (i & 1 ? ISA_BIT(ISA_COREV) : ISA_BIT(ISA_XPULPV2) | ISA_BIT(ISA_XPULPNN) | small),
        i & 2);
  return made[i];
}

// Text of an instruction; decoding the encoded instruction again gives the same one.
static void check_round_trip(const struct isa_decoder *dec, const struct isa_insn *insn) {
  char text[96];
  struct isa_insn again;
  uint32_t word = 0;
  if (isa_disassemble(insn, 0x1000, text, sizeof text) <= 0)
    abort();
  if (!isa_encode(insn, &word))
    return; // decoded with bits that the encoder always writes as 0
  if (!isa_decode(dec, word, &again) || again.op != insn->op || again.imm != insn->imm ||
      again.rd != insn->rd || again.rs1 != insn->rs1 || again.rs2 != insn->rs2)
    abort();
}

// A region mark of the program.
static void ignore_region(void *self, struct core *c, unsigned id, bool begin, cycle_t now) {
  (void)self, (void)c, (void)id, (void)begin, (void)now;
}

static void execute(const struct isa_insn *insn, uint32_t seed, bool corev) {
  static struct core c;
  static struct engine engine;
  static struct core_host host = {.region = ignore_region};
  struct step_outcome out;
  memset(&c, 0, sizeof c);
  c.host = &host;
  c.engine = &engine;
  c.corev = corev;
  for (unsigned i = 1; i < 64; i++)
    c.r[i] = mix(&seed) & 1 ? mix(&seed) : (uint32_t)(mix(&seed) % 7) - 3;
  c.csr.frm = mix(&seed) % 5;
  if (isa_ops[insn->op].cls == ISA_CLASS_CSR || isa_ops[insn->op].cls == ISA_CLASS_HWLOOP)
    return; // these reach into the machine: see fuzz_program
  step_issue(&c, insn, 0x1000, &out);
  if (out.kind == STEP_MEMORY) {
    if (out.mem.size == 0 || out.mem.size > 4)
      abort();
    step_complete(&c, insn, 0x1000, mix(&seed));
  }
  if (c.r[0] != 0)
    abort();
}

int fuzz_word(const uint8_t *data, size_t size) {
  uint32_t word, seed = 0x2545f491;
  if (size < 4)
    return 0;
  memcpy(&word, data, 4);
  for (size_t i = 4; i < size; i++)
    seed = (seed ^ data[i]) * 16777619;
  seed |= 1;
  for (unsigned i = 0; i < 4; i++) {
    struct isa_insn insn;
    if (!decoder(i))
      return 0;
    if (!isa_decode(decoder(i), word, &insn))
      continue;
    check_round_trip(decoder(i), &insn);
    execute(&insn, seed, i & 1);
  }
  return 0;
}
