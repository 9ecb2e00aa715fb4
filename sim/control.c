// Observers and run control of pulpsim.h. Both rest on the cores' taps (observe/tap.h).
#include "sim/control.h"

#include <stdlib.h>
#include <string.h>

#include "core/pipeline.h"
#include "engine/out_of_memory.h"
#include "observe/core_tap.h"
#include "observe/pending.h"
#include "sim/machine.h"
#include "sim/platform.h"
#include "sim/semihosting.h"

_Static_assert((int)CONTROL_CORES == (int)MACHINE_CORES, "one tap per core");

// ---- switching to the observed loop

static void attach(struct control *k, struct core *c) {
  struct tap *tap = &k->tap[c->index];
  memo_count_all(c);
  tap_init(tap, &k->hub, c);
  c->watcher_self = tap;
  if (c->pipeline)
    core_tap_attach(c);
  k->core[c->index].passed_at = CYCLE_NEVER;
}

static void detach(struct core *c) {
  c->watcher_self = NULL;
  if (c->pipeline)
    core_tap_detach(c);
}

static bool holds(void *self, struct core *c, uint32_t pc, cycle_t t);

static void on_dma(void *self, unsigned transfer, bool begin, cycle_t now, uint32_t bytes) {
  const struct tap_hub *hub = &((struct control *)self)->hub;
  for (unsigned i = 0; i < hub->count; i++)
    if (hub->observer[i].dma)
      hub->observer[i].dma(hub->observer[i].user, transfer, begin, now, bytes);
}

static void on_dma_command(void *self, const struct mchan_command *c, const struct mchan_row *ext,
                           const struct mchan_row *tcdm, cycle_t now) {
  const struct control *k = self;
  uint32_t l1 = k->sim->memory[MEMORY_L1].base;
  const struct pulpsim_dma_command command = {.transfer = c->id,
                                              .core = c->port,
                                              .to_l1 = c->to_tcdm,
                                              .fixed = !c->increment,
                                              .two_d = c->ext_2d || c->tcdm_2d,
                                              .bytes = c->len + 1,
                                              .l1 = {l1 + c->tcdm, tcdm->count, tcdm->stride},
                                              .ext = {c->ext, ext->count, ext->stride},
                                              .cycle = now};
  for (unsigned i = 0; i < k->hub.count; i++)
    if (k->hub.observer[i].dma_command)
      k->hub.observer[i].dma_command(k->hub.observer[i].user, &command);
}

static void on_l3(void *self, const struct hyper_transfer *t, cycle_t began, cycle_t now) {
  const struct control *k = self;
  const struct clocks *clocks = &k->sim->clocks;
  uint64_t begin = clocks_to_cluster(clocks, began), end = clocks_to_cluster(clocks, now);
  for (unsigned i = 0; i < k->hub.count; i++)
    if (k->hub.observer[i].l3)
      k->hub.observer[i].l3(k->hub.observer[i].user, t->to_l2, begin, end, t->bytes);
}

static void attach_platform(struct control *k, struct platform *platform) {
  platform->dma.observe = k->attached ? on_dma : NULL;
  platform->dma.observe_command = k->attached ? on_dma_command : NULL;
  platform->dma.observe_self = k;
  platform->hyper.observe = k->attached ? on_l3 : NULL;
  platform->hyper.observe_self = k;
}

// Who is watched already keeps what its tap holds.
void control_attach(struct pulpsim *sim) {
  struct control *k = sim->control;
  if (sim->platform)
    attach_platform(k, sim->platform);
  for (unsigned i = 0; i < sim->core_count; i++) {
    struct core *c = &sim->core[i];
    if (k->attached && !c->watcher_self)
      attach(k, c);
    else if (!k->attached && c->watcher_self)
      detach(c);
  }
}

struct control *control_new(struct pulpsim *sim) {
  struct control *k = calloc(1, sizeof *k);
  if (!k)
    return NULL;
  k->sim = sim;
  k->hub.holds = holds;
  k->hub.self = k;
  k->hub.clocks = &sim->clocks;
  k->stop.kind = PULPSIM_STOP_INTERRUPT;
  return k;
}

// Somebody is about to watch: from now on, and until a run begins for which nobody wants it.
static struct control *watching(struct pulpsim *sim) {
  struct control *k = sim->control;
  uint64_t retired[CONTROL_CORES];
  if (k->attached)
    return k;
  for (unsigned i = 0; i < CONTROL_CORES; i++)
    retired[i] = k->tap[i].retired;
  k->attached = true;
  control_attach(sim);
  for (unsigned i = 0; i < CONTROL_CORES; i++)
    k->tap[i].retired = retired[i];
  return k;
}

