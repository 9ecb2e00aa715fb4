#include "soc/uart.h"

#include <string.h>

enum { ADDRESS = 0x10, BYTES = 0x14, CONFIG = 0x18, STATUS = 0x20, SETUP = 0x24 };
enum { ENABLE = 1 << 4, WAITS = 1 << 5 };

void uart_init(struct uart *u, const struct soc_bus *bus, struct soc_hooks *hooks) {
  *u = (struct uart){.bus = bus, .hooks = hooks};
}

static uint64_t character_cycles(const struct uart *u) {
  unsigned bits = 1 + 5 + (u->setup >> 1 & 3) + (u->setup & 1) + 1 + (u->setup >> 3 & 1);
  return (uint64_t)bits * ((u->setup >> 16) + 1);
}

static void send(struct uart *u, struct core *c, cycle_t now) {
  if (!u->bytes)
    return;
  if (!soc_bus_memory(u->bus, u->address, u->bytes)) {
    u->hooks->fault(u->hooks->self, c, "the UART is to send what is not in memory", now);
    return;
  }
  for (uint32_t i = 0; i < u->bytes; i++)
    u->hooks->put(u->hooks->self, 0, (char)soc_bus_read(u->bus, u->address + i, 1, c, now));
  bool busy = u->ends > now;
  cycle_t begin = busy ? u->ends : now;
  u->ends = begin + u->bytes * character_cycles(u);
  u->first = busy ? begin : u->ends;
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c;
  const struct uart *u = self;
  bool busy = when < u->ends;
  switch (offset) {
  case ADDRESS:
    return u->address;
  case BYTES:
    return busy ? u->bytes : 0;
  case CONFIG:
    return (busy ? ENABLE : 0) | (when < u->first && u->first < u->ends ? WAITS : 0);
  case STATUS:
    return busy;
  case SETUP:
    return u->setup;
  default:
    return 0;
  }
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  struct uart *u = self;
  switch (offset) {
  case ADDRESS:
    u->address = value;
    break;
  case BYTES:
    u->bytes = value;
    break;
  case CONFIG:
    if (value & ENABLE)
      send(u, c, when);
    break;
  case SETUP:
    u->setup = value;
    break;
  default:
    break;
  }
}

struct device uart_device(struct uart *u, uint32_t base) {
  return (struct device){base, UART_SIZE, u, read, write};
}
