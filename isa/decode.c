// isa/decode.c: from a word to its row and operands.
#include <stdlib.h>
#include <string.h>

#include "isa/tables.h"

// Words are sorted by the bits that nearly all patterns fix. A 32-bit word: opcode and
// funct3; a compressed one: the two opcode bits and funct3.
enum { WIDE_KEYS = 32 * 8, NARROW_KEYS = 3 * 8, KEYS = WIDE_KEYS + NARROW_KEYS };

struct isa_decoder {
  bool zfinx;
  uint16_t first[KEYS + 1]; // candidates of key k: list[first[k]] up to list[first[k + 1]]
  uint16_t *list;
};

static unsigned key_of(uint32_t word) {
  if ((word & 3) == 3)
    return (word >> 2 & 31) << 3 | (word >> 12 & 7);
  return WIDE_KEYS + ((word & 3) << 3 | (word >> 13 & 7));
}

// The bits of the key that the pattern of `e` leaves open, as a mask of key bits.
static unsigned open_key_bits(const struct isa_enc_info *e) {
  uint32_t open = ~e->mask;
  return e->size == 4 ? (open >> 2 & 31) << 3 | (open >> 12 & 7) : open >> 13 & 7;
}

static bool enabled(const struct isa_enc_info *e, uint32_t sets, bool zfinx) {
  return (sets & ISA_BIT(e->set)) != 0 && !e->alias && !(zfinx && e->no_zfinx);
}

// Adds encoding `enc` to the candidates of one key, of which there are `count` so far. Those
// that fix more bits come first, so that a pattern that ignores bits yields to one that does
// not.
static void insert(uint16_t *list, unsigned count, uint16_t enc) {
  int bits = __builtin_popcount(isa_encs[enc].mask);
  unsigned i = count;
  for (; i > 0 && __builtin_popcount(isa_encs[list[i - 1]].mask) < bits; i--)
    list[i] = list[i - 1];
  list[i] = enc;
}

// Counts the candidates of every key in `count`, and lists them if there is a list.
static void fill(struct isa_decoder *dec, uint32_t sets, uint16_t count[KEYS]) {
  memset(count, 0, KEYS * sizeof count[0]);
  for (size_t i = 0; i < isa_enc_count; i++) {
    const struct isa_enc_info *e = &isa_encs[i];
    if (!enabled(e, sets, dec->zfinx))
      continue;
    unsigned open = open_key_bits(e), base = key_of(e->match) & ~open, bits = open;
    for (;; bits = (bits - 1) & open) { // every subset of the open bits
      unsigned key = base + bits;
      if (dec->list != NULL)
        insert(dec->list + dec->first[key], count[key], (uint16_t)i);
      count[key]++;
      if (bits == 0)
        break;
    }
  }
}

struct isa_decoder *isa_decoder_new(uint32_t sets, bool zfinx) {
  uint16_t count[KEYS];
  struct isa_decoder *dec = malloc(sizeof *dec);
  if (dec == NULL)
    return NULL;
  dec->zfinx = zfinx;
  dec->list = NULL;
  fill(dec, sets, count);
  dec->first[0] = 0;
  for (unsigned key = 0; key < KEYS; key++)
    dec->first[key + 1] = (uint16_t)(dec->first[key] + count[key]);
  dec->list = malloc((dec->first[KEYS] + 1u) * sizeof *dec->list);
  if (dec->list == NULL) {
    free(dec);
    return NULL;
  }
  fill(dec, sets, count);
  return dec;
}

void isa_decoder_free(struct isa_decoder *dec) {
  if (dec != NULL)
    free(dec->list);
  free(dec);
}

static int32_t sign_extend(int32_t value, int bit) {
  uint32_t sign = UINT32_C(1) << bit;
  return (int32_t)(((uint32_t)value ^ sign) - sign);
}

bool isa_take_apart(uint32_t enc, uint32_t word, int32_t value[SLOT_COUNT]) {
  memset(value, 0, SLOT_COUNT * sizeof value[0]);
  for (unsigned i = isa_first_step[enc]; i < isa_first_step[enc + 1]; i++) {
    const struct isa_step *s = &isa_steps[i];
    int32_t *v = &value[s->slot];
    switch (s->kind) {
    case STEP_FIELD:
      *v |= (int32_t)((word >> s->a & (uint32_t)((UINT64_C(1) << s->b) - 1)) << s->c);
      break;
    case STEP_SIGN:
      *v = sign_extend(*v, s->a);
      break;
    case STEP_PRIME:
      *v += 8;
      break;
    case STEP_SET:
      *v = (int32_t)s->a;
      break;
    case STEP_TIE:
      *v = value[s->a];
      break;
    case STEP_NOT:
      if (*v == s->a)
        return false;
      break;
    case STEP_RM:
      if (*v == 5 || *v == 6)
        return false;
      break;
    }
  }
  return true;
}

static uint8_t reg(int32_t number, unsigned uses, unsigned fp_bit, bool zfinx) {
  return (uint8_t)(number + ((uses & fp_bit) != 0 && !zfinx ? 32 : 0));
}

bool isa_decode(const struct isa_decoder *dec, uint32_t word, struct isa_insn *out) {
  if ((word & 3) != 3)
    word &= 0xffff;
  unsigned key = key_of(word);
  for (unsigned i = dec->first[key]; i < dec->first[key + 1]; i++) {
    uint16_t enc = dec->list[i];
    const struct isa_enc_info *e = &isa_encs[enc];
    int32_t value[SLOT_COUNT];
    if (((word ^ e->match) & e->mask) != 0 || !isa_take_apart(enc, word, value))
      continue;
    *out = (struct isa_insn){
        .word = word,
        .imm = value[SLOT_IMM],
        .op = e->op,
        .enc = enc,
        .uses = e->uses,
        .size = e->size,
        .rd = reg(value[SLOT_RD], e->uses, ISA_RD_FP, dec->zfinx),
        .rs1 = reg(value[SLOT_RS1], e->uses, ISA_RS1_FP, dec->zfinx),
        .rs2 = reg(value[SLOT_RS2], e->uses, ISA_RS2_FP, dec->zfinx),
        .rs3 = reg(value[SLOT_RS3], e->uses, ISA_RS3_FP, dec->zfinx),
        .imm2 = (uint8_t)value[SLOT_IMM2],
    };
    return true;
  }
  return false;
}

int isa_find(const char *mnemonic, int from) {
  for (size_t i = (size_t)from; i < isa_enc_count; i++)
    if (strcmp(isa_encs[i].mnemonic, mnemonic) == 0)
      return (int)i;
  return -1;
}
