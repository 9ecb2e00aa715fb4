// tests/cluster/clock_rules.c: the cluster's clock and the SoC's. The fabric controller, its timer,
// the UART, the uDMA and L2's banks count the SoC's cycles, all in the cluster its own.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clocks.h"
#include "guest.h"
#include "soc/fabric.h"

Suite *clock_rules_suite(void);

enum {
  RESET = GUEST_L2 + 0x80,
  PLAIN = GUEST_L2 + 0x100,
  CLUSTER_TIMER = GUEST_PERIPHERALS + 0x400,
  SOC_TIMER = 0x1a10b000,
  UART = 0x1a102080,
  HYPER = 0x1a102180,
  ITC = 0x1a109800,
  CORES = 2,
  FC = CORES,
};

static const struct {
  unsigned cluster, soc; // MHz
} ratio[] = {{100, 100}, {200, 100}, {150, 100}, {175, 250}, {700, 300}, {50, 200}, {997, 1009}};
enum { RATIOS = sizeof ratio / sizeof *ratio };

static struct guest g;

static struct pulpsim *boot(unsigned of, uint32_t entry, const char *more,
                            enum pulpsim_engine engine) {
  char settings[128];
  // L3's clock is half the SoC's, or near it.
  snprintf(settings, sizeof settings,
           "soc.cluster_clock_mhz=%u soc.soc_clock_mhz=%u l3.clock_mhz=%u core.isa=corev %s",
           ratio[of].cluster, ratio[of].soc, ratio[of].soc / 2 > 400 ? 400 : ratio[of].soc / 2,
           more);
  return guest_boot(&g, entry, CORES, settings, engine);
}

static void csrr(int rd, unsigned csr) {
  word(&g, csr << 20 | 2 << 12 | (uint32_t)rd << 7 | 0x73);
}

// So many rounds of two instructions.
static void delay(unsigned rounds) {
  li(&g, T2, rounds);
  unsigned again = g.count;
  addi(&g, T2, T2, -1);
  loop_while(&g, T2, again);
}

// Has the uDMA read `bytes` of the HyperRAM into L2 at S9.
static void read_hyper(unsigned bytes) {
  li(&g, S0, HYPER);
  sw(&g, S9, 0, S0);
  li(&g, T1, bytes);
  sw(&g, T1, 4, S0);
  li(&g, T1, 1 << 4);
  sw(&g, T1, 8, S0);
}

// ---- edges

// Both clocks of every ratio, in each other's cycles.
START_TEST(an_edge_is_seen_at_the_next_edge_of_the_other_side) {
  struct engine cluster, soc;
  struct clocks k;
  uint64_t c = ratio[_i].cluster, s = ratio[_i].soc;
  clocks_init(&k, &cluster, &soc, ratio[_i].cluster, ratio[_i].soc);
  ck_assert_int_eq(clocks_equal(&k), c == s);
  for (cycle_t t = 0; t < 5000; t++) {
    ck_assert_uint_eq(clocks_to_soc(&k, t), (t * s + c - 1) / c);
    ck_assert_uint_eq(clocks_soc_cycle(&k, t), t * s / c);
    ck_assert_uint_eq(clocks_to_cluster(&k, t), (t * c + s - 1) / s);
    ck_assert_uint_eq(clocks_cluster_cycle(&k, t), t * c / s);
  }
  ck_assert_uint_ge(clocks_to_soc(&k, CYCLE_NEVER - 1), CYCLE_NEVER >> 4); // does not wrap
}
END_TEST

// ---- what belongs to the SoC

