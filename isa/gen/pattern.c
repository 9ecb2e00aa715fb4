// isa/gen/pattern.c: from the text of a bit pattern to mask, match and steps.
#include <stdlib.h>
#include <string.h>

#include "isagen.h"

struct parser {
  const struct row *row;
  const struct enc_source *enc;
  struct pattern *out;
  int bit;                         // bits still to place below the current token
  uint32_t placed[SLOT_COUNT];     // bits of each slot that have a place
  bool sign[SLOT_COUNT];           // the slot is sign-extended
  struct isa_step late[MAX_STEPS]; // steps that follow the fields
  int late_count;
};

static _Noreturn void fail(const struct parser *p, const char *what, const char *token) {
  row_error(p->row, p->enc->mnemonic, what, token);
}

static void add_step(struct parser *p, struct isa_step step) {
  if (p->out->step_count == MAX_STEPS)
    fail(p, "too many steps in pattern", p->enc->pattern);
  p->out->steps[p->out->step_count++] = step;
}

static void add_late(struct parser *p, struct isa_step step) {
  if (p->late_count == MAX_STEPS)
    fail(p, "too many steps in pattern", p->enc->pattern);
  p->late[p->late_count++] = step;
}

// Takes `width` bits of the word and returns the lowest one's number.
static int take_bits(struct parser *p, int width, const char *token) {
  p->bit -= width;
  if (p->bit < 0)
    fail(p, "pattern is longer than the word at", token);
  return p->bit;
}

static void add_field(struct parser *p, int slot, int width, unsigned shift, const char *token) {
  int lo = take_bits(p, width, token);
  uint32_t bits = (uint32_t)((UINT64_C(1) << width) - 1) << shift;
  if (p->placed[slot] & bits)
    fail(p, "operand bits placed twice by", token);
  p->placed[slot] |= bits;
  add_step(p,
           (struct isa_step){STEP_FIELD, (uint8_t)slot, (int8_t)lo, (int8_t)width, (int8_t)shift});
}

// Register, immediate or loop number: slot of the name at `*text`, which moves past it.
// `uses` receives the ISA_USES_* bits. -1 if there is no such name.
static int parse_slot(const char **text, uint16_t *uses) {
  static const struct {
    const char *name;
    int slot;
    uint16_t uses;
  } names[] = {
      {"imm2", SLOT_IMM2, ISA_USES_IMM2},
      {"uimm", SLOT_IMM, ISA_USES_IMM},
      {"imm", SLOT_IMM, ISA_USES_IMM},
      {"loop", SLOT_RD, 0},
      {"frs1", SLOT_RS1, ISA_USES_RS1 | ISA_RS1_FP},
      {"frs2", SLOT_RS2, ISA_USES_RS2 | ISA_RS2_FP},
      {"frs3", SLOT_RS3, ISA_USES_RS3 | ISA_RS3_FP},
      {"frd", SLOT_RD, ISA_USES_RD | ISA_RD_FP},
      {"rs1!", SLOT_RS1, ISA_USES_RS1 | ISA_WRITES_RS1},
      {"rs1", SLOT_RS1, ISA_USES_RS1},
      {"rs2", SLOT_RS2, ISA_USES_RS2},
      {"rs3", SLOT_RS3, ISA_USES_RS3},
      {"rd", SLOT_RD, ISA_USES_RD},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    size_t n = strlen(names[i].name);
    if (strncmp(*text, names[i].name, n) != 0)
      continue;
    // `rs1!=0` is a constraint on rs1, not the written register.
    if (names[i].name[n - 1] == '!' && (*text)[n] == '=')
      continue;
    *text += n;
    *uses = names[i].uses;
    return names[i].slot;
  }
  return -1;
}

// "[12|10:5]" after an immediate's name.
static void parse_ranges(struct parser *p, int slot, const char *text, const char *token) {
  do {
    char *end;
    unsigned long hi = strtoul(text + 1, &end, 10), lo = hi;
    if (*end == ':')
      lo = strtoul(end + 1, &end, 10);
    if (end == text + 1 || hi > 31 || lo > hi || (*end != '|' && *end != ']'))
      fail(p, "malformed bit range", token);
    add_field(p, slot, (int)(hi - lo + 1), (unsigned)lo, token);
    text = end;
  } while (*text == '|');
  if (text[1] != '\0')
    fail(p, "malformed bit range", token);
}

