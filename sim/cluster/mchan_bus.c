// The external side: bursts on the AXI bus (mchan `ext_rx_if`, `ext_tx_if` and register slices).
#include <string.h>

#include "cluster/mchan_parts.h"

static struct l2_port *port_of(struct mchan *d, const struct mchan_channel *ch) {
  return &d->memory[mchan_to_tcdm(d, ch)];
}

static const struct memory *memory_of(const struct mchan *d, const struct mchan_item *burst) {
  uint32_t words = words_spanned(burst->ext, burst->len) + 1;
  return soc_bus_memory(d->bus, burst->ext & ~7u, 8 * words);
}

cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now) {
  if (!ch->bus_count || ch->answering)
    return CYCLE_NEVER;
  const struct mchan_burst *b = &ch->bus[ch->bus_first];
  cycle_t t = b->first + b->next;
  return t > now ? t : now;
}

static void append_bus(struct mchan_channel *ch, struct mchan_burst burst) {
  ch->bus[(ch->bus_first + ch->bus_count++) % MCHAN_ON_BUS] = burst;
}

static void remove_bus(struct mchan_channel *ch) {
  ch->bus_first = (ch->bus_first + 1) % MCHAN_ON_BUS;
  ch->bus_count--;
}

static void append_writing(struct mchan_channel *ch, struct mchan_burst burst) {
  ch->writing[(ch->writing_first + ch->writing_count++) % MCHAN_WRITING] = burst;
}

static void remove_writing(struct mchan_channel *ch) {
  ch->writing_first = (ch->writing_first + 1) % MCHAN_WRITING;
  ch->writing_count--;
}

// ---- what is on the bus in this cycle

static void drive_read(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  cycle_t next = mchan_bus_next(ch, now);
  l2_want(port_of(d, ch), L2_READ, next);
  if (next != now)
    return;
  const struct mchan_burst *b = &ch->bus[ch->bus_first];
  uint32_t from = (b->addr & ~7u) + 8 * b->next;
  if (!l2_take(port_of(d, ch), L2_READ, from, now))
    return;
  ch->answering = true;
  ch->answer = 0;
  if (b->memory)
    memcpy(&ch->answer, b->memory->bytes + (from - b->memory->base), 8);
}

static void write_memory(const struct mchan *d, const struct memory *m, uint32_t addr,
                         const struct mchan_ext_word *w) {
  if (!m)
    return;
  uint8_t *bytes = m->bytes + (addr - m->base);
  if (w->strobe == 0xff)
    memcpy(bytes, &w->data, 8);
  else
    for (unsigned j = 0; j < 8; j++)
      if (w->strobe >> j & 1)
        bytes[j] = (uint8_t)(w->data >> 8 * j);
  soc_bus_changed(d->bus, m, addr, 1); // the word lies in one piece of 64 bytes
}

static void drive_write(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  ch->answering |= mchan_bus_next(ch, now) == now;
  if (fifos_valid(ch, FIFO(MCHAN_ADDRESS))) {
    const struct mchan_item *a = fifo_head(ch, MCHAN_ADDRESS);
    append_writing(
        ch, (struct mchan_burst){.memory = memory_of(d, a), .addr = a->ext & ~7u, .tag = a->tag});
  }
  bool valid = fifos_valid(ch, FIFO(MCHAN_WRITE));
  l2_want(port_of(d, ch), L2_WRITE, valid ? now : CYCLE_NEVER);
  struct mchan_burst *b = &ch->writing[ch->writing_first];
  uint32_t to = b->addr + 8 * b->next;
  ch->written = valid && l2_take(port_of(d, ch), L2_WRITE, to, now);
  if (!ch->written)
    return;
  b->next++;
  write_memory(d, b->memory, to, ext_word_at(ch, ch->words.out));
}

void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (mchan_to_tcdm(d, ch))
    drive_read(d, ch, now);
  else
    drive_write(d, ch, now);
}

// ---- requests

static void send_address(struct mchan_channel *ch, struct mchan_moves *m) {
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_EXT);
  struct mchan_item *address = fifo_push(ch, m, MCHAN_ADDRESS);
  address->len = burst->len;
  address->ext = burst->ext;
  address->tag = (uint8_t)__builtin_ctz(~(unsigned)ch->tags);
  ch->tag[address->tag] = (struct mchan_tag){
      .len = burst->len, .tcdm = burst->tcdm, .id = burst->id, .lane = burst->ext & 7};
  ch->tags |= (uint8_t)(1u << address->tag);
  fifos_pop(m, FIFO(MCHAN_BURST_EXT));
}

static bool can_send_address(const struct mchan_channel *ch) {
  return fifos_valid(ch, FIFO(MCHAN_BURST_EXT)) && fifos_ready(ch, FIFO(MCHAN_ADDRESS)) &&
         ch->tags != 0xff;
}

// ---- to TCDM

static void read_address(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                         cycle_t now) {
  if (!fifos_valid(ch, FIFO(MCHAN_ADDRESS)))
    return;
  const struct mchan_item *a = fifo_head(ch, MCHAN_ADDRESS);
  uint32_t beats = words_spanned(a->ext, a->len) + 1;
  append_bus(ch, (struct mchan_burst){.memory = memory_of(d, a),
                                      .addr = a->ext,
                                      .beats = beats,
                                      .tag = a->tag,
                                      .first = l2_answer(port_of(d, ch), beats, now)});
  fifos_pop(m, FIFO(MCHAN_ADDRESS));
}

