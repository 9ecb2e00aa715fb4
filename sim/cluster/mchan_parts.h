// sim/cluster/mchan_parts.h: what the files of the DMA share; see mchan.h.
//
// All functions called *_edge evaluate the clock edge at the end of cycle `now`. They look at
// queues through `was` and at registers of other parts only as they were when the cycle began.
#ifndef PULPSIM_MCHAN_PARTS_H
#define PULPSIM_MCHAN_PARTS_H

#include "cluster/mchan.h"

static inline bool fifo_valid(const struct mchan_fifo *f) {
  return f->was > 0;
}
static inline bool fifo_ready(const struct mchan_fifo *f) {
  return f->was < 2;
}

static inline const struct mchan_item *fifo_head(const struct mchan_fifo *f) {
  return &f->item[0];
}

static inline void fifo_pop(struct mchan_fifo *f) {
  f->item[0] = f->item[1];
  f->count--;
  f->moved = true;
}

// Only when fifo_ready(). A pop of the same cycle may come before or after.
static inline void fifo_push(struct mchan_fifo *f, const struct mchan_item *item) {
  f->item[f->count++] = *item;
  f->moved = true;
}

// 64-bit words that bytes first .. first + len touch, minus one.
static inline uint32_t words_spanned(uint32_t first, uint32_t len) {
  return (len >> 3) + ((first & 7) + (len & 7) >= 8);
}

// mchan_port.c: ports, identifiers, arbiter
void mchan_ports_step(void *self, cycle_t now);
void mchan_ports_edge(struct mchan *d);
bool mchan_ports_active(const struct mchan *d);

// mchan_split.c: queue, rows, bursts
void mchan_split_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now);
// Whether the channel begins a row of transfer `id` in this cycle.
bool mchan_registers(const struct mchan_channel *ch, unsigned id);

// mchan_align.c
void mchan_align_edge(struct mchan_channel *ch);

// mchan_tcdm.c
void mchan_tcdm_attach(struct mchan *d);
void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch);
void mchan_tcdm_edge(struct mchan *d, struct mchan_channel *ch);

// mchan_bus.c
void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now);
void mchan_bus_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now);
// Cycle of the next answer of memory that nothing else holds up; CYCLE_NEVER if none.
cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now);

// mchan.c: bursts complete on one side
void mchan_sync_tcdm(struct mchan *d, unsigned id);
void mchan_sync_ext(struct mchan *d, unsigned id);

// Stops the program: `text` says what is wrong with transfer `id`.
void mchan_fault(struct mchan *d, unsigned port, const char *text, cycle_t now);

#endif
