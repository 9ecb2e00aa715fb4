#include "sim/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/actors.h"
#include "core/core.h"
#include "core/pipeline.h"
#include "engine/out_of_memory.h"
#include "sim/loader.h"
#include "sim/platform.h"
#include "sim/runner.h"
#include "sim/semihosting.h"
#include "sim/sets.h"
#include "sim/wiring.h"

// ---- memories and code

struct memory *machine_memory(struct pulpsim *sim, uint32_t address) {
  for (unsigned i = 0; i < sim->memory_count; i++)
    if (address - sim->memory[i].base < sim->memory[i].size)
      return &sim->memory[i];
  return NULL;
}

static bool add_memory(struct pulpsim *sim, uint32_t base, uint32_t size, uint8_t *bytes) {
  struct memory *m = &sim->memory[sim->memory_count++];
  m->base = base;
  m->size = size;
  m->bytes = bytes ? bytes : calloc((size_t)size + 8, 1);
  m->code = calloc((size >> CODE_SHIFT) + 1, 1);
  m->fetched = calloc((size >> 5) + 1, 1);
  return m->bytes && m->code && m->fetched;
}

static const uint8_t *code_bytes(void *self, uint32_t pc, uint32_t *left) {
  struct memory *m = machine_memory(self, pc);
  if (!m)
    return NULL;
  *left = m->size - (pc - m->base);
  return m->bytes + (pc - m->base);
}

static void mark_code(void *self, uint32_t address) {
  struct memory *m = machine_memory(self, address);
  if (!m)
    return;
  uint32_t at = address - m->base;
  m->code[at >> CODE_SHIFT] |= CODE_MARKED;
  m->fetched[at >> 5] |= (uint8_t)(1u << (at >> 2 & 7));
}

// ---- what cores ask of the machine

cycle_t machine_time(const struct pulpsim *sim, const struct core *c, cycle_t when) {
  return c->engine == &sim->engine ? when : clocks_to_cluster(&sim->clocks, when);
}

cycle_t machine_core_time(const struct pulpsim *sim, const struct core *c, cycle_t when) {
  if (c->engine == &sim->engine)
    return when;
  bool runs = sim->state == PULPSIM_READY || sim->state == PULPSIM_BREAK;
  return runs ? clocks_soc_cycle(&sim->clocks, when) : sim->soc_ended;
}

void machine_mark(struct pulpsim *sim, struct core *c, uint32_t value, cycle_t now) {
  struct markers *m = &sim->marker[c->index];
  if (m->count == m->room) {
    m->room = m->room ? 2 * m->room : 16;
    m->item = must_have(realloc(m->item, m->room * sizeof *m->item));
  }
  uint64_t instret = machine_counts(sim, c->index, now).instructions;
  m->item[m->count++] = (struct pulpsim_marker){value, now, instret};
}

void machine_print(struct pulpsim *sim, int fd, const char *bytes, size_t count) {
  size_t unheard = count < sim->rollbacks.unheard ? count : (size_t)sim->rollbacks.unheard;
  sim->printed += count;
  sim->rollbacks.unheard -= unheard;
  if (count == unheard)
    return;
  bytes += unheard;
  count -= unheard;
  if (sim->output) {
    sim->output(sim->output_user, fd, bytes, count);
    return;
  }
  FILE *to = fd == 2 ? stderr : stdout;
  fwrite(bytes, 1, count, to);
}

// ---- construction

static void init_core(struct pulpsim *sim, unsigned i) {
  const struct pulpsim_config *k = &sim->config;
  struct core *c = &sim->core[i];
  bool controller = i == config_active_cores(k);
  bool cluster = !config_has_one_core(k) && !controller;
  struct memory *window = &sim->memory[controller ? MEMORY_FC : 0];
  c->index = i;
  c->hartid = controller ? k->soc_fc_cluster_id << 5 : k->cluster_id << 5 | i;
  c->model = k->core_model == CONFIG_MODEL_CV32E40P ? CORE_CV32E40P : CORE_RI5CY;
  c->corev = (sets_enabled(k) & ISA_BIT(ISA_COREV)) != 0;
  c->window_base = window->base;
  c->window_size = window->size;
  c->window = window->bytes;
  c->window_code = window->code;
  c->banks = cluster ? &sim->tcdm.shared : NULL;
  c->shared_end = cluster ? window->size : 0;
  c->bank_mask = sim->tcdm.bank_mask;
  c->engine = controller ? sim->clocks.soc : &sim->engine;
  unsigned place = c->engine == &sim->engine ? i : 0; // among the engine's cores
  c->actor = ENGINE_CORES + place;
  c->actor_bit = UINT64_C(1) << c->actor;
  c->edge_actor = ENGINE_EDGES + place;
  c->host = &sim->host;
  c->csr.mtvec = (config_has_one_core(k) ? k->memory_base : k->l2_base) | 1; // vectored
  c->mtvec_low = k->core_mtvec_align - 1;
  c->csr.mcountinhibit = 0xd;
  c->csr.pcmr = 3;
  c->strict = k->core_strict;
  c->has_fpu = k->core_fpu_present && !k->core_zfinx;
  c->fpnew06 =
      k->core_fpu_divider == CONFIG_DIVIDER_MVP && k->core_fpu_results == CONFIG_RESULTS_RTL;
}

