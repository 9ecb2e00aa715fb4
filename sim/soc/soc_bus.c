#include "soc/soc_bus.h"

#include <string.h>

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
  return (uint64_t)a < (uint64_t)b + b_size && (uint64_t)b < (uint64_t)a + a_size;
}

static bool is_free(const struct soc_bus *bus, uint32_t base, uint32_t size) {
  for (unsigned i = 0; i < bus->memories; i++)
    if (overlap(base, size, bus->memory[i]->base, bus->memory[i]->size))
      return false;
  for (unsigned i = 0; i < bus->devices; i++)
    if (overlap(base, size, bus->device[i].base, bus->device[i].size))
      return false;
  return true;
}

bool soc_bus_add_memory(struct soc_bus *bus, struct memory *memory) {
  if (bus->memories == SOC_MEMORIES || !is_free(bus, memory->base, memory->size))
    return false;
  bus->memory[bus->memories++] = memory;
  return true;
}

bool soc_bus_add_device(struct soc_bus *bus, struct device device) {
  if (bus->devices == SOC_DEVICES || !is_free(bus, device.base, device.size))
    return false;
  bus->device[bus->devices++] = device;
  return true;
}

static const struct device *find_device(const struct soc_bus *bus, uint32_t addr) {
  for (unsigned i = 0; i < bus->devices; i++)
    if (addr - bus->device[i].base < bus->device[i].size)
      return &bus->device[i];
  return NULL;
}

bool soc_bus_mapped(const struct soc_bus *bus, uint32_t addr, uint32_t size) {
  return soc_bus_memory(bus, addr, size) || find_device(bus, addr);
}

uint32_t soc_bus_read(const struct soc_bus *bus, uint32_t addr, unsigned size, struct core *c,
                      cycle_t when) {
  const struct memory *m = soc_bus_memory(bus, addr, size);
  uint32_t value = 0;
  if (m) {
    memcpy(&value, m->bytes + (addr - m->base), size);
    return value;
  }
  const struct device *d = find_device(bus, addr);
  if (!d)
    return 0;
  value = d->read(d->self, (addr - d->base) & ~3u, c, when) >> 8 * (addr & 3);
  return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

void soc_bus_write(const struct soc_bus *bus, uint32_t addr, unsigned size, uint32_t data,
                   struct core *c, cycle_t when) {
  const struct memory *m = soc_bus_memory(bus, addr, size);
  if (m) {
    memcpy(m->bytes + (addr - m->base), &data, size);
    soc_bus_changed(bus, m, addr, size);
    return;
  }
  const struct device *d = find_device(bus, addr);
  if (d)
    d->write(d->self, addr - d->base, data, c, when);
}

bool soc_bus_copy_out(const struct soc_bus *bus, uint32_t addr, uint8_t *to, uint32_t size) {
  const struct memory *m = soc_bus_memory(bus, addr, size);
  if (m)
    memcpy(to, m->bytes + (addr - m->base), size);
  return m != NULL;
}

bool soc_bus_copy_in(const struct soc_bus *bus, uint32_t addr, const uint8_t *from, uint32_t size) {
  const struct memory *m = soc_bus_memory(bus, addr, size);
  if (!m)
    return false;
  memcpy(m->bytes + (addr - m->base), from, size);
  soc_bus_changed(bus, m, addr, size);
  return true;
}
