#include "observe/pending.h"

#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

enum { CORES = 17 };

struct entry {
  struct pulpsim_insn_event event;
  uint32_t stalls[PULPSIM_CAUSES];
};

// Of one core, in order.
struct queue {
  struct entry *entry;
  size_t first, count, room; // room: a power of two, or 0
};

struct pending {
  const struct pulpsim *sim;
  void (*insn)(void *user, const struct pulpsim_insn_event *event);
  void *user;
  bool ended;
  struct queue queue[CORES];
};

struct pending *pending_new(const struct pulpsim *sim, const struct pulpsim_observer *observer) {
  struct pending *h = must_have(calloc(1, sizeof *h));
  h->sim = sim;
  h->insn = observer->insn;
  h->user = observer->user;
  return h;
}

void pending_free(struct pending *h) {
  for (unsigned i = 0; h && i < CORES; i++)
    free(h->queue[i].entry);
  free(h);
}

static struct entry *entry_at(const struct queue *q, size_t i) {
  return &q->entry[(q->first + i) & (q->room - 1)];
}

static void grow(struct queue *q) {
  size_t room = q->room ? 2 * q->room : LIMIT(64, 1);
  struct entry *entry = must_have(malloc(room * sizeof *entry));
  for (size_t i = 0; i < q->count; i++) {
    entry[i] = *entry_at(q, i);
    if (entry[i].event.stalls)
      entry[i].event.stalls = entry[i].stalls;
  }
  free(q->entry);
  *q = (struct queue){.entry = entry, .count = q->count, .room = room};
}

static void push(struct queue *q, const struct pulpsim_insn_event *e) {
  if (q->count == q->room)
    grow(q);
  struct entry *to = entry_at(q, q->count++);
  to->event = *e;
  if (e->stalls) {
    memcpy(to->stalls, e->stalls, sizeof to->stalls);
    to->event.stalls = to->stalls;
  }
}

static void pop(struct queue *q) {
  q->first++;
  q->count--;
}

void pending_insn(void *user, const struct pulpsim_insn_event *e) {
  struct pending *h = user;
  struct queue *q = &h->queue[e->core];
  uint64_t now = pulpsim_now(h->sim);
  for (; q->count && entry_at(q, 0)->event.done < now; pop(q))
    h->insn(h->user, &entry_at(q, 0)->event);
  if (h->ended || (q->count == 0 && e->done < now))
    h->insn(h->user, e);
  else
    push(q, e);
}

// What is counted at an end are the cycles in front of it: an access that was granted in the last
// one was not.
static bool came_to_pass(const struct pulpsim_insn_event *e, uint64_t end) {
  return e->has_memory ? e->done < end : e->done <= end;
}

void pending_end(struct pending *h, uint64_t end) {
  for (struct queue *q = h->queue; q < h->queue + CORES; q++)
    for (; q->count; pop(q))
      if (came_to_pass(&entry_at(q, 0)->event, end))
        h->insn(h->user, &entry_at(q, 0)->event);
  h->ended = true;
}
