#include "testbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fpu_share.h"
#include "interrupt_plan.h"
#include "isa_ops.h"

enum { PAGE = 4096 };
#define DEVICE UINT32_C(0x80000000)

struct testbench {
  struct core core;
  struct engine engine; // its clock stands still
  struct core_host host;
  struct pipeline_config config;
  struct pipeline *pipeline;
  struct isa_decoder *decoder;
  uint32_t sets;
  bool floats, every_cycle;
  uint8_t *memory;
  uint8_t dirty[TESTBENCH_SIZE / PAGE];
  unsigned event_grant;
  const struct testbench_delays *delays;
  cycle_t late_until; // an event load is granted in this cycle; 0: none waits
  cycle_t exit_seen;  // cycle in which the exit store was granted
  struct testbench_result *result;
  pipeline_watch *watch;
  void (*watch_store)(void *self, const struct access *a);
  void *watch_self;
};

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "test bench: %s\n", what);
  abort();
}

static struct testbench *bench_of(const struct core *c) {
  return (struct testbench *)((const char *)c - offsetof(struct testbench, core));
}

static const uint8_t *bytes(void *self, uint32_t pc, uint32_t *left) {
  const struct testbench *b = self;
  if (pc >= TESTBENCH_SIZE)
    return NULL;
  *left = TESTBENCH_SIZE - pc;
  return b->memory + pc;
}

static void store_to_device(struct testbench *b, const struct access *a, cycle_t now) {
  struct testbench_result *r = b->result;
  if (r->exited)
    return;
  switch (a->addr & ~UINT32_C(3)) {
  case DEVICE:
    r->exited = true;
    r->status = a->data;
    r->cycles = a->since;
    b->exit_seen = now;
    break;
  case DEVICE + 8:
    if (r->markers == TESTBENCH_MARKERS)
      break;
    r->marker[r->markers++] =
        (struct testbench_marker){a->data, a->since, b->core.count.instructions};
    break;
  default:
    break;
  }
}

static void serve(struct testbench *b, cycle_t now) {
  struct access *a = &b->core.acc;
  bool store = a->kind == ACCESS_STORE;
  if (store && b->watch_store && a->size)
    b->watch_store(b->watch_self, a);
  if (a->addr < TESTBENCH_SIZE) {
    if (store)
      memcpy(b->memory + a->addr, &a->data, a->size);
    else
      memcpy(&a->data, b->memory + a->addr, 4);
    if (store)
      b->dirty[a->addr / PAGE] = 1;
  } else if (store) {
    store_to_device(b, a, now);
  } else {
    a->data = a->addr == DEVICE + 12 ? (uint32_t)a->since : 0;
  }
  pipeline_data_grant(b->pipeline, now, now + 1);
}

static void present(struct core *c, cycle_t now) {
  struct testbench *b = bench_of(c);
  bool event = (c->acc.addr & ~UINT32_C(31)) == DEVICE + 0x100 && c->acc.kind != ACCESS_STORE;
  if (event && b->event_grant)
    b->late_until = now + b->event_grant;
  else
    serve(b, now);
}

static void hash(uint64_t *h, uint64_t value) {
  for (unsigned i = 0; i < 8; i++)
    *h = (*h ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
}

static void watch(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                  bool traps, cycle_t now) {
  struct testbench *b = self;
  if (b->result->exited && now > b->exit_seen)
    return;
  hash(&b->result->trace, now << 32 | pc);
  hash(&b->result->trace, traps);
  b->result->traced++;
  if (b->watch)
    b->watch(b->watch_self, c, insn, pc, traps, now);
}

static void read_config(struct testbench *b, const char *name) {
  struct id_config *id = &b->config.id;
  bool ri5cy = strncmp(name, "ri5cy", 5) == 0;
  id->model = ri5cy ? CORE_RI5CY : CORE_CV32E40P;
  id->zfinx = strstr(name, "zf") != NULL;
  b->floats = strncmp(name, "ri5cyfp", 7) == 0 || strncmp(name, "fp", 2) == 0 || id->zfinx;
  id->fpu = b->floats;
  id->divider = ri5cy ? FPU_DIVIDER_MVP : FPU_DIVIDER_E906;
  const char *latency = name + strcspn(name, "0123456789");
  latency += ri5cy; // the first digit is the core's
  latency += strcspn(latency, "0123456789");
  if (b->floats && *latency) {
    id->addmul_latency = (uint8_t)(latency[0] - '0');
    id->others_latency = (uint8_t)(latency[1] - '0');
  }
  b->sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_ZICSR) |
            ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV) | ISA_BIT(ri5cy ? ISA_XPULPV2 : ISA_COREV);
  if (b->floats)
    b->sets |= ISA_BIT(ISA_RV32F) | (id->zfinx ? 0 : ISA_BIT(ISA_RV32CF));
}

