// sim/observe/sink.h: where traces and profiles are written to: a file, compressed when its name
// ends in ".gz" or ".zst"; "-" is stdout. Of a name that ends in ".fst" what is written is VCD, and
// the file FST (fst.h).
#ifndef PULPSIM_SINK_H
#define PULPSIM_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/pulpsim.h"

struct sink;

// NULL on failure, with a sentence in `error`.
struct sink *sink_open(const char *path, struct pulpsim_error *error);

// Room for `size` <= SINK_MOST bytes; sink_advance() says how many were used.
enum { SINK_MOST = 1 << 17 };
struct sink_space { // what a sink begins with
  char *next, *end;
};
void sink_flush(struct sink *sink);
static inline char *sink_room(struct sink *sink, size_t size) {
  struct sink_space *s = (struct sink_space *)sink;
  if ((size_t)(s->end - s->next) < size)
    sink_flush(sink);
  return s->next;
}
static inline char *sink_place(struct sink *sink) { // the same, asked for before
  return ((struct sink_space *)sink)->next;
}
static inline void sink_advance(struct sink *sink, size_t used) {
  ((struct sink_space *)sink)->next += used;
}

void sink_write(struct sink *sink, const char *bytes, size_t count);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What is written from now on are records; where they are written out, mostly in a thread of their
// own, `render` makes text of them, of each `count` bytes once; they are gone when it returns.
struct sink_text {
  char *next, *end;
  struct sink *sink;
};
typedef void sink_renderer(void *self, const char *records, size_t count, struct sink_text *out);
void sink_render(struct sink *sink, sink_renderer *render, void *self);

// For the renderer: room for `size` <= SINK_TEXT_MOST bytes at `out->next`, which it then moves.
enum { SINK_TEXT_MOST = 1 << 16 };
void sink_text_flush(struct sink_text *out);
static inline char *sink_text_room(struct sink_text *out, size_t size) {
  if ((size_t)(out->end - out->next) < size)
    sink_text_flush(out);
  return out->next;
}

// Writes what is left. Returns false if anything could not be written, with a sentence in `error`.
bool sink_close(struct sink *sink, struct pulpsim_error *error);

#endif
