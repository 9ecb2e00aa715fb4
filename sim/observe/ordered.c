#include "observe/ordered.h"

#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

// Lines that wait for a mark, in the order of time. They lie in the buffer that is being written
// out, or have been kept from those before.
struct queue {
  const struct ordered_line **line, **first, **end, **limit;
  uint64_t when; // of the first
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
    free(o->queue[i].line);
  for (unsigned i = 0; o && i < 2; i++)
    free(o->kept[i].bytes);
  free(o);
}

// ---- while simulating

static void mark(struct ordered *o, uint64_t when) {
  struct ordered_line *l = (struct ordered_line *)sink_room(o->in.sink, sizeof *l);
  *l = (struct ordered_line){.when = when, .core = ORDERED_MARK};
  sink_advance(o->in.sink, sizeof *l);
  o->in.fresh = 0;
}

void ordered_mark(struct ordered *o) {
  mark(o, pulpsim_now(o->sim));
}

void ordered_finish(struct ordered *o) {
  mark(o, UINT64_MAX);
}

// ---- while writing

static void grow(struct queue *q) {
  size_t first = (size_t)(q->first - q->line), end = (size_t)(q->end - q->line);
  size_t room = 2 * (size_t)(q->limit - q->line) + LIMIT(1024, 1);
  q->line = must_have(realloc(q->line, room * sizeof *q->line));
  q->first = q->line + first;
  q->end = q->line + end;
  q->limit = q->line + room;
}

static inline void push(struct ordered *o, const struct ordered_line *l) {
  struct queue *q = &o->queue[l->core];
  if (q->end == q->limit)
    grow(q);
  *q->end++ = l;
  if (q->end - q->first == 1) {
    o->waiting |= UINT32_C(1) << l->core;
    q->when = l->when;
  }
}

static void write_batch(struct ordered *o, struct sink_text *out) {
  char *text = sink_text_room(out, ORDERED_BATCH * ORDERED_TEXT);
  out->next = o->render(o->self, o->batch, o->batched, text);
  o->batched = 0;
}

// Writes the first line of a queue; returns when the next one is due.
static inline uint64_t pop(struct ordered *o, struct queue *q, struct sink_text *out) {
  o->batch[o->batched++] = *q->first++;
  if (o->batched == ORDERED_BATCH)
    write_batch(o, out);
  if (q->first != q->end)
    return q->when = (*q->first)->when;
  q->first = q->end = q->line;
  o->waiting &= ~(UINT32_C(1) << (q - o->queue));
  return UINT64_MAX;
}

// Time by time, and at each in the order of cores.
static void drain(struct ordered *o, uint64_t before, struct sink_text *out) {
  uint64_t now = 0;
  for (;;) {
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
    for (const struct ordered_line **l = q->first; l != q->end; l++)
      sum += ordered_size((*l)->length);
  return sum;
}

static char *keep_queue(struct queue *q, char *to) {
  const struct ordered_line **kept = q->line;
  for (const struct ordered_line **l = q->first; l != q->end; l++) {
    size_t size = ordered_size((*l)->length);
    *kept++ = memcpy(to, *l, size);
    to += size;
  }
  q->first = q->line;
  q->end = kept;
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
  for (const char *at = records; at < records + count;) {
    const struct ordered_line *l = (const struct ordered_line *)at;
    if (l->core == ORDERED_MARK)
      drain(o, l->when, out);
    else
      push(o, l);
    at += ordered_size(l->length);
  }
  write_batch(o, out);
  keep(o);
}

void ordered_begin(struct ordered *o) {
  sink_render(o->in.sink, render, o);
}
