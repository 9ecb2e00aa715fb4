// sim/cluster/mchan_parts.h: what the files of the DMA share; see mchan.h.
//
// All functions called *_edge evaluate the clock edge at the end of cycle `now`. They look at
// registers of other parts only as they were when the cycle began.
#ifndef PULPSIM_MCHAN_PARTS_H
#define PULPSIM_MCHAN_PARTS_H

#include "cluster/mchan.h"

// Whether it is the channel to TCDM, not the one from TCDM.
static inline bool mchan_to_tcdm(const struct mchan *d, const struct mchan_channel *ch) {
  return ch == &d->channel[1];
}

// Sets of queues, by enum mchan_stage.
#define FIFO(stage) (1u << (stage))
enum {
  FIFO_BEATS = FIFO(MCHAN_BEAT0) | FIFO(MCHAN_BEAT1),
  FIFO_WORDS = FIFO(MCHAN_WORD0) | FIFO(MCHAN_WORD1),
  FIFO_DONES = FIFO(MCHAN_DONE0) | FIFO(MCHAN_DONE1),
};

// All of a set have an entry; all have room for one.
static inline bool fifos_valid(const struct mchan_channel *ch, unsigned set) {
  return (ch->fifos.valid & set) == set;
}
static inline bool fifos_ready(const struct mchan_channel *ch, unsigned set) {
  return !(ch->fifos.full & set);
}

static inline const struct mchan_item *fifo_head(const struct mchan_channel *ch, unsigned stage) {
  return &ch->fifos.item[stage][ch->fifos.first >> stage & 1];
}

// The head leaves at the end of the cycle. Only if fifos_valid().
static inline void fifos_pop(struct mchan_moves *m, unsigned set) {
  m->popped |= set;
}

// New entries of queues that carry no items. Only if fifos_ready().
static inline void fifos_push(struct mchan_moves *m, unsigned set) {
  m->pushed |= set;
}

// A new entry, to be filled in with what the stage carries. Only if fifos_ready().
static inline struct mchan_item *fifo_push(struct mchan_channel *ch, struct mchan_moves *m,
                                           unsigned stage) {
  struct mchan_fifos *f = &ch->fifos;
  fifos_push(m, FIFO(stage));
  return &f->item[stage][(f->first ^ f->valid) >> stage & 1];
}

static inline struct mchan_pair *pair_at(struct mchan_channel *ch, unsigned place) {
  return &ch->pairs.pair[place % MCHAN_PAIRS];
}
static inline struct mchan_ext_word *ext_word_at(struct mchan_channel *ch, unsigned place) {
  return &ch->words.word[place % MCHAN_EXT_WORDS];
}

// The clock edge.
static inline void fifos_clock(struct mchan_fifos *f, const struct mchan_moves *m) {
  unsigned kept = f->valid & ~m->popped;
  f->valid = kept | f->full | m->pushed;
  f->full = (f->full & ~m->popped) | (kept & m->pushed);
  f->first ^= m->popped;
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
void mchan_split_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                      cycle_t now);
// Whether a channel begins a row of transfer `id` in this cycle.
bool mchan_registers(const struct mchan *d, unsigned id);

// mchan_align.c
void mchan_align_edge(const struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m);
bool mchan_align_rests(const struct mchan_channel *ch);

// mchan_tcdm.c
void mchan_tcdm_attach(struct mchan *d);
void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch);
void mchan_tcdm_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m);

// mchan_bus.c
void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now);
void mchan_bus_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m, cycle_t now);
// Cycle of the next answer of memory that nothing else holds up; CYCLE_NEVER if none.
cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now);

// mchan.c: so many bursts begin; one is complete on one side
void mchan_sync_begin(struct mchan *d, unsigned id, unsigned bursts);
void mchan_sync_tcdm(struct mchan *d, unsigned id);
void mchan_sync_ext(struct mchan *d, unsigned id);

// Stops the program: `text` says what is wrong with transfer `id`.
void mchan_fault(struct mchan *d, unsigned port, const char *text, cycle_t now);

#endif
