// The trace for people: one aligned line per instruction. The thread that simulates only notes what
// happened, in records; the one that writes the file makes the lines.
#include <stddef.h>

#include "engine/limit.h"
#include "observe/note.h"
#include "observe/text.h"
#include "observe/trace.h"

enum { SITES = LIMIT(4096, 2), PLACE_WIDTH = 24, TEXT_WIDTH = 28 };
enum { CYCLE_WIDTH = 9, CYCLE_MOST = 999999999, CORE_WIDTH = 5 };
enum { SITE_USUAL = 96, SITE_MOST = 160 };

// What does not change from one execution of an instruction to the next: its line without the
// digits of the results, which are blanks here.
struct site {
  uint32_t pc, word, shape;
  uint8_t length, end; // of `text`; where the line ends if nothing follows, with its newline
  uint8_t value[2], address, data; // where the digits go
  char text[SITE_MOST];            // pc, function, disassembly, results, memory
};

// Words that are written often, in places of fixed sizes.
struct word {
  char text[23];
  uint8_t length;
};

struct log_state {
  struct site site[SITES];
  uint64_t hundred;                   // the last line's cycle, rounded down
  char prefix[16];                    // its text, and blanks
  char (*below)[2];                   // the rest of the cycle as text: 0 to 99
  char core[ORDERED_CORES][2];        // " 7"
  struct word cause[PULPSIM_CAUSES];  // " fetch "
  char padded[100][2], plain[100][2]; // "07", " 7"
};

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  const struct trace *t = trace;
  note_event(t->lines, e);
}

// ---- while writing

static char *pad(char *p, const char *text, size_t width) {
  size_t length = strlen(text);
  memcpy(p, text, length);
  for (; length < width; length++)
    p[length] = ' ';
  p[length++] = ' ';
  return p + length;
}

// Room for so many digits: `*place` says where it is.
static char *put_room(char *p, const struct site *s, uint8_t *place, unsigned digits) {
  *place = (uint8_t)(p - s->text);
  memset(p, ' ', digits);
  return p + digits;
}

static char *put_results(struct site *s, char *p, const uint8_t *note) {
  for (unsigned i = 0; i < note[WRITES]; i++) {
    p = text_string(p, text_register(note[NUMBER_0 + i]));
    *p++ = '=';
    p = put_room(p, s, &s->value[i], 8);
    *p++ = ' ';
  }
  if (!note[ACCESS])
    return p;
  *p++ = '[';
  p = put_room(p, s, &s->address, 8);
  *p++ = ']';
  *p++ = note[ACCESS] & NOTE_STORES ? '=' : ':';
  p = put_room(p, s, &s->data, 2 * (note[ACCESS] & ~(unsigned)NOTE_STORES));
  *p++ = ' ';
  return p;
}

// An instruction is known by where it is, by its code, and by what it writes and accesses.
static inline uint32_t shape_of(const struct ordered_line *l) {
  uint32_t shape;
  _Static_assert((int)WRITES == 0 && (int)ACCESS == sizeof shape - 1, "what makes the shape");
  memcpy(&shape, l->note, sizeof shape);
  return shape;
}

static __attribute__((noinline)) void fill_site(struct site *s, const struct pulpsim *sim,
                                                const struct ordered_line *l) {
  const struct note *r = (const struct note *)(l + 1);
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(sim, r->pc, &offset);
  char place[PLACE_WIDTH + 2] = "", text[64];
  if (name)
    snprintf(place, sizeof place - 1, "%.*s+0x%x", PLACE_WIDTH - 6, name, offset);
  pulpsim_disassemble(sim, r->word, r->pc, text, sizeof text - 1);
  s->pc = r->pc;
  s->word = r->word;
  s->shape = shape_of(l);
  char *p = text_hex(s->text, r->pc, 8);
  *p++ = ' ';
  p = pad(p, place, PLACE_WIDTH);
  unsigned bare = (unsigned)(p - s->text + (ptrdiff_t)strlen(text));
  p = pad(p, text, TEXT_WIDTH);
  bool empty = !l->note[WRITES] && !l->note[ACCESS];
  s->length = (uint8_t)(put_results(s, p, l->note) - s->text);
  s->end = (uint8_t)(empty ? bare + 1 : s->length);
}

