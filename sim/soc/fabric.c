#include "soc/fabric.h"

#include <string.h>

#include "cluster/tcdm.h"
#include "core/ports.h"
#include "soc/l2.h"

enum { CLUSTER_WINDOW = 0x400000, TCDM_WINDOW = 0x200000, TEST_AND_SET = 0x100000 };

static uint32_t tcdm_offset(const struct fabric *f, uint32_t addr) {
  return (addr - f->cluster) & (TEST_AND_SET - 1);
}

// Where an access leads: the first bytes of L2 are at 0 as well.
static uint32_t target(const struct fabric *f) {
  uint32_t addr = core_port(f->core)->acc.addr;
  return addr < FABRIC_ALIAS ? f->l2_base + addr : addr;
}

static void answered(void *self, uint32_t data, cycle_t now) {
  struct fabric *f = self;
  if (core_port(f->core)->acc.kind != ACCESS_STORE)
    core_port(f->core)->acc.data = data;
  f->state = FABRIC_ANSWER;
  clocks_yield(f->clocks);
  engine_wake(f->clocks->soc, f->answer_actor,
              clocks_to_soc(f->clocks, now + FABRIC_CROSSING) + FABRIC_CROSSING);
}

static void tcdm_answered(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  struct fabric *f = self;
  struct access *a = &core_port(f->core)->acc;
  uint32_t offset = tcdm_offset(f, a->addr);
  uint8_t *p = f->tcdm->bytes + offset;
  uint32_t data = 0;
  if (a->kind != ACCESS_STORE) {
    memcpy(&data, p, a->size);
    if (a->addr - f->cluster >= TEST_AND_SET && f->tcdm->arbiter == TCDM_XBAR) {
      memset(p, 0xff, a->size);
      tcdm_hold_bank(f->tcdm, offset, now + 1);
    }
  } else {
    memcpy(p, &a->data, a->size);
    soc_bus_changed(f->bus, f->l1, f->l1->base + offset, a->size);
  }
  answered(f, data, now);
}

static void access_bus(struct fabric *f, cycle_t now) {
  struct core *c = f->core;
  struct access *a = &core_port(c)->acc;
  if (a->kind == ACCESS_STORE)
    soc_bus_write(f->bus, target(f), a->size, a->data, c, now);
  else
    a->data = soc_bus_read(f->bus, target(f), a->size, c, now);
}

static void enter_cluster(void *self, cycle_t now) {
  (void)now;
  struct fabric *f = self;
  const struct access *a = &core_port(f->core)->acc;
  bool tcdm = f->state == FABRIC_TCDM;
  f->state = FABRIC_CLUSTER;
  if (tcdm) {
    tcdm_post(f->tcdm, tcdm_ext_port(f->tcdm), tcdm_offset(f, a->addr));
    return;
  }
  struct periph_access access = {
      .addr = a->addr, .data = a->data, .size = a->size, .write = a->kind == ACCESS_STORE};
  periph_request_outside(f->periph, &access);
}

// The controller's own memory has no other user.
static bool bank_is_free(struct fabric *f, cycle_t now) {
  uint32_t addr = target(f);
  return addr - f->l2_base >= f->l2_size || l2_controller(f->l2, addr, now);
}

static void answer(void *self, cycle_t now) {
  struct fabric *f = self;
  if (f->state == FABRIC_L2 && !bank_is_free(f, now)) {
    engine_wake(f->clocks->soc, f->answer_actor, now + 1);
    return;
  }
  if (f->state == FABRIC_L2)
    access_bus(f, now);
  if (f->state == FABRIC_DEVICE)
    access_bus(f, now);
  f->state = FABRIC_IDLE;
  if (core_port(f->core)->phase != CORE_HALTED)
    core_grant(f->core, now, now + 1);
}

void fabric_init(struct fabric *f) {
  f->state = FABRIC_IDLE;
  f->periph->outside = answered;
  f->periph->outside_self = f;
  tcdm_attach(f->tcdm, UINT32_C(1) << tcdm_ext_port(f->tcdm), tcdm_answered, f);
  engine_add(f->clocks->cluster, f->actor, enter_cluster, f);
  engine_add(f->clocks->soc, f->answer_actor, answer, f);
}

static void travel(struct fabric *f, enum fabric_state to, cycle_t now) {
  f->state = to;
  if (to == FABRIC_DEVICE)
    engine_wake(f->clocks->soc, f->answer_actor, now + FABRIC_APB);
  else
    engine_wake(f->clocks->cluster, f->actor,
                clocks_to_cluster(f->clocks, now + FABRIC_CROSSING) + FABRIC_CROSSING);
}

void fabric_request(void *self, struct core *c, cycle_t now) {
  struct core_port *k = core_port(c);
  struct fabric *f = self;
  uint32_t offset = k->acc.addr - f->cluster;
  k->wait_cause = CAUSE_PERIPH_WAIT;
  bool memory = soc_bus_memory(f->bus, target(f), k->acc.size) != NULL;
  if (memory && !bank_is_free(f, now)) {
    k->wait_cause = CAUSE_L2_WAIT;
    f->state = FABRIC_L2;
    engine_wake(f->clocks->soc, f->answer_actor, now + 1);
  } else if (memory) {
    access_bus(f, now);
    core_grant(c, now, now + 1);
  } else if (offset < TCDM_WINDOW && tcdm_offset(f, k->acc.addr) <= f->tcdm->size - k->acc.size) {
    travel(f, FABRIC_TCDM, now);
  } else if (offset >= TCDM_WINDOW && offset < CLUSTER_WINDOW) {
    travel(f, FABRIC_PERIPH, now);
  } else if (soc_bus_mapped(f->bus, k->acc.addr, k->acc.size)) {
    travel(f, FABRIC_DEVICE, now);
  } else {
    core_access_fault(c, now);
  }
}
