// tests/cluster/protocol_rules.c: every register that the public runtimes use, at the addresses
// where they use it, on pulp-open: what reads back behind what was written. What they set off is in
// the suites event_unit_rules, dma_rules, soc_rules, fabric_rules and interrupt_rules.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

Suite *protocol_rules_suite(void);

static struct guest g;

enum {
  C = GUEST_PERIPHERALS,         // control unit
  T = GUEST_PERIPHERALS + 0x400, // timer
  P = GUEST_PERIPHERALS + 0x800, // event unit by the interconnect, core 0
  I = GUEST_PERIPHERALS + 0x1400,
  E = GUEST_EVENT_UNIT, // the own one
  A = 0x00204000,       // by the cluster's view of itself at 0
  D = GUEST_DMA,
  CORES = 4
};

#define SOC     UINT32_C(0x1a104000)
#define NOTHING 0, 0

// Up to two stores, then a load.
static const struct row {
  const char *name;
  uint32_t to, value, to2, value2, from, want;
} row[] = {
    {"control: end of computation", C + 0x00, 1, NOTHING, C + 0x00, 1},
    {"control: clock gate", C + 0x20, 1, NOTHING, C + 0x20, 1},
    {"control: boot address of core 0", C + 0x40, 0x1c008080, NOTHING, C + 0x40, 0x1c008080},
    {"control: boot address of core 3", C + 0x4c, 0x1c008080, NOTHING, C + 0x4c, 0x1c008080},
    {"control: boot address after reset", NOTHING, NOTHING, C + 0x48, 0x1c000000},
    {"control: return value", C + 0x100, 0x80000005, NOTHING, C + 0x100, 0x80000005},
    {"timer: configuration, low", T + 0x00, 0x44, NOTHING, T + 0x00, 0x44},
    {"timer: configuration, high", T + 0x04, 0x44, NOTHING, T + 0x04, 0x44},
    {"timer: value, low", T + 0x08, 77, NOTHING, T + 0x08, 77},
    {"timer: value, high", T + 0x0c, 77, NOTHING, T + 0x0c, 77},
    {"timer: compare, low", T + 0x10, 99, NOTHING, T + 0x10, 99},
    {"timer: compare, high", T + 0x14, 99, NOTHING, T + 0x14, 99},
    {"timer: start, low", T + 0x18, 1, NOTHING, T + 0x00, 1},
    {"timer: start, high", T + 0x1c, 1, NOTHING, T + 0x04, 1},
    {"timer: reset, low", T + 0x08, 77, T + 0x20, 1, T + 0x08, 0},
    {"timer: reset, high", T + 0x0c, 77, T + 0x24, 1, T + 0x0c, 0},
    {"events: mask", E + 0x00, 0x70000, NOTHING, E + 0x00, 0x70000},
    {"events: mask, clear", E + 0x00, 0xff, E + 0x04, 0x0f, E + 0x00, 0xf0},
    {"events: mask, set", E + 0x00, 0xf0, E + 0x08, 0x0f, E + 0x00, 0xff},
    {"events: irq mask", E + 0x0c, 0x300, NOTHING, E + 0x0c, 0x300},
    {"events: irq mask, clear", E + 0x0c, 0xff, E + 0x10, 0x0f, E + 0x0c, 0xf0},
    {"events: irq mask, set", E + 0x0c, 0xf0, E + 0x14, 0x0f, E + 0x0c, 0xff},
    {"events: clock status", NOTHING, NOTHING, E + 0x18, 1},
    {"events: buffer", E + 0x108, 1, NOTHING, E + 0x1c, 4},
    {"events: buffer & mask, masked", E + 0x108, 1, E + 0x00, 2, E + 0x20, 0},
    {"events: buffer & mask", E + 0x108, 1, E + 0x00, 6, E + 0x20, 4},
    {"events: buffer & irq mask", E + 0x108, 1, E + 0x0c, 6, E + 0x24, 4},
    {"events: clear", E + 0x108, 1, E + 0x28, 4, E + 0x1c, 0},
    {"events: target mask", E + 0x2c, 0x5, NOTHING, E + 0x2c, 0x5},
    {"events: target mask, clear", E + 0x2c, 0xf, E + 0x30, 0x5, E + 0x2c, 0xa},
    {"events: target mask, set", E + 0x2c, 0x8, E + 0x34, 0x5, E + 0x2c, 0xd},
    {"events: wait", E + 0x108, 1, E + 0x00, 4, E + 0x38, 4},
    {"events: wait and clear", E + 0x108, 1, E + 0x00, 4, E + 0x3c, 4},
    {"events: software event for all", E + 0x11c, 0, NOTHING, E + 0x1c, 0x80},
    {"events: software event for another core", E + 0x11c, 2, NOTHING, E + 0x1c, 0},
    {"events: trigger and wait", E + 0x00, 8, E + 0x2c, 1, E + 0x14c, 8},
    {"events: trigger, wait and clear", E + 0x00, 8, E + 0x2c, 1, E + 0x18c, 8},
    {"dispatch", E + 0x84, 1, E + 0x80, 0x1c008123, E + 0x80, 0x1c008123},
    {"mutex: lock", E + 0x00, 1 << 17, NOTHING, E + 0xc0, 0},
    {"barrier: trigger mask", E + 0x200, 0xf, NOTHING, E + 0x200, 0xf},
    {"barrier: target mask", E + 0x20c, 0x3, NOTHING, E + 0x20c, 0x3},
    {"barrier: status", E + 0x200, 0x3, E + 0x210, 0x1, E + 0x204, 1},
    {"barrier: summary, not connected", E + 0x200, 0x3, E + 0x210, 0x1, E + 0x208, 0},
    {"barrier 7: trigger mask", E + 0x2e0, 0xf, NOTHING, E + 0x2e0, 0xf},
    {"barrier: trigger self", E + 0x200, 0x3, NOTHING, E + 0x214, 0},
    {"view at 0: mask", A + 0x00, 0x70000, NOTHING, E + 0x00, 0x70000},
    {"view at 0: barrier", A + 0x200, 0xff & ((1 << CORES) - 1), NOTHING, E + 0x200, 0xf},
    {"view at 0: DMA", NOTHING, NOTHING, A + 0x400, 0},
    {"plug: mask of core 0", P + 0x00, 0x123, NOTHING, E + 0x00, 0x123},
    {"plug: mask of core 2", P + 0x80, 0x123, NOTHING, P + 0x80, 0x123},
    {"plug: barrier 1", P + 0x420, 0xc, NOTHING, E + 0x220, 0xc},
    {"plug: software event", P + 0x600, 0x1, NOTHING, E + 0x1c, 1},
    {"DMA: identifier", NOTHING, NOTHING, D + 0x00, 0},
    {"DMA: status", NOTHING, NOTHING, D + 0x04, 0},
    {"DMA by the interconnect: identifier", NOTHING, NOTHING, C + 0x1800, 0},
    {"instruction cache: counting", I + 0x14, 0xffffffff, NOTHING, I + 0x14, 0x3f},
    {"instruction cache: prefetch", I + 0x1c, 0x3, NOTHING, I + 0x1c, 0x3},
    {"SoC: information", NOTHING, NOTHING, SOC + 0x00, CORES << 16 | 1},
    {"SoC: boot address", SOC + 0x04, 0x1c008080, NOTHING, SOC + 0x04, 0x1c008080},
    {"SoC: status", SOC + 0xa0, 5, NOTHING, SOC + 0xc0, 5},
    {"L2", GUEST_DATA, 0x12345678, NOTHING, GUEST_DATA, 0x12345678},
    {"L1", GUEST_TCDM + 0x100, 0x12345678, NOTHING, 0x100, 0x12345678},
};
enum { ROWS = sizeof row / sizeof *row };