static __attribute__((noinline)) char *put_long_prefix(char *p, uint64_t cycle, unsigned core) {
  p = text_column(p, cycle, CYCLE_WIDTH);
  p = text_column(p, core, CORE_WIDTH);
  *p++ = ' ';
  return p;
}

static __attribute__((noinline)) void begin_hundred(struct log_state *s, uint64_t cycle) {
  s->hundred = cycle - cycle % 100;
  s->below = s->hundred ? s->padded : s->plain;
  text_column(s->prefix, cycle, CYCLE_WIDTH);
}

// Cycle and core. Both are mostly those of the line before, up to two digits.
static inline char *put_prefix(char *p, struct log_state *s, uint64_t cycle, unsigned core) {
  if (cycle > CYCLE_MOST)
    return put_long_prefix(p, cycle, core);
  if (cycle - s->hundred >= 100)
    begin_hundred(s, cycle);
  memcpy(p, s->prefix, sizeof s->prefix);
  memcpy(p + CYCLE_WIDTH - 2, s->below[cycle - s->hundred], 2);
  memcpy(p + CYCLE_WIDTH + CORE_WIDTH - 2, s->core[core], 2);
  return p + CYCLE_WIDTH + CORE_WIDTH + 1;
}

// The place behind it is written, too: a copy of a fixed size is faster.
static inline char *put_word(char *p, const struct word *w) {
  memcpy(p, w->text, sizeof w->text);
  return p + w->length;
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
                                         const struct ordered_line *l) {
  const struct note *r = (const struct note *)(l + 1);
  struct site *s = &state->site[(r->pc >> 1) % SITES];
  if (s->pc != r->pc || s->word != r->word || s->shape != shape_of(l))
    fill_site(s, t->sim, l);
  return s;
}

// Returns what is behind the results.
static inline const uint32_t *put_digits(char *p, const struct site *s,
                                         const struct ordered_line *l, const uint32_t *more) {
  unsigned access = l->note[ACCESS];
  if (l->note[WRITES])
    text_hex(p + s->value[0], ((const struct note *)(l + 1))->value, 8);
  if (l->note[WRITES] > 1)
    text_hex(p + s->value[1], *more++, 8);
  if (access) {
    text_hex(p + s->address, *more++, 8);
    text_hex(p + s->data, *more++, 2 * (access & ~(unsigned)NOTE_STORES)); // and places behind it
    p[s->length - 1] = ' ';
  }
  return more;
}

static inline char *put_line(const struct trace *t, struct log_state *state,
                             const struct ordered_line *l, char *p) {
  const struct note *r = (const struct note *)(l + 1);
  const struct site *s = site_of(t, state, l);
  const uint32_t *more = r->more;
  uint64_t late = r->late;
  unsigned extra = l->note[EXTRA];
  if (extra & NOTE_LATE)
    late |= (uint64_t)*more++ << 32;
  p = put_prefix(p, state, l->when - late, l->core);
  memcpy(p, s->text, SITE_USUAL); // of a fixed size: faster
  if (s->length > SITE_USUAL)
    memcpy(p + SITE_USUAL, s->text + SITE_USUAL, SITE_MOST - SITE_USUAL);
  more = put_digits(p, s, l, more);
  if (extra & ~(unsigned)NOTE_LATE) {
    p += s->length;
    for (unsigned n = extra & ~(unsigned)NOTE_LATE; n > 0; n--, more += 2)
      p = put_stall(p, state, more[0], more[1]);
  } else {
    p += s->end;
  }
  p[-1] = '\n';
  return p;
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
  s->hundred = UINT64_MAX - 99; // none
  memset(s->prefix, ' ', sizeof s->prefix);
  for (unsigned i = 0; i < ORDERED_CORES; i++)
    text_column(s->core[i], i, 2);
  for (unsigned i = 0; i < 100; i++) {
    text_column(s->plain[i], i, 2);
    s->padded[i][0] = (char)('0' + i / 10);
    s->padded[i][1] = (char)('0' + i % 10);
  }
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
    .notes = true,
    .render = put_lines,
};
