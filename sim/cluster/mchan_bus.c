// The external side: bursts on the AXI bus (mchan `ext_rx_if`, `ext_tx_if` and register slices).
#include "cluster/mchan_parts.h"

static struct l2_port *memory_of(struct mchan *d, const struct mchan_channel *ch) {
  return &d->memory[ch->to_tcdm];
}

cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now) {
  if (!ch->bus_count || ch->answering)
    return CYCLE_NEVER;
  cycle_t t = ch->bus[0].first + ch->bus[0].next;
  return t > now ? t : now;
}

// ---- what is on the bus in this cycle

static void drive_read(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  cycle_t next = mchan_bus_next(ch, now);
  l2_want(memory_of(d, ch), L2_READ, next);
  const struct mchan_burst *b = &ch->bus[0];
  if (next != now || !l2_take(memory_of(d, ch), L2_READ, (b->addr & ~7u) + 8 * b->next, now))
    return;
  ch->answering = true;
  ch->answer = 0;
  soc_bus_copy_out(d->bus, (b->addr & ~7u) + 8 * b->next, (uint8_t *)&ch->answer, 8);
}

static void drive_write(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  ch->answering |= mchan_bus_next(ch, now) == now;
  if (fifo_valid(&ch->fifo[MCHAN_ADDRESS])) {
    const struct mchan_item *a = fifo_head(&ch->fifo[MCHAN_ADDRESS]);
    ch->writing[ch->writing_count++] = (struct mchan_burst){.addr = a->ext & ~7u, .tag = a->tag};
  }
  bool valid = fifo_valid(&ch->fifo[MCHAN_WRITE]);
  l2_want(memory_of(d, ch), L2_WRITE, valid ? now : CYCLE_NEVER);
  uint32_t to = ch->writing[0].addr + 8 * ch->writing[0].next;
  ch->written = valid && l2_take(memory_of(d, ch), L2_WRITE, to, now);
  if (!ch->written)
    return;
  const struct mchan_item *w = fifo_head(&ch->fifo[MCHAN_WRITE]);
  struct mchan_burst *b = &ch->writing[0];
  uint32_t addr = b->addr + 8 * b->next++;
  if (w->strobe == 0xff) {
    soc_bus_copy_in(d->bus, addr, (const uint8_t *)&w->data, 8);
    return;
  }
  for (unsigned j = 0; j < 8; j++)
    if (w->strobe >> j & 1)
      soc_bus_copy_in(d->bus, addr + j, (const uint8_t *)&w->data + j, 1);
}

void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (ch->to_tcdm)
    drive_read(d, ch, now);
  else
    drive_write(d, ch, now);
}

// ---- requests

static void send_address(struct mchan_channel *ch) {
  struct mchan_item burst = *fifo_head(&ch->fifo[MCHAN_BURST_EXT]);
  burst.tag = (uint8_t)__builtin_ctz(~(unsigned)ch->tags);
  ch->tag[burst.tag] = (struct mchan_tag){
      .len = burst.len, .tcdm = burst.tcdm, .id = burst.id, .lane = burst.ext & 7};
  ch->tags |= (uint8_t)(1u << burst.tag);
  fifo_push(&ch->fifo[MCHAN_ADDRESS], &burst);
  fifo_pop(&ch->fifo[MCHAN_BURST_EXT]);
}

static bool can_send_address(const struct mchan_channel *ch) {
  return fifo_valid(&ch->fifo[MCHAN_BURST_EXT]) && fifo_ready(&ch->fifo[MCHAN_ADDRESS]) &&
         ch->tags != 0xff;
}

static void append_bus(struct mchan_channel *ch, struct mchan_burst burst) {
  ch->bus[ch->bus_count++] = burst;
}

static void remove_bus(struct mchan_channel *ch) {
  ch->bus_count--;
  for (unsigned i = 0; i < ch->bus_count; i++)
    ch->bus[i] = ch->bus[i + 1];
}

// ---- to TCDM

static void read_address(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  struct mchan_fifo *f = &ch->fifo[MCHAN_ADDRESS];
  if (!fifo_valid(f))
    return;
  const struct mchan_item *a = fifo_head(f);
  uint32_t beats = words_spanned(a->ext, a->len) + 1;
  append_bus(ch, (struct mchan_burst){.addr = a->ext,
                                      .beats = beats,
                                      .tag = a->tag,
                                      .first = l2_answer(memory_of(d, ch), beats, now)});
  fifo_pop(f);
}

