#include "soc/hyper.h"

#include <string.h>

enum { ADDRESS = 0x00, BYTES = 0x04, CONFIG = 0x08, EXTERNAL = 0x20 };
enum { ENABLE = 1 << 4, PENDING = 1 << 5 };

static engine_step step;

// Cycles of the SoC that so many clocks of the interface take.
static uint64_t cycles(const struct hyper_params *p, uint64_t clocks) {
  return (clocks * p->soc_mhz + p->clock_mhz - 1) / p->clock_mhz;
}

static uint32_t words(const struct hyper_transfer *t) {
  return (t->bytes + 3) / 4;
}

void hyper_init(struct hyper *h, struct engine *e, unsigned actor,
                const struct hyper_params *params, const struct soc_bus *bus,
                struct memory *memory) {
  memset(h, 0, sizeof *h);
  h->engine = e;
  h->actor = actor;
  h->params = *params;
  h->bus = bus;
  h->memory = memory;
  engine_add(e, actor, step, h);
}

static void begin(struct hyper *h, cycle_t now) {
  const struct hyper_params *p = &h->params;
  const struct hyper_transfer *t = &h->queue[0];
  uint64_t clocks = ((uint64_t)t->bytes + p->bytes_per_clock - 1) / p->bytes_per_clock,
           interface = cycles(p, p->latency + clocks), latency = cycles(p, p->latency),
           port = latency + words(t);
  h->began = now;
  h->data = now + latency;
  h->ends = now + (interface > port ? interface : port);
  engine_wake(h->engine, h->actor, h->ends);
}

// Words that have been moved when cycle `when` begins.
static uint64_t moved(const struct hyper *h, cycle_t when) {
  uint64_t all = words(&h->queue[0]);
  if (when <= h->data)
    return 0;
  return when >= h->ends ? all : all * (when - h->data) / (h->ends - h->data);
}

uint64_t hyper_banks(const struct hyper *h, unsigned banks, cycle_t now) {
  uint64_t used = 0;
  if (!h->count || now < h->began)
    return 0;
  uint32_t first = h->queue[0].l2 >> 2;
  for (uint64_t w = moved(h, now), end = moved(h, now + 1); w < end; w++)
    used |= UINT64_C(1) << ((first + w) & (banks - 1));
  return used;
}

static void copy(struct hyper *h, const struct hyper_transfer *t) {
  uint8_t *l3 = h->memory->bytes + (t->l3 - h->memory->base);
  if (t->to_l2)
    soc_bus_copy_in(h->bus, t->l2, l3, t->bytes);
  else
    soc_bus_copy_out(h->bus, t->l2, l3, t->bytes);
}

static void step(void *self, cycle_t now) {
  struct hyper *h = self;
  struct hyper_transfer t = h->queue[0];
  copy(h, &t);
  if (h->observe)
    h->observe(h->observe_self, &t, h->began, now);
  h->count--;
  for (unsigned i = 0; i < h->count; i++)
    h->queue[i] = h->queue[i + 1];
  if (h->count)
    begin(h, now);
  if (h->event)
    h->event(h->self, t.to_l2 ? HYPER_EVENT_TO_L2 : HYPER_EVENT_FROM_L2, now);
}

static unsigned waiting(const struct hyper *h, bool to_l2) {
  unsigned n = 0;
  for (unsigned i = 0; i < h->count; i++)
    n += h->queue[i].to_l2 == to_l2;
  return n;
}

// L3 addresses count from the start of the memory; the base that the simulator's loader uses is
// accepted too.
static void start(struct hyper *h, unsigned direction, struct core *c, cycle_t now) {
  bool to_l2 = direction == 0;
  struct hyper_transfer t = {h->address[direction], h->external, h->bytes[direction], to_l2};
  if (t.l3 < h->memory->base)
    t.l3 += h->memory->base;
  bool fits = t.bytes && t.l3 - h->memory->base <= h->memory->size &&
              t.bytes <= h->memory->size - (t.l3 - h->memory->base) &&
              soc_bus_memory(h->bus, t.l2, t.bytes);
  if (!fits || waiting(h, to_l2) == 2) {
    h->fault(h->self, c,
             fits ? "third L3 transfer of one direction started before the first has ended"
                  : "L3 transfer outside L2 or L3, or of no bytes",
             now);
    return;
  }
  h->queue[h->count++] = t;
  if (h->count == 1)
    begin(h, now);
}

static uint32_t bytes_left(const struct hyper *h, unsigned direction, cycle_t when) {
  if (!h->count || h->queue[0].to_l2 != (direction == 0))
    return 0;
  uint64_t all = h->ends - h->began, gone = when - h->began;
  uint32_t bytes = h->queue[0].bytes;
  return gone >= all ? 0 : bytes - (uint32_t)(bytes * gone / all);
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c;
  const struct hyper *h = self;
  if (offset == EXTERNAL)
    return h->external;
  unsigned direction = offset >> 4, left = waiting(h, direction == 0);
  if (direction > 1)
    return 0;
  switch (offset & 15) {
  case ADDRESS:
    return left ? h->queue[0].l2 + h->queue[0].bytes - bytes_left(h, direction, when) : 0;
  case BYTES:
    return bytes_left(h, direction, when);
  case CONFIG:
    return (left ? (uint32_t)ENABLE : 0) | (left > 1 ? (uint32_t)PENDING : 0);
  default:
    return 0;
  }
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  struct hyper *h = self;
  if (offset == EXTERNAL)
    h->external = value;
  unsigned direction = offset >> 4;
  if (direction > 1)
    return;
  switch (offset & 15) {
  case ADDRESS:
    h->address[direction] = value;
    break;
  case BYTES:
    h->bytes[direction] = value;
    break;
  case CONFIG:
    if (value & ENABLE)
      start(h, direction, c, when);
    break;
  default:
    break;
  }
}

struct device hyper_device(struct hyper *h, uint32_t base) {
  return (struct device){base, HYPER_SIZE, h, read, write};
}
