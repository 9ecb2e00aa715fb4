#include "observe/ordered.h"

#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

// Lines of one core that lie one behind the other, in the buffer that is being written out or
// among those kept from before.
struct piece {
  const char *first, *end;
};

// Those that wait for a mark, in the order of time.
struct queue {
  struct piece *piece, *first, *end, *limit; // first == end: none
  uint64_t when;                             // of the first line
};

// Lines that outlive their buffer.
struct kept {
  char *bytes;
  size_t room;
};

struct ordered {
  struct ordered_input in;
  struct pulpsim *sim;
  ordered_render *render;
  void *self;
  char apart[128];  // from here on, of the thread that writes: in other lines of the host's caches
  uint32_t waiting; // bit per queue: it has lines
  struct queue queue[ORDERED_CORES];
  const struct ordered_line *batch[ORDERED_BATCH]; // in order, about to be rendered
  unsigned batched;
  struct kept kept[2]; // in turn
  unsigned turn;
};

static char *copy_text(void *self, const struct ordered_line *const *line, unsigned count,
                       char *text) {
  (void)self;
  for (unsigned i = 0; i < count; i++) {
    memcpy(text, line[i] + 1, line[i]->length);
    text += line[i]->length;
  }
  return text;
}

struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink, ordered_render *render,
                            void *self) {
  struct ordered *o = must_have(calloc(1, sizeof *o));
  o->in.sink = sink;
  o->sim = sim;
  o->render = render ? render : copy_text;
  o->self = self;
  return o;
}

void ordered_free(struct ordered *o) {
  for (unsigned i = 0; o && i < ORDERED_CORES; i++)
    free(o->queue[i].piece);
  for (unsigned i = 0; o && i < 2; i++)
    free(o->kept[i].bytes);
  free(o);
}

// ---- while simulating

enum { RESERVE = ORDERED_BETWEEN + ORDERED_MOST + 2 * sizeof(struct ordered_line) + 8 };
_Static_assert((int)RESERVE <= (int)SINK_MOST, "the sink's buffers hold more");

static void make_room(struct ordered *o) {
  o->in.mark_at = sink_room(o->in.sink, RESERVE) + ORDERED_BETWEEN;
}

static void mark(struct ordered *o, uint64_t when) {
  struct ordered_line *l = (struct ordered_line *)sink_place(o->in.sink);
  *l = (struct ordered_line){.when = when, .core = ORDERED_MARK};
  sink_advance(o->in.sink, sizeof *l);
  make_room(o);
}

void ordered_mark(struct ordered *o) {
  mark(o, pulpsim_now(o->sim));
}

void ordered_finish(struct ordered *o, uint64_t end) {
  mark(o, end == UINT64_MAX ? end : end + 1);
}

// ---- while writing

static inline const struct ordered_line *line_at(const char *at) {
  return (const struct ordered_line *)at;
}

static inline const char *behind(const char *at) {
  return at + ordered_size(line_at(at)->length);
}

static void grow(struct queue *q) {
  size_t first = (size_t)(q->first - q->piece), end = (size_t)(q->end - q->piece);
  size_t room = 2 * (size_t)(q->limit - q->piece) + LIMIT(256, 1);
  q->piece = must_have(realloc(q->piece, room * sizeof *q->piece));
  q->first = q->piece + first;
  q->end = q->piece + end;
  q->limit = q->piece + room;
}

static void push(struct ordered *o, unsigned core, struct piece piece) {
  struct queue *q = &o->queue[core];
  if (q->end == q->limit)
    grow(q);
  if (q->first == q->end) {
    o->waiting |= UINT32_C(1) << core;
    q->when = line_at(piece.first)->when;
  }
  *q->end++ = piece;
}

static void write_batch(struct ordered *o, struct sink_text *out) {
  char *text = sink_text_room(out, ORDERED_BATCH * ORDERED_TEXT);
  out->next = o->render(o->self, o->batch, o->batched, text);
  o->batched = 0;
}