static void read_answer(struct mchan_channel *ch) {
  if (!ch->answering || !fifo_ready(&ch->fifo[MCHAN_REPLY]))
    return;
  struct mchan_burst *b = &ch->bus[0];
  struct mchan_item reply = {.data = ch->answer, .tag = b->tag, .last = ++b->next == b->beats};
  fifo_push(&ch->fifo[MCHAN_REPLY], &reply);
  ch->answering = false;
  if (reply.last)
    remove_bus(ch);
}

// Returns the tag that is released, or -1.
static int accept_read(struct mchan *d, struct mchan_channel *ch) {
  struct mchan_fifo *f = ch->fifo;
  if (!fifo_valid(&f[MCHAN_REPLY]) || !fifo_ready(&f[MCHAN_DATA]) ||
      !fifo_ready(&f[MCHAN_BURST_TCDM]) || !fifo_ready(&f[MCHAN_BURST_ALIGN]))
    return -1;
  struct mchan_item reply = *fifo_head(&f[MCHAN_REPLY]);
  const struct mchan_tag *tag = &ch->tag[reply.tag];
  struct mchan_item burst = {.len = tag->len, .tcdm = tag->tcdm, .ext = tag->lane, .id = tag->id};
  fifo_pop(&f[MCHAN_REPLY]);
  fifo_push(&f[MCHAN_DATA], &reply);
  if (!ch->sending) {
    fifo_push(&f[MCHAN_BURST_TCDM], &burst);
    fifo_push(&f[MCHAN_BURST_ALIGN], &burst);
  }
  ch->sending = !reply.last;
  if (!reply.last)
    return -1;
  mchan_sync_ext(d, tag->id);
  return reply.tag;
}

static void read_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  read_address(d, ch, now);
  read_answer(ch);
  int released = accept_read(d, ch);
  if (can_send_address(ch))
    send_address(ch);
  if (released >= 0)
    ch->tags &= (uint8_t) ~(1u << released);
}

// ---- from TCDM

static bool can_send_data(const struct mchan_channel *ch) {
  return fifo_valid(&ch->fifo[MCHAN_DATA]) && fifo_ready(&ch->fifo[MCHAN_WRITE]);
}

static void send_data(struct mchan_channel *ch) {
  struct mchan_item word = *fifo_head(&ch->fifo[MCHAN_DATA]);
  word.last = ch->write_count++ == ch->write_beats;
  fifo_push(&ch->fifo[MCHAN_WRITE], &word);
  fifo_pop(&ch->fifo[MCHAN_DATA]);
  ch->sending = !word.last;
  ch->addressed = false;
}

static void write_request(struct mchan_channel *ch) {
  if (!ch->sending && !ch->addressed) {
    if (!can_send_address(ch))
      return;
    const struct mchan_item *burst = fifo_head(&ch->fifo[MCHAN_BURST_EXT]);
    ch->write_beats = words_spanned(burst->ext, burst->len);
    ch->write_count = 0;
    ch->addressed = true;
    send_address(ch);
  }
  if (can_send_data(ch))
    send_data(ch);
}

static void write_data(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  struct mchan_fifo *f = &ch->fifo[MCHAN_WRITE];
  if (fifo_valid(&ch->fifo[MCHAN_ADDRESS]))
    fifo_pop(&ch->fifo[MCHAN_ADDRESS]);
  if (!ch->written)
    return;
  ch->written = false;
  if (fifo_head(f)->last) {
    const struct mchan_burst *b = &ch->writing[0];
    cycle_t answer = l2_answer(memory_of(d, ch), 1, now);
    append_bus(ch, (struct mchan_burst){.tag = b->tag, .beats = 1, .first = answer});
    ch->writing_count--;
    for (unsigned i = 0; i < ch->writing_count; i++)
      ch->writing[i] = ch->writing[i + 1];
  }
  fifo_pop(f);
}

static void write_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  int released = -1;
  struct mchan_fifo *replies = &ch->fifo[MCHAN_REPLY];
  if (fifo_valid(replies)) {
    released = fifo_head(replies)->tag;
    mchan_sync_ext(d, ch->tag[released].id);
    fifo_pop(replies);
  }
  if (ch->answering && fifo_ready(replies)) {
    struct mchan_item reply = {.tag = ch->bus[0].tag};
    fifo_push(replies, &reply);
    ch->answering = false;
    remove_bus(ch);
  }
  write_data(d, ch, now);
  write_request(ch);
  if (released >= 0)
    ch->tags &= (uint8_t) ~(1u << released);
}

void mchan_bus_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (ch->to_tcdm)
    read_edge(d, ch, now);
  else
    write_edge(d, ch, now);
}
