// isa/gen/form.c: which .insn form writes an encoding.
#include "isagen.h"

static const struct isa_step *field_at(const struct pattern *p, int lo, int width) {
  for (int i = 0; i < p->step_count; i++)
    if (p->steps[i].kind == STEP_FIELD && p->steps[i].a == lo && p->steps[i].b == width)
      return &p->steps[i];
  return NULL;
}

// The slot of the register in the five bits from `lo` on, -1 if there is none.
static int register_at(const struct pattern *p, int lo) {
  const struct isa_step *s = field_at(p, lo, 5);
  return s != NULL && s->slot <= SLOT_RS3 ? s->slot : -1;
}

struct form form_of(const struct pattern *p) {
  struct form f = {.opcode = p->match & 0x7f,
                   .funct3 = p->match >> 12 & 7,
                   .a = register_at(p, 7),
                   .b = register_at(p, 15),
                   .c = register_at(p, 20),
                   .d = register_at(p, 27),
                   .fixed = {p->match >> 7 & 31, p->match >> 15 & 31, p->match >> 20 & 31},
                   .upper = p->match >> 25,
                   .upper_lo = 25};
  const struct isa_step *funct3 = field_at(p, 12, 3);
  if (funct3 != NULL)
    f.funct3 = 7; // a rounding mode: dynamic
  if (f.d >= 0) {
    f.kind = FORM_R4;
    f.upper &= 3;
  } else if (f.c >= 0 && f.a < 0 && field_at(p, 25, 7) != NULL)
    f.kind = FORM_S;
  else if (f.c >= 0)
    f.kind = FORM_R;
  else if (f.opcode != 0x0b && (p->uses & ISA_USES_RD) == 0 && field_at(p, 7, 1) != NULL)
    f.kind = FORM_BRANCH;
  else if ((p->uses & ISA_USES_RD) == 0 && field_at(p, 31, 1) != NULL)
    f.kind = FORM_BRANCH;
  else {
    f.kind = FORM_I;
    f.upper = p->match >> 20;
    f.upper_lo = 20;
  }
  return f;
}

void upper_expression(const struct pattern *p, const struct form *f, const char *open,
                      const char *close, bool signed12, char *buf, int size) {
  static const char *const names[SLOT_COUNT] = {[SLOT_IMM] = "imm", [SLOT_IMM2] = "imm2"};
  int n = snprintf(buf, (size_t)size, "%#x", f->upper);
  bool constant = true;
  for (int i = 0; i < p->step_count; i++) {
    const struct isa_step *s = &p->steps[i];
    if (s->kind != STEP_FIELD || s->slot < SLOT_IMM || s->a < f->upper_lo)
      continue;
    constant = false;
    if (s->b == 12 && s->c == 0 && signed12) {
      snprintf(buf, (size_t)size, "%s%s%s", open, names[s->slot], close);
      return;
    }
    n += snprintf(buf + n, (size_t)(size - n), "|(((%s%s%s)>>%d&%#x)<<%d)", open, names[s->slot],
                  close, s->c, (1u << s->b) - 1, s->a - f->upper_lo);
  }
  if (constant && signed12)
    snprintf(buf, (size_t)size, "%d", (int)(f->upper ^ 0x800) - 0x800);
  else if (signed12 && n < size) {
    char inner[256];
    snprintf(inner, sizeof inner, "%s", buf);
    snprintf(buf, (size_t)size, "(((%s)^0x800)-0x800)", inner);
  }
}

void immediate_range(const struct pattern *p, enum isa_slot slot, long *min, long *max) {
  long bits = 0;
  *min = 0;
  for (int i = 0; i < p->step_count; i++) {
    const struct isa_step *s = &p->steps[i];
    if (s->slot == slot && s->kind == STEP_FIELD)
      bits |= ((1L << s->b) - 1) << s->c;
    else if (s->slot == slot && s->kind == STEP_SIGN) {
      *min = -(1L << s->a);
      bits &= ~(1L << s->a);
    }
  }
  *max = bits;
}