// Everything the controller can do alone: integer work, L2, its own memory, devices, a timer and a
// transfer from L3 that it sleeps for, the UART.
static void work_alone(void) {
  li(&g, S1, ITC);
  li(&g, T1, 1 << 26 | 1 << 10);
  sw(&g, T1, 0, S1);
  delay(1000);
  li(&g, S0, SOC_TIMER);
  li(&g, T1, 500);
  sw(&g, T1, 0x10, S0);
  li(&g, T1, 1 | 1 << 2 | 1 << 5);
  sw(&g, T1, 0, S0);
  word(&g, 0x10500073); // wfi
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0x14, S1);
  read_hyper(600);
  word(&g, 0x10500073);
  li(&g, S0, UART);
  li(&g, T1, 9 << 16 | 6);
  sw(&g, T1, 0x24, S0);
  sw(&g, S9, 0x10, S0);
  addi(&g, T1, ZERO, 3);
  sw(&g, T1, 0x14, S0);
  li(&g, T1, 0x10);
  sw(&g, T1, 0x18, S0);
  unsigned again = g.count;
  lw(&g, A2, 0x20, S0);
  loop_while(&g, A2, again);
  li(&g, S0, 0x1b000000);
  for (int i = 0; i < 8; i++)
    sw(&g, T1, 4 * i, i & 1 ? S0 : S9);
  csrr(A0, 0x780); // PCCR0: cycles
  guest_exit(&g);
}

static void silence(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

START_TEST(alone_the_controller_takes_the_same_cycles_of_its_clock) {
  struct pulpsim_counts alone[2];
  uint32_t counted[2];
  for (unsigned k = 0; k < 2; k++) {
    unsigned of = k ? (unsigned)_i : 0;
    guest_begin(&g);
    li(&g, T1, 1);
    word(&g, 0xcc0u << 20 | T1 << 15 | 1 << 12 | 0x73); // csrw PCER: cycles
    work_alone();
    struct pulpsim *sim = boot(of, RESET, "core.isa=xpulpv2", PULPSIM_FAST);
    pulpsim_on_output(sim, silence, NULL);
    guest_run(sim);
    const struct pulpsim_stats *s = pulpsim_stats(sim);
    alone[k] = s->core[FC].total;
    counted[k] = pulpsim_register(sim, FC, A0);
    uint64_t c = ratio[of].cluster, f = ratio[of].soc;
    ck_assert_uint_eq(s->cycles, (alone[k].cycles * c + f - 1) / f);
    ck_assert_uint_eq(s->core[0].total.cycles, s->cycles);
    ck_assert_uint_eq(s->core[0].clock_mhz, c);
    ck_assert_uint_eq(s->core[FC].clock_mhz, f);
    pulpsim_free(sim);
  }
  ck_assert_uint_eq(alone[1].cycles, alone[0].cycles);
  ck_assert_uint_eq(alone[1].instructions, alone[0].instructions);
  for (unsigned j = 0; j < PULPSIM_CAUSES; j++)
    ck_assert_uint_eq(alone[1].stalls[j], alone[0].stalls[j]);
  ck_assert_uint_gt(counted[0], 2000);
  ck_assert_uint_eq(counted[1], counted[0]);
}
END_TEST

// Two counters, read in the same order twice: what passes between is as the clocks are, up to an
// edge of each.
START_TEST(both_timers_count_their_own_clock) {
  guest_begin(&g);
  li(&g, S0, CLUSTER_TIMER);
  li(&g, S1, SOC_TIMER);
  li(&g, T1, 1);
  sw(&g, T1, 0, S0);
  sw(&g, T1, 0, S1);
  lw(&g, A0, 8, S1);
  lw(&g, A1, 8, S0);
  delay(20000);
  lw(&g, A2, 8, S1);
  lw(&g, A3, 8, S0);
  guest_exit(&g);
  struct pulpsim *sim = boot((unsigned)_i, RESET, "", PULPSIM_FAST);
  guest_run(sim);
  int64_t soc = pulpsim_register(sim, FC, A2) - pulpsim_register(sim, FC, A0),
          cluster = pulpsim_register(sim, FC, A3) - pulpsim_register(sim, FC, A1),
          c = ratio[_i].cluster, f = ratio[_i].soc;
  ck_assert_int_gt(soc, 60000);
  ck_assert_int_le(llabs(cluster * f - soc * c), c + f);
  pulpsim_free(sim);
}
END_TEST

// ---- ways across

// The controller's load from the cluster's memory: FABRIC_CROSSING cycles of each clock each way.
START_TEST(a_crossing_takes_cycles_of_both_clocks) {
  enum { LOADS = 64 };
  guest_begin(&g);
  for (int i = 0; i < LOADS; i++)
    lw(&g, A0, 4 * i, S10);
  guest_exit(&g);
  struct pulpsim *sim = boot((unsigned)_i, RESET, "", PULPSIM_FAST);
  guest_run(sim);
  uint64_t waited = guest_stalls(sim, FC, "periph_wait") - FABRIC_APB; // the store that ends it
  uint64_t c = ratio[_i].cluster, f = ratio[_i].soc,
           least = LOADS * (2 * FABRIC_CROSSING * c + 2 * FABRIC_CROSSING * f) / c;
  ck_assert_uint_ge(waited, least);
  ck_assert_uint_le(waited, least + LOADS * (1 + (c + f) / c)); // and to the next edges
  if (c == f)
    ck_assert_uint_eq(waited, least);
  pulpsim_free(sim);
}
END_TEST

// A core of the cluster reads the SoC's timer, sets its compare value, and the controller wakes up.
START_TEST(a_core_of_the_cluster_wakes_the_controller) {
  guest_begin(&g);
  unsigned controller = only(&g, GUEST_CONTROLLER);
  li(&g, S1, ITC);
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0, S1);
  li(&g, S0, RESET);
  sw(&g, S0, 0x40, S8);
  li(&g, T1, 1);
  sw(&g, T1, 0x08, S8);
  word(&g, 0x10500073); // wfi
  li(&g, S0, SOC_TIMER);
  lw(&g, A0, 8, S0);
  guest_exit(&g);
  end_only(&g, controller);
  delay(300);
  li(&g, S0, SOC_TIMER);
  li(&g, T1, 100);
  sw(&g, T1, 0x10, S0);
  li(&g, T1, 1 | 1 << 2);
  sw(&g, T1, 0, S0);
  elw(&g, A0, 0x3c, S11); // sleeps for good
  for (int k = 0; k < 2; k++) {
    struct pulpsim *sim = boot((unsigned)_i, RESET, "", k ? PULPSIM_PLAIN : PULPSIM_FAST);
    guest_run(sim);
    uint32_t value = pulpsim_register(sim, FC, A0);
    ck_assert_uint_ge(value, 100);
    ck_assert_uint_le(value, 120);
    pulpsim_free(sim);
  }
}
END_TEST

