// The TCDM side: accesses of a burst, and the two 32-bit ports of each direction (mchan
// `tcdm_cmd_unpack`, `tcdm_tx_if`, `tcdm_rx_if`, `tcdm_synch`).
#include <string.h>

#include "cluster/mchan_parts.h"

// The queues of both ports, one bit each; `first` is that of port 0.
static unsigned ports_of(unsigned queues, unsigned first) {
  return queues >> first & 3;
}

// The pair that a port asks for.
static struct mchan_pair *asked(struct mchan_channel *ch, unsigned k) {
  return pair_at(ch, ch->pairs.beat[k]);
}

static unsigned strobe_of(const struct mchan_pair *pair, unsigned k) {
  return pair->strobe >> 4 * k & 15;
}

// Ports that ask for an access: to TCDM, with the bytes that it writes; from TCDM, unless the data
// of the last one have no place.
static unsigned asking(const struct mchan *d, struct mchan_channel *ch) {
  const struct mchan_fifos *f = &ch->fifos;
  unsigned beats = ports_of(f->valid, MCHAN_BEAT0);
  if (!mchan_to_tcdm(d, ch))
    return beats & ~(ch->stalled | (ch->reading & ports_of(f->full, MCHAN_WORD0)));
  unsigned asks = beats & ports_of(f->valid, MCHAN_WORD0);
  return asks & ((unsigned)(strobe_of(asked(ch, 0), 0) != 0) |
                 (unsigned)(strobe_of(asked(ch, 1), 1) != 0) << 1);
}

void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch) {
  unsigned first = d->tcdm_port + (mchan_to_tcdm(d, ch) ? 2 : 0);
  unsigned asks = asking(d, ch) & ~ch->requested;
  if (!asks)
    return;
  ch->requested |= (uint8_t)asks;
  if (asks & 1)
    tcdm_ask(d->tcdm, first, asked(ch, 0)->tcdm);
  if (asks & 2)
    tcdm_ask(d->tcdm, first + 1, asked(ch, 1)->tcdm + 4);
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
  struct mchan_pair *pair = asked(ch, k);
  memcpy(&pair->word[k], d->l1->bytes + pair->tcdm + 4 * k, 4);
}

static void write_word(const struct mchan *d, struct mchan_channel *ch, unsigned k) {
  const struct mchan_pair *pair = asked(ch, k);
  store(d, pair->tcdm + 4 * k, pair->word[k], strobe_of(pair, k));
}

static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)now;
  struct mchan *d = self;
  unsigned own = ports >> d->tcdm_port, reads = own & 3, writes = own >> 2;
  if (reads) {
    d->channel[0].granted = (uint8_t)reads;
    if (reads & 1)
      read_word(d, &d->channel[0], 0);
    if (reads & 2)
      read_word(d, &d->channel[0], 1);
  }
  if (writes) {
    d->channel[1].granted = (uint8_t)writes;
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

// ---- bursts into accesses

static void beats_edge(const struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  struct mchan_beats *b = &ch->beats;
  if (!fifos_ready(ch, FIFO_BEATS))
    return;
  if (!b->run) {
    if (!fifos_valid(ch, FIFO(MCHAN_BURST_TCDM)))
      return;
    const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_TCDM);
    *b = (struct mchan_beats){.id = burst->id,
                              .tcdm = burst->tcdm & ~7u,
                              .beats = words_spanned(burst->tcdm, burst->len)};
    fifos_pop(m, FIFO(MCHAN_BURST_TCDM));
  }
  struct mchan_pair *pair = pair_at(ch, ch->pairs.begun++);
  pair->tcdm = b->tcdm < d->tcdm->size ? b->tcdm : b->tcdm % d->tcdm->size;
  pair->id = b->id;
  pair->last = b->count++ == b->beats;
  fifos_push(m, FIFO_BEATS);
  b->tcdm += 8;
  b->run = !pair->last;
}

// ---- ports

static void finish_access(struct mchan_channel *ch, struct mchan_moves *m, unsigned k,
                          const struct mchan_pair *access) {
  if (access->last)
    fifo_push(ch, m, MCHAN_DONE0 + k)->id = access->id;
}

static void end_read(struct mchan_channel *ch, struct mchan_moves *m, unsigned k) {
  finish_access(ch, m, k, pair_at(ch, ch->pairs.read[k]++));
}

static void read_edge(struct mchan_channel *ch, struct mchan_moves *m) {
  unsigned ends = ch->reading | ch->stalled;
  unsigned moves = ends & ~ports_of(ch->fifos.full, MCHAN_WORD0), begins = ch->granted;
  if (moves & 1)
    end_read(ch, m, 0);
  if (moves & 2)
    end_read(ch, m, 1);
  ch->stalled = (uint8_t)(ends & ~moves);
  ch->reading = (uint8_t)begins;
  ch->pairs.beat[0] += begins & 1;
  ch->pairs.beat[1] += begins >> 1;
  fifos_pop(m, moves << MCHAN_READ0 | begins << MCHAN_BEAT0);
  fifos_push(m, moves << MCHAN_WORD0 | begins << MCHAN_READ0);
}

// Words without bytes to write are passed over.
static void end_write(struct mchan_channel *ch, struct mchan_moves *m, unsigned k) {
  if (!fifos_valid(ch, (FIFO(MCHAN_BEAT0) | FIFO(MCHAN_WORD0)) << k))
    return;
  const struct mchan_pair *pair = asked(ch, k);
  if (!(ch->granted >> k & 1) && strobe_of(pair, k))
    return;
  finish_access(ch, m, k, pair);
  ch->pairs.beat[k]++;
  fifos_pop(m, (FIFO(MCHAN_BEAT0) | FIFO(MCHAN_WORD0)) << k);
}

static void write_edge(struct mchan_channel *ch, struct mchan_moves *m) {
  end_write(ch, m, 0);
  end_write(ch, m, 1);
}

void mchan_tcdm_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  if (fifos_valid(ch, FIFO_DONES)) {
    mchan_sync_tcdm(d, fifo_head(ch, MCHAN_DONE0)->id);
    fifos_pop(m, FIFO_DONES);
  }
  if (mchan_to_tcdm(d, ch))
    write_edge(ch, m);
  else
    read_edge(ch, m);
  ch->requested &= (uint8_t)~ch->granted;
  ch->granted = 0;
  beats_edge(d, ch, m);
}
