// The external side: bursts on the AXI bus (mchan `ext_rx_if`, `ext_tx_if` and register slices).
#include <string.h>

#include "cluster/mchan_units.h"

static struct l2_port *port_of(struct mchan *d, const struct mchan_channel *ch) {
  return &d->memory[mchan_to_tcdm(d, ch)];
}

static const struct memory *memory_of(const struct mchan *d, const struct mchan_item *burst) {
  uint32_t words = words_spanned(burst->ext, burst->len) + 1;
  return soc_bus_memory(d->bus, burst->ext & ~7u, 8 * words);
}

cycle_t mchan_bus_next(const struct mchan_channel *ch, cycle_t now) {
  if (!ch->bus_count || ch->control.flags & MCHAN_ANSWERS)
    return CYCLE_NEVER;
  cycle_t due = ch->bus[ch->bus_first].due;
  return due > now ? due : now;
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

// The word stays in its place until there is room for it in the queue.
static void receive(struct mchan_channel *ch) {
  struct mchan_burst *b = &ch->bus[ch->bus_first];
  struct mchan_ext_word *word = ext_word_at(ch, ch->ext_place++);
  word->data = 0;
  if (b->memory)
    memcpy(&word->data, b->memory->bytes + (b->addr - b->memory->base), 8);
  word->tag = b->tag;
  ch->control.flags |= MCHAN_ANSWERS;
  b->addr += 8;
  b->due++;
  if (--b->count == 0)
    remove_bus(ch);
}

static void drive_read(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (ch->control.flags & MCHAN_ANSWERS) {
    l2_hold(port_of(d, ch), L2_READ, now);
    return;
  }
  if (mchan_bus_next(ch, now) == now &&
      l2_take(port_of(d, ch), L2_READ, ch->bus[ch->bus_first].addr, now))
    receive(ch);
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

static void open_write(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  const struct mchan_item *a = fifo_head(ch, MCHAN_ADDRESS);
  uint32_t count = words_spanned(a->ext, a->len) + 1;
  append_writing(
      ch, (struct mchan_burst){
              .memory = memory_of(d, a), .addr = a->ext & ~7u, .count = count, .tag = a->tag});
  l2_send(port_of(d, ch), L2_WRITE, count, now);
}

static void write(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  struct mchan_burst *b = &ch->writing[ch->writing_first];
  write_memory(d, b->memory, b->addr, ext_word_at(ch, ch->ext_place++));
  ch->control.flags |= MCHAN_WRITTEN;
  b->addr += 8;
  if (--b->count)
    return;
  append_bus(ch, (struct mchan_burst){.tag = b->tag, .due = l2_answer(port_of(d, ch), 1, now)});
  remove_writing(ch);
}

static void drive_write(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (mchan_bus_next(ch, now) == now)
    ch->control.flags |= MCHAN_ANSWERS;
  if (fifos_valid(&ch->control, FIFO(MCHAN_ADDRESS)))
    open_write(d, ch, now);
  bool valid = fifos_valid(&ch->control, FIFO(MCHAN_WRITE));
  if (valid && l2_take(port_of(d, ch), L2_WRITE, ch->writing[ch->writing_first].addr, now))
    write(d, ch, now);
}

void mchan_bus_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  if (mchan_to_tcdm(d, ch))
    drive_read(d, ch, now);
  else
    drive_write(d, ch, now);
}

// ---- requests

static bool can_send_address(const struct mchan_control *c) {
  return fifos_valid(c, FIFO(MCHAN_BURST_EXT)) && fifos_ready(c, FIFO(MCHAN_ADDRESS)) &&
         !(c->flags & MCHAN_NO_TAG);
}

static void decide_address(struct mchan_cycle *y) {
  y->pushed |= FIFO(MCHAN_ADDRESS);
  y->popped |= FIFO(MCHAN_BURST_EXT);
}

static void flag_tags(const struct mchan_channel *ch, uint32_t *flags) {
  set_flags(flags, MCHAN_NO_TAG, ch->tags == 0xff ? MCHAN_NO_TAG : 0);
}

static void send_address(struct mchan_channel *ch, uint32_t *flags) {
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_EXT);
  struct mchan_item *address = fifo_tail(ch, MCHAN_ADDRESS);
  address->len = burst->len;
  address->ext = burst->ext;
  address->tag = (uint8_t)__builtin_ctz(~(unsigned)ch->tags);
  ch->tag[address->tag] = (struct mchan_tag){
      .len = burst->len, .tcdm = burst->tcdm, .id = burst->id, .lane = burst->ext & 7};
  ch->tags |= (uint8_t)(1u << address->tag);
  flag_tags(ch, flags);
}

// In a cycle an address is sent before a tag is released.
static void release_tag(struct mchan *d, struct mchan_channel *ch, unsigned tag, uint32_t *flags) {
  mchan_sync_ext(d, ch->tag[tag].id);
  ch->tags &= (uint8_t) ~(1u << tag);
  flag_tags(ch, flags);
}

// ---- to TCDM

// Tells the other sides about a burst whose data come.
enum { TELL = FIFO(MCHAN_BURST_TCDM) | FIFO(MCHAN_BURST_ALIGN) };