// An event of the SoC ends a core's sleep on event 27.
START_TEST(an_event_of_the_soc_reaches_the_cluster) {
  guest_begin(&g);
  unsigned second = only(&g, 1);
  word(&g, 0x0000006f);
  end_only(&g, second);
  li(&g, T1, 1 << 27);
  sw(&g, T1, 0, S11);
  read_hyper(600);
  elw(&g, A0, 0x3c, S11);
  guest_exit(&g);
  struct pulpsim *sim = boot((unsigned)_i, PLAIN, "", PULPSIM_FAST);
  guest_run(sim);
  uint64_t asleep = guest_stalls(sim, 0, "sleep"), c = ratio[_i].cluster, f = ratio[_i].soc;
  uint64_t l3 = f / 2 > 400 ? 400 : f / 2, takes = (11 + 300) * c / l3;
  ck_assert_uint_le(asleep, takes + 8); // the store's way back is part of it
  ck_assert_uint_ge(asleep + 24 + 2 * (1 + c / f), takes);
  pulpsim_free(sim);
}
END_TEST

// ---- the way to L2

// A load from L2 costs 5 cycles and the way outside, which is between these on the RTL
// (tests/cluster/rtl/l2.sh), depending on how the edges lie.
START_TEST(half_of_the_way_to_l2_is_in_the_soc_s_clock) {
  static const struct {
    unsigned cluster, soc, least, most;
  } row[] = {{1, 1, 9, 10}, {3, 2, 11, 12}, {2, 1, 13, 15}, {4, 1, 21, 25},
             {7, 10, 7, 8}, {7, 9, 8, 8},   {1, 2, 7, 7},   {1, 4, 6, 6}};
  enum { LOADS = 64 };
  for (unsigned latency = 9; latency <= 10; latency++) {
    guest_begin(&g);
    unsigned second = only(&g, 1);
    word(&g, 0x0000006f);
    end_only(&g, second);
    for (int i = 0; i < LOADS; i++)
      lw(&g, A0, 4 * i, S9);
    guest_exit(&g);
    char settings[160];
    snprintf(settings, sizeof settings,
             "soc.cluster_clock_mhz=%u soc.soc_clock_mhz=%u l2.latency=%u "
             "cluster.icache.model=ideal",
             row[_i].cluster, row[_i].soc, latency);
    struct pulpsim *sim = guest_boot(&g, PLAIN, CORES, settings, PULPSIM_FAST);
    guest_run(sim);
    // The store that ends the program waits too, but for its way there only.
    uint64_t waited = guest_stalls(sim, 0, "l2_wait") + guest_stalls(sim, 0, "periph_wait"),
             outside = (waited - 4 * LOADS) / LOADS; // one of the 5 is not waited
    ck_assert_uint_ge(outside, row[_i].least);
    ck_assert_uint_le(outside, row[_i].most);
    pulpsim_free(sim);
  }
}
END_TEST

