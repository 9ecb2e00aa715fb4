// The aligner: takes 64-bit words in the byte lanes of one side, gives them out in those of the
// other, with a strobe for the bytes that belong to the transfer. At most one word in and one
// out per cycle; a two-word buffer between them (mchan `trans_aligner`).
#include <string.h>

#include "cluster/mchan_parts.h"

struct align_ports {
  bool in_valid, out_ready;
  bool take, give; // decided: a word goes in, a word goes out
  uint8_t strobe;
};

// Does the transfer's last byte lie in the word after the one in which its full words end?
static bool spills(unsigned lane, uint32_t len) {
  return lane + (len & 7) >= 8;
}

static uint8_t first_strobe(const struct mchan_aligner *a) {
  return (uint8_t)(0xff << a->out);
}

static uint8_t last_strobe(const struct mchan_aligner *a) {
  if (words_spanned(a->out, a->len) == 0)
    return (uint8_t)((uint8_t)(0xff >> (7 - (a->len & 7))) << a->out);
  return (uint8_t)(0xff >> ((7 - a->len - a->out) & 7));
}

// State after the last word has gone in, on the way from FIRST, SECOND, or in full flow.
static uint8_t drain(const struct mchan_aligner *a, const uint8_t next[8]) {
  unsigned greater = a->out > a->in;
  return next[greater << 2 | (unsigned)!spills(a->in, a->len) << 1 |
              (unsigned)!spills(a->out, a->len)];
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

static uint8_t in_flow(const struct mchan_aligner *a) {
  return a->count == a->words ? drain(a, drain_run) : ALIGN_RUN;
}

static uint8_t fill_up(const struct mchan_aligner *a, struct align_ports *p) {
  p->take = p->in_valid;
  if (!p->take)
    return a->state;
  if (a->state == ALIGN_FIRST)
    return drain(a, a->words == 0 ? drain_first : after_first);
  return a->words == 1 ? drain(a, drain_second) : ALIGN_THIRD;
}

// THIRD and RUN: a word in and a word out in the same cycle, or one of them and then a stall. Held
// up on both sides, THIRD becomes RUN, and its word, the first, goes out with all its bytes: so
// does the RTL.
static uint8_t flow(struct mchan_aligner *a, struct align_ports *p) {
  p->strobe = a->state == ALIGN_THIRD ? first_strobe(a) : 0xff;
  p->give = p->out_ready;
  p->take = p->in_valid && p->out_ready;
  if (p->take)
    return in_flow(a);
  if (p->in_valid || p->out_ready)
    a->stall_strobe = p->strobe;
  if (p->out_ready)
    return ALIGN_PUSH_STALL;
  return p->in_valid ? ALIGN_POP_STALL : ALIGN_RUN;
}

static uint8_t push_stall(struct mchan_aligner *a, struct align_ports *p) {
  p->take = p->in_valid;
  return p->take ? in_flow(a) : ALIGN_PUSH_STALL;
}

// The word that waits goes in when one goes out. It is still at the head of its queue.
static uint8_t pop_stall(struct mchan_aligner *a, struct align_ports *p) {
  p->strobe = a->stall_strobe;
  p->give = p->take = p->out_ready;
  return p->give ? in_flow(a) : ALIGN_POP_STALL;
}

static uint8_t flush(const struct mchan_aligner *a, struct align_ports *p) {
  p->give = p->out_ready;
  switch (a->state) {
  case ALIGN_THIRD_LAST:
    p->strobe = 0xff;
    break;
  case ALIGN_SECOND_LAST:
    p->strobe = words_spanned(a->out, a->len) == 1 ? first_strobe(a) : 0xff;
    break;
  default:
    p->strobe = last_strobe(a);
    break;
  }
  if (!p->give)
    return a->state;
  if (a->state == ALIGN_THIRD_LAST)
    return ALIGN_SECOND_LAST;
  return a->state == ALIGN_SECOND_LAST ? ALIGN_LAST : ALIGN_IDLE;
}

// The two words are a ring of 16 bytes; the word that goes out begins anywhere in it.
static uint64_t output(const struct mchan_aligner *a) {
  unsigned from = (unsigned)(a->in - a->out + (a->out_odd ? 8 : 0)) & 15;
  uint64_t low = a->word[from >> 3], high = a->word[from >> 3 ^ 1];
  unsigned bits = 8 * (from & 7);
  return bits ? low >> bits | high << (64 - bits) : low;
}

static void input(struct mchan_aligner *a, uint64_t word) {
  a->word[a->in_odd] = word;
  a->in_odd = !a->in_odd;
  a->count++;
}

static uint8_t next_state(struct mchan_aligner *a, struct align_ports *p) {
  switch (a->state) {
  case ALIGN_IDLE:
    return ALIGN_IDLE;
  case ALIGN_FIRST:
  case ALIGN_SECOND:
    return fill_up(a, p);
  case ALIGN_THIRD:
  case ALIGN_RUN:
    return flow(a, p);
  case ALIGN_PUSH_STALL:
    return push_stall(a, p);
  case ALIGN_POP_STALL:
    return pop_stall(a, p);
  default:
    return flush(a, p);
  }
}

static void start_burst(struct mchan_channel *ch, struct mchan_moves *m, bool to_tcdm) {
  struct mchan_aligner *a = &ch->aligner;
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_ALIGN);
  unsigned tcdm = burst->tcdm & 7, ext = burst->ext & 7;
  a->in = (uint8_t)(to_tcdm ? ext : tcdm);
  a->out = (uint8_t)(to_tcdm ? tcdm : ext);
  a->len = burst->len;
  a->words = words_spanned(a->in, a->len);
  a->count = 0;
  a->in_odd = a->out_odd = false;
  a->state = ALIGN_FIRST;
  fifos_pop(m, FIFO(MCHAN_BURST_ALIGN));
}

