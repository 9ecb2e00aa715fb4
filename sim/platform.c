#include "sim/platform.h"

#include <string.h>

#include "cluster/actors.h"
#include "soc/stdout.h"

enum {
  CLUSTERS = 0x10000000,
  CLUSTER_STRIDE = 0x400000,
  CLUSTER_PERIPHERALS = 0x200000,
  FLL = 0x1a100000,
  GPIO = 0x1a101000,
  UDMA = 0x1a102000,
  UART = 0x1a102080,
  HYPER = 0x1a102180,
  HYPER_8 = 0x1a102480,
  SOC_CONTROL = 0x1a104000,
  SOC_EVENTS = 0x1a106000,
  ITC = 0x1a109800,
  SOC_TIMER = 0x1a10b000,
  STDOUT = 0x1a10f000,
  STDOUT_GAP8 = 0x1a110000,
  BARRIERS = 8,
};

static uint32_t read_soc_timer(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c;
  return timer_read(self, offset, when);
}

static void write_soc_timer(void *self, uint32_t offset, uint32_t value, struct core *c,
                            cycle_t when) {
  (void)c;
  timer_write(self, offset, value, when);
}

static void soc_timer_event(void *self, unsigned counter, cycle_t now) {
  (void)now;
  struct platform *p = self;
  itc_raise(&p->itc, ITC_TIMER_LOW + counter);
}

// Of the timers' reference clock, 32768 Hz, in cycles.
static unsigned reference_period(unsigned mhz) {
  return mhz * 1000000 / 32768;
}

static bool add_controller(struct platform *p, const struct platform_params *params) {
  p->fabric = (struct fabric){.clocks = p->clocks,
                              .actor = ACTOR_FABRIC,
                              .answer_actor = ACTOR_FABRIC_ANSWER,
                              .bus = &p->bus,
                              .periph = &p->periph,
                              .tcdm = params->tcdm,
                              .l1 = params->l1,
                              .l2 = &p->l2,
                              .l2_base = params->boot,
                              .l2_size = params->l2_size,
                              .cluster = p->demux.cluster,
                              .core = params->controller};
  fabric_init(&p->fabric);
  itc_init(&p->itc, params->controller);
  fll_init(&p->fll, params->soc_mhz, params->cluster_mhz);
  timer_init(&p->soc_timer, p->clocks->soc, ACTOR_FC_TIMER, reference_period(params->soc_mhz));
  p->soc_timer.event = soc_timer_event;
  p->soc_timer.event_self = p;
  struct device timer = {SOC_TIMER, 0x40, &p->soc_timer, read_soc_timer, write_soc_timer};
  uart_init(&p->uart, &p->bus, &p->hooks);
  const struct device device[] = {
      timer,
      fll_device(&p->fll, FLL),
      itc_device(&p->itc, ITC),
      uart_device(&p->uart, UART),
      plain_registers_device(&p->gpio, GPIO, 0x200),
      plain_registers_device(&p->udma, UDMA, 0x80),
      plain_registers_device(&p->soc_events, SOC_EVENTS, 0x200),
  };
  for (size_t i = 0; i < sizeof device / sizeof *device; i++)
    if (!soc_bus_add_device(&p->bus, device[i]))
      return false;
  return true;
}

static bool add_devices(struct platform *p, const struct platform_params *params) {
  if (params->l3 &&
      (!soc_bus_add_device(&p->bus, hyper_device(&p->hyper, HYPER)) ||
       !soc_bus_add_device(&p->bus, hyper_channels_device(&p->hyper_channels, &p->hyper, HYPER_8))))
    return false;
  return soc_bus_add_device(&p->bus, soc_control_device(&p->soc_control, SOC_CONTROL)) &&
         soc_bus_add_device(&p->bus, stdout_device(STDOUT, &p->hooks)) &&
         soc_bus_add_device(&p->bus, stdout_device(STDOUT_GAP8, &p->hooks));
}

// Half of the way to L2 and back is in the SoC's clock (docs/timing-cluster.md, "Two clocks").
static unsigned l2_latency(const struct platform *p, unsigned latency) {
  unsigned far = latency / 2;
  return latency - far + (unsigned)clocks_cluster_cycle(p->clocks, far);
}

static struct l2_port l2_port(struct platform *p, const struct platform_params *params,
                              unsigned latency, enum l2_port_id id) {
  return (struct l2_port){
      .latency = l2_latency(p, latency), .shared = params->l2_interval ? &p->l2 : NULL, .id = id};
}

static void timer_event(void *self, unsigned counter, cycle_t now) {
  (void)now;
  struct platform *p = self;
  for (unsigned i = 0; i < p->event_unit.cores; i++)
    event_unit_raise(&p->event_unit, i, UINT32_C(1) << (EVENT_TIMER_LOW + counter));
}

static void add_timer(struct platform *p, struct engine *e, const struct platform_params *params) {
  timer_init(&p->timer, e, ACTOR_TIMER, reference_period(params->cluster_mhz));
  p->timer.event = timer_event;
  p->timer.event_self = p;
  timer_connect(&p->timer, &p->periph, PERIPH_TIMER);
}