// 16 kB from L2: one 64-bit transfer per cycle of the slower clock; bursts of 256 bytes take two
// cycles of the cluster more.
START_TEST(the_dma_moves_at_the_slower_clock) {
  uint64_t wait[2];
  for (unsigned k = 0; k < 2; k++) {
    guest_begin(&g);
    unsigned second = only(&g, 1);
    word(&g, 0x0000006f);
    end_only(&g, second);
    li(&g, T1, 1 << 8);
    sw(&g, T1, 0, S11);
    lw(&g, A2, 0, S7);
    li(&g, T1, (k ? 16384 : 8192) | 1 << 17 | 1 << 18 | 1 << 20);
    sw(&g, T1, 0, S7);
    sw(&g, S10, 0, S7);
    sw(&g, S9, 0, S7);
    elw(&g, A0, 0x3c, S11);
    guest_exit(&g);
    struct pulpsim *sim = boot((unsigned)_i, PLAIN, "", PULPSIM_FAST);
    guest_run(sim);
    wait[k] = guest_stalls(sim, 0, "dma_wait") + guest_stalls(sim, 0, "sleep");
    pulpsim_free(sim);
  }
  uint64_t beats = 1024, bursts = 32, c = ratio[_i].cluster, f = ratio[_i].soc;
  uint64_t took = wait[1] - wait[0], port = c > f ? beats * c / f : beats;
  ck_assert_uint_ge(took, port);
  ck_assert_uint_le(took, port + 2 * bursts);
}
END_TEST

// ---- determinism

