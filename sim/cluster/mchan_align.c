// The aligner: takes 64-bit words in the byte lanes of one side, gives them out in those of the
// other, with a strobe for the bytes that belong to the transfer. At most one word in and one
// out per cycle; a two-word buffer between them (mchan `trans_aligner`).
#include <string.h>

#include "cluster/mchan_units.h"

struct align_ports {
  bool in_valid, out_ready;
  bool take, give; // decided: a word goes in, a word goes out
  uint8_t strobe;  // enum mchan_strobe
};

enum { ALIGN_SHIFT = 14 };

static unsigned state_of(const struct mchan_control *c) {
  return (c->flags & MCHAN_ALIGN) >> ALIGN_SHIFT;
}

bool mchan_align_rests(const struct mchan_control *c) {
  return state_of(c) == ALIGN_IDLE;
}

// ---- what moves

// State after the last word has gone in, on the way from FIRST, SECOND, or in full flow.
static uint8_t drain(const struct mchan_control *c, const uint8_t next[8]) {
  return next[(c->flags & MCHAN_OUT_LATER ? 4 : 0) | (c->flags & MCHAN_IN_FITS ? 2 : 0) |
              (c->flags & MCHAN_OUT_FITS ? 1 : 0)];
}

static const uint8_t drain_first[8] = {ALIGN_LAST,        ALIGN_LAST,        ALIGN_SECOND_LAST,
                                       ALIGN_LAST,        ALIGN_SECOND_LAST, ALIGN_LAST,
                                       ALIGN_SECOND_LAST, ALIGN_LAST};
static const uint8_t after_first[8] = {ALIGN_SECOND, ALIGN_SECOND, ALIGN_THIRD, ALIGN_SECOND,
                                       ALIGN_THIRD,  ALIGN_SECOND, ALIGN_THIRD, ALIGN_THIRD};
static const uint8_t drain_second[8] = {ALIGN_SECOND_LAST, ALIGN_LAST,       ALIGN_THIRD_LAST,
                                        ALIGN_SECOND_LAST, ALIGN_THIRD_LAST, ALIGN_LAST,
                                        ALIGN_THIRD_LAST,  ALIGN_THIRD_LAST};
static const uint8_t drain_run[8] = {ALIGN_SECOND_LAST, ALIGN_LAST, ALIGN_SECOND_LAST,
                                     ALIGN_SECOND_LAST, ALIGN_LAST, ALIGN_LAST,
                                     ALIGN_SECOND_LAST, ALIGN_LAST};

static bool is_last_in(const struct mchan_control *c) {
  return c->flags & MCHAN_LAST_IN;
}

static uint8_t in_flow(const struct mchan_control *c) {
  return is_last_in(c) ? drain(c, drain_run) : ALIGN_RUN;
}

static uint8_t fill_up(const struct mchan_control *c, struct align_ports *p) {
  p->take = p->in_valid;
  if (!p->take)
    return (uint8_t)state_of(c);
  if (state_of(c) == ALIGN_FIRST)
    return drain(c, is_last_in(c) ? drain_first : after_first);
  return is_last_in(c) ? drain(c, drain_second) : ALIGN_THIRD;
}

// THIRD and RUN: a word in and a word out in the same cycle, or one of them and then a stall. Held
// up on both sides, THIRD becomes RUN, and its word, the first, goes out with all its bytes: so
// does the RTL.
static uint8_t flow(const struct mchan_control *c, struct align_ports *p, uint32_t *waits) {
  p->strobe = state_of(c) == ALIGN_THIRD ? STROBE_FIRST : STROBE_WHOLE;
  p->give = p->out_ready;
  p->take = p->in_valid && p->out_ready;
  if (p->take)
    return in_flow(c);
  if (p->out_ready)
    return ALIGN_PUSH_STALL;
  if (!p->in_valid)
    return ALIGN_RUN;
  *waits = p->strobe == STROBE_FIRST ? MCHAN_FIRST_WAITS : 0;
  return ALIGN_POP_STALL;
}

static uint8_t push_stall(const struct mchan_control *c, struct align_ports *p) {
  p->take = p->in_valid;
  return p->take ? in_flow(c) : ALIGN_PUSH_STALL;
}

// The word that waits goes in when one goes out. It is still at the head of its queue.
static uint8_t pop_stall(const struct mchan_control *c, struct align_ports *p, uint32_t *waits) {
  p->strobe = c->flags & MCHAN_FIRST_WAITS ? STROBE_FIRST : STROBE_WHOLE;
  p->give = p->take = p->out_ready;
  if (p->give)
    return in_flow(c);
  *waits = c->flags & MCHAN_FIRST_WAITS;
  return ALIGN_POP_STALL;
}

static uint8_t flush(unsigned state, struct align_ports *p) {
  p->give = p->out_ready;
  p->strobe = state == ALIGN_THIRD_LAST    ? STROBE_WHOLE
              : state == ALIGN_SECOND_LAST ? STROBE_LAST_BUT_ONE
                                           : STROBE_LAST;
  if (!p->give)
    return (uint8_t)state;
  if (state == ALIGN_THIRD_LAST)
    return ALIGN_SECOND_LAST;
  return state == ALIGN_SECOND_LAST ? ALIGN_LAST : ALIGN_IDLE;
}

static uint8_t next_state(const struct mchan_control *c, struct align_ports *p, uint32_t *waits) {
  switch (state_of(c)) {
  case ALIGN_IDLE:
    return ALIGN_IDLE;
  case ALIGN_FIRST:
  case ALIGN_SECOND:
    return fill_up(c, p);
  case ALIGN_THIRD:
  case ALIGN_RUN:
    return flow(c, p, waits);
  case ALIGN_PUSH_STALL:
    return push_stall(c, p);
  case ALIGN_POP_STALL:
    return pop_stall(c, p, waits);
  default:
    return flush(state_of(c), p);
  }
}