struct testbench *testbench_new(const char *config) {
  struct testbench *b = calloc(1, sizeof *b);
  read_config(b, config);
  b->config.present = present;
  b->memory = calloc(1, TESTBENCH_SIZE + 8);
  b->decoder = isa_decoder_new(b->sets, b->config.id.zfinx);
  struct pipeline_code code = {.bytes = bytes, .self = b};
  b->pipeline = pipeline_new(&b->core, &b->config, b->decoder, &code);
  require(b->memory && b->decoder && b->pipeline, "out of memory");
  b->pipeline->watch = watch;
  b->pipeline->watch_self = b;
  return b;
}

void testbench_free(struct testbench *b) {
  pipeline_free(b->pipeline);
  isa_decoder_free(b->decoder);
  free(b->memory);
  free(b);
}

uint32_t testbench_sets(const struct testbench *b) {
  return b->sets;
}
const struct isa_decoder *testbench_decoder(const struct testbench *b) {
  return b->decoder;
}
const struct id_config *testbench_config(const struct testbench *b) {
  return &b->config.id;
}

void testbench_skip_nothing(struct testbench *b, bool on) {
  b->every_cycle = on;
}

bool testbench_seen(const struct core *c, const struct isa_insn *insn, bool traps) {
  if (c->model != CORE_RI5CY)
    return true;
  switch (insn->op) {
  case ISA_OP_fence:
  case ISA_OP_fence_i:
  case ISA_OP_mret:
  case ISA_OP_dret:
  case ISA_OP_wfi:
    return false;
  default:
    return !traps;
  }
}

void testbench_watch(struct testbench *b, pipeline_watch *w, void *self) {
  b->watch = w;
  b->watch_self = self;
}

void testbench_watch_stores(struct testbench *b, void (*w)(void *, const struct access *)) {
  b->watch_store = w;
}

static void clear_memory(struct testbench *b) {
  for (size_t p = 0; p < TESTBENCH_SIZE / PAGE; p++) {
    if (b->dirty[p])
      memset(b->memory + p * PAGE, 0, PAGE);
    b->dirty[p] = 0;
  }
}

static void put(struct testbench *b, uint32_t address, const uint8_t *from, size_t size) {
  require(size <= TESTBENCH_SIZE && address <= TESTBENCH_SIZE - size, "beyond the memory");
  memcpy(b->memory + address, from, size);
  for (size_t p = address / PAGE; size && p <= (address + size - 1) / PAGE; p++)
    b->dirty[p] = 1;
}

static void no_region(void *self, struct core *c, unsigned id, bool begin, cycle_t now) {
  (void)self, (void)c, (void)id, (void)begin, (void)now;
}

static void acknowledge(void *self, unsigned core, unsigned id, cycle_t now) {
  (void)core;
  struct testbench *b = self;
  interrupt_set_lines(&b->core, b->core.interrupts.lines & ~(UINT32_C(1) << id), now + 1);
}

static cycle_t next_rise(const struct testbench_delays *d, cycle_t from, cycle_t until) {
  while (d->interrupts && from < until && !interrupt_plan(d->interrupts, from))
    from++;
  return d->interrupts ? from : until;
}

static void raise(struct testbench *b, cycle_t now) {
  uint32_t rise = b->delays ? interrupt_plan(b->delays->interrupts, now) : 0;
  if (rise)
    interrupt_set_lines(&b->core, b->core.interrupts.lines | rise, now);
}

static void reset_core(struct testbench *b, uint32_t entry, bool interrupts) {
  struct core *c = &b->core;
  memset(c, 0, sizeof *c);
  c->model = b->config.id.model;
  c->pipeline = b->pipeline;
  c->corev = c->model == CORE_CV32E40P;
  c->engine = &b->engine;
  c->host = &b->host;
  b->host.region = no_region;
  if (interrupts) {
    c->interrupts.acknowledge = acknowledge;
    c->interrupts.self = b;
  }
  c->csr.mtvec = c->corev ? 1 : entry & ~UINT32_C(0xff);
  c->mtvec_low = 0xff;
  c->csr.mtvec_written = true;
  c->csr.mcountinhibit = 0xd;
  c->csr.pcmr = 3;
  c->has_fpu = b->floats && !b->config.id.zfinx;
  c->fpnew06 = b->config.id.divider == FPU_DIVIDER_MVP;
  c->wait_cause = CAUSE_L2_WAIT;
  c->started = 1;
}

