// sim/cluster/mchan_units.h: what the files of the DMA share; see mchan.h.
//
// A clock edge, the end of cycle `now`, has two halves. All functions called *_decide say what
// moves; they know the channel's control only, as it was when the cycle began, and are a function
// of it. All functions called *_move do so: they carry the data, and correct the flags of the next
// cycle by what the data tell: MCHAN_SENDING, MCHAN_NO_TAG, MCHAN_BEATS, MCHAN_LAST_IN, and those
// of the bytes' lanes.
#ifndef PULPSIM_MCHAN_UNITS_H
#define PULPSIM_MCHAN_UNITS_H

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
  FIFO_BURSTS = FIFO(MCHAN_BURST_EXT) | FIFO(MCHAN_BURST_TCDM) | FIFO(MCHAN_BURST_ALIGN),
};

// All of a set have an entry; all have room for one.
static inline bool fifos_valid(const struct mchan_control *c, unsigned set) {
  return (c->valid & set) == set;
}
static inline bool fifos_ready(const struct mchan_control *c, unsigned set) {
  return !(c->full & set);
}

// Of a pair of flags, that of port 0; both, bit k for port k. Of queues, `first` is that of port 0.
#define PORT(pair) ((uint32_t)(pair) & -(uint32_t)(pair))
static inline unsigned ports_of(const struct mchan_control *c, unsigned pair) {
  return (c->flags & pair) / PORT(pair);
}
static inline unsigned queues_of(unsigned set, unsigned first) {
  return set >> first & 3;
}

// In place of those before.
static inline void set_flags(uint32_t *flags, uint32_t mask, uint32_t set) {
  *flags = (*flags & ~mask) | set;
}

// What goes in and out of queues beside what has been decided: entries may be added where there was
// room when the cycle began.
struct mchan_moves {
  unsigned pushed, popped;
};

static inline void fifos_clock(struct mchan_control *c, unsigned pushed, unsigned popped) {
  unsigned kept = c->valid & ~popped;
  c->valid = (uint16_t)(kept | c->full | pushed);
  c->full = (uint16_t)((c->full & ~popped) | (kept & pushed));
}

// Until the edge is over ch->control is what it was, and these are the places for entries in the
// cycle that ends.
static inline const struct mchan_item *fifo_head(const struct mchan_channel *ch, unsigned stage) {
  return &ch->item[stage][ch->first >> stage & 1];
}
static inline struct mchan_item *fifo_tail(struct mchan_channel *ch, unsigned stage) {
  return &ch->item[stage][(ch->first ^ ch->control.valid) >> stage & 1];
}
static inline struct mchan_item *fifo_push(struct mchan_channel *ch, struct mchan_moves *m,
                                           unsigned stage) {
  m->pushed |= FIFO(stage);
  return fifo_tail(ch, stage);
}

static inline struct mchan_pair *pair_at(struct mchan_channel *ch, unsigned place) {
  return &ch->pair[place % MCHAN_PAIRS];
}
static inline struct mchan_ext_word *ext_word_at(struct mchan_channel *ch, unsigned place) {
  return &ch->ext[place % MCHAN_EXT_WORDS];
}

// 64-bit words that bytes first .. first + len touch, minus one.
static inline uint32_t words_spanned(uint32_t first, uint32_t len) {
  return (len >> 3) + ((first & 7) + (len & 7) >= 8);
}

// A side in one dimension is one row as long as the transfer.
static inline struct mchan_row mchan_ext_row(const struct mchan *d, const struct mchan_command *c) {
  return c->ext_2d ? d->ext_slots.row[c->ext_slot] : (struct mchan_row){c->len + 1, 0};
}
static inline struct mchan_row mchan_tcdm_row(const struct mchan *d,
                                              const struct mchan_command *c) {
  return c->tcdm_2d ? d->tcdm_slots.row[c->tcdm_slot] : (struct mchan_row){c->len + 1, 0};
}

// mchan_port.c: ports, identifiers, arbiter
void mchan_ports_step(void *self, cycle_t now);
void mchan_ports_edge(struct mchan *d, cycle_t now);
bool mchan_ports_active(const struct mchan *d);

// mchan_split.c: queue, rows, bursts. In one: what enters and leaves its queues is rare.
void mchan_split_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                      cycle_t now);
// Whether a channel begins a row of transfer `id` in this cycle.
bool mchan_registers(const struct mchan *d, unsigned id);

// mchan_align.c
void mchan_align_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y);
void mchan_align_move(const struct mchan *d, struct mchan_channel *ch, const struct mchan_cycle *y);
void mchan_align_start(const struct mchan *d, struct mchan_channel *ch, uint32_t *flags);
bool mchan_align_rests(const struct mchan_control *c);

// mchan_tcdm.c
void mchan_tcdm_attach(struct mchan *d);
void mchan_tcdm_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y);
unsigned mchan_tcdm_offers(bool to_tcdm, const struct mchan_control *c);
void mchan_tcdm_move(const struct mchan_cycle *y, struct mchan_channel *ch);
void mchan_tcdm_move_rarely(struct mchan *d, struct mchan_channel *ch, const struct mchan_cycle *y);
// A port has made, or ended, the last access of a burst, or up to the end of TCDM.
void mchan_tcdm_ended(const struct mchan *d, struct mchan_channel *ch, enum mchan_lane lane,
                      struct mchan_moves *m);
void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch, unsigned offers);

// mchan_bus.c
void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now);
void mchan_bus_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y);
void mchan_bus_move_rarely(struct mchan *d, struct mchan_channel *ch, const struct mchan_cycle *y,
                           uint32_t *flags, cycle_t now);
// The last word of a burst has passed.
void mchan_bus_ended(struct mchan *d, struct mchan_channel *ch, uint32_t *flags);
// Cycle of the next answer of memory that nothing else holds up; CYCLE_NEVER if none.
cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now);

// mchan.c: so many bursts begin; one is complete on one side
void mchan_sync_begin(struct mchan *d, unsigned id, unsigned bursts);
void mchan_sync_tcdm(struct mchan *d, unsigned id);
void mchan_sync_ext(struct mchan *d, unsigned id);

// Stops the program: `text` says what is wrong with transfer `id`.
void mchan_fault(struct mchan *d, unsigned port, const char *text, cycle_t now);

#endif
