// The trace for people: one aligned line per instruction. The thread that simulates only records
// what happened, in records; the one that writes the file makes the lines.
#include <stddef.h>
#include <stdlib.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"
#include "observe/log_record.h"
#include "observe/text.h"
#include "observe/trace.h"

enum { PLACE_WIDTH = 24, TEXT_WIDTH = 28 };
enum { CYCLE_WIDTH = 9, CYCLE_MOST = 999999999, CORE_WIDTH = 5 };
enum { FORM_USUAL = 96, FORM_MOST = 160, FORMS = LIMIT(256, 1) };

// What does not change from one execution of an instruction to the next: its line without the
// digits of the results, which are blanks here.
struct form {
  uint8_t length, end;  // of `text`; where the line ends if nothing follows, with its newline
  uint8_t writes, size; // registers; bytes accessed
  uint8_t value[2], address, data; // where the digits go
  char text[FORM_MOST];            // pc, function, disassembly, results, memory
};

// Words that are written often, in places of fixed sizes.
struct word {
  char text[23];
  uint8_t length;
};

struct log_state {
  struct form **form; // by the site's number, in chunks of FORMS
  size_t chunks;
  uint64_t hundred;                   // the last line's cycle, rounded down
  char prefix[16];                    // its text, and blanks
  char (*below)[2];                   // the rest of the cycle as text: 0 to 99
  char core[ORDERED_CORES][2];        // " 7"
  struct word cause[PULPSIM_CAUSES];  // " fetch "
  char padded[100][2], plain[100][2]; // "07", " 7"
};

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  const struct trace *t = trace;
  log_record_event(t->lines, t->sites, e);
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
static char *put_room(char *p, const struct form *f, uint8_t *place, unsigned digits) {
  *place = (uint8_t)(p - f->text);
  memset(p, ' ', digits);
  return p + digits;
}

static char *put_results(struct form *f, char *p, const struct site *s) {
  for (unsigned i = 0; i < s->writes; i++) {
    p = text_string(p, text_register(s->number[i]));
    *p++ = '=';
    p = put_room(p, f, &f->value[i], 8);
    *p++ = ' ';
  }
  if (!s->access)
    return p;
  *p++ = '[';
  p = put_room(p, f, &f->address, 8);
  *p++ = ']';
  *p++ = s->access & SITE_STORES ? '=' : ':';
  p = put_room(p, f, &f->data, 2 * f->size);
  *p++ = ' ';
  return p;
}

static void fill_form(struct form *f, const struct pulpsim *sim, const struct site *s) {
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(sim, s->pc, &offset);
  char place[PLACE_WIDTH + 2] = "", text[64];
  if (name)
    snprintf(place, sizeof place - 1, "%.*s+0x%x", PLACE_WIDTH - 6, name, offset);
  pulpsim_disassemble(sim, s->word, s->pc, text, sizeof text - 1);
  f->writes = s->writes;
  f->size = s->access & (uint8_t)~SITE_STORES;
  char *p = text_hex(f->text, s->pc, 8);
  *p++ = ' ';
  p = pad(p, place, PLACE_WIDTH);
  unsigned bare = (unsigned)(p - f->text + (ptrdiff_t)strlen(text));
  p = pad(p, text, TEXT_WIDTH);
  f->length = (uint8_t)(put_results(f, p, s) - f->text);
  f->end = (uint8_t)(s->writes || s->access ? f->length : bare + 1);
}

static __attribute__((noinline)) const struct form *
new_form(const struct trace *t, struct log_state *state, uint32_t number) {
  size_t chunk = number / FORMS;
  if (chunk >= state->chunks) {
    size_t more = chunk + 1 + state->chunks;
    state->form = must_have(realloc(state->form, more * sizeof(struct form *)));
    memset(state->form + state->chunks, 0, (more - state->chunks) * sizeof(struct form *));
    state->chunks = more;
  }
  if (!state->form[chunk])
    state->form[chunk] = must_have(calloc(FORMS, sizeof(struct form)));
  const struct site s = sites_at(t->sites, number);
  struct form *f = &state->form[chunk][number % FORMS];
  fill_form(f, t->sim, &s);
  return f;
}

static inline const struct form *form_of(const struct trace *t, struct log_state *state,
                                         uint32_t number) {
  if (number / FORMS < state->chunks && state->form[number / FORMS]) {
    const struct form *f = &state->form[number / FORMS][number % FORMS];
    if (f->length)
      return f;
  }
  return new_form(t, state, number);
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

// Returns what is behind the results.
static inline const uint32_t *put_digits(char *p, const struct form *f, const struct log_record *n,
                                         const uint32_t *more) {
  if (f->writes)
    text_hex(p + f->value[0], n->value, 8);
  if (f->writes > 1)
    text_hex(p + f->value[1], *more++, 8);
  if (f->size) {
    text_hex(p + f->address, *more++, 8);
    text_hex(p + f->data, *more++, 2 * f->size); // and places behind it
    p[f->length - 1] = ' ';
  }
  return more;
}

static inline char *put_line(const struct trace *t, struct log_state *state,
                             const struct ordered_line *l, char *p) {
  const struct log_record *n = (const struct log_record *)(l + 1);
  const struct form *f = form_of(t, state, l->word);
  const uint32_t *more = n->more;
  uint64_t late = n->late;
  unsigned causes = l->count;
  if (causes & LOG_LATE) {
    late |= (uint64_t)*more++ << 32;
    causes &= ~(unsigned)LOG_LATE;
  }
  p = put_prefix(p, state, l->when - late, l->core);
  memcpy(p, f->text, FORM_USUAL); // of a fixed size: faster
  if (f->length > FORM_USUAL)
    memcpy(p + FORM_USUAL, f->text + FORM_USUAL, FORM_MOST - FORM_USUAL);
  more = put_digits(p, f, n, more);
  p += causes ? f->length : f->end;
  for (; causes > 0; causes--, more += 2)
    p = put_stall(p, state, more[0], more[1]);
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

static void discard(void *state) {
  struct log_state *s = state;
  for (size_t i = 0; i < s->chunks; i++)
    free(s->form[i]);
  free(s->form);
}

const struct trace_format trace_log = {
    .name = "log",
    .state_size = sizeof(struct log_state),
    .ordered = true,
    .begin = begin,
    .insn = insn,
    .compact = true,
    .render = put_lines,
    .discard = discard,
};