static void read_answer(struct mchan_channel *ch, struct mchan_moves *m) {
  if (!ch->answering || !fifos_ready(ch, FIFO(MCHAN_REPLY)))
    return;
  struct mchan_burst *b = &ch->bus[ch->bus_first];
  struct mchan_ext_word *word = ext_word_at(ch, ch->words.in++);
  word->data = ch->answer;
  word->tag = b->tag;
  word->last = ++b->next == b->beats;
  fifos_push(m, FIFO(MCHAN_REPLY));
  ch->answering = false;
  if (word->last)
    remove_bus(ch);
}

// Tells the other sides about a burst whose data come.
static void announce_burst(struct mchan_channel *ch, struct mchan_moves *m,
                           const struct mchan_tag *tag) {
  struct mchan_item burst = {.len = tag->len, .tcdm = tag->tcdm, .ext = tag->lane, .id = tag->id};
  *fifo_push(ch, m, MCHAN_BURST_TCDM) = burst;
  *fifo_push(ch, m, MCHAN_BURST_ALIGN) = burst;
}

// Returns the tag that is released, or -1.
static int accept_read(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m) {
  unsigned behind = FIFO(MCHAN_DATA) | FIFO(MCHAN_BURST_TCDM) | FIFO(MCHAN_BURST_ALIGN);
  if (!fifos_valid(ch, FIFO(MCHAN_REPLY)) || !fifos_ready(ch, behind))
    return -1;
  const struct mchan_ext_word *word = ext_word_at(ch, ch->words.passed++);
  const struct mchan_tag *tag = &ch->tag[word->tag];
  fifos_pop(m, FIFO(MCHAN_REPLY));
  fifos_push(m, FIFO(MCHAN_DATA));
  if (!ch->sending)
    announce_burst(ch, m, tag);
  ch->sending = !word->last;
  if (!word->last)
    return -1;
  mchan_sync_ext(d, tag->id);
  return word->tag;
}

static void bus_read_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                          cycle_t now) {
  read_address(d, ch, m, now);
  read_answer(ch, m);
  int released = accept_read(d, ch, m);
  if (can_send_address(ch))
    send_address(ch, m);
  if (released >= 0)
    ch->tags &= (uint8_t) ~(1u << released);
}

// ---- from TCDM

static bool can_send_data(const struct mchan_channel *ch) {
  return fifos_valid(ch, FIFO(MCHAN_DATA)) && fifos_ready(ch, FIFO(MCHAN_WRITE));
}

static void send_data(struct mchan_channel *ch, struct mchan_moves *m) {
  bool last = ch->write_count++ == ch->write_beats;
  ext_word_at(ch, ch->words.passed++)->last = last;
  fifos_pop(m, FIFO(MCHAN_DATA));
  fifos_push(m, FIFO(MCHAN_WRITE));
  ch->sending = !last;
  ch->addressed = false;
}

static void write_request(struct mchan_channel *ch, struct mchan_moves *m) {
  if (!ch->sending && !ch->addressed) {
    if (!can_send_address(ch))
      return;
    const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_EXT);
    ch->write_beats = words_spanned(burst->ext, burst->len);
    ch->write_count = 0;
    ch->addressed = true;
    send_address(ch, m);
  }
  if (can_send_data(ch))
    send_data(ch, m);
}

static void write_data(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                       cycle_t now) {
  fifos_pop(m, ch->fifos.valid & FIFO(MCHAN_ADDRESS));
  if (!ch->written)
    return;
  ch->written = false;
  if (ext_word_at(ch, ch->words.out++)->last) {
    cycle_t answer = l2_answer(port_of(d, ch), 1, now);
    uint8_t tag = ch->writing[ch->writing_first].tag;
    append_bus(ch, (struct mchan_burst){.tag = tag, .beats = 1, .first = answer});
    remove_writing(ch);
  }
  fifos_pop(m, FIFO(MCHAN_WRITE));
}

static void bus_write_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m,
                           cycle_t now) {
  int released = -1;
  if (fifos_valid(ch, FIFO(MCHAN_REPLY))) {
    released = fifo_head(ch, MCHAN_REPLY)->tag;
    mchan_sync_ext(d, ch->tag[released].id);
    fifos_pop(m, FIFO(MCHAN_REPLY));
  }
  if (ch->answering && fifos_ready(ch, FIFO(MCHAN_REPLY))) {
    fifo_push(ch, m, MCHAN_REPLY)->tag = ch->bus[ch->bus_first].tag;
    ch->answering = false;
    remove_bus(ch);
  }
  write_data(d, ch, m, now);
  write_request(ch, m);
  if (released >= 0)
    ch->tags &= (uint8_t) ~(1u << released);
}

void mchan_bus_edge(struct mchan *d, struct mchan_channel *ch, struct mchan_moves *m, cycle_t now) {
  if (mchan_to_tcdm(d, ch))
    bus_read_edge(d, ch, m, now);
  else
    bus_write_edge(d, ch, m, now);
}