// Cycles are numbered from the release of reset on, which is cycle 1.
static cycle_t first_issue(const struct testbench *b) {
  return b->config.id.model == CORE_RI5CY ? 4 : 5;
}

static cycle_t explained(const struct testbench *b) {
  cycle_t sum = b->core.count.instructions;
  for (unsigned k = 0; k < CAUSE_COUNT; k++)
    sum += b->core.count.stall[k];
  return sum;
}

static void run(struct testbench *b, uint32_t entry, const struct testbench_delays *d,
                cycle_t limit, struct testbench_result *r) {
  static const struct testbench_delays none;
  if (!d)
    d = &none;
  struct pipeline_config *k = &b->pipeline->config;
  k->fetch_grant_delay = d->fetch_grant;
  k->fetch_data_delay = d->fetch_data;
  k->data_grant_delay = d->data_grant;
  k->data_data_delay = d->data_data;
  b->event_grant = d->event_grant;
  b->delays = d;
  b->late_until = 0;
  memset(r, 0, sizeof *r);
  r->trace = UINT64_C(0xcbf29ce484222325);
  b->result = r;
  reset_core(b, entry, d->interrupts != 0);
  cycle_t now = pipeline_start(b->pipeline, entry, first_issue(b)), from = now, last = now;
  for (cycle_t t = 1; t < now; t++)
    raise(b, t);
  while (now <= limit && !r->exited) {
    last = now;
    raise(b, now);
    pipeline_request(b->pipeline, now);
    if (b->late_until == now && now) {
      b->late_until = 0;
      serve(b, now);
    }
    now = pipeline_edge(b->pipeline, now);
    if (b->late_until && b->late_until < now)
      now = b->late_until;
    now = next_rise(d, last + 1, now);
    if (b->every_cycle)
      now = last + 1;
  }
  r->instructions = b->core.count.instructions;
  pipeline_stop(b->pipeline, last + 1);
  require(explained(b) == last + 1 - from, "cycles without a cause, or with two");
}

void testbench_run_image(struct testbench *b, const uint8_t *image, size_t size, uint32_t entry,
                         const struct testbench_delays *d, cycle_t limit,
                         struct testbench_result *r) {
  clear_memory(b);
  put(b, 0, image, size);
  run(b, entry, d, limit, r);
}

static cycle_t begin_together(struct testbench *b, unsigned index, struct fpu_share *units,
                              uint32_t entry, struct testbench_result *r) {
  memset(r, 0, sizeof *r);
  b->result = r;
  b->delays = NULL;
  b->event_grant = 0;
  b->late_until = 0;
  reset_core(b, entry, false);
  b->core.index = index;
  b->pipeline->config.shared_fpu =
      (struct float_port){fpu_share_ask, fpu_share_served, units, FPU_SHARE_DIVIDER_FRAME};
  return pipeline_start(b->pipeline, entry, first_issue(b));
}

void testbench_run_together(struct testbench *const b[], unsigned count, struct fpu_share *units,
                            uint8_t *const image[], size_t size, uint32_t entry, cycle_t limit,
                            struct testbench_result r[]) {
  cycle_t now = 0;
  for (unsigned i = 0; i < count; i++) {
    clear_memory(b[i]);
    put(b[i], 0, image[i], size);
    now = begin_together(b[i], i, units, entry, &r[i]);
  }
  for (; now <= limit; now++) { // a core that has ended goes on, as on the RTL: it uses the units
    for (unsigned i = 0; i < count; i++)
      pipeline_request(b[i]->pipeline, now);
    for (unsigned i = 0; i < count; i++)
      pipeline_edge(b[i]->pipeline, now);
  }
}

static uint32_t word_at(const uint8_t *p) {
  uint32_t word;
  memcpy(&word, p, 4);
  return word;
}

void testbench_run_elf(struct testbench *b, const uint8_t *elf, size_t size,
                       const struct testbench_delays *d, cycle_t limit,
                       struct testbench_result *r) {
  require(size >= 52 && memcmp(elf, "\177ELF\1\1", 6) == 0, "no ELF file");
  clear_memory(b);
  unsigned count = word_at(elf + 44) & 0xffff;
  const uint8_t *header = elf + word_at(elf + 28);
  for (unsigned i = 0; i < count; i++, header += 32) {
    require((size_t)(header - elf) + 32 <= size, "truncated ELF file");
    if (word_at(header) == 1)
      put(b, word_at(header + 12), elf + word_at(header + 4), word_at(header + 16));
  }
  run(b, word_at(elf + 24), d, limit, r);
}
