// The part of pulpsim.h that looks inside a machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/pipeline.h"
#include "sim/machine.h"
#include "sim/misread.h"
#include "sim/wiring.h"
#include "soc/fabric.h"

enum { CLUSTER_WINDOW = 0x400000, TEST_AND_SET = 0x100000 };

_Static_assert((int)PULPSIM_CAUSES == (int)CAUSE_COUNT, "the public list of causes is the core's");

const char *pulpsim_cause_name(unsigned cause) {
  return cause < CAUSE_COUNT ? cause_names[cause] : "?";
}
const char *pulpsim_cause_meaning(unsigned cause) {
  return cause < CAUSE_COUNT ? cause_meanings[cause] : "?";
}

enum pulpsim_state pulpsim_state(const struct pulpsim *sim) {
  return sim->state;
}
int pulpsim_exit_status(const struct pulpsim *sim) {
  return sim->exit_status;
}
const char *pulpsim_reason(const struct pulpsim *sim) {
  return sim->reason;
}

// "0x80000004 (trap_vector)"
static void handler_text(const struct pulpsim *sim, uint32_t address, char *text, size_t size) {
  uint32_t offset;
  const char *name = pulpsim_symbol_at(sim, address, &offset);
  if (name && offset == 0)
    snprintf(text, size, "0x%08x (%.80s)", (unsigned)address, name);
  else
    snprintf(text, size, "0x%08x", (unsigned)address);
}

const char *pulpsim_notice(struct pulpsim *sim) {
  sim->notice[0] = '\0';
  if (*sim->files.refused)
    snprintf(
        sim->notice, sizeof sim->notice,
        "the program asked for the file '%s', and no files are granted to it: --files DIRECTORY",
        sim->files.refused);
  for (unsigned i = 0; i < sim->core_count; i++) {
    const struct core *c = &sim->core[i];
    char wanted[120];
    if (!c->csr.handler_missed)
      continue;
    handler_text(sim, c->csr.mtvec_given & ~UINT32_C(3), wanted, sizeof wanted);
    char why[160];
    if (c->boots_at)
      snprintf(why, sizeof why,
               "is not kept here (core.mtvec_kept): write it to the core's boot address, too");
    else
      snprintf(why, sizeof why,
               "keeps multiples of %u here (core.mtvec_align): align the handler, or run it with "
               "--config generic",
               (unsigned)c->mtvec_low + 1);
    snprintf(sim->notice, sizeof sim->notice,
             "core %u trapped to 0x%08x and not to the handler 0x%s that it wrote to mtvec, which "
             "%s",
             i, (unsigned)trap_base(c), wanted + 2, why);
    break;
  }
  if (!*sim->notice)
    misread_note(sim, sim->notice, sizeof sim->notice);
  return sim->notice;
}

uint64_t pulpsim_now(const struct pulpsim *sim) {
  return sim->engine.now;
}
unsigned pulpsim_cores(const struct pulpsim *sim) {
  return sim->core_count;
}

uint32_t pulpsim_register(const struct pulpsim *sim, unsigned core, unsigned number) {
  return core < sim->core_count && number < 64 ? sim->core[core].r[number] : 0;
}

void pulpsim_set_register(struct pulpsim *sim, unsigned core, unsigned number, uint32_t value) {
  if (core >= sim->core_count || number == 0 || number >= 64)
    return;
  sim->core[core].r[number] = value;
  start_record_change(&sim->start);
}

uint32_t pulpsim_pc(const struct pulpsim *sim, unsigned core) {
  if (core >= sim->core_count)
    return 0;
  const struct core *c = &sim->core[core];
  if (c->phase == CORE_RUNS)
    return memo_pc_in_id(c->pipeline);
  return c->phase == CORE_HALTED ? memo_pc_in_ex(c->pipeline) : 0;
}

bool pulpsim_read(const struct pulpsim *sim, uint32_t address, void *buffer, size_t count) {
  const struct memory *m = machine_memory((struct pulpsim *)sim, address);
  if (!m || count > m->size - (address - m->base))
    return count == 0;
  memcpy(buffer, m->bytes + (address - m->base), count);
  return true;
}

static bool put(struct pulpsim *sim, uint32_t address, const void *buffer, size_t count) {
  const struct memory *m = machine_memory(sim, address);
  if (!m || count > m->size - (address - m->base))
    return count == 0;
  memcpy(m->bytes + (address - m->base), buffer, count);
  return true;
}

bool machine_write(struct pulpsim *sim, uint32_t address, const void *buffer, size_t count) {
  bool fits = put(sim, address, buffer, count);
  if (fits && count)
    wiring_code_written(sim, NULL, address, (uint32_t)count);
  return fits;
}

