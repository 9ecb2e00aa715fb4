#include "observe/ordered.h"

#include <stdlib.h>
#include <string.h>

#include "engine/out_of_memory.h"

enum { CORES = 17, LINES_BETWEEN = 128, PIECE = 32 };

// A line in a queue: this header, then the text.
struct line {
  uint64_t when;
  uint32_t length; // of the text
  uint32_t space;  // of header and text
};

struct queue {
  char *bytes;
  size_t first, end, room;
};

struct ordered {
  struct pulpsim *sim;
  struct sink *sink;
  unsigned cores, fresh;
  uint64_t next[CORES]; // time of the first line; UINT64_MAX: none
  struct queue queue[CORES];
};

struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink) {
  struct ordered *o = must_have(calloc(1, sizeof *o));
  o->sim = sim;
  o->sink = sink;
  o->cores = pulpsim_cores(sim);
  for (unsigned i = 0; i < CORES; i++)
    o->next[i] = UINT64_MAX;
  return o;
}

void ordered_free(struct ordered *o) {
  for (unsigned i = 0; o && i < CORES; i++)
    free(o->queue[i].bytes);
  free(o);
}

static void make_room(struct queue *q, size_t size) {
  if (q->first == q->end)
    q->first = q->end = 0;
  if (q->end + size <= q->room)
    return;
  if (q->first >= size + q->room / 2) {
    memmove(q->bytes, q->bytes + q->first, q->end - q->first);
    q->end -= q->first;
    q->first = 0;
    return;
  }
  size_t room = 2 * q->room + size + (1 << 13);
  q->bytes = must_have(realloc(q->bytes, room));
  q->room = room;
}

// Core whose first line is the earliest; ties go to the lower one.
static unsigned earliest(const struct ordered *o) {
  unsigned best = 0;
  for (unsigned i = 1; i < o->cores; i++)
    if (o->next[i] < o->next[best])
      best = i;
  return best;
}

// In pieces of a fixed size, which is faster; both sides have room for a whole last one.
static void copy(char *to, const char *from, size_t length) {
  for (size_t i = 0; i < length; i += PIECE)
    memcpy(to + i, from + i, PIECE);
}

static void drain(struct ordered *o, uint64_t before) {
  for (;;) {
    unsigned i = earliest(o);
    if (o->next[i] >= before)
      return;
    struct queue *q = &o->queue[i];
    const struct line *l = (const struct line *)(q->bytes + q->first);
    copy(sink_room(o->sink, l->length + PIECE), (const char *)(l + 1), l->length);
    sink_advance(o->sink, l->length);
    q->first += l->space;
    o->next[i] =
        q->first < q->end ? ((const struct line *)(q->bytes + q->first))->when : UINT64_MAX;
  }
}

char *ordered_room(struct ordered *o, unsigned core, uint64_t when, size_t most) {
  struct queue *q = &o->queue[core];
  make_room(q, sizeof(struct line) + most + PIECE);
  struct line *l = (struct line *)(q->bytes + q->end);
  l->when = when;
  return (char *)(l + 1);
}

void ordered_add(struct ordered *o, unsigned core, size_t length) {
  struct queue *q = &o->queue[core];
  struct line *l = (struct line *)(q->bytes + q->end);
  l->length = (uint32_t)length;
  l->space = (uint32_t)((sizeof *l + length + 7) & ~(size_t)7);
  q->end += l->space;
  if (o->next[core] == UINT64_MAX)
    o->next[core] = l->when;
  if (++o->fresh < LINES_BETWEEN)
    return;
  o->fresh = 0;
  drain(o, pulpsim_now(o->sim));
}

void ordered_finish(struct ordered *o) {
  drain(o, UINT64_MAX);
}
