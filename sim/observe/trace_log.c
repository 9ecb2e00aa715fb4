// The trace for people: one aligned line per instruction. The thread that simulates only notes what
// happened, in records; the one that writes the file makes the lines.
#include <stddef.h>

#include "engine/limit.h"
#include "observe/text.h"
#include "observe/trace.h"

enum { SITES = LIMIT(4096, 2), PLACE_WIDTH = 24, TEXT_WIDTH = 28, LINE_MOST = 768 };
enum { CYCLE_WIDTH = 9, CYCLE_MOST = 999999999, CORE_WIDTH = 5, SITE_USUAL = 64 };

// An instruction: who it was, then `writes` registers and `causes` with their cycles.
struct record {
  uint64_t cycle;
  uint32_t pc, word, address, data;
  uint8_t core, writes, causes;
  uint8_t accessed; // bytes; 0: no access
  bool stores;
  struct pulpsim_operand more[];
};
enum { WRITES_MOST = 3, RECORD_MOST = sizeof(struct record) + 8 * (WRITES_MOST + PULPSIM_CAUSES) };

// What does not change from one execution of an instruction to the next.
struct site {
  uint32_t pc, word;
  unsigned length, bare; // of `text`; without the blanks behind it
  char text[112];        // pc, function, disassembly
};

// A word that is written often, in a place of a fixed size.
struct word {
  char text[23];
  uint8_t length;
};

struct log_state {
  struct site site[SITES];
  uint64_t tens;                     // of the last line's cycle
  char prefix[16];                   // its text, and blanks
  struct word name[64];              // "a0="
  struct word cause[PULPSIM_CAUSES]; // " fetch "
};

// ---- while simulating

static unsigned note_causes(struct pulpsim_operand *more, const struct pulpsim_insn_event *e) {
  if (e->stall == 0)
    return 0;
  more[0] = (struct pulpsim_operand){e->stall_cause, e->stall};
  if (e->stalls[e->stall_cause] == e->stall)
    return 1;
  unsigned n = 0;
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    if (e->stalls[i])
      more[n++] = (struct pulpsim_operand){i, e->stalls[i]};
  return n;
}

static void insn(struct trace *t, const struct pulpsim_insn_event *e) {
  char *room = ordered_room(t->lines, e->core, e->done, RECORD_MOST);
  struct record *r = (struct record *)room;
  r->cycle = e->cycle;
  r->pc = e->pc;
  r->word = e->word;
  r->core = (uint8_t)e->core;
  r->accessed = e->has_memory ? e->memory_size : 0;
  r->stores = e->memory_write;
  r->address = e->memory_address;
  r->data = e->memory_data;
  r->writes = e->write_count;
  for (unsigned i = 0; i < e->write_count; i++)
    r->more[i] = e->write[i];
  r->causes = (uint8_t)note_causes(r->more + r->writes, e);
  ordered_add(t->lines, e->core, sizeof *r + (r->writes + r->causes) * sizeof *r->more);
}

// ---- while writing

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
    snprintf(place, sizeof place - 1, "%.*s+0x%x", PLACE_WIDTH - 6, name, offset);
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
  s->bare = (unsigned)(p - s->text + (ptrdiff_t)n);
  p += pad(p, n, TEXT_WIDTH);
  s->length = (unsigned)(p - s->text);
}

// Cycle and core. Both are mostly those of the line before, up to a digit.
static inline char *put_prefix(char *p, struct log_state *s, const struct record *r) {
  uint64_t tens = r->cycle / 10;
  if (tens != s->tens) {
    s->tens = tens;
    text_column(s->prefix, r->cycle, CYCLE_WIDTH);
  }
  if (r->cycle > CYCLE_MOST) {
    p = text_column(p, r->cycle, CYCLE_WIDTH);
    p = text_column(p, r->core, CORE_WIDTH);
    *p++ = ' ';
    return p;
  }
  memcpy(p, s->prefix, sizeof s->prefix);
  p[CYCLE_WIDTH - 1] = (char)('0' + (r->cycle - 10 * tens));
  p[CYCLE_WIDTH + CORE_WIDTH - 1] = (char)('0' + r->core % 10);
  if (r->core >= 10)
    p[CYCLE_WIDTH + CORE_WIDTH - 2] = '1';
  return p + CYCLE_WIDTH + CORE_WIDTH + 1;
}

