// The TCDM side: accesses of a burst, and the two 32-bit ports of each direction (mchan
// `tcdm_cmd_unpack`, `tcdm_tx_if`, `tcdm_rx_if`, `tcdm_synch`).
#include <string.h>

#include "cluster/mchan_units.h"

// What a port is about to read or write.
static struct mchan_pair *pair_of(struct mchan_channel *ch, unsigned k) {
  return pair_at(ch, ch->place[LANE_ASK0 + k]);
}

static unsigned strobe_of(struct mchan_channel *ch, unsigned k) {
  return pair_of(ch, k)->strobe >> 4 * k & 15;
}

// To TCDM, an access is made with its word.
static unsigned with_word(const struct mchan_control *c) {
  return queues_of(c->valid, MCHAN_BEAT0) & queues_of(c->valid, MCHAN_WORD0);
}

// From TCDM, none is made while the data of the last one have no place.
unsigned mchan_tcdm_offers(bool to_tcdm, const struct mchan_control *c) {
  if (to_tcdm)
    return with_word(c);
  unsigned holds = ports_of(c, MCHAN_READING) & queues_of(c->full, MCHAN_WORD0);
  return queues_of(c->valid, MCHAN_BEAT0) & ~(ports_of(c, MCHAN_STALLED) | holds);
}

// Of ports that offer a word, those for which it has bytes to write. Others pass theirs over.
static unsigned with_bytes(struct mchan_channel *ch, unsigned offers) {
  unsigned bytes = (unsigned)(strobe_of(ch, 0) != 0) | (unsigned)(strobe_of(ch, 1) != 0) << 1;
  ch->control.flags |= (offers & ~bytes) * PORT(MCHAN_PASSED);
  return offers & bytes;
}

void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch, unsigned offers) {
  bool to_tcdm = mchan_to_tcdm(d, ch);
  unsigned first = d->tcdm_port + (to_tcdm ? 2 : 0);
  unsigned asks = (to_tcdm ? with_bytes(ch, offers) : offers) & ~(unsigned)ch->requested;
  if (!asks)
    return;
  ch->requested |= (uint8_t)asks;
  tcdm_ask_if(d->tcdm, first, ch->tcdm[0], asks & 1);
  tcdm_ask_if(d->tcdm, first + 1, ch->tcdm[1] + 4, asks >> 1);
  tcdm_wake(d->tcdm);
}

static void store(const struct mchan *d, uint32_t offset, uint32_t data, unsigned strobe) {
  uint8_t *bytes = d->l1->bytes + offset;
  if (strobe == 15)
    memcpy(bytes, &data, 4);
  else
    for (unsigned j = 0; j < 4; j++)
      if (strobe >> j & 1)
        bytes[j] = (uint8_t)(data >> 8 * j);
  soc_bus_changed(d->bus, d->l1, d->l1->base + offset, 1); // the word lies in one piece
}

static void read_word(const struct mchan *d, struct mchan_channel *ch, unsigned k) {
  memcpy(&pair_of(ch, k)->word[k], d->l1->bytes + ch->tcdm[k] + 4 * k, 4);
}

static void write_word(const struct mchan *d, struct mchan_channel *ch, unsigned k) {
  store(d, ch->tcdm[k] + 4 * k, pair_of(ch, k)->word[k], strobe_of(ch, k));
}

static void flag_granted(struct mchan_channel *ch, unsigned ports) {
  ch->control.flags |= ports * PORT(MCHAN_GRANTED);
  ch->requested ^= (uint8_t)ports;
}

// A word that is read too early is read again.
static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)now;
  struct mchan *d = self;
  unsigned own = ports >> d->tcdm_port, reads = own & 3, writes = own >> 2;
  if (reads) {
    flag_granted(&d->channel[0], reads);
    read_word(d, &d->channel[0], 0);
    read_word(d, &d->channel[0], 1);
  }
  if (writes) {
    flag_granted(&d->channel[1], writes);
    if (writes & 1)
      write_word(d, &d->channel[1], 0);
    if (writes & 2)
      write_word(d, &d->channel[1], 1);
  }
}

void mchan_tcdm_attach(struct mchan *d) {
  d->tcdm_port = tcdm_dma_port(d->tcdm);
  tcdm_attach(d->tcdm, ((UINT32_C(1) << TCDM_DMA_PORTS) - 1) << d->tcdm_port, granted, d);
}

// ---- what moves