static void decide_read(const struct mchan_control *c, struct mchan_cycle *y) {
  y->popped |= c->valid & FIFO(MCHAN_ADDRESS);
  if (c->flags & MCHAN_ANSWERS && fifos_ready(c, FIFO(MCHAN_REPLY))) {
    y->pushed |= FIFO(MCHAN_REPLY);
    y->next.flags &= ~(uint32_t)MCHAN_ANSWERS;
  }
  if (fifos_valid(c, FIFO(MCHAN_REPLY)) && fifos_ready(c, FIFO(MCHAN_DATA) | TELL)) {
    y->popped |= FIFO(MCHAN_REPLY);
    y->pushed |= FIFO(MCHAN_DATA) | (c->flags & MCHAN_SENDING ? 0 : TELL);
    y->next.flags |= MCHAN_SENDING;
  }
  if (can_send_address(c))
    decide_address(y);
}

static void read_address(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  const struct mchan_item *a = fifo_head(ch, MCHAN_ADDRESS);
  uint32_t count = words_spanned(a->ext, a->len) + 1;
  append_bus(ch, (struct mchan_burst){.memory = memory_of(d, a),
                                      .addr = a->ext & ~7u,
                                      .count = count,
                                      .tag = a->tag,
                                      .due = l2_answer(port_of(d, ch), count, now)});
  l2_send(port_of(d, ch), L2_READ, count, now);
}

static void announce_burst(struct mchan_channel *ch) {
  ch->accepted = ext_word_at(ch, ch->place[LANE_EXT])->tag;
  const struct mchan_tag *tag = &ch->tag[ch->accepted];
  struct mchan_item burst = {.len = tag->len, .tcdm = tag->tcdm, .ext = tag->lane, .id = tag->id};
  *fifo_tail(ch, MCHAN_BURST_TCDM) = burst;
  *fifo_tail(ch, MCHAN_BURST_ALIGN) = burst;
  ch->count[LANE_EXT] = (uint16_t)(words_spanned(tag->lane, tag->len) + 1);
}

static void move_read_rarely(struct mchan *d, struct mchan_channel *ch, const struct mchan_cycle *y,
                             uint32_t *flags, cycle_t now) {
  if (y->popped & FIFO(MCHAN_ADDRESS))
    read_address(d, ch, now);
  if (y->pushed & FIFO(MCHAN_ADDRESS))
    send_address(ch, flags);
  if (y->pushed & TELL)
    announce_burst(ch);
}

// ---- from TCDM

static void decide_write(const struct mchan_control *c, struct mchan_cycle *y) {
  y->popped |= c->valid & (FIFO(MCHAN_REPLY) | FIFO(MCHAN_ADDRESS));
  if (c->flags & MCHAN_ANSWERS && fifos_ready(c, FIFO(MCHAN_REPLY))) {
    y->pushed |= FIFO(MCHAN_REPLY);
    y->next.flags &= ~(uint32_t)MCHAN_ANSWERS;
  }
  if (c->flags & MCHAN_WRITTEN)
    y->popped |= FIFO(MCHAN_WRITE);
  y->next.flags &= ~(uint32_t)MCHAN_WRITTEN;
  if (!(c->flags & (MCHAN_SENDING | MCHAN_ADDRESSED))) {
    if (!can_send_address(c))
      return;
    decide_address(y);
    y->next.flags |= MCHAN_ADDRESSED;
  }
  if (fifos_valid(c, FIFO(MCHAN_DATA)) && fifos_ready(c, FIFO(MCHAN_WRITE))) {
    y->popped |= FIFO(MCHAN_DATA);
    y->pushed |= FIFO(MCHAN_WRITE);
    set_flags(&y->next.flags, MCHAN_ADDRESSED | MCHAN_SENDING, MCHAN_SENDING);
  }
}

static void begin_data(struct mchan_channel *ch) {
  const struct mchan_item *burst = fifo_head(ch, MCHAN_BURST_EXT);
  ch->count[LANE_EXT] = (uint16_t)(words_spanned(burst->ext, burst->len) + 1);
}

static void take_reply(struct mchan_channel *ch) {
  fifo_tail(ch, MCHAN_REPLY)->tag = ch->bus[ch->bus_first].tag;
  remove_bus(ch);
}

static void move_write_rarely(struct mchan *d, struct mchan_channel *ch,
                              const struct mchan_cycle *y, uint32_t *flags) {
  if (y->pushed & FIFO(MCHAN_REPLY))
    take_reply(ch);
  if (y->pushed & FIFO(MCHAN_ADDRESS)) {
    begin_data(ch);
    send_address(ch, flags);
  }
  if (y->popped & FIFO(MCHAN_REPLY))
    release_tag(d, ch, fifo_head(ch, MCHAN_REPLY)->tag, flags);
}

void mchan_bus_decide(bool to_tcdm, const struct mchan_control *c, struct mchan_cycle *y) {
  if (to_tcdm)
    decide_read(c, y);
  else
    decide_write(c, y);
}

void mchan_bus_move_rarely(struct mchan *d, struct mchan_channel *ch, const struct mchan_cycle *y,
                           uint32_t *flags, cycle_t now) {
  if (mchan_to_tcdm(d, ch))
    move_read_rarely(d, ch, y, flags, now);
  else
    move_write_rarely(d, ch, y, flags);
}

void mchan_bus_ended(struct mchan *d, struct mchan_channel *ch, uint32_t *flags) {
  *flags &= ~(uint32_t)MCHAN_SENDING;
  if (mchan_to_tcdm(d, ch))
    release_tag(d, ch, ch->accepted, flags);
}