// "=2", "=rd", "!=0" after a name.
static void parse_constraint(struct parser *p, int slot, const char *text, const char *token) {
  bool negated = text[0] == '!';
  text += negated ? 2 : 1;
  uint16_t uses;
  int other = parse_slot(&text, &uses);
  char *end = (char *)(uintptr_t)text;
  long value = other < 0 ? strtol(text, &end, 10) : other;
  if (*end != '\0' || value < -128 || value > 127 || (other >= 0 && negated))
    fail(p, "malformed constraint", token);
  uint8_t kind = negated ? STEP_NOT : other < 0 ? STEP_SET : STEP_TIE;
  add_late(p, (struct isa_step){kind, (uint8_t)slot, (int8_t)value, 0, 0});
}

static void parse_bits(struct parser *p, const char *token) {
  for (const char *c = token; *c != '\0'; c++) {
    int lo = take_bits(p, 1, token);
    if (*c == '-')
      continue;
    if (*c != '0' && *c != '1')
      fail(p, "unknown token", token);
    p->out->mask |= UINT32_C(1) << lo;
    p->out->match |= (uint32_t)(*c - '0') << lo;
  }
}

static void parse_token(struct parser *p, const char *token) {
  if (strcmp(token, "!zfinx") == 0) {
    p->out->no_zfinx = true;
    return;
  }
  if (strcmp(token, "rm") == 0) {
    add_field(p, SLOT_IMM2, 3, 0, token);
    p->out->uses |= ISA_USES_IMM2;
    add_late(p, (struct isa_step){STEP_RM, SLOT_IMM2, 0, 0, 0});
    return;
  }
  const char *rest = token;
  uint16_t uses = 0;
  int slot = parse_slot(&rest, &uses);
  if (slot < 0) {
    parse_bits(p, token);
    return;
  }
  p->out->uses |= uses;
  if (*rest == '[') {
    p->sign[slot] = p->sign[slot] || (slot == SLOT_IMM && token[0] == 'i');
    parse_ranges(p, slot, rest, token);
  } else if (*rest == '=' || *rest == '!')
    parse_constraint(p, slot, rest, token);
  else if (*rest == '\'' && rest[1] == '\0') {
    add_field(p, slot, 3, 0, token);
    add_late(p, (struct isa_step){STEP_PRIME, (uint8_t)slot, 0, 0, 0});
  } else if (*rest == '\0' && slot < SLOT_IMM)
    add_field(p, slot, 5, 0, token);
  else
    fail(p, "unknown token", token);
}

static int bits_of(const char *pattern) {
  size_t n = strlen(pattern);
  // A compressed pattern ends in 00, 01 or 10; a word in 11. Zero-width tokens may follow.
  const char *end = pattern + n;
  const char *last = NULL;
  for (const char *c = pattern; c < end; c++)
    if ((c == pattern || c[-1] == ' ') && strspn(c, "01-") > 0 &&
        (c[strspn(c, "01-")] == ' ' || c[strspn(c, "01-")] == '\0'))
      last = c + strspn(c, "01-");
  if (last == NULL || last - pattern < 2)
    return 0;
  return last[-1] == '1' && last[-2] == '1' ? 32 : 16;
}

void pattern_parse(const struct row *row, const struct enc_source *enc, struct pattern *out) {
  *out = (struct pattern){0};
  struct parser p = {.row = row, .enc = enc, .out = out, .bit = bits_of(enc->pattern)};
  out->size = p.bit / 8;
  char text[256];
  if (snprintf(text, sizeof text, "%s", enc->pattern) >= (int)sizeof text)
    fail(&p, "pattern too long", enc->pattern);
  for (char *token = strtok(text, " "); token != NULL; token = strtok(NULL, " "))
    parse_token(&p, token);
  if (p.bit != 0)
    fail(&p, "pattern does not fill the word", enc->pattern);
  for (int slot = 0; slot < SLOT_COUNT; slot++)
    if (p.sign[slot] && p.placed[slot] != 0 && p.placed[slot] < UINT32_C(0x80000000))
      add_step(&p, (struct isa_step){STEP_SIGN, (uint8_t)slot,
                                     (int8_t)(31 - __builtin_clz(p.placed[slot])), 0, 0});
  for (int i = 0; i < p.late_count; i++)
    add_step(&p, p.late[i]);
}