static void store(uint32_t to, uint32_t value) {
  if (!to)
    return;
  li(&g, S0, to);
  li(&g, T1, value);
  sw(&g, T1, 0, S0);
}

// Registers of waits are read by event loads.
static bool waits(uint32_t from) {
  uint32_t offset = from - E;
  return offset == 0x38 || offset == 0x3c || offset == 0x14c || offset == 0x18c || offset == 0x80 ||
         offset == 0xc0;
}

START_TEST(reads_back) {
  const struct row *r = &row[_i];
  guest_begin(&g);
  unsigned first = only(&g, 0);
  if (r->from == E + 0x80)
    store(E + 0x08, 1 << 18);
  store(r->to, r->value);
  store(r->to2, r->value2);
  li(&g, S0, r->from);
  nops(&g, 4); // the software event arrives
  waits(r->from) ? elw(&g, A0, 0, S0) : lw(&g, A0, 0, S0);
  guest_exit(&g);
  end_only(&g, first);
  elw(&g, A1, 0x38, S11); // the others sleep
  struct pulpsim *sim =
      guest_boot(&g, GUEST_L2, CORES, "core.isa=corev cluster.icache.enabled=true", PULPSIM_FAST);
  guest_run(sim);
  uint32_t got = pulpsim_register(sim, 0, A0);
  ck_assert_msg(got == r->want, "%s: reads %08x, not %08x", r->name, got, r->want);
  pulpsim_free(sim);
}
END_TEST

Suite *protocol_rules_suite(void) {
  Suite *s = suite_create("protocol_rules");
  TCase *t = tcase_create("registers");
  tcase_add_loop_test(t, reads_back, 0, ROWS);
  suite_add_tcase(s, t);
  return s;
}
