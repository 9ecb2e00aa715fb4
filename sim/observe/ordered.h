// sim/observe/ordered.h: lines of several cores, written in the order of time.
//
// Cores report in their own order and run ahead of each other. The thread that simulates only adds
// lines to the sink as they come, and now and then a mark: up to when no core can report an earlier
// one, as pulpsim_now() has passed. Where the sink is written out, mostly in a thread of its own,
// lines are kept per core until such a mark, and merged.
#ifndef PULPSIM_ORDERED_H
#define PULPSIM_ORDERED_H

#include "observe/sink.h"

enum { ORDERED_CORES = 17, ORDERED_MARK = ORDERED_CORES };
enum { ORDERED_BETWEEN = 5120, ORDERED_MOST = 704 }; // bytes between two marks; longest line added
enum { ORDERED_BATCH = 32, ORDERED_TEXT = 1024 };    // lines rendered at once; their longest text

// A line as it is added: this header, then `length` bytes, up to a multiple of 8.
struct ordered_line {
  uint64_t when;
  uint16_t length;
  uint8_t core;  // or ORDERED_MARK
  uint8_t count; // whatever is convenient: of whoever adds the line
  uint32_t word; // the same
};

// Writes `count` lines as text, each of at most ORDERED_TEXT bytes; returns the end. Called where
// the sink is written out.
typedef char *ordered_render(void *self, const struct ordered_line *const *line, unsigned count,
                             char *text);

struct ordered;

// `render` may be NULL: the lines are text.
struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink, ordered_render *render,
                            void *self);
void ordered_free(struct ordered *o);

// From now on, the sink takes lines. To be called once.
void ordered_begin(struct ordered *o);

// What the thread that simulates needs of it; a struct ordered begins with this.
struct ordered_input {
  struct sink *sink;
  const char *mark_at; // where in the sink the next mark is due
};

// When ordered_put() says so: there is room for ORDERED_BETWEEN bytes in the sink then.
void ordered_mark(struct ordered *o);

// Room for a line of core `core` that belongs to cycle `when` (per core ascending), of at most
// ORDERED_MOST bytes; then ordered_add() or ordered_put() says how long it became.
static inline struct ordered_line *ordered_room(struct ordered *o, unsigned core, uint64_t when) {
  struct ordered_input *in = (struct ordered_input *)o;
  struct ordered_line *l = (struct ordered_line *)sink_place(in->sink);
  l->when = when;
  l->core = (uint8_t)core;
  return l;
}

static inline size_t ordered_size(size_t length) {
  return sizeof(struct ordered_line) + ((length + 7) & ~(size_t)7);
}

// Returns whether it is time for a mark.
static inline bool ordered_put(struct ordered *o, struct ordered_line *l, size_t length) {
  struct ordered_input *in = (struct ordered_input *)o;
  l->length = (uint16_t)length;
  sink_advance(in->sink, ordered_size(length));
  return sink_place(in->sink) >= in->mark_at;
}

static inline void ordered_add(struct ordered *o, struct ordered_line *l, size_t length) {
  if (ordered_put(o, l, length))
    ordered_mark(o);
}

// The same, of text up to `end`.
static inline void ordered_add_text(struct ordered *o, struct ordered_line *l, const char *end) {
  ordered_add(o, l, (size_t)(end - (const char *)(l + 1)));
}

// The last mark: what is left up to cycle `end` will be written. (UINT64_MAX: all.)
void ordered_finish(struct ordered *o, uint64_t end);

#endif