void control_mute(struct control *k, struct tap_hub *kept) {
  *kept = k->hub;
  k->hub = (struct tap_hub){.clocks = kept->clocks, .holds = kept->holds, .self = kept->self};
}

void control_unmute(struct control *k, const struct tap_hub *kept) {
  k->hub = *kept;
}

void control_free(struct pulpsim *sim) {
  for (unsigned i = 0; sim->control && i < sim->control->hub.count; i++)
    pending_free(sim->control->hub.pending[i]);
  free(sim->control);
}

bool pulpsim_observe(struct pulpsim *sim, const struct pulpsim_observer *observer) {
  struct control *k = watching(sim);
  if (k->hub.count == sizeof k->hub.observer / sizeof *k->hub.observer)
    return false;
  struct tap_listener listener = {observer->insn, observer->user};
  if (observer->insn && !observer->ahead) {
    k->hub.pending[k->hub.count] = pending_new(sim, observer);
    listener = (struct tap_listener){pending_insn, k->hub.pending[k->hub.count]};
  }
  if (observer->insn)
    k->hub.listener[k->hub.listeners++] = listener;
  k->hub.observer[k->hub.count++] = *observer;
  k->hub.sources |= observer->sources;
  k->hub.listens = k->hub.armed || k->hub.listeners;
  return true;
}

bool control_log(struct pulpsim *sim, struct ordered *log, struct sites *sites) {
  struct tap_hub *hub = &watching(sim)->hub;
  if (hub->log)
    return false;
  hub->log = log;
  hub->sites = sites;
  return true;
}

// The access of an instruction that will not complete, such as the store that ends the program.
static void end_access(struct tap *tap, struct core *c, cycle_t now) {
  if (!tap_open(tap))
    return;
  const struct access *a = &tap->clocked_access;
  tap->clocked = *tap->insn;
  tap->clocked.shows &= (uint8_t) ~(TAP_RD | TAP_RS1_OUT); // nothing has been written
  tap->clocked.writes = 0;
  tap->clocked.site = 0;
  tap->insn = &tap->clocked;
  tap_done(tap, c, now, (struct tap_access){a, a->data});
}

// Those who hear of everything at once have heard of it already, as done, if it was done in the
// last cycle, unless the core sleeps or has ended the run by it.
static void end_access_of(struct control *k, struct core *c, cycle_t now) {
  struct tap_hub *hub = &k->hub, all = *hub;
  if (k->sim->ender && c != k->sim->ender && c->acc.kind != ACCESS_ELW) {
    hub->log = NULL;
    hub->listeners = 0;
    for (unsigned i = 0; i < all.listeners; i++)
      if (all.listener[i].insn == pending_insn)
        hub->listener[hub->listeners++] = all.listener[i];
    hub->listener[hub->listeners].insn = NULL;
  }
  end_access(c->watcher_self, c, now);
  *hub = all;
}

void pulpsim_observe_end(struct pulpsim *sim) {
  struct control *k = sim->control;
  bool running = sim->state == PULPSIM_READY || sim->state == PULPSIM_BREAK;
  cycle_t now = running ? sim->engine.now : sim->ended;
  for (unsigned i = 0; i < k->hub.count; i++)
    if (k->hub.pending[i])
      pending_end(k->hub.pending[i], running ? UINT64_MAX : now);
  for (unsigned i = 0; k->attached && i < sim->core_count; i++) {
    struct core *c = &sim->core[i];
    cycle_t then = machine_core_time(sim, c, now);
    end_access_of(k, c, then);
    struct pulpsim_counts n = machine_counts(sim, i, then + running);
    tap_rest(c->watcher_self, c, n.stalls);
  }
}

void control_region(struct pulpsim *sim, const struct core *c, unsigned id, bool begin,
                    cycle_t now) {
  struct tap_hub *hub = &sim->control->hub;
  for (unsigned i = 0; i < hub->count; i++)
    if (hub->observer[i].region)
      hub->observer[i].region(hub->observer[i].user, c->index, id, begin, now);
}

bool pulpsim_cause_behind(unsigned cause) {
  switch (cause) {
  case CAUSE_LOAD_USE:
  case CAUSE_FETCH:
  case CAUSE_FPU_DEPENDENCY:
  case CAUSE_IDLE:
    return false;
  default:
    return true;
  }
}

int pulpsim_disassemble(const struct pulpsim *sim, uint32_t word, uint32_t pc, char *text,
                        size_t size) {
  struct isa_insn insn;
  if (!isa_decode(sim->decoder, word, &insn))
    return snprintf(text, size, ".word 0x%08x", word);
  return isa_disassemble(&insn, pc, text, size);
}

