#include "sim/wiring.h"

#include <stdlib.h>

#include "cluster/actors.h"
#include "core/core.h"
#include "core/interrupt.h"
#include "core/pipeline.h"
#include "sim/platform.h"
#include "sim/runner.h"
#include "sim/tohost.h"

// ---- the one-core machine's bus: its test device, and the program's `tohost`

#define TEST_DEVICE 0x80000000u
enum { TEST_EXIT = 0, TEST_CHAR = 4, TEST_MARK = 8, TEST_CYCLE = 12 };

// The event register grants late, as an event unit does: what event loads are measured with.
enum { TEST_EVENT = 0x100, TEST_EVENT_END = 0x120 };

static void grant_event(void *self, cycle_t now) {
  struct pulpsim *sim = self;
  core_grant(&sim->core[0], now, now + 1);
}

static void event_register(struct pulpsim *sim, struct core *c, cycle_t now) {
  c->acc.data = 0;
  c->wait_cause = CAUSE_SLEEP;
  if (sim->config.memory_event_grant_delay == 0)
    core_grant(c, now, now + 1);
  else
    engine_schedule(&sim->engine, ACTOR_EVENT_UNIT, now + sim->config.memory_event_grant_delay);
}

static void test_device(struct pulpsim *sim, struct core *c, cycle_t now) {
  struct access *a = &c->acc;
  bool store = a->kind == ACCESS_STORE;
  if (a->addr - TEST_DEVICE - TEST_EVENT < TEST_EVENT_END - TEST_EVENT && !store) {
    event_register(sim, c, now);
    return;
  }
  if (a->addr - TEST_DEVICE > TEST_CYCLE) {
    core_access_fault(c, now);
    return;
  }
  char text = (char)a->data;
  switch (a->addr - TEST_DEVICE) {
  case TEST_EXIT:
    if (store)
      runner_end_program(sim, c, (int)a->data, now);
    break;
  case TEST_CHAR:
    if (store)
      machine_print(sim, 1, &text, 1);
    break;
  case TEST_MARK:
    if (store)
      machine_mark(sim, c, a->data, now);
    break;
  default:
    a->data = (uint32_t)now;
    break;
  }
  if (sim->state == PULPSIM_READY)
    core_grant(c, now, now + 1);
}

// ---- the cluster

// Each core's characters appear line by line, so that lines of several cores stay whole.
static void flush_line(struct pulpsim *sim, unsigned port) {
  machine_print(sim, 1, sim->line[port].text, sim->line[port].length);
  sim->line[port].length = 0;
}

void machine_put(struct pulpsim *sim, unsigned port, char character) {
  sim->line[port].text[sim->line[port].length++] = character;
  if (character == '\n' || sim->line[port].length == MACHINE_LINE)
    flush_line(sim, port);
}

static void put(void *self, unsigned hartid, char character) {
  machine_put(self, hartid % MACHINE_CORES, character);
}

void wiring_flush(struct pulpsim *sim) {
  for (unsigned i = 0; i < MACHINE_CORES; i++)
    if (sim->line[i].length)
      flush_line(sim, i);
}

// The core ends with an access that may have waited.
static void halt(struct core *c, cycle_t now) {
  pipeline_stop(c->pipeline, now);
  c->phase = CORE_HALTED;
}

static void end_program(void *self, struct core *c, int status) {
  struct pulpsim *sim = self;
  halt(c, c->engine->now);
  runner_end_program(sim, c, status, c->engine->now);
}

// The program ends with the last core, with the first status that is not 0.
static void core_exit(void *self, struct core *c, int status, cycle_t now) {
  struct pulpsim *sim = self;
  halt(c, now);
  c->exit_status = status;
  c->ended = now;
  int first = 0;
  for (unsigned i = 0; i < sim->core_count; i++) {
    if (sim->core[i].phase != CORE_HALTED)
      return;
    if (!first)
      first = sim->core[i].exit_status;
  }
  runner_end_program(sim, c, first, now);
}

// Fetch enable of the cluster control unit.
static void start(void *self, unsigned core, uint32_t pc, cycle_t now) {
  struct pulpsim *sim = self;
  struct core *c = &sim->core[core];
  if (core >= config_active_cores(&sim->config) || c->phase != CORE_IDLE)
    return;
  c->count.stall[CAUSE_IDLE] += now + 1;
  core_start(c, pc, now + 1);
}

// Whether a core keeps what it has fetched there.
static bool is_fetched(struct pulpsim *sim, uint32_t address, uint32_t size) {
  const struct memory *m = machine_memory(sim, address);
  if (!m || size == 0)
    return size == 0;
  uint32_t first = (address - m->base) >> 2, last = (address - m->base + size - 1) >> 2;
  for (uint32_t i = first; i <= last; i++)
    if (m->fetched[i / 8] >> i % 8 & 1)
      return true;
  return false;
}

