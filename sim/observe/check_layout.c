#include "observe/check_layout.h"

#include <elf.h>
#include <string.h>

enum { ALIASES = 0x400000, LOW = 0x100 };

static void read_segments(struct layout *l, const uint8_t *elf, size_t size) {
  Elf32_Ehdr header;
  if (size < sizeof header)
    return;
  memcpy(&header, elf, sizeof header);
  for (unsigned i = 0; i < header.e_phnum && l->segments < LAYOUT_SEGMENTS; i++) {
    Elf32_Phdr p;
    size_t at = header.e_phoff + (size_t)i * sizeof p;
    if (at + sizeof p > size)
      return;
    memcpy(&p, elf + at, sizeof p);
    if (p.p_type != PT_LOAD || p.p_memsz == 0)
      continue;
    l->low |= p.p_vaddr < LOW;
    uint32_t begin = p.p_vaddr < ALIASES ? p.p_paddr : p.p_vaddr; // pulpsim_canonical()
    l->segment[l->segments].begin = begin;
    l->segment[l->segments].end = begin + p.p_memsz;
    l->segment[l->segments++].writable = (p.p_flags & PF_W) != 0 || !(p.p_flags & PF_X);
  }
}

void layout_read(struct layout *l, const struct pulpsim *sim) {
  size_t size;
  const void *elf = pulpsim_program(sim, &size);
  *l = (struct layout){.cores = pulpsim_cores(sim)};
  if (elf)
    read_segments(l, elf, size);
  if (!pulpsim_l1(sim, &l->l1_base, &l->l1_size))
    l->l1_size = 0;
  uint32_t top = 0, bytes = 0;
  if (pulpsim_symbol(sim, "__stack_top", &top) && pulpsim_symbol(sim, "__stack_size", &bytes)) {
    l->stack_top = top;
    l->stack_size = bytes;
  }
  if (pulpsim_symbol(sim, "__l1_end", &l->l1_end))
    l->l1_data = l->l1_end - l->l1_base;
}

static bool within(uint32_t address, uint32_t begin, uint32_t size) {
  return address - begin < size;
}

bool layout_is_l1(const struct layout *l, uint32_t address) {
  return within(address, l->l1_base, l->l1_size);
}

bool layout_is_loaded(const struct layout *l, uint32_t address) {
  for (unsigned i = 0; i < l->segments; i++)
    if (address >= l->segment[i].begin && address < l->segment[i].end)
      return true;
  return false;
}

// Peripherals lie elsewhere; L2 is taken to be the megabytes that hold the program.
bool layout_is_memory(const struct layout *l, uint32_t address) {
  if (layout_is_l1(l, address))
    return true;
  for (unsigned i = 0; i < l->segments; i++)
    if (address >> 22 == l->segment[i].begin >> 22 && !within(address, l->l1_base, 1u << 22))
      return true;
  return false;
}

uint32_t layout_stack_bottom(const struct layout *l, unsigned core) {
  return l->stack_size ? l->stack_top - (core + 1) * l->stack_size : 0;
}

bool layout_is_stack(const struct layout *l, uint32_t address) {
  return l->stack_size && address < l->stack_top && address >= layout_stack_bottom(l, l->cores - 1);
}

bool layout_allows(const struct layout *l, uint32_t address, unsigned size, bool write) {
  uint32_t last = address + size - 1;
  for (unsigned i = 0; i < l->segments; i++)
    if (address >= l->segment[i].begin && last < l->segment[i].end)
      return !write || l->segment[i].writable;
  if (!layout_is_l1(l, address))
    return false;
  if (!l->l1_end || !l->stack_size) // its linker script says nothing
    return true;
  return last < l->l1_end || layout_is_stack(l, address);
}