// Between runs, in which nobody is ahead.
bool pulpsim_write(struct pulpsim *sim, uint32_t address, const void *buffer, size_t count) {
  bool fits = put(sim, address, buffer, count);
  if (!fits || !count)
    return fits;
  wiring_code_written(sim, NULL, 0, 0);
  start_record_write(&sim->start, address, buffer, count);
  return true;
}

bool pulpsim_symbol(const struct pulpsim *sim, const char *name, uint32_t *address) {
  const struct elf_symbol *s = sim->elf ? elf_symbol_named(sim->elf, name) : NULL;
  if (s)
    *address = s->address;
  return s != NULL;
}

const char *pulpsim_symbol_at(const struct pulpsim *sim, uint32_t address, uint32_t *offset) {
  const struct elf_symbol *s = sim->elf ? elf_symbol_at(sim->elf, address) : NULL;
  if (!s)
    return NULL;
  if (offset)
    *offset = address - s->address;
  return s->name;
}

uint32_t pulpsim_canonical(const struct pulpsim *sim, unsigned core, uint32_t address) {
  const struct pulpsim_config *k = &sim->config;
  if (config_has_one_core(k))
    return address;
  uint32_t cluster = sim->memory[MEMORY_L1].base;
  if (core >= config_active_cores(k))
    address += address < FABRIC_ALIAS ? k->l2_base : 0;
  else if (address < CLUSTER_WINDOW)
    address += cluster;
  bool tests_and_sets = address - cluster - TEST_AND_SET < TEST_AND_SET;
  return tests_and_sets ? address - TEST_AND_SET : address;
}

// ---- statistics

static void add_counts(struct pulpsim_counts *sum, const struct pulpsim_counts *end,
                       const struct pulpsim_counts *begin) {
  sum->cycles += end->cycles - begin->cycles;
  sum->instructions += end->instructions - begin->instructions;
  sum->macs += end->macs - begin->macs;
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    sum->stalls[i] += end->stalls[i] - begin->stalls[i];
}

// The cycle model counts as it goes, up to its last edge.
static struct pulpsim_counts clocked_counts(struct core *c, cycle_t now) {
  memo_count_all(c);
  memo_catch_up(c->pipeline);
  struct core_counters k = c->count;
  struct pulpsim_counts n = {.instructions = k.instructions, .macs = k.macs};
  memcpy(n.stalls, k.stall, sizeof n.stalls);
  n.cycles = pipeline_pending(c->pipeline, now, n.stalls);
  n.stalls[CAUSE_ISSUE] = n.instructions;
  return n;
}

struct pulpsim_counts machine_counts(struct pulpsim *sim, unsigned core, cycle_t now) {
  struct core *c = &sim->core[core];
  if (c->active)
    return clocked_counts(c, now);
  struct pulpsim_counts n = {0};
  memcpy(n.stalls, c->count.stall, sizeof n.stalls);
  n.cycles = now > c->started ? now : c->started;
  n.stalls[CAUSE_IDLE] += n.cycles - c->started;
  return n;
}

// A core that comes as the last one leaves is in the same entry, whichever is looked at first.
static void enter_region(struct region *r, cycle_t now) {
  if (r->inside++ != 0)
    return;
  if (!r->entries || now != r->left)
    r->entries++;
  r->began = now;
}

static void leave_region(struct region *r, cycle_t now) {
  if (--r->inside != 0)
    return;
  r->cycles += now - r->began;
  r->left = now;
}

void machine_region(void *self, struct core *c, unsigned id, bool begin, cycle_t now) {
  struct pulpsim *sim = self;
  if (id >= MACHINE_REGIONS)
    return;
  struct region *r = &sim->region[id];
  if (begin == r->core[c->index].inside)
    return;
  struct pulpsim_counts n = machine_counts(sim, c->index, now);
  cycle_t then = machine_time(sim, c, now);
  control_region(sim, c, id, begin, then);
  r->used = true;
  r->core[c->index].inside = begin;
  if (begin) {
    r->core[c->index].at_begin = n;
    enter_region(r, then);
  } else {
    add_counts(&r->core[c->index].sum, &n, &r->core[c->index].at_begin);
    leave_region(r, then);
  }
}

// Record of section .pulpsim.regions (kernels/rt/rt.h): a region's name and declared MACs.
struct region_record {
  uint32_t id, reserved;
  uint64_t useful_macs;
  char name[48];
};

static void describe_region(const struct pulpsim *sim, struct pulpsim_region *out) {
  snprintf(out->name, sizeof out->name, "region %u", out->id);
  if (!sim->elf)
    return;
  struct region_record rec;
  for (uint32_t at = 0; at + sizeof rec <= sim->elf->regions_size; at += sizeof rec) {
    if (!pulpsim_read(sim, sim->elf->regions_address + at, &rec, sizeof rec))
      return;
    if (rec.id != out->id)
      continue;
    memcpy(out->name, rec.name, sizeof out->name);
    out->name[sizeof out->name - 1] = '\0';
    out->useful_macs = rec.useful_macs;
    return;
  }
}

