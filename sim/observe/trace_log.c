// The trace for people: one aligned line per instruction. The thread that simulates only notes what
// happened, in records; the one that writes the file makes the lines.
#include <stddef.h>

#include "engine/limit.h"
#include "observe/text.h"
#include "observe/trace.h"

enum { SITES = LIMIT(4096, 2), PLACE_WIDTH = 24, TEXT_WIDTH = 28 };
enum { CYCLE_WIDTH = 9, CYCLE_MOST = 999999999, CORE_WIDTH = 5, SITE_USUAL = 64 };

// An instruction: what the line's header has room for, then who it was, then in `more` values
// written, address and data of the access, and causes with their cycles. Records are kept short:
// passing them from one processor to the other costs more than anything done with them.
enum note { WRITES, NUMBER_0, NUMBER_1, ACCESS, EXTRA }; // indices of ordered_line.note
enum { NOTE_STORES = 0x80 };                             // in ACCESS, with the bytes
enum { NOTE_LATE = 0x80 };                               // in EXTRA, with the number of causes
struct record {
  uint32_t late; // in EX for so many cycles; NOTE_LATE: the upper half of the number is in `more`
  uint32_t pc, word;
  uint32_t more[];
};
enum { MORE_MOST = 1 + 2 + 2 + 2 * PULPSIM_CAUSES };
_Static_assert(sizeof(struct record) + MORE_MOST * sizeof(uint32_t) <= ORDERED_MOST, "it fits");

// What does not change from one execution of an instruction to the next.
struct site {
  uint32_t pc, word;
  unsigned length, bare; // of `text`; without the blanks behind it
  char text[112];        // pc, function, disassembly
};

// Words that are written often, in places of fixed sizes.
struct name {
  char text[7];
  uint8_t length;
};
struct word {
  char text[23];
  uint8_t length;
};

struct log_state {
  struct site site[SITES];
  uint64_t ten;                      // the last line's cycle, rounded down
  char prefix[16];                   // its text, and blanks
  char core[ORDERED_CORES][2];       // " 7"
  struct name name[64];              // "a0="
  struct word cause[PULPSIM_CAUSES]; // " fetch "
};

// ---- while simulating

static uint32_t *note_cause(struct ordered_line *l, uint32_t *p, uint32_t cause, uint32_t cycles) {
  l->note[EXTRA]++;
  p[0] = cause;
  p[1] = cycles;
  return p + 2;
}

static uint32_t *note_causes(struct ordered_line *l, uint32_t *p,
                             const struct pulpsim_insn_event *e) {
  if (e->stalls[e->stall_cause] == e->stall)
    return note_cause(l, p, e->stall_cause, e->stall);
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    if (e->stalls[i])
      p = note_cause(l, p, i, e->stalls[i]);
  return p;
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct ordered_line *l = ordered_room(t->lines, e->core, e->done);
  struct record *r = (struct record *)(l + 1);
  uint32_t *p = r->more;
  uint64_t late = e->done - e->cycle;
  r->late = (uint32_t)late;
  r->pc = e->pc;
  r->word = e->word;
  l->note[WRITES] = e->write_count;
  l->note[ACCESS] = l->note[EXTRA] = 0;
  if (late >> 32) {
    l->note[EXTRA] = NOTE_LATE;
    *p++ = (uint32_t)(late >> 32);
  }
  for (unsigned i = 0; i < 2; i++) { // both: faster than asking
    l->note[NUMBER_0 + i] = e->write[i].number;
    p[i] = e->write[i].value;
  }
  p += e->write_count;
  if (e->has_memory) {
    l->note[ACCESS] = (uint8_t)(e->memory_size | (e->memory_write ? NOTE_STORES : 0));
    *p++ = e->memory_address;
    *p++ = e->memory_data;
  }
  if (e->stall)
    p = note_causes(l, p, e);
  ordered_add(t->lines, l, (size_t)((char *)p - (char *)r));
}

// ---- while writing

static unsigned pad(char *text, size_t length, size_t width) {
  while (length < width)
    text[length++] = ' ';
  text[length++] = ' ';
  return (unsigned)length;
}

