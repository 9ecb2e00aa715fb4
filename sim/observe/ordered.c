#include "observe/ordered.h"

#include <stdlib.h>
#include <string.h>

#include "engine/out_of_memory.h"

struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink) {
  struct ordered *o = must_have(calloc(1, sizeof *o));
  o->sim = sim;
  o->sink = sink;
  return o;
}

void ordered_free(struct ordered *o) {
  for (unsigned i = 0; o && i < ORDERED_CORES; i++)
    free(o->queue[i].bytes);
  free(o);
}

void ordered_grow(struct ordered_queue *q, size_t size) {
  if (q->first == q->end)
    q->first = q->end = 0;
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

// In pieces of a fixed size, which is faster; both sides have room for a whole last one.
static void copy(char *to, const char *from, size_t length) {
  for (size_t i = 0; i < length; i += ORDERED_PIECE)
    memcpy(to + i, from + i, ORDERED_PIECE);
}

// Writes the first line of a queue; returns when the next one is due.
static uint64_t write_line(struct ordered *o, unsigned core) {
  struct ordered_queue *q = &o->queue[core];
  const struct ordered_line *l = (const struct ordered_line *)(q->bytes + q->first);
  copy(sink_room(o->sink, l->length + ORDERED_PIECE), (const char *)(l + 1), l->length);
  sink_advance(o->sink, l->length);
  q->first += l->space;
  if (q->first < q->end)
    return ((const struct ordered_line *)(q->bytes + q->first))->when;
  q->first = q->end = 0;
  o->waiting &= ~(UINT32_C(1) << core);
  return UINT64_MAX;
}

// Time by time, and at each in the order of cores.
static void drain(struct ordered *o, uint64_t before) {
  uint64_t now = 0;
  for (;;) {
    uint64_t next = UINT64_MAX;
    for (uint32_t m = o->waiting; m; m &= m - 1) {
      unsigned core = (unsigned)__builtin_ctz(m);
      uint64_t when = o->next[core];
      if (when == now)
        when = o->next[core] = write_line(o, core);
      next = when < next ? when : next;
    }
    if (next >= before)
      return;
    now = next;
  }
}

void ordered_write(struct ordered *o) {
  o->fresh = 0;
  drain(o, pulpsim_now(o->sim));
}

void ordered_finish(struct ordered *o) {
  drain(o, UINT64_MAX);
}
