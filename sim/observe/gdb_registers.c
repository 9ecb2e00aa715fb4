// Registers as GDB sees them: a target description made of the standard RISC-V features (GDB
// manual, section G.5.12) and two of our own: hardware loops, and x registers as vectors of lanes.
#include <stdlib.h>
#include <string.h>

#include "observe/gdb_commands.h"
#include "observe/text.h"

// GDB's numbers: x registers, pc, f registers, CSRs; ours lie beyond.
enum { PC = 32, F0 = 33, CSR0 = 65, LOOPS = 5000, VECTORS = 6000 };

static void add(char **text, size_t *room, size_t *length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#include <stdarg.h>

static void add(char **text, size_t *room, size_t *length, const char *format, ...) {
  va_list args;
  if (*length + 512 > *room) {
    char *more = realloc(*text, *room * 2 + 4096);
    if (!more)
      return;
    *text = more;
    *room = *room * 2 + 4096;
  }
  va_start(args, format);
  *length += (size_t)vsnprintf(*text + *length, 512, format, args);
  va_end(args);
}

#define ADD(...) add(&text, &room, &length, __VA_ARGS__)

static const char *x_type(unsigned i) {
  return i == 1 ? "code_ptr" : i >= 2 && i <= 4 ? "data_ptr" : "int";
}

// The description as text; to be freed.
static char *describe(struct pulpsim *sim) {
  char *text = NULL;
  size_t room = 0, length = 0;
  uint32_t value;
  ADD("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">");
  for (unsigned i = 0; i < 32; i++)
    ADD("<reg name=\"%s\" bitsize=\"32\" type=\"%s\" regnum=\"%u\"/>",
        i == 8 ? "fp" : text_register(i), x_type(i), i);
  ADD("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"%u\"/></feature>", PC);
  if (pulpsim_float_registers(sim)) {
    ADD("<feature name=\"org.gnu.gdb.riscv.fpu\">");
    for (unsigned i = 0; i < 32; i++)
      ADD("<reg name=\"%s\" bitsize=\"32\" type=\"ieee_single\" regnum=\"%u\"/>",
          text_register(32 + i), F0 + i);
    static const char *const names[] = {"fflags", "frm", "fcsr"};
    for (unsigned i = 1; i <= 3; i++)
      ADD("<reg name=\"%s\" bitsize=\"32\" type=\"int\" regnum=\"%u\"/>", names[i - 1], CSR0 + i);
    ADD("</feature>");
  }
  ADD("<feature name=\"org.gnu.gdb.riscv.csr\">");
  for (unsigned i = 4; i < 4096; i++) {
    char name[24];
    text_csr(i, name);
    if (strncmp(name, "csr", 3) != 0 && pulpsim_csr(sim, 0, i, &value))
      ADD("<reg name=\"%s\" bitsize=\"32\" type=\"int\" regnum=\"%u\" group=\"csr\"/>", name,
          CSR0 + i);
  }
  ADD("</feature><feature name=\"org.pulpsim.hwloop\">");
  for (unsigned i = 0; i < 6; i++) {
    static const char *const names[] = {"lpstart", "lpend", "lpcount"};
    ADD("<reg name=\"%s%u\" bitsize=\"32\" type=\"%s\" regnum=\"%u\" group=\"hwloop\"/>",
        names[i % 3], i / 3, i % 3 == 2 ? "int" : "code_ptr", LOOPS + i);
  }
  ADD("</feature><feature name=\"org.pulpsim.vector\">"
      "<vector id=\"b4\" type=\"int8\" count=\"4\"/><vector id=\"ub4\" type=\"uint8\" count=\"4\"/>"
      "<vector id=\"h2\" type=\"int16\" count=\"2\"/>"
      "<union id=\"lanes\"><field name=\"b\" type=\"b4\"/><field name=\"ub\" type=\"ub4\"/>"
      "<field name=\"h\" type=\"h2\"/><field name=\"w\" type=\"int32\"/></union>");
  for (unsigned i = 1; i < 32; i++)
    ADD("<reg name=\"v_%s\" bitsize=\"32\" type=\"lanes\" regnum=\"%u\" group=\"vector\"/>",
        text_register(i), VECTORS + i);
  ADD("</feature></target>");
  return text;
}

void gdb_put_target(struct gdb *g, uint32_t offset, uint32_t size) {
  char *text = describe(g->sim);
  size_t length = text ? strlen(text) : 0;
  size_t left = offset < length ? length - offset : 0;
  size_t part = left < size ? left : size;
  if (part > GDB_PACKET_MOST / 2)
    part = GDB_PACKET_MOST / 2;
  gdb_text(&g->writer, part < left ? "m" : "l");
  if (part)
    gdb_binary(&g->writer, text + offset, part);
  free(text);
}

static bool read_one(struct gdb *g, uint32_t number, uint32_t *value) {
  if (number < 32)
    *value = pulpsim_register(g->sim, g->core, number);
  else if (number == PC)
    *value = pulpsim_pc(g->sim, g->core);
  else if (number < CSR0)
    *value = pulpsim_register(g->sim, g->core, number - F0 + 32);
  else if (number < CSR0 + 4096)
    return pulpsim_csr(g->sim, g->core, number - CSR0, value);
  else if (number >= LOOPS && number < LOOPS + 6)
    return pulpsim_hwloop(g->sim, g->core, number - LOOPS, value);
  else if (number >= VECTORS && number < VECTORS + 32)
    *value = pulpsim_register(g->sim, g->core, number - VECTORS);
  else
    return false;
  return true;
}

static bool write_one(struct gdb *g, uint32_t number, uint32_t value) {
  if (number < 32)
    pulpsim_set_register(g->sim, g->core, number, value);
  else if (number == PC)
    return pulpsim_set_pc(g->sim, g->core, value);
  else if (number < CSR0)
    pulpsim_set_register(g->sim, g->core, number - F0 + 32, value);
  else if (number < CSR0 + 4096)
    return pulpsim_set_csr(g->sim, g->core, number - CSR0, value);
  else if (number >= VECTORS && number < VECTORS + 32)
    pulpsim_set_register(g->sim, g->core, number - VECTORS, value);
  else
    return false;
  return true;
}

void gdb_read_register(struct gdb *g, const char *text) {
  uint32_t number, value = 0;
  if (!gdb_number(&text, &number) || *text)
    gdb_text(&g->writer, "E01");
  else if (read_one(g, number, &value))
    gdb_word(&g->writer, value);
  else
    gdb_text(&g->writer, "xxxxxxxx"); // not available
}

static uint32_t word_of(const uint8_t *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void gdb_write_register(struct gdb *g, const char *text) {
  uint32_t number;
  uint8_t bytes[4];
  bool written = gdb_number(&text, &number) && *text == '=' && gdb_unhex(text + 1, bytes, 4) &&
                 write_one(g, number, word_of(bytes));
  if (written)
    history_forget(&g->history);
  gdb_text(&g->writer, written ? "OK" : "E01");
}

void gdb_read_all(struct gdb *g) {
  uint32_t value = 0;
  for (uint32_t i = 0; i <= PC; i++) {
    read_one(g, i, &value);
    gdb_word(&g->writer, value);
  }
}

void gdb_write_all(struct gdb *g, const char *text) {
  uint8_t bytes[4 * (PC + 1)];
  if (!gdb_unhex(text, bytes, sizeof bytes)) {
    gdb_text(&g->writer, "E01");
    return;
  }
  bool all = true;
  for (uint32_t i = 0; i < PC; i++)
    all &= write_one(g, i, word_of(&bytes[4 * i]));
  if (word_of(&bytes[4 * PC]) != pulpsim_pc(g->sim, g->core))
    all &= write_one(g, PC, word_of(&bytes[4 * PC]));
  history_forget(&g->history);
  gdb_text(&g->writer, all ? "OK" : "E01");
}
