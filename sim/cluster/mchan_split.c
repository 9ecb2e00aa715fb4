// From commands to bursts: the queue of commands, rows of 2D transfers, bursts (mchan
// `trans_queue`, `twd_trans_splitter`, `trans_unpack`).
#include <stdio.h>

#include "cluster/mchan_units.h"

// ---- rows

static void free_slots(struct mchan *d, const struct mchan_command *c) {
  if (c->ext_2d)
    d->ext_slots.busy &= (uint8_t) ~(1u << c->ext_slot);
  if (c->tcdm_2d)
    d->tcdm_slots.busy &= (uint8_t) ~(1u << c->tcdm_slot);
}

// Bytes from the first to the last that one side touches.
static uint64_t extent(const struct mchan_row *row, uint32_t bytes) {
  uint32_t count = row->count ? row->count : 1;
  uint64_t rows = ((uint64_t)bytes + count - 1) / count;
  uint64_t last = bytes - (rows - 1) * count;
  return (rows - 1) * row->stride + (rows > 1 && row->stride < count ? count : last);
}

static bool reaches_nothing(const struct mchan *d, const struct mchan_splitter *s) {
  const struct mchan_command *c = &s->command;
  uint64_t ext = c->increment ? extent(&s->ext_row, s->left) : 1;
  uint64_t tcdm = extent(&s->tcdm_row, s->left);
  return c->tcdm + tcdm > d->tcdm->size || ext > UINT32_MAX ||
         !soc_bus_memory(d->bus, c->ext, (uint32_t)ext);
}

static void fault(struct mchan *d, const struct mchan_splitter *s, cycle_t now) {
  const struct mchan_command *c = &s->command;
  char text[200];
  snprintf(text, sizeof text,
           "DMA transfer outside L1 or L2: %u bytes%s%s %s 0x%08x, %s L1 + 0x%x (transfer %u)",
           s->left, c->ext_2d ? ", 2D outside" : "", c->tcdm_2d ? ", 2D in L1" : "",
           c->to_tcdm ? "from" : "to", (unsigned)c->ext, c->to_tcdm ? "to" : "from",
           (unsigned)c->tcdm, c->id);
  mchan_fault(d, c->id, text, now);
}

static void start_rows(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  struct mchan_splitter *s = &ch->splitter;
  const struct mchan_command *c = &s->command;
  s->command = ch->queue[ch->queue_first];
  ch->queue_first = (ch->queue_first + 1) % MCHAN_QUEUE;
  ch->queue_count--;
  d->queued--;
  s->run = true;
  s->two_d = c->ext_2d || c->tcdm_2d;
  s->left = c->len + 1;
  s->ext_row = mchan_ext_row(d, c);
  s->tcdm_row = mchan_tcdm_row(d, c);
  s->ext_left = s->ext_row.count < s->left ? s->ext_row.count : s->left;
  s->tcdm_left = s->tcdm_row.count < s->left ? s->tcdm_row.count : s->left;
  s->ext_base = c->ext;
  s->tcdm_base = c->tcdm;
  free_slots(d, c);
  if (reaches_nothing(d, s))
    fault(d, s, now);
  if (d->observe)
    d->observe(d->observe_self, c->id, true, now, s->left);
}

// Moves one side's address on by a piece of `n` bytes.
static void advance(uint32_t *addr, uint32_t *base, uint32_t *left, const struct mchan_row *row,
                    uint32_t n) {
  if (*left > n) {
    *left -= n;
    *addr += n;
    return;
  }
  *left = row->count;
  *base += row->stride;
  *addr = *base;
}

