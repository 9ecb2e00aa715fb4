// sim/soc/uart.h: the UART behind the uDMA (pulp-open: peripheral 0, 0x1a10_2080). What is sent is
// printed.
//
//   +0x10 address in L2   +0x14 bytes   +0x18 configuration, of what is to be sent; writing 1 << 4
//   starts, reading gives 1 << 4 while it is under way and 1 << 5 while another waits +0x20 status:
//   bit 0 sending   +0x24 set-up: parity 0, 5..8 bits 2:1, second stop bit 3, clock divider 31:16
//
// A character takes its bits times (divider + 1) cycles of the SoC's clock. Nothing is ever
// received (the registers at +0x00 read as zero), and no events are raised: programs poll.
#ifndef PULPSIM_UART_H
#define PULPSIM_UART_H

#include "soc/device.h"
#include "soc/hooks.h"
#include "soc/soc_bus.h"

enum { UART_SIZE = 0x80 };

struct uart {
  const struct soc_bus *bus;
  struct soc_hooks *hooks;
  uint32_t address, bytes, setup;
  cycle_t first, ends; // the transfer under way and the last one are sent by then
};

void uart_init(struct uart *u, const struct soc_bus *bus, struct soc_hooks *hooks);
struct device uart_device(struct uart *u, uint32_t base);

#endif