static __attribute__((noinline)) void fill_site(struct site *s, const struct pulpsim *sim,
                                                uint32_t pc, uint32_t word) {
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

static __attribute__((noinline)) char *put_long_prefix(char *p, uint64_t cycle, unsigned core) {
  p = text_column(p, cycle, CYCLE_WIDTH);
  p = text_column(p, core, CORE_WIDTH);
  *p++ = ' ';
  return p;
}

static __attribute__((noinline)) void begin_ten(struct log_state *s, uint64_t cycle) {
  s->ten = cycle - cycle % 10;
  text_column(s->prefix, cycle, CYCLE_WIDTH);
}

// Cycle and core. Both are mostly those of the line before, up to a digit.
static inline char *put_prefix(char *p, struct log_state *s, uint64_t cycle, unsigned core) {
  if (cycle > CYCLE_MOST)
    return put_long_prefix(p, cycle, core);
  if (cycle - s->ten >= 10)
    begin_ten(s, cycle);
  memcpy(p, s->prefix, sizeof s->prefix);
  p[CYCLE_WIDTH - 1] = (char)('0' + (cycle - s->ten));
  memcpy(p + CYCLE_WIDTH + CORE_WIDTH - 2, s->core[core], 2);
  return p + CYCLE_WIDTH + CORE_WIDTH + 1;
}

// The place behind it is written, too: a copy of a fixed size is faster.
static inline char *put_word(char *p, const struct word *w) {
  memcpy(p, w->text, sizeof w->text);
  return p + w->length;
}

static inline char *put_write(char *p, const struct log_state *s, unsigned number, uint32_t value) {
  const struct name *n = &s->name[number & 63];
  memcpy(p, n->text, sizeof n->text);
  p = text_hex(p + n->length, value, 8);
  *p++ = ' ';
  return p;
}

static inline char *put_memory(char *p, unsigned access, uint32_t address, uint32_t data) {
  *p++ = '[';
  p = text_hex(p, address, 8);
  *p++ = ']';
  *p++ = access & NOTE_STORES ? '=' : ':';
  p = text_hex(p, data, 2 * (access & ~(unsigned)NOTE_STORES));
  *p++ = ' ';
  return p;
}

static inline char *put_stall(char *p, const struct log_state *s, uint32_t cause, uint32_t cycles) {
  *p++ = '+';
  if (cycles < 10)
    *p++ = (char)('0' + cycles);
  else
    p = text_decimal(p, cycles);
  return put_word(p, &s->cause[cause]);
}

static inline const struct site *site_of(const struct trace *t, struct log_state *state,
                                         const struct record *r) {
  struct site *s = &state->site[(r->pc >> 1) % SITES];
  if (s->pc != r->pc || s->word != r->word)
    fill_site(s, t->sim, r->pc, r->word);
  return s;
}

static inline char *put_results(char *p, const struct log_state *s, const struct ordered_line *l,
                                const uint32_t *more) {
  unsigned writes = l->note[WRITES], access = l->note[ACCESS];
  if (writes)
    p = put_write(p, s, l->note[NUMBER_0], *more++);
  if (writes > 1)
    p = put_write(p, s, l->note[NUMBER_1], *more++);
  if (access) {
    p = put_memory(p, access, more[0], more[1]);
    more += 2;
  }
  for (unsigned n = l->note[EXTRA] & ~(unsigned)NOTE_LATE; n > 0; n--, more += 2)
    p = put_stall(p, s, more[0], more[1]);
  p[-1] = '\n';
  return p;
}

static inline char *put_line(const struct trace *t, struct log_state *state,
                             const struct ordered_line *l, char *p) {
  const struct record *r = (const struct record *)(l + 1);
  const struct site *s = site_of(t, state, r);
  const uint32_t *more = r->more;
  uint64_t late = r->late;
  if (l->note[EXTRA] & NOTE_LATE)
    late |= (uint64_t)*more++ << 32;
  p = put_prefix(p, state, l->when - late, l->core);
  memcpy(p, s->text, SITE_USUAL); // of a fixed size: faster
  if (s->length > SITE_USUAL)
    memcpy(p + SITE_USUAL, s->text + SITE_USUAL, sizeof s->text - SITE_USUAL);
  if (l->note[WRITES] | l->note[ACCESS] | l->note[EXTRA])
    return put_results(p + s->length, state, l, more);
  p[s->bare] = '\n';
  return p + s->bare + 1;
}

static char *put_lines(void *trace, const struct ordered_line *const *line, unsigned count,
                       char *p) {
  const struct trace *t = trace;
  for (unsigned i = 0; i < count; i++)
    p = put_line(t, t->state, line[i], p);
  return p;
}

// ---- beginning

static void begin(struct trace *t) {
  struct log_state *s = t->state;
  s->ten = UINT64_MAX - 9; // none
  memset(s->prefix, ' ', sizeof s->prefix);
  for (unsigned i = 0; i < ORDERED_CORES; i++)
    text_column(s->core[i], i, 2);
  for (unsigned i = 0; i < 64; i++)
    s->name[i].length =
        (uint8_t)snprintf(s->name[i].text, sizeof s->name[i].text, "%s=", text_register(i));
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    s->cause[i].length =
        (uint8_t)snprintf(s->cause[i].text, sizeof s->cause[i].text, " %s ", pulpsim_cause_name(i));
  sink_print(t->sink, "%*s %*s %8s %-*s %-*s results, [memory], +cycles lost before it\n",
             CYCLE_WIDTH, "cycle", CORE_WIDTH - 1, "core", "pc", PLACE_WIDTH, "function",
             TEXT_WIDTH, "instruction");
}

const struct trace_format trace_log = {
    .name = "log",
    .meaning = "text: cycle, core, pc, function, instruction, results, memory, stalls",
    .state_size = sizeof(struct log_state),
    .ordered = true,
    .begin = begin,
    .insn = insn,
    .render = put_lines,
};