// The bench of cluster-rtl always has eight cores; `cluster.cores` of them are started. Where the
// other ports are in the arbitration trees depends on it.
unsigned machine_core_ports(const struct pulpsim_config *k) {
  bool bench = k->soc_map == CONFIG_MAP_CLUSTER_RTL && k->cluster_cores < 8;
  return bench ? 8 : k->cluster_cores;
}

static bool shares_fpu(const struct pulpsim_config *k) {
  return k->core_fpu_present && !config_has_one_core(k) &&
         k->cluster_fpu_sharing == CONFIG_SHARING_SHARED;
}

static enum core_model model_of(const struct pulpsim_config *k) {
  return k->core_model == CONFIG_MODEL_CV32E40P ? CORE_CV32E40P : CORE_RI5CY;
}

static struct id_config id_config(const struct pulpsim_config *k) {
  static const enum fpu_divider dividers[] = {[CONFIG_DIVIDER_E906] = FPU_DIVIDER_E906,
                                              [CONFIG_DIVIDER_MVP] = FPU_DIVIDER_MVP,
                                              [CONFIG_DIVIDER_NONE] = FPU_DIVIDER_NONE};
  return (struct id_config){.model = model_of(k),
                            .fpu = k->core_fpu_present,
                            .zfinx = k->core_zfinx,
                            .addmul_latency = (uint8_t)k->core_fpu_addmul_latency,
                            .others_latency = (uint8_t)k->core_fpu_others_latency,
                            .divider = dividers[k->core_fpu_divider]};
}

static bool add_pipelines(struct pulpsim *sim) {
  const struct pulpsim_config *k = &sim->config;
  bool slow = config_has_one_core(k);
  struct pipeline_config p = {
      .id = id_config(k),
      .fetch_grant_delay = slow ? (uint8_t)k->memory_instr_grant_delay : 0,
      .fetch_data_delay = slow ? (uint8_t)(k->memory_instr_data_delay - 1) : 0,
      .data_grant_delay = slow ? (uint8_t)k->memory_data_grant_delay : 0,
      .data_data_delay = slow ? (uint8_t)(k->memory_data_data_delay - 1) : 0,
      .present = core_present,
  };
  struct pipeline_code code = {.bytes = code_bytes,
                               .epoch = &sim->code_epoch,
                               .written = &sim->code_epoch,
                               .mark = mark_code,
                               .miss_cycles = ICACHE_MISS_CYCLES,
                               .self = sim};
  const struct float_port shared = {fpu_share_ask, fpu_share_served, &sim->fpu_share,
                                    FPU_SHARE_DIVIDER_FRAME};
  bool cached = !slow && k->cluster_icache_model == CONFIG_ICACHE_HIER;
  sim->code_epoch = CODE_EPOCH;
  sim->memo = pipeline_memo_new();
  if (!sim->memo)
    return false;
  for (unsigned i = 0; i < sim->built; i++) {
    bool of_cluster = i < config_active_cores(k);
    code.request = cached && of_cluster ? wiring_fetch : NULL;
    p.id.wfi_sleeps = !of_cluster && !slow;
    p.shared_fpu = shares_fpu(k) && of_cluster ? shared : (struct float_port){0};
    struct pipeline *pipeline = pipeline_new(&sim->core[i], &p, sim->decoder, &code);
    if (!pipeline)
      return false;
    core_attach_pipeline(&sim->core[i], pipeline);
  }
  return true;
}

static void attach_memo(struct pulpsim *sim, unsigned core) {
  if (core < config_active_cores(&sim->config))
    pipeline_memo_attach(sim->memo, sim->core[core].pipeline);
}

static void set_engine(struct pulpsim *sim, bool plain) {
  for (unsigned i = 0; i < sim->built; i++) {
    if (plain)
      pipeline_memo_detach(sim->core[i].pipeline);
    else
      attach_memo(sim, i);
  }
}

bool pulpsim_set_engine(struct pulpsim *sim, enum pulpsim_engine engine) {
  if (sim->elf)
    return false;
  sim->start.plain = engine == PULPSIM_PLAIN;
  set_engine(sim, sim->start.plain);
  return true;
}

void machine_compute(struct pulpsim *sim, bool plain) {
  sim->computes = plain;
  if (!sim->computes_part)
    set_engine(sim, plain);
}

void machine_compute_part(struct pulpsim *sim, bool plain) {
  bool changes = plain != sim->computes_part && !sim->computes;
  sim->computes_part = plain;
  if (changes)
    set_engine(sim, plain);
}

