#include "cluster/demux.h"

#include <string.h>

#include "cluster/event_unit.h"
#include "cluster/mchan.h"
#include "cluster/periph.h"
#include "core/ports.h"
#include "soc/test_device.h"

enum { TCDM_WINDOW = 0x200000, CLUSTER_WINDOW = 0x400000, TEST_AND_SET = 0x100000 };

static void direct_request(struct demux *d, struct core *c, cycle_t now) {
  struct core_port *k = core_port(c);
  switch (k->acc.addr >> 10 & 15) {
  case 0:
    event_unit_request(d->event_unit, c);
    return;
  case 1:
    if (d->dma && (k->acc.addr & 0x3fb) == 0)
      mchan_request(d->dma, c);
    else
      core_access_fault(c, now);
    return;
  default:
    core_access_fault(c, now);
  }
}

static void test_and_set_granted(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  struct core *c = self;
  struct core_port *k = core_port(c);
  struct demux *d = k->bus.self;
  uint32_t offset = k->acc.addr - k->window_base;
  d->tcdm->port[k->index].granted = d->plain[k->index];
  k->acc.data = 0;
  memcpy(&k->acc.data, k->window + offset, k->acc.size);
  memset(k->window + offset, 0xff, k->acc.size);
  tcdm_hold_bank(d->tcdm, offset, now + 1);
  core_grant(c, now, now + 1);
}

// An access through one of the other views of the TCDM: asks for the bank under the address that
// the core's own window has.
static void tcdm_alias(struct demux *d, struct core *c, uint32_t offset, cycle_t now) {
  struct core_port *k = core_port(c);
  bool lock = offset & TEST_AND_SET && d->tcdm->arbiter == TCDM_XBAR;
  offset &= TEST_AND_SET - 1;
  if (offset > k->window_size - k->acc.size) {
    core_access_fault(c, now);
    return;
  }
  uint32_t addr = k->window_base + offset;
  k->acc.addr = addr;
  k->wait_cause = CAUSE_TCDM_CONFLICT;
  if (lock && k->acc.kind != ACCESS_STORE) {
    d->plain[k->index] = d->tcdm->port[k->index].granted;
    d->tcdm->port[k->index].granted = test_and_set_granted;
  }
  tcdm_post(d->tcdm, k->index, offset);
}

void demux_request(void *self, struct core *c, cycle_t now) {
  struct demux *d = self;
  uint32_t addr = core_port(c)->acc.addr;
  if (d->test_device && addr >> 28 == 8) {
    test_device_request(d->test_device, c, now);
    return;
  }
  uint32_t offset = addr - d->cluster;
  if (offset >= CLUSTER_WINDOW && d->alias && addr < CLUSTER_WINDOW)
    offset = addr;
  if (offset < TCDM_WINDOW)
    tcdm_alias(d, c, offset, now);
  else if (offset < 0x300000 && (offset & 0x4000))
    direct_request(d, c, now);
  else
    periph_request(d->periph, c);
}