// The two sides: from TCDM the words come from two 32-bit queues and go to one of 64 bits; to TCDM
// it is the other way round.
static void give_word(struct mchan_channel *ch, struct mchan_moves *m, bool to_tcdm, uint64_t data,
                      uint8_t strobe) {
  if (to_tcdm) {
    struct mchan_pair *pair = pair_at(ch, ch->pairs.words++);
    memcpy(pair->word, &data, 8);
    pair->strobe = strobe;
    fifos_push(m, FIFO_WORDS);
    return;
  }
  struct mchan_ext_word *word = ext_word_at(ch, ch->words.in++);
  word->data = data;
  word->strobe = strobe;
  fifos_push(m, FIFO(MCHAN_DATA));
}

static uint64_t take_in(struct mchan_channel *ch, struct mchan_moves *m, bool to_tcdm) {
  if (to_tcdm) {
    fifos_pop(m, FIFO(MCHAN_DATA));
    return ext_word_at(ch, ch->words.out++)->data;
  }
  uint64_t data;
  memcpy(&data, pair_at(ch, ch->pairs.words++)->word, 8);
  fifos_pop(m, FIFO_WORDS);
  return data;
}

bool mchan_align_rests(const struct mchan_channel *ch) {
  return ch->aligner.state == ALIGN_IDLE;
}

void mchan_align_edge(const struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  bool to_tcdm = mchan_to_tcdm(d, ch);
  struct mchan_aligner *a = &ch->aligner;
  struct align_ports p = {
      .in_valid = fifos_valid(ch, to_tcdm ? FIFO(MCHAN_DATA) : FIFO_WORDS),
      .out_ready = fifos_ready(ch, to_tcdm ? FIFO_WORDS : FIFO(MCHAN_DATA)),
  };
  uint8_t next = next_state(a, &p);
  bool free = a->state == ALIGN_IDLE || (a->state == ALIGN_LAST && p.give);
  if (p.give) {
    give_word(ch, m, to_tcdm, output(a), p.strobe);
    a->out_odd = !a->out_odd;
  }
  if (p.take)
    input(a, take_in(ch, m, to_tcdm));
  a->state = next;
  if (free && fifos_valid(ch, FIFO(MCHAN_BURST_ALIGN)))
    start_burst(ch, m, to_tcdm);
}
