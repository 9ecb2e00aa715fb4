#include "sim/loader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "sim/tohost.h"

static bool place_segments(struct pulpsim *sim, struct pulpsim_error *error) {
  static const char *const names[] = {"L1 (TCDM)", "L2", "FC memory", "L3"};
  struct elf_range range[MACHINE_MEMORIES];
  for (unsigned i = 0; i < sim->memory_count; i++)
    range[i] = (struct elf_range){sim->memory_count == 1 ? "memory" : names[i], sim->memory[i].base,
                                  sim->memory[i].size};
  if (!elf_check_ranges(sim->elf, range, sim->memory_count, error->text))
    return false;
  for (size_t i = 0; i < sim->elf->segment_count; i++) {
    const struct elf_segment *s = &sim->elf->segments[i];
    machine_write(sim, s->address, s->data, s->file_size);
  }
  return true;
}

// The public runtimes' programs begin 0x80 behind their vector table, where the RTL's cores boot.
static bool boots_from_soc(const struct pulpsim_config *k, uint32_t entry) {
  if (k->soc_map != CONFIG_MAP_PULP || k->soc_boot != CONFIG_BOOT_AUTO)
    return k->soc_boot == CONFIG_BOOT_SOC;
  return entry - k->l2_base < k->l2_size && (entry & 0xff) == 0x80;
}

// As crt0.S does, by what kernels/rt/link.ld says: the section, or only its symbols.
static void give_stacks(struct pulpsim *sim) {
  uint32_t top = sim->elf->stack_top, size = sim->elf->stack_size;
  bool known = size > 0 || (pulpsim_symbol(sim, "__stack_top", &top) &&
                            pulpsim_symbol(sim, "__stack_size", &size) && size > 0);
  for (unsigned i = 0; i < config_active_cores(&sim->config); i++) {
    bool fits = known && top / size > i;
    sim->core[i].stack_top = fits ? top - i * size : 0;
    sim->core[i].stack_bottom = fits ? top - (i + 1) * size : 0;
  }
}

static void start_cores(struct pulpsim *sim) {
  tohost_watch(sim);
  give_stacks(sim);
  unsigned first = 0;
  if (boots_from_soc(&sim->config, sim->elf->entry)) {
    first = config_active_cores(&sim->config);
    sim->core_count = first + 1;
  }
  for (unsigned i = first; i < sim->core_count; i++)
    core_start(&sim->core[i], sim->elf->entry, 0);
}

bool pulpsim_load(struct pulpsim *sim, const char *path, struct pulpsim_error *error) {
  struct elf_image *elf = elf_open(path, error->text);
  if (!elf)
    return false;
  elf_free(sim->elf);
  sim->elf = elf;
  if (sim->start.begun)
    start_record_change(&sim->start);
  if (!elf_check_machine(elf, &sim->config, error->text) || !place_segments(sim, error))
    return false;
  start_cores(sim);
  return true;
}

void pulpsim_arguments(struct pulpsim *sim, int argc, char *const *argv) {
  sim->argc = argc;
  sim->argv = argv;
}

bool pulpsim_load_file(struct pulpsim *sim, const char *path, uint32_t address,
                       struct pulpsim_error *error) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    snprintf(error->text, sizeof error->text, "%.300s: cannot be read: %s", path, strerror(errno));
    return false;
  }
  uint8_t part[4096];
  size_t n;
  bool fits = true;
  uint32_t to = address;
  while (fits && (n = fread(part, 1, sizeof part, f)) > 0) {
    fits = pulpsim_write(sim, to, part, n);
    to += (uint32_t)n;
  }
  bool read = !ferror(f);
  if (!read)
    snprintf(error->text, sizeof error->text, "%.300s: cannot be read: %s", path, strerror(errno));
  else if (!fits)
    snprintf(error->text, sizeof error->text, "%.300s: does not fit into memory at 0x%08x", path,
             (unsigned)address);
  fclose(f);
  return read && fits;
}

void loader_start(struct pulpsim *sim) {
  struct pulpsim_error error;
  place_segments(sim, &error); // as before
  for (const struct start_write *w = sim->start.first; w; w = w->next)
    machine_write(sim, w->address, w->bytes, w->count);
  start_cores(sim);
}
