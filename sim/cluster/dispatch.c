#include "cluster/dispatch.h"

static uint8_t next_entry(unsigned pointer) {
  return (uint8_t)((pointer + 1) % DISPATCH_DEPTH);
}

static void push(struct dispatch *d, const struct dispatch_inputs *in) {
  uint32_t team = d->team;
  if (in->set_team)
    d->team = in->team_value;
  if (!in->push)
    return;
  d->value[d->write_pointer] = in->push_value;
  d->unread[d->write_pointer] = team;
  d->write_pointer = next_entry(d->write_pointer);
}

uint32_t dispatch_edge(struct dispatch *d, const struct dispatch_inputs *in, bool *busy) {
  uint32_t events = 0, read = d->read, asking = in->pop | d->asking;
  uint32_t consumed = d->asking & in->ack;
  uint8_t pointer[DISPATCH_CORES];
  *busy = consumed != 0;
  for (uint32_t m = asking | read; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint8_t at = pointer[i] = d->read_pointer[i];
    bool ask = asking >> i & 1;
    if (ask && (d->unread[at] >> i & 1))
      events |= UINT32_C(1) << i;
    else if (ask && at != d->write_pointer)
      pointer[i] = next_entry(at);
    if (read >> i & 1)
      pointer[i] = next_entry(at);
    if (pointer[i] != at)
      *busy = true;
  }
  for (uint32_t m = consumed; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    d->unread[d->read_pointer[i]] &= ~(UINT32_C(1) << i);
  }
  for (uint32_t m = asking | read; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    d->read_pointer[i] = pointer[i];
  }
  d->asking = asking & ~consumed;
  d->read = consumed;
  if (in->push)
    *busy = true;
  push(d, in);
  return events;
}