// The two sides: from TCDM the words come from two 32-bit queues and go to one of 64 bits; to TCDM
// it is the other way round.
static unsigned in_queues(bool to_tcdm) {
  return to_tcdm ? FIFO(MCHAN_DATA) : FIFO_WORDS;
}
static unsigned out_queues(bool to_tcdm) {
  return to_tcdm ? FIFO_WORDS : FIFO(MCHAN_DATA);
}

void mchan_align_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y) {
  struct align_ports p = {.in_valid = fifos_valid(c, in_queues(to_tcdm)),
                          .out_ready = fifos_ready(c, out_queues(to_tcdm))};
  uint32_t waits = 0;
  unsigned next = next_state(c, &p, &waits);
  bool free = state_of(c) == ALIGN_IDLE || (state_of(c) == ALIGN_LAST && p.give);
  if (p.give)
    y->pushed |= (uint16_t)out_queues(to_tcdm);
  if (p.take) {
    y->popped |= (uint16_t)in_queues(to_tcdm);
    y->next.flags &= ~(uint32_t)MCHAN_LAST_IN;
  }
  if (free && fifos_valid(c, FIFO(MCHAN_BURST_ALIGN))) {
    y->popped |= FIFO(MCHAN_BURST_ALIGN);
    next = ALIGN_FIRST;
  }
  y->strobe = p.strobe;
  set_flags(&y->next.flags, MCHAN_ALIGN | MCHAN_FIRST_WAITS, next << ALIGN_SHIFT | waits);
}

// ---- the words

// Does the transfer's last byte lie in the word after the one in which its full words end?
static bool spills(unsigned lane, uint32_t len) {
  return lane + (len & 7) >= 8;
}

static uint8_t last_strobe(unsigned out, uint32_t len) {
  if (words_spanned(out, len) == 0)
    return (uint8_t)((uint8_t)(0xff >> (7 - (len & 7))) << out);
  return (uint8_t)(0xff >> ((7 - len - out) & 7));
}

void mchan_align_start(const struct mchan *d, struct mchan_channel *ch, uint32_t *flags) {
  bool to_tcdm = mchan_to_tcdm(d, ch);
  struct mchan_aligner *a = &ch->aligner;
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_ALIGN);
  unsigned tcdm = burst->tcdm & 7, ext = burst->ext & 7;
  unsigned in = to_tcdm ? ext : tcdm, out = to_tcdm ? tcdm : ext;
  uint32_t behind = words_spanned(in, burst->len);
  uint8_t first = (uint8_t)(0xff << out);
  ch->count[LANE_TAKEN] = (uint16_t)behind;
  a->in = 0;
  a->from = (in - out) & 15;
  a->strobe[STROBE_WHOLE] = 0xff;
  a->strobe[STROBE_FIRST] = first;
  a->strobe[STROBE_LAST] = last_strobe(out, burst->len);
  a->strobe[STROBE_LAST_BUT_ONE] = words_spanned(out, burst->len) == 1 ? first : 0xff;
  set_flags(flags, MCHAN_OUT_LATER | MCHAN_IN_FITS | MCHAN_OUT_FITS | MCHAN_LAST_IN,
            (out > in ? MCHAN_OUT_LATER : 0) | (spills(in, burst->len) ? 0 : MCHAN_IN_FITS) |
                (spills(out, burst->len) ? 0 : MCHAN_OUT_FITS) | (behind ? 0 : MCHAN_LAST_IN));
}

// The word that would go out begins anywhere in the ring.
static uint64_t output(const struct mchan_aligner *a) {
  unsigned bits = 8 * (a->from & 7u);
  uint64_t low = a->word[a->from >> 3], high = a->word[a->from >> 3 ^ 1];
  return low >> bits | high << 1 << (63 - bits);
}

static uint64_t next_in(struct mchan_channel *ch, bool to_tcdm) {
  if (to_tcdm)
    return ext_word_at(ch, ch->place[LANE_TAKEN])->data;
  uint64_t data;
  memcpy(&data, pair_at(ch, ch->place[LANE_TAKEN])->word, 8);
  return data;
}

static void show_next_out(struct mchan_channel *ch, bool to_tcdm, uint8_t strobe) {
  uint64_t data = output(&ch->aligner);
  if (to_tcdm) {
    struct mchan_pair *pair = pair_at(ch, ch->place[LANE_GIVEN]);
    memcpy(pair->word, &data, 8);
    pair->strobe = strobe;
  } else {
    struct mchan_ext_word *word = ext_word_at(ch, ch->place[LANE_GIVEN]);
    word->data = data;
    word->strobe = strobe;
  }
}

// Both words are looked at whether they move or not, which saves branches: there is a place for the
// one that goes out, and what comes in comes twice.
void mchan_align_move(const struct mchan *d, struct mchan_channel *ch,
                      const struct mchan_cycle *y) {
  bool to_tcdm = mchan_to_tcdm(d, ch);
  struct mchan_aligner *a = &ch->aligner;
  unsigned gives = (y->pushed & out_queues(to_tcdm)) != 0;
  unsigned takes = (y->popped & in_queues(to_tcdm)) != 0;
  uint64_t in = next_in(ch, to_tcdm);
  show_next_out(ch, to_tcdm, a->strobe[y->strobe]);
  a->from ^= (uint8_t)(gives << 3);
  a->word[a->in] = takes ? in : a->word[a->in];
  a->in ^= (uint8_t)takes;
}