const void *pulpsim_program(const struct pulpsim *sim, size_t *size) {
  *size = sim->elf ? sim->elf->file_size : 0;
  return sim->elf ? sim->elf->file : NULL;
}

// ---- regions by name (section .pulpsim.regions; the record is that of kernels/rt/rt.h)

struct region_record {
  uint32_t id, reserved;
  uint64_t useful_macs;
  char name[48];
};

static bool read_region(const struct pulpsim *sim, uint32_t index, struct region_record *r) {
  uint32_t at = index * (uint32_t)sizeof *r;
  return sim->elf && at + sizeof *r <= sim->elf->regions_size &&
         pulpsim_read(sim, sim->elf->regions_address + at, r, sizeof *r);
}

int pulpsim_region_named(const struct pulpsim *sim, const char *name) {
  struct region_record r;
  for (uint32_t i = 0; read_region(sim, i, &r); i++)
    if (strncmp(r.name, name, sizeof r.name) == 0 && r.id < MACHINE_REGIONS)
      return (int)r.id;
  return -1;
}

void pulpsim_region_name(const struct pulpsim *sim, uint32_t id, char *name, size_t size) {
  struct region_record r;
  snprintf(name, size, "region %u", id);
  for (uint32_t i = 0; read_region(sim, i, &r); i++)
    if (r.id == id)
      snprintf(name, size, "%.*s", (int)sizeof r.name, r.name);
}

// ---- stopping

static bool stop_at(struct control *k, const struct core *c, enum pulpsim_stop_kind kind,
                    uint32_t pc, cycle_t t) {
  struct pulpsim_stop stop = {.kind = kind,
                              .core = c->index,
                              .pc = pc,
                              .cycle = machine_time(k->sim, c, t),
                              .address = k->core[c->index].address};
  if (k->only && c->index != k->only_core) {
    if (!k->passed) {
      k->passed_stop = stop;
      k->passed_retired = k->tap[c->index].retired;
    }
    k->passed = true;
    k->core[c->index].watch_hit = false;
    return false;
  }
  if (k->sim->state == PULPSIM_BREAK) // another core was first: this one's turn comes next
    return true;
  k->stop = stop;
  k->core[c->index].passed_at = t;
  k->core[c->index].watch_hit = false;
  k->sim->state = PULPSIM_BREAK;
  clocks_stop(&k->sim->clocks);
  return true;
}

static bool is_breakpoint(const struct control *k, uint32_t pc) {
  for (unsigned i = 0; i < k->breakpoints; i++)
    if (k->breakpoint[i] == pc)
      return true;
  return false;
}

static bool is_ebreak(const struct control *k, uint32_t pc) {
  uint32_t word = 0;
  if (!pulpsim_read(k->sim, pc, &word, 2))
    return false;
  if ((word & 3) == 3)
    pulpsim_read(k->sim, pc, &word, 4);
  return (word == 0x9002 || word == 0x00100073) && !semihosting_is_at(k->sim, pc);
}

static bool holds(void *self, struct core *c, uint32_t pc, cycle_t t) {
  struct control *k = self;
  if (k->core[c->index].watch_hit)
    return stop_at(k, c, PULPSIM_STOP_WATCH, pc, t);
  if (k->core[c->index].passed_at == t) // stopped here before: goes on now
    return false;
  if (is_breakpoint(k, pc))
    return stop_at(k, c, PULPSIM_STOP_BREAKPOINT, pc, t);
  if (k->debugging && is_ebreak(k, pc))
    return stop_at(k, c, PULPSIM_STOP_EBREAK, pc, t);
  if (k->stepping && c->index == k->step_core && k->tap[c->index].retired >= k->step_to)
    return stop_at(k, c, PULPSIM_STOP_STEP, pc, t);
  return false;
}

static void arm(struct control *k) {
  k->hub.armed = k->breakpoints || k->watchpoints || k->stepping || k->debugging;
  k->hub.listens = k->hub.armed || k->hub.listeners;
}

void control_resume(struct pulpsim *sim) {
  struct control *k = sim->control;
  k->stop = (struct pulpsim_stop){.kind = PULPSIM_STOP_INTERRUPT};
  if (!k->attached || k->hub.count || k->hub.log || k->hub.armed)
    return;
  k->attached = false;
  control_attach(sim);
}

const struct pulpsim_stop *pulpsim_stop(const struct pulpsim *sim) {
  return &sim->control->stop;
}