static bool build_memories(struct pulpsim *sim) {
  const struct pulpsim_config *k = &sim->config;
  if (config_has_one_core(k))
    return add_memory(sim, k->memory_base, k->memory_size, NULL);
  uint32_t base = 0x10000000 + (k->cluster_id << 22);
  return tcdm_init(&sim->tcdm, &sim->engine, ACTOR_TCDM, k->cluster_tcdm_size,
                   k->cluster_tcdm_banks,
                   (struct tcdm_ports){machine_core_ports(k), k->cluster_tcdm_external_ports,
                                       k->cluster_tcdm_accelerator_words},
                   k->cluster_tcdm_arbiter == CONFIG_ARBITER_XBAR ? TCDM_XBAR : TCDM_LIC) &&
         add_memory(sim, base, k->cluster_tcdm_size, sim->tcdm.bytes) &&
         add_memory(sim, k->l2_base, k->l2_size, NULL) &&
         (k->soc_map != CONFIG_MAP_PULP ||
          (add_memory(sim, MEMORY_FC_BASE, MEMORY_FC_SIZE, NULL) &&
           (!k->l3_size || add_memory(sim, MEMORY_L3_BASE, k->l3_size, NULL))));
}

static void bank_granted(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  core_served(self, now);
}

// The fabric controller is one of the cores that are stepped together if the clocks are equal.
static void group_cores(struct pulpsim *sim) {
  unsigned n = clocks_equal(&sim->clocks) ? sim->built : sim->core_count;
  sim->cores = (struct core_group){
      .core = sim->core, .count = n, .engine = &sim->engine, .banks = sim->core[0].banks};
  core_group_attach(&sim->cores);
  for (unsigned i = 0; i < sim->core_count && sim->core[i].banks; i++)
    tcdm_attach(&sim->tcdm, UINT32_C(1) << i, bank_granted, &sim->core[i]);
  if (n < sim->built) {
    sim->controller =
        (struct core_group){.core = &sim->core[n], .count = 1, .engine = &sim->soc_engine};
    core_group_attach(&sim->controller);
  }
}

static bool build(struct pulpsim *sim) {
  const struct pulpsim_config *k = &sim->config;
  engine_init(&sim->engine);
  engine_init(&sim->soc_engine);
  clocks_init(&sim->clocks, &sim->engine, &sim->soc_engine, k->soc_cluster_clock_mhz,
              k->soc_map == CONFIG_MAP_PULP ? k->soc_soc_clock_mhz : k->soc_cluster_clock_mhz);
  sim->core_count = config_active_cores(k);
  if (!sim->decoder)
    sim->decoder = isa_decoder_new(sets_enabled(k), k->core_zfinx);
  if (!sim->decoder || !build_memories(sim))
    return false;
  sim->host = (struct core_host){.exit = runner_exit,
                                 .trap = runner_trap,
                                 .call = machine_host_call,
                                 .breakpoint = semihosting_breakpoint,
                                 .code_written = wiring_code_written,
                                 .region = machine_region,
                                 .self = sim};
  sim->built = sim->core_count + (k->soc_map == CONFIG_MAP_PULP); // the fabric controller is last
  for (unsigned i = 0; i < sim->built; i++)
    init_core(sim, i);
  group_cores(sim);
  fpu_share_init(&sim->fpu_share, machine_core_ports(k), k->cluster_fpu_units);
  if (!add_pipelines(sim) || !wire(sim))
    return false;
  set_engine(sim, sim->start.plain);
  return true;
}

struct pulpsim *pulpsim_new(const struct pulpsim_config *config, struct pulpsim_error *error) {
  if (!config_check(config, error->text))
    return NULL;
  struct pulpsim *sim = calloc(1, sizeof *sim);
  if (sim) {
    sim->config = *config;
    sim->config_hash = config_hash(config);
    sim->control = control_new(sim);
    if (sim->control && build(sim))
      return sim;
    pulpsim_free(sim);
  }
  snprintf(error->text, sizeof error->text, "out of memory while building the machine");
  return NULL;
}

// All that build() has made, but for the decoder.
static void dismantle(struct pulpsim *sim) {
  unwire(sim);
  for (unsigned i = 0; i < sim->memory_count; i++) {
    free(sim->memory[i].bytes);
    free(sim->memory[i].code);
    free(sim->memory[i].fetched);
  }
  for (unsigned i = 0; i < MACHINE_CORES; i++) {
    pipeline_free(sim->core[i].pipeline);
    free(sim->marker[i].item);
  }
  pipeline_memo_free(sim->memo);
}

void pulpsim_free(struct pulpsim *sim) {
  if (!sim)
    return;
  dismantle(sim);
  isa_decoder_free(sim->decoder);
  control_free(sim);
  start_free(&sim->start);
  host_files_free(&sim->files);
  elf_free(sim->elf);
  free(sim->core_stats);
  free(sim->region_stats);
  free(sim->region_counts);
  free(sim->bank_stats);
  free(sim);
}

// ---- once more

void machine_start_over(struct pulpsim *sim, bool plain) {
  uint64_t shuffle = sim->engine.shuffle;
  char *from = (char *)&sim->engine;
  dismantle(sim);
  memset(from, 0, (size_t)((char *)&sim->output - from));
  if (!build(sim))
    must_have(NULL);
  sim->computes = plain;
  for (unsigned i = 0; plain && i < sim->built; i++)
    pipeline_memo_detach(sim->core[i].pipeline);
  pulpsim_shuffle(sim, shuffle);
  loader_start(sim);
  control_attach(sim);
}
