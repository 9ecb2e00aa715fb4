#include "soc/hyper.h"

#include <string.h>

enum { ADDRESS = 0x00, BYTES = 0x04, CONFIG = 0x08, EXTERNAL = 0x20 };
enum { ENABLE = 1 << 4, PENDING = 1 << 5 };

static engine_step step;

// Cycles of the SoC that so many clocks of the interface take.
static uint64_t cycles(const struct hyper_params *p, uint64_t clocks) {
  return (clocks * p->soc_mhz + p->clock_mhz - 1) / p->clock_mhz;
}

static uint32_t row_count(const struct hyper_rows *r, uint32_t bytes) {
  return r->bytes ? (bytes + r->bytes - 1) / r->bytes : 1;
}

// Bytes from the first to behind the last.
static uint64_t reach(const struct hyper_rows *r, uint32_t bytes) {
  uint32_t rows = row_count(r, bytes);
  if (rows <= 1)
    return bytes;
  uint64_t last = (uint64_t)(rows - 1) * r->stride + (bytes - (rows - 1) * r->bytes);
  return last > r->bytes ? last : r->bytes;
}

static uint32_t place(const struct hyper_rows *r, uint32_t at) {
  return r->bytes ? at / r->bytes * r->stride + at % r->bytes : at;
}

static uint32_t row_left(const struct hyper_rows *r, uint32_t at, uint32_t left) {
  uint32_t row = r->bytes ? r->bytes - at % r->bytes : left;
  return row < left ? row : left;
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
           rows = row_count(&t->l3_rows, t->bytes), // each a command of its own
      interface = cycles(p, p->latency * rows + clocks), latency = cycles(p, p->latency),
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
  for (uint32_t at = 0, n; at < t->bytes; at += n) {
    uint8_t *l3 = h->memory->bytes + (t->l3 - h->memory->base) + place(&t->l3_rows, at);
    uint32_t l2 = t->l2 + place(&t->l2_rows, at);
    n = row_left(&t->l2_rows, at, row_left(&t->l3_rows, at, t->bytes - at));
    if (t->to_l2)
      soc_bus_copy_in(h->bus, l2, l3, n);
    else
      soc_bus_copy_out(h->bus, l2, l3, n);
  }
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
    h->event(h->self, t.event, now);
}

unsigned hyper_waiting(const struct hyper *h, unsigned channel) {
  unsigned n = 0;
  for (unsigned i = 0; i < h->count; i++)
    n += h->queue[i].channel == channel;
  return n;
}

static bool fits(const struct hyper *h, const struct hyper_transfer *t) {
  uint32_t at = t->l3 - h->memory->base;
  uint64_t l2 = reach(&t->l2_rows, t->bytes), l3 = reach(&t->l3_rows, t->bytes);
  return t->bytes && at <= h->memory->size && l3 <= h->memory->size - at && l2 <= UINT32_MAX &&
         soc_bus_memory(h->bus, t->l2, (uint32_t)l2);
}

// L3 addresses count from the start of the memory; the base that the simulator's loader uses is
// accepted too.
void hyper_start(struct hyper *h, struct hyper_transfer t, unsigned most, struct core *c,
                 cycle_t now) {
  if (t.l3 < h->memory->base)
    t.l3 += h->memory->base;
  bool there = fits(h, &t);
  if (!there || h->count == HYPER_QUEUE || hyper_waiting(h, t.channel) >= most) {
    h->fault(h->self, c,
             there ? "another L3 transfer of a channel than it has room for"
                   : "L3 transfer outside L2 or L3, or of no bytes",
             now);
    return;
  }
  h->queue[h->count++] = t;
  if (h->count == 1)
    begin(h, now);
}

static void start(struct hyper *h, unsigned direction, struct core *c, cycle_t now) {
  struct hyper_transfer t = {.l2 = h->address[direction],
                             .l3 = h->external,
                             .bytes = h->bytes[direction],
                             .to_l2 = direction == 0,
                             .channel = HYPER_PAIR + direction,
                             .event = direction == 0 ? HYPER_EVENT_TO_L2 : HYPER_EVENT_FROM_L2};
  hyper_start(h, t, 2, c, now);
}

static uint32_t bytes_left(const struct hyper *h, unsigned direction, cycle_t when) {
  if (!h->count || h->queue[0].channel != HYPER_PAIR + direction)
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
  unsigned direction = offset >> 4, left = hyper_waiting(h, HYPER_PAIR + direction);
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