bool pulpsim_breakpoint(struct pulpsim *sim, uint32_t pc, bool set) {
  struct control *k = watching(sim);
  unsigned i = 0;
  while (i < k->breakpoints && k->breakpoint[i] != pc)
    i++;
  bool there = i < k->breakpoints;
  if (set && !there) {
    if (k->breakpoints == CONTROL_BREAKPOINTS)
      return false;
    k->breakpoint[k->breakpoints++] = pc;
  }
  if (!set && there)
    k->breakpoint[i] = k->breakpoint[--k->breakpoints];
  arm(k);
  return true;
}

// ---- watchpoints

static bool overlaps(const struct watchpoint *w, const struct pulpsim_insn_event *e) {
  unsigned kind = e->memory_write ? PULPSIM_WATCH_WRITE : PULPSIM_WATCH_READ;
  return (w->kinds & kind) && e->memory_address < w->address + w->size &&
         w->address < e->memory_address + e->memory_size;
}

static void watch(void *user, const struct pulpsim_insn_event *e) {
  struct control *k = user;
  for (unsigned i = 0; e->has_memory && i < k->watchpoints; i++) {
    if (!overlaps(&k->watchpoint[i], e))
      continue;
    k->core[e->core].watch_hit = true;
    k->core[e->core].address = k->watchpoint[i].address;
  }
}

static bool add_watch(struct pulpsim *sim, struct control *k, struct watchpoint w) {
  if (k->watchpoints == CONTROL_WATCHPOINTS)
    return false;
  const struct pulpsim_observer observer = {.user = k, .ahead = true, .insn = watch};
  if (!k->watching && !pulpsim_observe(sim, &observer))
    return false;
  k->watching = true;
  k->watchpoint[k->watchpoints++] = w;
  return true;
}

bool pulpsim_watch(struct pulpsim *sim, uint32_t address, uint32_t size, unsigned kinds, bool set) {
  struct control *k = watching(sim);
  bool room = true;
  if (set)
    room = add_watch(sim, k, (struct watchpoint){address, size, kinds});
  for (unsigned i = 0; !set && i < k->watchpoints; i++) {
    const struct watchpoint *w = &k->watchpoint[i];
    if (w->address == address && w->size == size && w->kinds == kinds) {
      k->watchpoint[i] = k->watchpoint[--k->watchpoints];
      break;
    }
  }
  arm(k);
  return room;
}

// ---- running

void pulpsim_stop_at(struct pulpsim *sim, unsigned core, uint64_t count) {
  struct control *k = watching(sim);
  if (core >= sim->core_count)
    return;
  k->stepping = true;
  k->step_core = core;
  k->step_to = count;
  arm(k);
}

static void stop_no_more(struct control *k) {
  k->stepping = false;
  arm(k);
}

enum pulpsim_state pulpsim_run_to(struct pulpsim *sim, unsigned core, uint64_t count,
                                  uint64_t until) {
  pulpsim_stop_at(sim, core, count);
  enum pulpsim_state state = pulpsim_run(sim, until);
  stop_no_more(sim->control);
  return state;
}

enum pulpsim_state pulpsim_run_only(struct pulpsim *sim, unsigned core, uint64_t until) {
  struct control *k = watching(sim);
  if (core >= sim->core_count)
    return sim->state;
  k->only = true;
  k->only_core = core;
  k->passed = false;
  enum pulpsim_state state = sim->state;
  if (state == PULPSIM_READY || state == PULPSIM_BREAK)
    state = pulpsim_run(sim, until);
  k->only = false;
  stop_no_more(k);
  return state;
}

bool pulpsim_passed(const struct pulpsim *sim, struct pulpsim_stop *stop, uint64_t *retired) {
  const struct control *k = sim->control;
  if (!k->passed)
    return false;
  *stop = k->passed_stop;
  *retired = k->passed_retired;
  return true;
}

enum pulpsim_state pulpsim_step(struct pulpsim *sim, unsigned core) {
  struct control *k = watching(sim);
  if (core >= sim->core_count)
    return sim->state;
  return pulpsim_run_to(sim, core, k->tap[core].retired + 1, PULPSIM_NO_LIMIT);
}

void pulpsim_debugging(struct pulpsim *sim, bool on) {
  struct control *k = watching(sim);
  k->debugging = on;
  arm(k);
}

enum pulpsim_state pulpsim_run_until(struct pulpsim *sim, uint32_t pc, uint64_t until) {
  struct control *k = watching(sim);
  bool had = is_breakpoint(k, pc);
  if (!had)
    pulpsim_breakpoint(sim, pc, true);
  enum pulpsim_state state = pulpsim_run(sim, until);
  if (!had)
    pulpsim_breakpoint(sim, pc, false);
  return state;
}