void wiring_code_written(void *self, const struct core *c, uint32_t address, uint32_t size) {
  struct pulpsim *sim = self;
  if (!is_fetched(sim, address, size))
    return;
  for (unsigned i = 0; size && i < sim->core_count; i++)
    if (&sim->core[i] != c && core_has_fetched(&sim->core[i], address, sim->engine.now))
      rollback_ask(sim, sim->engine.now);
  sim->code_epoch += CODE_EPOCH;
  for (unsigned i = 0; sim->platform && i < sim->core_count; i++)
    sim->platform->icache.core[i].lines.epoch += CODE_EPOCH;
}

static void mark(void *self, struct core *c, uint32_t value, cycle_t now) {
  machine_mark(self, c, value, now);
}

static uint64_t instructions(void *self, struct core *c, cycle_t now) {
  return machine_counts(self, c->index, now).instructions;
}

// ---- instruction fetches of the cycle model through the cache

enum fetch_grant wiring_fetch(void *self, struct pipeline *p, uint32_t address, cycle_t now) {
  static const enum fetch_grant grants[] = {[ICACHE_HIT] = FETCH_HITS,
                                            [ICACHE_MISS] = FETCH_MISSES,
                                            [ICACHE_REFUSED] = FETCH_REFUSED,
                                            [ICACHE_OPEN] = FETCH_OPEN};
  struct pulpsim *sim = self;
  (void)now;
  return grants[icache_fetch(&sim->platform->icache, p->core->index, address)];
}

static void fetch_granted(void *self, unsigned core, cycle_t now) {
  struct pulpsim *sim = self;
  struct core *c = &sim->core[core];
  pipeline_fetch_grant(c->pipeline);
  engine_wake(&sim->engine, c->edge_actor, now);
}

static void fetch_valid(void *self, unsigned core, uint32_t addr, cycle_t valid) {
  struct pulpsim *sim = self;
  struct core *c = &sim->core[core];
  pipeline_fetch_data(c->pipeline, addr, valid);
  engine_wake(&sim->engine, c->actor, valid);
}

static uint32_t fetch_address(void *self, unsigned core) {
  const struct pulpsim *sim = self;
  if (core >= config_active_cores(&sim->config))
    return 0;
  memo_catch_up(sim->core[core].pipeline);
  return pipeline_fetch_address(sim->core[core].pipeline);
}

static bool fetch_answered(void *self, unsigned core, cycle_t now) {
  const struct pulpsim *sim = self;
  if (core >= config_active_cores(&sim->config))
    return false;
  memo_catch_up(sim->core[core].pipeline);
  return pipeline_fetch_answered(sim->core[core].pipeline, now);
}

static void icache_upsets(void *self, cycle_t now) {
  rollback_ask(self, now);
}

// Segments hold while their code is in the private caches.
static void watch_icache(struct pulpsim *sim) {
  struct icache *ic = &sim->platform->icache;
  for (unsigned i = 0; i < sim->core_count; i++) {
    struct pipeline_code *code = &sim->core[i].pipeline->code;
    if (!code->request)
      continue;
    code->lines = &ic->core[i].lines;
    ic->core[i].lines.epoch += CODE_EPOCH; // not 0
    code->epoch = sim->core[i].ahead.code_epoch = &ic->core[i].lines.epoch;
  }
}

static struct icache_params icache_params(const struct pulpsim_config *k) {
  return (struct icache_params){.cores = machine_core_ports(k),
                                .line = k->cluster_icache_line,
                                .private_size = k->cluster_icache_private_size,
                                .private_ways = k->cluster_icache_private_ways,
                                .shared_size = k->cluster_icache_shared_size,
                                .shared_banks = k->cluster_icache_shared_banks,
                                .shared_ways = k->cluster_icache_shared_ways,
                                .enabled = k->cluster_icache_enabled,
                                .prefetch = k->cluster_icache_prefetch};
}

// Cycles of the SoC that 8 bytes take on the way to L2.
static unsigned l2_interval(const struct pulpsim_config *k) {
  return k->soc_map == CONFIG_MAP_CLUSTER_RTL ? 0 : 8 / k->l2_port_bytes;
}

static void fault(void *self, struct core *c, const char *text, cycle_t now) {
  (void)self;
  c->host->trap(c->host->self, c, pulpsim_pc(self, c->index), text, now);
}

// ---- interrupts of the cluster's cores, by the event unit