static void start_core(void *self, unsigned core, uint32_t pc, cycle_t now) {
  struct platform *p = self;
  if (p->hooks.start)
    p->hooks.start(p->hooks.self, core, pc, now);
}

static void add_control(struct platform *p, const struct platform_params *params) {
  control_unit_init(&p->control, &p->periph, params->cores, params->boot);
  p->control.start = start_core;
  p->control.start_self = p;
}

static void accelerator_event(void *self, cycle_t now) {
  (void)now;
  struct platform *p = self;
  for (unsigned i = 0; i < p->event_unit.cores; i++)
    event_unit_raise(&p->event_unit, i, UINT32_C(1) << EVENT_ACCELERATOR);
}

static void arbitrate(void *self, uint32_t value) {
  tcdm_wide_control(self, value);
}

static void add_accelerator(struct platform *p, struct engine *e, struct tcdm *tcdm) {
  accelerator_init(&p->accelerator, e, ACTOR_ACCELERATOR, &p->periph, tcdm);
  p->accelerator.event = accelerator_event;
  p->accelerator.event_self = p;
  p->control.arbitrate = arbitrate;
  p->control.arbitrate_self = tcdm;
}

static void add_dma(struct platform *p, struct engine *e, const struct platform_params *params) {
  struct l2_port memory = l2_port(p, params, params->dma_latency, L2_DMA);
  mchan_init(&p->dma, &(struct mchan_params){.engine = e,
                                             .actor = ACTOR_DMA,
                                             .port_actor = ACTOR_DMA_PORTS,
                                             .cores = params->cores,
                                             .version = params->dma_version,
                                             .transfers = params->dma_transfers,
                                             .tcdm = params->tcdm,
                                             .l1 = params->l1,
                                             .bus = &p->bus,
                                             .event_unit = &p->event_unit,
                                             .periph = &p->periph,
                                             .read = memory,
                                             .write = memory});
  p->demux.dma = &p->dma;
}

static bool add_icache(struct platform *p, struct engine *e, const struct platform_params *params) {
  struct l2_port memory = l2_port(p, params, params->refill_latency, L2_ICACHE);
  if (!icache_init(&p->icache, e, ACTOR_ICACHE, &params->icache_params, memory))
    return false;
  icache_connect(&p->icache, &p->periph);
  return true;
}

static void soc_event(void *self, unsigned id, cycle_t now) {
  struct platform *p = self;
  clocks_enter_cluster(p->clocks, now);
  event_unit_soc_event(&p->event_unit, (uint8_t)id);
  itc_soc_event(&p->itc, (uint8_t)id);
}

static void hyper_fault(void *self, struct core *c, const char *text, cycle_t now) {
  struct platform *p = self;
  p->hooks.fault(p->hooks.self, c, text, now);
}

static void add_hyper(struct platform *p, const struct platform_params *params) {
  hyper_init(&p->hyper, p->clocks->soc, ACTOR_UDMA, &params->l3_params, &p->bus, params->l3);
  p->l2.udma = &p->hyper;
  p->hyper.event = soc_event;
  p->hyper.fault = hyper_fault;
  p->hyper.self = p;
}

bool platform_init(struct platform *p, struct clocks *clocks,
                   const struct platform_params *params) {
  uint32_t cluster = CLUSTERS + CLUSTER_STRIDE * params->cluster_id;
  struct engine *e = clocks->cluster;
  memset(p, 0, sizeof *p);
  p->clocks = clocks;
  p->hooks = params->hooks;
  periph_init(&p->periph, e, ACTOR_PERIPH, params->cores, cluster + CLUSTER_PERIPHERALS);
  event_unit_init(&p->event_unit, e, ACTOR_EVENT_UNIT, params->cores, BARRIERS);
  event_unit_connect(&p->event_unit, &p->periph);
  if (params->l2_interval)
    l2_init(&p->l2, clocks, params->l2_interval, params->l2_banks);
  struct l2_port port = l2_port(p, params, params->l2_latency, L2_CORES);
  ext_init(&p->ext, clocks, ACTOR_EXT, &p->periph, &p->bus, port);
  if (params->test_device)
    test_device_init(&p->test_device, e, ACTOR_TEST_DEVICE, params->active, p->hooks);
  p->demux = (struct demux){.cluster = cluster,
                            .tcdm = params->tcdm,
                            .alias = true,
                            .event_unit = &p->event_unit,
                            .periph = &p->periph,
                            .test_device = params->test_device ? &p->test_device : NULL};
  add_timer(p, e, params);
  add_control(p, params);
  if (params->tcdm->wide.words)
    add_accelerator(p, e, params->tcdm);
  if (params->dma)
    add_dma(p, e, params);
  if (params->icache && !add_icache(p, e, params))
    return false;
  if (params->l3)
    add_hyper(p, params);
  if (params->controller && !add_controller(p, params))
    return false;
  soc_control_init(&p->soc_control, params->cores, &p->hooks);
  return add_devices(p, params);
}

void platform_free(struct platform *p) {
  if (p)
    icache_free(&p->icache);
}
