// The commit log of riscv-isa-sim (`spike -l --log-commits`): for comparing with it and for tools
// that read it. Privilege is always 3: these cores have machine mode only.
#include "observe/text.h"
#include "observe/trace.h"

enum { LINE_MOST = 256 };
_Static_assert((int)LINE_MOST <= (int)ORDERED_MOST, "it fits");

static char *put_value(char *p, uint32_t value, unsigned digits) {
  *p++ = '0';
  *p++ = 'x';
  return text_hex(p, value, digits);
}

// " x5  0x..": the number is left-aligned in two places.
static char *put_write(char *p, const struct pulpsim_operand *w) {
  *p++ = ' ';
  *p++ = w->number < 32 ? 'x' : 'f';
  char *start = p;
  p = text_decimal(p, w->number & 31);
  if (p - start == 1)
    *p++ = ' ';
  *p++ = ' ';
  return put_value(p, w->value, 8);
}

static char *put_csr(char *p, const struct pulpsim_insn_event *e) {
  char name[24];
  text_csr(e->csr, name);
  p = text_string(p, " c");
  p = text_decimal(p, e->csr);
  *p++ = '_';
  p = text_string(p, name);
  *p++ = ' ';
  return put_value(p, e->csr_value, 8);
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct ordered_line *line = ordered_room(t->lines, e->core, e->done);
  char *p = text_string((char *)(line + 1), "core");
  p = text_column(p, e->core, 4);
  p = text_string(p, ": 3 ");
  p = put_value(p, e->pc, 8);
  p = text_string(p, " (");
  p = put_value(p, e->word, 2u * e->size);
  *p++ = ')';
  for (unsigned i = 0; i < e->write_count; i++)
    p = put_write(p, &e->write[i]);
  if (e->has_csr)
    p = put_csr(p, e);
  if (e->has_memory) {
    p = text_string(p, " mem ");
    p = put_value(p, e->memory_address, 8);
  }
  if (e->has_memory && e->memory_write) {
    *p++ = ' ';
    p = put_value(p, e->memory_data, 2u * e->memory_size);
  }
  *p++ = '\n';
  ordered_add_text(t->lines, line, p);
}

const struct trace_format trace_spike = {
    .name = "spike",
    .ordered = true,
    .insn = insn,
};