static bool goes_on(const struct pulpsim *sim) {
  return sim->state == PULPSIM_READY || sim->state == PULPSIM_BREAK;
}

// Where a run may go on, cycle `now` is over: it counts, whether anything has happened in it or
// not.
static bool pauses(const struct pulpsim *sim) {
  return goes_on(sim) && sim->start.begun;
}

static struct pulpsim_counts counts_so_far(struct pulpsim *sim, unsigned core, cycle_t now) {
  const struct core *c = &sim->core[core];
  return machine_counts(sim, core, machine_core_time(sim, c, now) + pauses(sim));
}

// So far, of one that has not ended.
static uint64_t region_cycles(const struct region *r, cycle_t now) {
  return r->cycles + (r->inside && now > r->began ? now - r->began : 0);
}

static struct pulpsim_counts region_counts(struct pulpsim *sim, const struct region *r,
                                           unsigned core, cycle_t now) {
  struct pulpsim_counts sum = r->core[core].sum;
  if (r->core[core].inside) {
    struct pulpsim_counts n = counts_so_far(sim, core, now);
    add_counts(&sum, &n, &r->core[core].at_begin);
  }
  return sum;
}

// Rows that stay where they are: what an earlier call has returned may still be read.
static void *rows(void *before, size_t count, size_t size) {
  return before ? before : calloc(count, size);
}

static void fill_regions(struct pulpsim *sim, cycle_t now) {
  enum { COUNTS = MACHINE_REGIONS * MACHINE_CORES };
  size_t k = 0;
  sim->region_stats = rows(sim->region_stats, MACHINE_REGIONS, sizeof *sim->region_stats);
  sim->region_counts = rows(sim->region_counts, COUNTS, sizeof *sim->region_counts);
  if (!sim->region_stats || !sim->region_counts)
    return;
  for (unsigned i = 0; i < MACHINE_REGIONS; i++) {
    const struct region *r = &sim->region[i];
    if (!r->used)
      continue;
    struct pulpsim_region *out = &sim->region_stats[k];
    *out = (struct pulpsim_region){.id = i,
                                   .entries = r->entries,
                                   .cycles = region_cycles(r, now),
                                   .open = r->inside != 0,
                                   .core = sim->region_counts + k * sim->core_count};
    describe_region(sim, out);
    for (unsigned j = 0; j < sim->core_count; j++)
      out->core[j] = region_counts(sim, r, j, now);
    k++;
  }
  sim->stats.region = sim->region_stats;
  sim->stats.region_count = k;
}

static void fill_cores(struct pulpsim *sim, cycle_t now) {
  sim->core_stats = rows(sim->core_stats, MACHINE_CORES, sizeof *sim->core_stats);
  if (!sim->core_stats)
    return;
  for (unsigned i = 0; i < sim->core_count; i++)
    sim->core_stats[i] = (struct pulpsim_core_stats){
        .hartid = sim->core[i].hartid,
        .total = counts_so_far(sim, i, now),
        .marker_count = sim->marker[i].count,
        .markers = sim->marker[i].item,
        .clock_mhz = sim->core[i].engine == &sim->engine ? sim->config.soc_cluster_clock_mhz
                                                         : sim->config.soc_soc_clock_mhz,
    };
  sim->stats.core = sim->core_stats;
  sim->stats.core_count = sim->core_count;
}

static void fill_banks(struct pulpsim *sim) {
  sim->bank_stats = rows(sim->bank_stats, CORE_BANKS, sizeof *sim->bank_stats);
  if (!sim->bank_stats)
    return;
  for (unsigned i = 0; i < sim->tcdm.banks; i++)
    sim->bank_stats[i] =
        (struct pulpsim_bank_stats){sim->tcdm.shared.grants[i], sim->tcdm.conflicts[i]};
  sim->stats.bank = sim->bank_stats;
  sim->stats.bank_count = sim->tcdm.banks;
}

const struct pulpsim_stats *pulpsim_stats(struct pulpsim *sim) {
  cycle_t now = goes_on(sim) ? sim->engine.now : sim->ended;
  sim->stats = (struct pulpsim_stats){
      .machine = sim->config.machine,
      .config_hash = sim->config_hash,
      .elf_hash = sim->elf ? elf_image_hash(sim->elf) : 0,
      .cycles = now + pauses(sim),
      .idle_cores = sim->config.cluster_cores - config_active_cores(&sim->config),
  };
  fill_cores(sim, now);
  fill_regions(sim, now);
  fill_banks(sim);
  return &sim->stats;
}

void pulpsim_on_output(struct pulpsim *sim, pulpsim_output *output, void *user) {
  sim->output = output;
  sim->output_user = user;
}

void pulpsim_shuffle(struct pulpsim *sim, uint64_t seed) {
  sim->engine.shuffle = sim->soc_engine.shuffle = seed;
}