// The place behind it is written, too: a copy of a fixed size is faster.
static inline char *put_word(char *p, const struct word *w) {
  memcpy(p, w->text, sizeof w->text);
  return p + w->length;
}

static inline char *put_memory(char *p, const struct record *r) {
  *p++ = '[';
  p = text_hex(p, r->address, 8);
  *p++ = ']';
  *p++ = r->stores ? '=' : ':';
  p = text_hex(p, r->data, 2u * r->accessed);
  *p++ = ' ';
  return p;
}

static inline char *put_stall(char *p, const struct log_state *s, struct pulpsim_operand cause) {
  *p++ = '+';
  if (cause.value < 10)
    *p++ = (char)('0' + cause.value);
  else
    p = text_decimal(p, cause.value);
  return put_word(p, &s->cause[cause.number]);
}

static inline char *put_line(char *p, struct log_state *state, const struct site *s,
                             const struct record *r) {
  p = put_prefix(p, state, r);
  memcpy(p, s->text, SITE_USUAL); // of a fixed size: faster
  if (s->length > SITE_USUAL)
    memcpy(p + SITE_USUAL, s->text + SITE_USUAL, sizeof s->text - SITE_USUAL);
  if (r->writes + r->causes + r->accessed == 0) {
    p[s->bare] = '\n';
    return p + s->bare + 1;
  }
  p += s->length;
  const struct pulpsim_operand *more = r->more;
  for (unsigned i = 0; i < r->writes; i++, more++) {
    p = put_word(p, &state->name[more->number & 63]);
    p = text_hex(p, more->value, 8);
    *p++ = ' ';
  }
  if (r->accessed)
    p = put_memory(p, r);
  for (unsigned i = 0; i < r->causes; i++, more++)
    p = put_stall(p, state, *more);
  p[-1] = '\n';
  return p;
}

static const struct site *site_of(const struct trace *t, const struct record *r) {
  struct log_state *state = t->state;
  struct site *s = &state->site[(r->pc >> 1) % SITES];
  if (s->pc != r->pc || s->word != r->word)
    fill_site(s, t->sim, r->pc, r->word);
  return s;
}

static size_t render(void *self, const char **next, const char *end, char *text, size_t size) {
  const struct trace *t = self;
  const char *record = *next;
  char *p = text, *last = text + size - LINE_MOST;
  while (record < end && p <= last) {
    const struct record *r = (const struct record *)record;
    p = put_line(p, t->state, site_of(t, r), r);
    record += sizeof *r + (unsigned)(r->writes + r->causes) * sizeof *r->more;
  }
  *next = record;
  return (size_t)(p - text);
}

// ---- beginning

static void begin(struct trace *t) {
  struct log_state *s = t->state;
  s->tens = UINT64_MAX;
  memset(s->prefix, ' ', sizeof s->prefix);
  for (unsigned i = 0; i < 64; i++)
    s->name[i].length =
        (uint8_t)snprintf(s->name[i].text, sizeof s->name[i].text, "%s=", text_register(i));
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    s->cause[i].length =
        (uint8_t)snprintf(s->cause[i].text, sizeof s->cause[i].text, " %s ", pulpsim_cause_name(i));
  sink_print(t->sink, "%*s %*s %8s %-*s %-*s results, [memory], +cycles lost before it\n",
             CYCLE_WIDTH, "cycle", CORE_WIDTH - 1, "core", "pc", PLACE_WIDTH, "function",
             TEXT_WIDTH, "instruction");
  sink_render(t->sink, render, t);
}

const struct trace_format trace_log = {
    .name = "log",
    .meaning = "text: cycle, core, pc, function, instruction, results, memory, stalls",
    .state_size = sizeof(struct log_state),
    .ordered = true,
    .begin = begin,
    .insn = insn,
};