// The controller starts the cores, which take turns with it at words of L2 and L1; both engines and
// any order of what must not matter give the same cycles.
START_TEST(results_do_not_depend_on_the_engine_or_the_order) {
  guest_begin(&g);
  unsigned controller = only(&g, GUEST_CONTROLLER);
  li(&g, S0, RESET);
  for (int i = 0; i < CORES; i++)
    sw(&g, S0, 0x40 + 4 * i, S8);
  li(&g, T1, 3);
  sw(&g, T1, 0x08, S8);
  for (int round = 1; round <= 4; round++) {
    unsigned again = g.count;
    lw(&g, A0, round & 1 ? 4 * round : 0x40, round & 1 ? S9 : S10); // L2, or L1
    addi(&g, A0, A0, -round);
    loop_while(&g, A0, again);
    addi(&g, A0, ZERO, round);
    sw(&g, A0, 0x100 + 4 * round, S9);
  }
  guest_exit(&g);
  end_only(&g, controller);
  unsigned first = only(&g, 0);
  for (int round = 1; round <= 4; round++) {
    delay(50u * (unsigned)round);
    addi(&g, A0, ZERO, round);
    sw(&g, A0, round & 1 ? 4 * round : 0x40, round & 1 ? S9 : S10);
    unsigned again = g.count;
    lw(&g, A0, 0x100 + 4 * round, S9);
    addi(&g, A0, A0, -round);
    loop_while(&g, A0, again);
  }
  end_only(&g, first);
  elw(&g, A0, 0x3c, S11); // sleeps for good
  uint64_t cycles[4];
  struct pulpsim_counts own[4];
  for (int k = 0; k < 4; k++) {
    struct pulpsim *sim = boot((unsigned)_i, RESET, "", k & 1 ? PULPSIM_PLAIN : PULPSIM_FAST);
    pulpsim_shuffle(sim, k & 2 ? 77 : 0);
    guest_run(sim);
    cycles[k] = pulpsim_stats(sim)->cycles;
    own[k] = pulpsim_stats(sim)->core[FC].total;
    pulpsim_free(sim);
    ck_assert_uint_eq(cycles[k], cycles[0]);
    ck_assert_mem_eq(&own[k], &own[0], sizeof own[0]);
  }
}
END_TEST

// A machine that is stopped in any cycle and put back into an earlier one goes on as before.
START_TEST(a_snapshot_holds_both_clocks) {
  guest_begin(&g);
  work_alone();
  struct pulpsim *sim = boot((unsigned)_i, RESET, "core.isa=xpulpv2", PULPSIM_FAST);
  pulpsim_on_output(sim, silence, NULL);
  struct pulpsim_snapshot *saved[8];
  for (unsigned i = 0; i < 8; i++) {
    ck_assert_int_eq(pulpsim_run(sim, 100 + 150 * (uint64_t)i), PULPSIM_READY);
    saved[i] = pulpsim_save(sim);
  }
  guest_run(sim);
  uint64_t cycles = pulpsim_stats(sim)->cycles;
  for (unsigned i = 0; i < 8; i++) {
    pulpsim_restore(sim, saved[i]);
    guest_run(sim);
    ck_assert_uint_eq(pulpsim_stats(sim)->cycles, cycles);
    pulpsim_snapshot_free(saved[i]);
  }
  pulpsim_free(sim);
}
END_TEST

Suite *clock_rules_suite(void) {
  Suite *s = suite_create("clock_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, an_edge_is_seen_at_the_next_edge_of_the_other_side, 0, RATIOS);
  tcase_add_loop_test(t, alone_the_controller_takes_the_same_cycles_of_its_clock, 0, RATIOS - 1);
  tcase_add_loop_test(t, both_timers_count_their_own_clock, 0, RATIOS);
  tcase_add_loop_test(t, a_crossing_takes_cycles_of_both_clocks, 0, RATIOS);
  tcase_add_loop_test(t, a_core_of_the_cluster_wakes_the_controller, 0, RATIOS);
  tcase_add_loop_test(t, an_event_of_the_soc_reaches_the_cluster, 0, RATIOS);
  tcase_add_loop_test(t, half_of_the_way_to_l2_is_in_the_soc_s_clock, 0, 8);
  tcase_add_loop_test(t, the_dma_moves_at_the_slower_clock, 0, RATIOS);
  tcase_add_loop_test(t, results_do_not_depend_on_the_engine_or_the_order, 0, RATIOS);
  tcase_add_loop_test(t, a_snapshot_holds_both_clocks, 0, RATIOS);
  suite_add_tcase(s, t);
  return s;
}