static void decide_reads(const struct mchan_control *c, struct mchan_cycle *y) {
  unsigned begins = ports_of(c, MCHAN_GRANTED);
  unsigned ends = ports_of(c, MCHAN_READING) | ports_of(c, MCHAN_STALLED);
  unsigned moves = ends & ~queues_of(c->full, MCHAN_WORD0);
  y->popped |= (uint16_t)(moves << MCHAN_READ0 | begins << MCHAN_BEAT0);
  y->pushed |= (uint16_t)(moves << MCHAN_WORD0 | begins << MCHAN_READ0);
  set_flags(&y->next.flags, MCHAN_READING | MCHAN_STALLED,
            begins * PORT(MCHAN_READING) | (ends & ~moves) * PORT(MCHAN_STALLED));
}

// Words without bytes to write are passed over.
static void decide_writes(const struct mchan_control *c, struct mchan_cycle *y) {
  unsigned ends = with_word(c) & (ports_of(c, MCHAN_GRANTED) | ports_of(c, MCHAN_PASSED));
  y->popped |= (uint16_t)(ends << MCHAN_BEAT0 | ends << MCHAN_WORD0);
}

static void decide_beats(const struct mchan_control *c, struct mchan_cycle *y) {
  if (!fifos_ready(c, FIFO_BEATS))
    return;
  if (!(c->flags & MCHAN_BEATS)) {
    if (!fifos_valid(c, FIFO(MCHAN_BURST_TCDM)))
      return;
    y->popped |= FIFO(MCHAN_BURST_TCDM);
  }
  y->pushed |= FIFO_BEATS;
  y->next.flags |= MCHAN_BEATS;
}

void mchan_tcdm_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y) {
  if (fifos_valid(c, FIFO_DONES))
    y->popped |= FIFO_DONES;
  if (to_tcdm)
    decide_writes(c, y);
  else
    decide_reads(c, y);
  y->next.flags &= ~(uint32_t)(MCHAN_GRANTED | MCHAN_PASSED);
  decide_beats(c, y);
}

// ---- accesses

// A port comes to a burst, to make accesses or to end them.
static void enter_span(const struct mchan *d, struct mchan_channel *ch, enum mchan_lane lane) {
  struct mchan_cursor *at = &ch->at[lane];
  const struct mchan_span *span = &ch->span[at->span % MCHAN_SPANS];
  uint32_t fit = (d->tcdm->size - span->tcdm + 7) / 8;
  uint16_t count = span->count < fit ? span->count : (uint16_t)fit;
  ch->count[lane] = count;
  at->rest = (uint16_t)(span->count - count);
  if (lane <= LANE_ASK1)
    ch->tcdm[lane - LANE_ASK0] = span->tcdm;
}

static void start_span(const struct mchan *d, struct mchan_channel *ch) {
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_TCDM);
  struct mchan_span *span = &ch->span[ch->spans % MCHAN_SPANS];
  span->tcdm = (burst->tcdm & ~7u) % d->tcdm->size;
  span->count = (uint16_t)(words_spanned(burst->tcdm, burst->len) + 1);
  span->id = burst->id;
  ch->count[LANE_BEATS] = span->count;
  for (unsigned lane = LANE_ASK0; lane <= LANE_END1; lane++) // those that have been waiting for it
    if (ch->at[lane].span == ch->spans)
      enter_span(d, ch, lane);
  ch->spans++;
}

void mchan_tcdm_ended(const struct mchan *d, struct mchan_channel *ch, enum mchan_lane lane,
                      struct mchan_moves *m) {
  struct mchan_cursor *at = &ch->at[lane];
  unsigned k = (lane - LANE_ASK0) & 1;
  if (at->rest) {
    ch->tcdm[k] %= d->tcdm->size;
    ch->count[lane] = at->rest;
    at->rest = 0;
    return;
  }
  if (mchan_to_tcdm(d, ch) || lane >= LANE_END0)
    fifo_push(ch, m, MCHAN_DONE0 + k)->id = ch->span[at->span % MCHAN_SPANS].id;
  if (++at->span != ch->spans)
    enter_span(d, ch, lane);
}

void mchan_tcdm_move_rarely(struct mchan *d, struct mchan_channel *ch,
                            const struct mchan_cycle *y) {
  if (y->popped & FIFO(MCHAN_DONE0))
    mchan_sync_tcdm(d, fifo_head(ch, MCHAN_DONE0)->id);
  if (y->popped & FIFO(MCHAN_BURST_TCDM))
    start_span(d, ch);
}

void mchan_tcdm_move(const struct mchan_cycle *y, struct mchan_channel *ch) {
  ch->tcdm[0] += y->steps[LANE_ASK0] & 8;
  ch->tcdm[1] += y->steps[LANE_ASK1] & 8;
}
