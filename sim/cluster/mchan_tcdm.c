// The TCDM side: accesses of a burst, and the two 32-bit ports of each direction (mchan
// `tcdm_cmd_unpack`, `tcdm_tx_if`, `tcdm_rx_if`, `tcdm_synch`).
#include <string.h>

#include "cluster/mchan_parts.h"

// Whether port k cannot begin a read: the data of the last one have no place.
static bool read_blocked(const struct mchan_channel *ch, unsigned k) {
  return ch->stalled[k] || (ch->reading[k] && !fifo_ready(&ch->fifo[MCHAN_WORD0 + k]));
}

static bool wants(const struct mchan_channel *ch, unsigned k) {
  if (!fifo_valid(&ch->fifo[MCHAN_BEAT0 + k]))
    return false;
  if (!ch->to_tcdm)
    return !read_blocked(ch, k);
  const struct mchan_fifo *words = &ch->fifo[MCHAN_WORD0 + k];
  return fifo_valid(words) && fifo_head(words)->strobe;
}

void mchan_tcdm_drive(struct mchan *d, struct mchan_channel *ch) {
  for (unsigned k = 0; k < 2; k++) {
    if (ch->requested[k] || !wants(ch, k))
      continue;
    ch->requested[k] = true;
    unsigned port = tcdm_dma_port(d->tcdm) + (ch->to_tcdm ? 2 : 0) + k;
    tcdm_post(d->tcdm, port, fifo_head(&ch->fifo[MCHAN_BEAT0 + k])->tcdm);
  }
}

static void written(struct mchan *d, uint32_t offset) {
  const struct soc_bus *bus = d->bus;
  if (bus->code_written)
    bus->code_written(bus->code_self, d->tcdm_base + offset, 4);
}

static void granted(void *self, unsigned port, cycle_t now) {
  (void)now;
  struct mchan *d = self;
  unsigned k = port - tcdm_dma_port(d->tcdm);
  struct mchan_channel *ch = &d->channel[k / 2];
  k %= 2;
  uint32_t offset = fifo_head(&ch->fifo[MCHAN_BEAT0 + k])->tcdm;
  uint8_t *bytes = d->tcdm->bytes + offset;
  ch->granted[k] = true;
  if (!ch->to_tcdm) {
    memcpy(&ch->read_data[k], bytes, 4);
    return;
  }
  const struct mchan_item *word = fifo_head(&ch->fifo[MCHAN_WORD0 + k]);
  for (unsigned j = 0; j < 4; j++)
    if (word->strobe >> j & 1)
      bytes[j] = (uint8_t)(word->data >> 8 * j);
  written(d, offset);
}

void mchan_tcdm_attach(struct mchan *d) {
  for (unsigned k = 0; k < TCDM_DMA_PORTS; k++)
    tcdm_attach(d->tcdm, tcdm_dma_port(d->tcdm) + k, granted, d);
}

// ---- bursts into accesses

static void beats_edge(struct mchan *d, struct mchan_channel *ch) {
  struct mchan_beats *b = &ch->beats;
  struct mchan_fifo *in = &ch->fifo[MCHAN_BURST_TCDM];
  if (!fifo_ready(&ch->fifo[MCHAN_BEAT0]) || !fifo_ready(&ch->fifo[MCHAN_BEAT1]))
    return;
  if (!b->run) {
    if (!fifo_valid(in))
      return;
    const struct mchan_item *burst = fifo_head(in);
    *b = (struct mchan_beats){.id = burst->id,
                              .tcdm = burst->tcdm & ~7u,
                              .beats = words_spanned(burst->tcdm, burst->len)};
    fifo_pop(in);
  }
  struct mchan_item beat = {
      .tcdm = b->tcdm % d->tcdm->size, .id = b->id, .last = b->count == b->beats};
  fifo_push(&ch->fifo[MCHAN_BEAT0], &beat);
  beat.tcdm += 4;
  fifo_push(&ch->fifo[MCHAN_BEAT1], &beat);
  b->tcdm += 8;
  b->run = b->count++ != b->beats;
}

// ---- ports

static void finish_access(struct mchan_channel *ch, unsigned k, const struct mchan_item *access) {
  if (access->last)
    fifo_push(&ch->fifo[MCHAN_DONE0 + k], access);
}

static void read_edge(struct mchan_channel *ch, unsigned k) {
  struct mchan_fifo *reads = &ch->fifo[MCHAN_READ0 + k];
  if (ch->reading[k] || ch->stalled[k]) {
    ch->stalled[k] = !fifo_ready(&ch->fifo[MCHAN_WORD0 + k]);
    if (!ch->stalled[k]) {
      fifo_push(&ch->fifo[MCHAN_WORD0 + k], fifo_head(reads));
      finish_access(ch, k, fifo_head(reads));
      fifo_pop(reads);
    }
  }
  ch->reading[k] = ch->granted[k];
  if (!ch->granted[k])
    return;
  struct mchan_item read = *fifo_head(&ch->fifo[MCHAN_BEAT0 + k]);
  read.data = ch->read_data[k];
  fifo_push(reads, &read);
  fifo_pop(&ch->fifo[MCHAN_BEAT0 + k]);
}

static void write_edge(struct mchan_channel *ch, unsigned k) {
  struct mchan_fifo *beats = &ch->fifo[MCHAN_BEAT0 + k], *words = &ch->fifo[MCHAN_WORD0 + k];
  if (!fifo_valid(beats) || !fifo_valid(words))
    return;
  if (fifo_head(words)->strobe && !ch->granted[k])
    return;
  finish_access(ch, k, fifo_head(beats));
  fifo_pop(beats);
  fifo_pop(words);
}

void mchan_tcdm_edge(struct mchan *d, struct mchan_channel *ch) {
  struct mchan_fifo *done = &ch->fifo[MCHAN_DONE0];
  if (fifo_valid(&done[0]) && fifo_valid(&done[1])) {
    mchan_sync_tcdm(d, fifo_head(&done[0])->id);
    fifo_pop(&done[0]);
    fifo_pop(&done[1]);
  }
  for (unsigned k = 0; k < 2; k++) {
    if (ch->to_tcdm)
      write_edge(ch, k);
    else
      read_edge(ch, k);
    if (ch->granted[k])
      ch->requested[k] = false;
    ch->granted[k] = false;
  }
  beats_edge(d, ch);
}