static void interrupt(void *self, unsigned core, uint32_t lines, cycle_t from) {
  struct pulpsim *sim = self;
  if (core < config_active_cores(&sim->config))
    interrupt_set_lines(&sim->core[core], lines, from);
}

static void acknowledge(void *self, unsigned core, unsigned id, cycle_t now) {
  event_unit_acknowledge(self, core, id, now);
}

static void wire_interrupts(struct pulpsim *sim) {
  struct event_unit *eu = &sim->platform->event_unit;
  eu->interrupt = interrupt;
  eu->interrupt_self = sim;
  for (unsigned i = 0; i < config_active_cores(&sim->config); i++) {
    sim->core[i].interrupts.acknowledge = acknowledge;
    sim->core[i].interrupts.self = eu;
  }
}

static struct core *controller(struct pulpsim *sim) {
  return &sim->core[config_active_cores(&sim->config)];
}

static bool wire_controller(struct pulpsim *sim) {
  struct platform *p = sim->platform;
  controller(sim)->bus = (struct core_bus){fabric_request, &p->fabric};
  return soc_bus_add_memory(&p->bus, &sim->memory[MEMORY_FC]);
}

static bool wire_cluster(struct pulpsim *sim) {
  const struct pulpsim_config *k = &sim->config;
  struct platform *p = sim->platform = calloc(1, sizeof *p);
  struct platform_params params = {
      .cores = machine_core_ports(k),
      .active = config_active_cores(k),
      .cluster_id = k->cluster_id,
      .test_device = k->soc_map == CONFIG_MAP_CLUSTER_RTL,
      .l2_latency = k->l2_latency,
      .l2_interval = l2_interval(k),
      .l2_banks = k->l2_banks,
      .l2_size = k->l2_size,
      .icache = k->cluster_icache_model == CONFIG_ICACHE_HIER,
      .icache_params = icache_params(k),
      .refill_latency = k->cluster_icache_refill_latency,
      .dma = k->cluster_dma_present,
      .dma_version = k->cluster_dma_version,
      .dma_transfers = k->cluster_dma_transfers,
      .dma_latency = k->cluster_dma_memory_latency,
      .tcdm = &sim->tcdm,
      .l1 = &sim->memory[MEMORY_L1],
      .l3 = sim->memory_count > MEMORY_L3 ? &sim->memory[MEMORY_L3] : NULL,
      .l3_params = {k->l3_latency, k->l3_bytes_per_clock, k->l3_clock_mhz, k->soc_soc_clock_mhz},
      .boot = k->l2_base,
      .controller = k->soc_map == CONFIG_MAP_PULP ? controller(sim) : NULL,
      .soc_mhz = k->soc_soc_clock_mhz,
      .cluster_mhz = k->soc_cluster_clock_mhz,
      .hooks = {.self = sim,
                .put = put,
                .exit = end_program,
                .core_exit = core_exit,
                .start = start,
                .fault = fault,
                .mark = mark,
                .instructions = instructions},
  };
  if (!p || !platform_init(p, &sim->clocks, &params))
    return false;
  p->icache.upsets = icache_upsets;
  p->icache.granted = fetch_granted;
  p->icache.valid = fetch_valid;
  p->icache.address = fetch_address;
  p->icache.answered = fetch_answered;
  p->icache.self = sim;
  if (params.icache)
    watch_icache(sim);
  wire_interrupts(sim);
  p->bus.code_written = wiring_code_written;
  p->bus.code_self = sim;
  if (!soc_bus_add_memory(&p->bus, &sim->memory[MEMORY_L2]))
    return false;
  if (k->soc_map == CONFIG_MAP_PULP && !wire_controller(sim))
    return false;
  for (unsigned i = 0; i < sim->core_count; i++) {
    sim->core[i].bus = (struct core_bus){demux_request, &p->demux};
    sim->core[i].boots_at = k->core_mtvec_kept ? NULL : &p->control.boot[i];
  }
  return true;
}

static void one_core_bus(void *self, struct core *c, cycle_t now) {
  struct pulpsim *sim = self;
  if (tohost_request(sim, c, now))
    return;
  if (sim->config.soc_map == CONFIG_MAP_CV32E40P)
    test_device(sim, c, now);
  else
    core_access_fault(c, now);
}

bool wire(struct pulpsim *sim) {
  if (!config_has_one_core(&sim->config))
    return wire_cluster(sim);
  engine_add(&sim->engine, ACTOR_EVENT_UNIT, grant_event, sim); // this machine has no event unit
  for (unsigned i = 0; i < sim->core_count; i++)
    sim->core[i].bus = (struct core_bus){one_core_bus, sim};
  return true;
}

void unwire(struct pulpsim *sim) {
  platform_free(sim->platform);
  free(sim->platform);
}
