// The trace for people: one aligned line per instruction.
#include "engine/limit.h"
#include "observe/text.h"
#include "observe/trace.h"

enum { SITES = LIMIT(4096, 2), PLACE_WIDTH = 28, TEXT_WIDTH = 34, LINE_MOST = 640 };
enum { CYCLE_WIDTH = 10, CYCLES_ALIKE = 100 };

// What does not change from one execution of an instruction to the next.
struct site {
  uint32_t pc, word;
  unsigned length;
  char text[144]; // pc, function, disassembly
};

struct log_state {
  struct site site[SITES];
  uint64_t hundreds;       // of the last line's cycle
  char cycle[CYCLE_WIDTH]; // its text, if that fits
  char name[64][8];        // "a0=", and its length in the last byte
};

static unsigned pad(char *text, size_t length, size_t width) {
  while (length < width)
    text[length++] = ' ';
  text[length++] = ' ';
  return (unsigned)length;
}

static void fill_site(struct site *s, const struct pulpsim *sim, uint32_t pc, uint32_t word) {
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(sim, pc, &offset);
  char place[PLACE_WIDTH + 2] = "", text[64];
  if (name)
    snprintf(place, sizeof place - 1, "%.*s+0x%x", PLACE_WIDTH - 8, name, offset);
  pulpsim_disassemble(sim, word, pc, text, sizeof text - 1);
  s->pc = pc;
  s->word = word;
  char *p = text_hex(s->text, pc, 8);
  *p++ = ' ';
  size_t n = strlen(place);
  memcpy(p, place, n);
  p += pad(p, n, PLACE_WIDTH);
  n = strlen(text);
  memcpy(p, text, n);
  p += pad(p, n, TEXT_WIDTH);
  s->length = (unsigned)(p - s->text);
}

static void begin(struct trace *t) {
  struct log_state *s = t->state;
  s->hundreds = UINT64_MAX;
  for (unsigned i = 0; i < 64; i++)
    s->name[i][7] = (char)snprintf(s->name[i], 7, "%s=", text_register(i));
  sink_print(t->sink, "%*s %4s %8s %-*s %-*s results, [memory], +cycles lost before it\n",
             CYCLE_WIDTH, "cycle", "core", "pc", PLACE_WIDTH, "function", TEXT_WIDTH,
             "instruction");
}

// All but the last two digits are mostly those of the line before.
static char *put_cycle(char *p, struct log_state *s, uint64_t cycle) {
  uint64_t hundreds = cycle / CYCLES_ALIKE;
  if (hundreds == 0 || cycle > UINT64_C(9999999999))
    return text_column(p, cycle, CYCLE_WIDTH);
  if (hundreds != s->hundreds) {
    s->hundreds = hundreds;
    text_column(s->cycle, hundreds, CYCLE_WIDTH - 2);
  }
  unsigned rest = (unsigned)(cycle - hundreds * CYCLES_ALIKE);
  memcpy(p, s->cycle, CYCLE_WIDTH);
  p[CYCLE_WIDTH - 2] = (char)('0' + rest / 10);
  p[CYCLE_WIDTH - 1] = (char)('0' + rest % 10);
  return p + CYCLE_WIDTH;
}

static char *put_memory(char *p, const struct pulpsim_insn_event *e) {
  *p++ = '[';
  p = text_hex(p, e->memory_address, 8);
  p = text_string(p, e->memory_write ? "]=" : "]:");
  p = text_hex(p, e->memory_data, 2u * e->memory_size);
  *p++ = ' ';
  return p;
}

static char *put_stall(char *p, unsigned cause, uint32_t cycles) {
  *p++ = '+';
  p = text_decimal(p, cycles);
  *p++ = ' ';
  p = text_string(p, pulpsim_cause_name(cause));
  *p++ = ' ';
  return p;
}

static char *put_stalls(char *p, const struct pulpsim_insn_event *e) {
  if (e->stalls[e->stall_cause] == e->stall)
    return put_stall(p, e->stall_cause, e->stall);
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    if (e->stalls[i])
      p = put_stall(p, i, e->stalls[i]);
  return p;
}

static void insn(struct trace *t, const struct pulpsim_insn_event *e) {
  struct log_state *state = t->state;
  struct site *s = &state->site[(e->pc >> 1) % SITES];
  if (s->pc != e->pc || s->word != e->word)
    fill_site(s, t->sim, e->pc, e->word);
  char *line = ordered_room(t->lines, e->core, e->done, LINE_MOST);
  char *p = put_cycle(line, state, e->cycle);
  p = text_column(p, e->core, 5);
  *p++ = ' ';
  for (unsigned i = 0; i < s->length; i += 16) // pieces of a fixed size: faster
    memcpy(p + i, s->text + i, 16);
  p += s->length;
  for (unsigned i = 0; i < e->write_count; i++) {
    const char *name = state->name[e->write[i].number & 63];
    memcpy(p, name, 8);
    p = text_hex(p + name[7], e->write[i].value, 8);
    *p++ = ' ';
  }
  if (e->has_memory)
    p = put_memory(p, e);
  if (e->stall)
    p = put_stalls(p, e);
  while (p[-1] == ' ')
    p--;
  *p++ = '\n';
  ordered_add(t->lines, e->core, (size_t)(p - line));
}

const struct trace_format trace_log = {
    .name = "log",
    .meaning = "text: cycle, core, pc, function, instruction, results, memory, stalls",
    .state_size = sizeof(struct log_state),
    .ordered = true,
    .begin = begin,
    .insn = insn,
};