static inline void write(struct ordered *o, const char *line, struct sink_text *out) {
  o->batch[o->batched++] = line_at(line);
  if (o->batched == ORDERED_BATCH)
    write_batch(o, out);
}

// Goes on to the next piece; returns when the next line is due.
static uint64_t leave_piece(struct ordered *o, struct queue *q) {
  if (++q->first != q->end)
    return q->when = line_at(q->first->first)->when;
  q->first = q->end = q->piece;
  o->waiting &= ~(UINT32_C(1) << (q - o->queue));
  return UINT64_MAX;
}

// Writes the first line of a queue; returns when the next one is due.
static inline uint64_t pop(struct ordered *o, struct queue *q, struct sink_text *out) {
  struct piece *p = q->first;
  write(o, p->first, out);
  p->first = behind(p->first);
  return p->first == p->end ? leave_piece(o, q) : (q->when = line_at(p->first)->when);
}

// Nobody else has lines.
static void drain_one(struct ordered *o, struct queue *q, uint64_t before, struct sink_text *out) {
  while (q->first != q->end) {
    const char *at = q->first->first, *end = q->first->end;
    for (; at != end && line_at(at)->when < before; at = behind(at))
      write(o, at, out);
    q->first->first = at;
    if (at != end) {
      q->when = line_at(at)->when;
      return;
    }
    leave_piece(o, q);
  }
}

// Time by time, and at each in the order of cores.
static void drain(struct ordered *o, uint64_t before, struct sink_text *out) {
  uint64_t now = 0;
  for (;;) {
    if (!(o->waiting & (o->waiting - 1))) {
      if (o->waiting)
        drain_one(o, &o->queue[__builtin_ctz(o->waiting)], before, out);
      return;
    }
    uint64_t next = UINT64_MAX;
    for (uint32_t m = o->waiting; m; m &= m - 1) {
      struct queue *q = &o->queue[__builtin_ctz(m)];
      uint64_t when = q->when;
      if (when == now)
        when = pop(o, q, out);
      next = when < next ? when : next;
    }
    if (next >= before)
      return;
    now = next;
  }
}

static size_t waiting_bytes(const struct ordered *o) {
  size_t sum = 0;
  for (const struct queue *q = o->queue; q < o->queue + ORDERED_CORES; q++)
    for (const struct piece *p = q->first; p != q->end; p++)
      sum += (size_t)(p->end - p->first);
  return sum;
}

static char *keep_queue(struct queue *q, char *to) {
  struct piece all = {to, to};
  for (const struct piece *p = q->first; p != q->end; p++) {
    size_t size = (size_t)(p->end - p->first);
    memcpy(to, p->first, size);
    to += size;
  }
  all.end = to;
  q->first = q->end = q->piece;
  if (all.first != all.end)
    *q->end++ = all;
  return to;
}

// The buffer will be filled anew: moves the lines that still wait elsewhere.
static void keep(struct ordered *o) {
  struct kept *kept = &o->kept[o->turn ^= 1];
  size_t need = waiting_bytes(o);
  if (kept->room < need) {
    free(kept->bytes);
    kept->bytes = must_have(malloc(kept->room = 2 * need));
  }
  char *to = kept->bytes;
  for (struct queue *q = o->queue; q < o->queue + ORDERED_CORES; q++)
    to = keep_queue(q, to);
}

static void render(void *self, const char *records, size_t count, struct sink_text *out) {
  struct ordered *o = self;
  const char *end = records + count;
  for (const char *at = records; at < end;) {
    struct piece piece = {at, at};
    unsigned core = line_at(at)->core;
    do
      at = behind(at);
    while (at < end && line_at(at)->core == core && core != ORDERED_MARK);
    piece.end = at;
    if (core == ORDERED_MARK)
      drain(o, line_at(piece.first)->when, out);
    else
      push(o, core, piece);
  }
  write_batch(o, out);
  keep(o);
}

void ordered_begin(struct ordered *o) {
  sink_render(o->in.sink, render, o);
  make_room(o);
}