static uint32_t least(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

static void rows_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                      cycle_t now) {
  struct mchan_splitter *s = &ch->splitter;
  if (!fifos_ready(&ch->control, FIFO(MCHAN_ROWS)))
    return;
  if (!s->run) {
    if (ch->queue_was)
      start_rows(d, ch, now);
    return;
  }
  struct mchan_command *c = &s->command;
  uint32_t n = least(s->ext_left, s->tcdm_left, s->left);
  *fifo_push(ch, m, MCHAN_ROWS) = (struct mchan_item){
      .len = n - 1, .tcdm = c->tcdm, .ext = c->ext, .id = c->id, .increment = c->increment};
  s->run = s->two_d && s->left > n;
  s->left -= n;
  advance(&c->ext, &s->ext_base, &s->ext_left, &s->ext_row, n);
  advance(&c->tcdm, &s->tcdm_base, &s->tcdm_left, &s->tcdm_row, n);
}

// ---- bursts

// Bursts to TCDM wait for their data, before the other sides are told.
static bool bursts_ready(const struct mchan *d, const struct mchan_channel *ch) {
  unsigned others = FIFO(MCHAN_BURST_TCDM) | FIFO(MCHAN_BURST_ALIGN);
  return fifos_ready(&ch->control, FIFO(MCHAN_BURST_EXT) | (mchan_to_tcdm(d, ch) ? 0 : others));
}

static bool registers(const struct mchan *d, const struct mchan_channel *ch, unsigned id) {
  return !ch->unpacker.run && fifos_valid(&ch->control, FIFO(MCHAN_ROWS)) && bursts_ready(d, ch) &&
         fifo_head(ch, MCHAN_ROWS)->id == id;
}

bool mchan_registers(const struct mchan *d, unsigned id) {
  return registers(d, &d->channel[0], id) || registers(d, &d->channel[1], id);
}

// When the bytes behind the first boundary are one more than a multiple of the burst, the last
// burst takes that byte along, as in the RTL.
static void start_bursts(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  struct mchan_unpacker *u = &ch->unpacker;
  const struct mchan_item *row = fifo_head(ch, MCHAN_ROWS);
  bool crosses = row->ext / MCHAN_BURST != (row->ext + row->len) / MCHAN_BURST;
  uint32_t first = crosses ? MCHAN_BURST - 1 - row->ext % MCHAN_BURST : row->len;
  uint32_t behind = row->len - (first + 1);
  u->bursts = crosses ? behind / MCHAN_BURST + (behind % MCHAN_BURST != 0) : 0;
  u->count = 0;
  u->left = row->len;
  u->current = first;
  u->tcdm = row->tcdm;
  u->ext = row->ext;
  u->id = row->id;
  u->increment = row->increment;
  u->run = true;
  m->popped |= FIFO(MCHAN_ROWS);
  d->sync[u->id].unsplit -= row->len + 1;
  mchan_sync_begin(d, u->id, u->bursts + 1);
}

static void send_burst(const struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  struct mchan_unpacker *u = &ch->unpacker;
  bool last = u->count++ == u->bursts;
  struct mchan_item burst = {.len = last ? u->left : u->current,
                             .tcdm = u->tcdm,
                             .ext = u->ext,
                             .id = u->id,
                             .increment = u->increment};
  *fifo_push(ch, m, MCHAN_BURST_EXT) = burst;
  if (!mchan_to_tcdm(d, ch)) {
    *fifo_push(ch, m, MCHAN_BURST_TCDM) = burst;
    *fifo_push(ch, m, MCHAN_BURST_ALIGN) = burst;
  }
  uint32_t before = u->left;
  u->tcdm += u->current + 1;
  if (u->increment)
    u->ext += u->current + 1;
  u->left -= u->current + 1;
  u->current = before >= MCHAN_BURST - 1 ? MCHAN_BURST - 1 : before;
  u->run = !last;
}

void mchan_split_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                      cycle_t now) {
  if (ch->splitter.run || ch->queue_was)
    rows_edge(d, ch, m, now);
  if (!(ch->unpacker.run || fifos_valid(&ch->control, FIFO(MCHAN_ROWS))) || !bursts_ready(d, ch))
    return;
  if (ch->unpacker.run)
    send_burst(d, ch, m);
  else
    start_bursts(d, ch, m);
}
