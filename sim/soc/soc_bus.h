// sim/soc/soc_bus.h: the address map outside the cluster: memories and devices.
#ifndef PULPSIM_SOC_BUS_H
#define PULPSIM_SOC_BUS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ports.h"
#include "soc/device.h"
#include "soc/memory.h"

enum { SOC_MEMORIES = 8, SOC_DEVICES = 24 };

struct soc_bus {
  struct memory *memory[SOC_MEMORIES];
  struct device device[SOC_DEVICES];
  unsigned memories, devices;
  // Called for each store to 64 bytes in which a memory holds code that has been fetched.
  void (*code_written)(void *self, const struct core *c, uint32_t address, uint32_t size);
  void *code_self;
};

// Both return false when the table is full or the range overlaps one that is there.
bool soc_bus_add_memory(struct soc_bus *bus, struct memory *memory);
bool soc_bus_add_device(struct soc_bus *bus, struct device device);

// The memory that holds all of addr .. addr + size - 1, or NULL.
static inline struct memory *soc_bus_memory(const struct soc_bus *bus, uint32_t addr,
                                            uint32_t size) {
  for (unsigned i = 0; i < bus->memories; i++) {
    struct memory *m = bus->memory[i];
    if (addr >= m->base && addr - m->base < m->size && size <= m->size - (addr - m->base))
      return m;
  }
  return NULL;
}

// For who writes to bytes of `m` by himself: addr .. addr + size - 1 have changed.
static inline void soc_bus_changed(const struct soc_bus *bus, const struct memory *m, uint32_t addr,
                                   uint32_t size) {
  uint32_t first = (addr - m->base) >> CODE_SHIFT, last = (addr - m->base + size - 1) >> CODE_SHIFT;
  for (uint32_t i = first; m->code; i++) {
    if (m->code[i]) {
      bus->code_written(bus->code_self, NULL, addr, size);
      return;
    }
    if (i == last)
      return;
  }
}

bool soc_bus_mapped(const struct soc_bus *bus, uint32_t addr, uint32_t size);

// Data are right-aligned and zero-extended. `size` is 1, 2 or 4; the address must be mapped.
uint32_t soc_bus_read(const struct soc_bus *bus, uint32_t addr, unsigned size, struct core *c,
                      cycle_t when);
void soc_bus_write(const struct soc_bus *bus, uint32_t addr, unsigned size, uint32_t data,
                   struct core *c, cycle_t when);

// Bytes of a memory, for DMA. Return false when part of the range is no memory.
bool soc_bus_copy_out(const struct soc_bus *bus, uint32_t addr, uint8_t *to, uint32_t size);
bool soc_bus_copy_in(const struct soc_bus *bus, uint32_t addr, const uint8_t *from, uint32_t size);

#endif
