// tests/cluster/fabric_rules.c: the fabric controller: who boots, how it starts the cluster, what
// it reaches.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"
#include "soc/fabric.h"

Suite *fabric_rules_suite(void);

enum { RESET = GUEST_L2 + 0x80, PLAIN = GUEST_L2 + 0x100, CORES = 8 };

static struct guest g;

static uint64_t waited(struct pulpsim *sim, unsigned core) {
  return guest_stalls(sim, core, "periph_wait");
}

static struct pulpsim *boot_alone(void) {
  struct pulpsim *sim = guest_boot(&g, RESET, CORES, "", PULPSIM_FAST);
  guest_run(sim);
  return sim;
}

// ---- boot

START_TEST(the_entry_decides_who_boots_unless_forced) {
  static const struct {
    uint32_t entry;
    const char *setting;
    unsigned cores;
  } row[] = {{RESET, "", CORES + 1},
             {PLAIN, "", CORES},
             {RESET, "soc.boot=standalone", CORES},
             {PLAIN, "soc.boot=soc", CORES + 1}};
  guest_begin(&g);
  add(&g, A0, T5, ZERO);
  guest_exit(&g);
  struct pulpsim *sim = guest_boot(&g, row[_i].entry, CORES, row[_i].setting, PULPSIM_FAST);
  guest_run(sim);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  ck_assert_uint_eq(s->core_count, row[_i].cores);
  bool controller = row[_i].cores > CORES;
  for (unsigned i = 0; i < CORES; i++) {
    ck_assert_uint_eq(s->core[i].hartid, i);
    ck_assert_int_eq(s->core[i].total.instructions == 0, controller);
  }
  if (controller) {
    ck_assert_uint_eq(s->core[CORES].hartid, GUEST_CONTROLLER);
    ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), GUEST_CONTROLLER);
  }
  pulpsim_free(sim);
}
END_TEST

// What the public runtimes do: boot addresses, fetch enable, poll a word in L2.
static void start_cluster(uint32_t enable) {
  unsigned controller = only(&g, GUEST_CONTROLLER);
  li(&g, S0, RESET);
  for (int i = 0; i < CORES; i++)
    sw(&g, S0, 0x40 + 4 * i, S8);
  li(&g, T1, enable);
  sw(&g, T1, 0x08, S8);
  for (int i = 0; i < CORES; i++) {
    if (!(enable >> i & 1))
      continue;
    li(&g, S1, (uint32_t)i + 1);
    unsigned again = g.count;
    lw(&g, A0, 4 * i, S9);
    addi(&g, A1, A0, -(i + 1));
    loop_while(&g, A1, again);
  }
  guest_exit(&g);
  end_only(&g, controller);
}

START_TEST(fetch_enable_starts_these_cores_and_no_others) {
  static const uint32_t enable[] = {0x01, 0x80, 0xa5, 0xff};
  uint64_t cycles[2][2];
  for (unsigned k = 0; k < 4; k++) {
    guest_begin(&g);
    start_cluster(enable[_i]);
    li(&g, T1, 2);
    sll(&g, T1, T5, T1);
    add(&g, T1, T1, S9);
    addi(&g, A0, T5, 1);
    sw(&g, A0, 0, T1);
    elw(&g, A0, 0x3c, S11); // sleeps: no event is enabled
    const char *icache = k & 1 ? "core.isa=corev cluster.icache.model=hier"
                               : "core.isa=corev cluster.icache.model=ideal";
    struct pulpsim *sim =
        guest_boot(&g, RESET, CORES, icache, k & 2 ? PULPSIM_PLAIN : PULPSIM_FAST);
    guest_run(sim);
    const struct pulpsim_stats *s = pulpsim_stats(sim);
    for (unsigned i = 0; i < CORES; i++) {
      bool started = enable[_i] >> i & 1;
      ck_assert_uint_eq(guest_word(sim, GUEST_DATA + 4 * i), started ? i + 1 : 0);
      ck_assert_int_eq(s->core[i].total.instructions != 0, started);
    }
    for (unsigned i = 0; i <= CORES; i++) {
      uint64_t sum = 0;
      for (unsigned j = 0; j < PULPSIM_CAUSES; j++)
        sum += s->core[i].total.stalls[j];
      ck_assert_uint_eq(sum, s->core[i].total.cycles);
    }
    cycles[k >> 1][k & 1] = s->cycles;
    pulpsim_free(sim);
  }
  ck_assert_uint_eq(cycles[0][0], cycles[1][0]);
  ck_assert_uint_eq(cycles[0][1], cycles[1][1]);
}
END_TEST

// The protocol of the public runtimes from reset to exit: start-up, event masks and team, fork with
// two words through the dispatch queue, barriers, the result by DMA to L2, and a flag for the
// controller.
static void controller_part(void) {
  unsigned controller = only(&g, GUEST_CONTROLLER);
  li(&g, S0, 0x10201400);
  addi(&g, T1, ZERO, -1);
  sw(&g, T1, 0, S0); // instruction cache on
  li(&g, S0, RESET);
  for (int i = 0; i < CORES; i++)
    sw(&g, S0, 0x40 + 4 * i, S8);
  li(&g, T1, 0xff);
  sw(&g, T1, 0x08, S8);
  unsigned again = g.count;
  lw(&g, A0, 0x100, S9);
  addi(&g, A0, A0, -1);
  loop_while(&g, A0, again);
  lw(&g, A1, 28, S9); // of core 7
  guest_exit(&g);
  end_only(&g, controller);
}

static void dispatch(uint32_t function, uint32_t argument) {
  unsigned first = only(&g, 0);
  li(&g, T1, 0xff);
  sw(&g, T1, 0x84, S11);
  li(&g, T1, function);
  sw(&g, T1, 0x80, S11);
  li(&g, T1, argument);
  sw(&g, T1, 0x80, S11);
  end_only(&g, first);
  elw(&g, A0, 0x80, S11);
  elw(&g, A1, 0x80, S11);
}

static void send_to_l2(unsigned bytes) {
  lw(&g, A2, 0, S7); // an identifier
  li(&g, T1, bytes | 1 << 18);
  sw(&g, T1, 0, S7);
  sw(&g, S10, 0, S7);
  sw(&g, S9, 0, S7);
  li(&g, T2, 16);
  unsigned again = g.count;
  lw(&g, A3, 4, S7);
  sll(&g, A3, A3, T2); // busy ones
  loop_while(&g, A3, again);
  li(&g, T1, 1);
  sll(&g, T1, T1, A2);
  sw(&g, T1, 4, S7);
}

START_TEST(a_program_follows_the_protocol_from_reset_to_exit) {
  guest_begin(&g);
  controller_part();
  li(&g, T1, 0x70000);
  sw(&g, T1, 0x08, S11);
  li(&g, T1, 0xff);
  sw(&g, T1, 0x200, S11);
  sw(&g, T1, 0x20c, S11);
  elw(&g, A0, 0x21c, S11);
  dispatch(0x1000, 0x200);
  li(&g, T1, 2);
  sll(&g, T1, T5, T1);
  add(&g, T1, T1, S10);
  add(&g, A0, A0, A1);
  add(&g, A0, A0, T5);
  sw(&g, A0, 0, T1);
  elw(&g, A0, 0x21c, S11);
  unsigned first = only(&g, 0);
  send_to_l2(4 * CORES);
  li(&g, T1, 1);
  sw(&g, T1, 0x100, S9);
  end_only(&g, first);
  elw(&g, A0, 0x38, S11); // sleeps for good

  uint64_t cycles[4];
  for (int k = 0; k < 4; k++) {
    struct pulpsim *sim = guest_boot(
        &g, RESET, CORES, _i ? "core.isa=corev cluster.tcdm.arbiter=xbar" : "core.isa=corev",
        k & 1 ? PULPSIM_PLAIN : PULPSIM_FAST);
    pulpsim_shuffle(sim, k & 2 ? 77 : 0);
    guest_run(sim);
    for (unsigned i = 0; i < CORES; i++)
      ck_assert_uint_eq(guest_word(sim, GUEST_DATA + 4 * i), 0x1200 + i);
    ck_assert_uint_eq(pulpsim_register(sim, CORES, A1), 0x1207);
    cycles[k] = pulpsim_stats(sim)->cycles;
    pulpsim_free(sim);
  }
  for (int k = 1; k < 4; k++)
    ck_assert_uint_eq(cycles[k], cycles[0]);
}
END_TEST

// ---- what it reaches

START_TEST(accesses_take_the_cycles_of_their_way) {
  static const struct {
    uint32_t address;
    unsigned cost; // beyond a single cycle
  } row[] = {{GUEST_DATA, 0},
             {0x1b000000, 0},
             {0x1a104000, FABRIC_APB},
             {GUEST_TCDM, 4 * FABRIC_CROSSING},
             {GUEST_PERIPHERALS, 4 * FABRIC_CROSSING + 2}};
  for (unsigned n = 0; n <= 8; n += 4) {
    guest_begin(&g);
    li(&g, S0, row[_i].address);
    for (unsigned k = 0; k < n; k++)
      k & 1 ? sw(&g, ZERO, 8, S0) : lw(&g, A0, 4, S0);
    guest_exit(&g);
    struct pulpsim *sim = boot_alone();
    ck_assert_uint_ge(waited(sim, CORES), n * row[_i].cost);
    ck_assert_uint_le(waited(sim, CORES), n * row[_i].cost + FABRIC_APB); // the store that ends it
    pulpsim_free(sim);
  }
}
END_TEST

// Loads of one word of L2 beside a transfer of the DMA, which takes two banks in each cycle.
static uint64_t loads_beside_dma(unsigned banks, bool dma) {
  enum { LOADS = 256 };
  guest_begin(&g);
  li(&g, S0, GUEST_PERIPHERALS + 0x1800);
  if (dma) {
    lw(&g, A0, 0, S0);
    li(&g, T1, 16384 | 1 << 17 | 1 << 18);
    sw(&g, T1, 0, S0);
    sw(&g, S10, 0, S0);
    sw(&g, S9, 0, S0);
    nops(&g, 60);
  }
  for (unsigned i = 0; i < LOADS; i++)
    lw(&g, A0, 0, S9);
  guest_exit(&g);
  char settings[64];
  snprintf(settings, sizeof settings, "l2.banks=%u cluster.icache.model=ideal", banks);
  struct pulpsim *sim = guest_boot(&g, RESET, CORES, settings, PULPSIM_FAST);
  guest_run(sim);
  uint64_t cycles = guest_stalls(sim, CORES, "l2_wait");
  pulpsim_free(sim);
  return cycles;
}

START_TEST(it_waits_for_the_banks_of_l2) {
  uint64_t before = UINT64_MAX;
  for (unsigned banks = 2; banks <= 32; banks *= 4) {
    ck_assert_uint_eq(loads_beside_dma(banks, false), 0);
    uint64_t waited = loads_beside_dma(banks, true);
    ck_assert_uint_gt(waited, 0);
    ck_assert_uint_lt(waited, before);
    before = waited;
  }
}
END_TEST

START_TEST(it_shares_the_cluster_s_memory) {
  guest_begin(&g);
  li(&g, T1, 0x11223344);
  sw(&g, T1, 0, S10);
  li(&g, T1, 0xaa);
  sb(&g, T1, 2, S10);
  lw(&g, A0, 0, S10);
  lw(&g, A1, 2, S10); // crosses a word
  guest_exit(&g);
  struct pulpsim *sim = boot_alone();
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0x11aa3344);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A1), 0x000011aa);
  ck_assert_uint_eq(guest_word(sim, GUEST_TCDM), 0x11aa3344);
  pulpsim_free(sim);
}
END_TEST

START_TEST(it_tests_and_sets_on_the_crossbar) {
  bool xbar = _i;
  guest_begin(&g);
  li(&g, S0, GUEST_TCDM + 0x100000);
  li(&g, T1, 0x1234);
  sw(&g, T1, 8, S0);
  lw(&g, A0, 8, S0);
  lw(&g, A1, 8, S10);
  guest_exit(&g);
  struct pulpsim *sim =
      guest_boot(&g, RESET, CORES, xbar ? "cluster.tcdm.arbiter=xbar" : "cluster.tcdm.arbiter=lic",
                 PULPSIM_FAST);
  guest_run(sim);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0x1234);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A1), xbar ? UINT32_MAX : 0x1234);
  pulpsim_free(sim);
}
END_TEST

START_TEST(it_has_a_memory_of_its_own) {
  guest_begin(&g);
  li(&g, S0, 0x1b003ffc);
  li(&g, T1, 0x55aa1234);
  sw(&g, T1, 0, S0);
  lw(&g, A0, 0, S0);
  guest_exit(&g);
  struct pulpsim *sim = boot_alone();
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0x55aa1234);
  ck_assert_uint_eq(guest_word(sim, 0x1b003ffc), 0x55aa1234);
  pulpsim_free(sim);
}
END_TEST

START_TEST(it_sees_the_start_of_l2_at_0) {
  enum { FIRST = 0x1000, LAST = FABRIC_ALIAS - 4 };
  guest_begin(&g);
  li(&g, S0, LAST);
  li(&g, S1, GUEST_L2 + LAST);
  li(&g, T1, 0x11223344);
  sw(&g, T1, 0, S0);
  li(&g, T1, 0xaa);
  sb(&g, T1, 2, S1);
  lw(&g, A0, 0, S0);
  lw(&g, A1, -2, S0); // crosses a word
  li(&g, S0, FIRST);
  lw(&g, A2, 0, S0);
  unsigned of_cluster = only(&g, GUEST_CONTROLLER);
  guest_exit(&g);
  end_only(&g, of_cluster);
  for (int plain = 0; plain < 2; plain++) {
    struct pulpsim *sim = guest_boot(&g, RESET, CORES, "", plain ? PULPSIM_PLAIN : PULPSIM_FAST);
    ck_assert(pulpsim_write(sim, GUEST_L2 + FIRST, "live", 4));
    guest_run(sim);
    ck_assert_uint_eq(guest_word(sim, GUEST_L2 + LAST), 0x11aa3344);
    ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0x11aa3344);
    ck_assert_uint_eq(pulpsim_register(sim, CORES, A1) >> 16, 0x3344);
    ck_assert_uint_eq(pulpsim_register(sim, CORES, A2), 0x6576696c);
    ck_assert_uint_eq(waited(sim, CORES), FABRIC_APB); // the store that ends it
    pulpsim_free(sim);
  }
}
END_TEST

START_TEST(an_address_that_is_not_there_stops_it) {
  static const uint32_t address[] = {0x1b004000, 0x40000000, 0x10020000, 0x1a110000 + 0x1000,
                                     FABRIC_ALIAS};
  guest_begin(&g);
  li(&g, S0, address[_i]);
  lw(&g, A0, 0, S0);
  guest_exit(&g);
  struct pulpsim *sim = guest_boot(&g, RESET, CORES, "", PULPSIM_FAST);
  guest_fails(sim, "load outside memory");
  pulpsim_free(sim);
}
END_TEST

// ---- devices of the SoC

START_TEST(clocks_are_locked_and_tell_their_frequency) {
  guest_begin(&g);
  li(&g, S0, 0x1a100000);
  lw(&g, A0, 0x00, S0);
  lw(&g, A1, 0x04, S0);
  lw(&g, A2, 0x24, S0);
  li(&g, T1, 0xc8000123);
  sw(&g, T1, 0x24, S0);
  lw(&g, A3, 0x20, S0);
  guest_exit(&g);
  struct pulpsim *sim =
      guest_boot(&g, RESET, CORES, "soc.soc_clock_mhz=50 soc.cluster_clock_mhz=200", PULPSIM_FAST);
  guest_run(sim);
  uint32_t soc = pulpsim_register(sim, CORES, A1), cluster = pulpsim_register(sim, CORES, A2);
  ck_assert_uint_eq(soc >> 30, 3);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), soc & 0xffff);
  ck_assert_uint_eq((UINT64_C(32768) * (soc & 0xffff) >> ((soc >> 26 & 15) - 1)) / 100000, 499);
  ck_assert_uint_eq((UINT64_C(32768) * (cluster & 0xffff) >> ((cluster >> 26 & 15) - 1)) / 100000,
                    1999);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A3), 0x123);
  pulpsim_free(sim);
}
END_TEST

START_TEST(interrupt_lines_are_kept_set_and_cleared) {
  static const int base[] = {0x00, 0x0c, 0x18};
  guest_begin(&g);
  li(&g, S0, 0x1a109800);
  li(&g, T1, 0xf0);
  sw(&g, T1, base[_i], S0);
  li(&g, T1, 0x0f);
  sw(&g, T1, base[_i] + 4, S0);
  lw(&g, A0, base[_i], S0);
  li(&g, T1, 0x81);
  sw(&g, T1, base[_i] + 8, S0);
  lw(&g, A1, base[_i], S0);
  guest_exit(&g);
  struct pulpsim *sim = boot_alone();
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0xff);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A1), 0x7e);
  pulpsim_free(sim);
}
END_TEST

START_TEST(its_timer_raises_a_line) {
  int counter = _i;
  guest_begin(&g);
  li(&g, S0, 0x1a10b000);
  li(&g, S1, 0x1a109800);
  li(&g, T1, 100);
  sw(&g, T1, 0x10 + 4 * counter, S0);
  li(&g, T1, 0x5);
  sw(&g, T1, 4 * counter, S0);
  unsigned again = g.count;
  lw(&g, A0, 0x0c, S1); // no other line is raised
  addi(&g, A0, A0, -(1 << (10 + counter)));
  loop_while(&g, A0, again);
  lw(&g, A4, 0x08 + 4 * counter, S0);
  guest_exit(&g);
  struct pulpsim *sim = boot_alone();
  ck_assert_uint_ge(pulpsim_register(sim, CORES, A4), 100);
  ck_assert_uint_le(pulpsim_register(sim, CORES, A4), 140);
  pulpsim_free(sim);
}
END_TEST

START_TEST(gates_and_masks_keep_what_is_written) {
  static const uint32_t base[] = {0x1a101000, 0x1a102000, 0x1a106000};
  guest_begin(&g);
  li(&g, S0, base[_i]);
  li(&g, T1, 0x12345678);
  sw(&g, T1, 0x04, S0);
  sw(&g, ZERO, 0x08, S0);
  lw(&g, A0, 0x04, S0);
  guest_exit(&g);
  struct pulpsim *sim = boot_alone();
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0x12345678);
  pulpsim_free(sim);
}
END_TEST

static void keep(void *user, int fd, const char *bytes, size_t count) {
  (void)fd;
  strncat(user, bytes, count);
}

// Two characters of 10 bits at a tenth of the clock, then one more that waits for them.
START_TEST(what_the_uart_sends_is_printed) {
  guest_begin(&g);
  li(&g, S0, 0x1a102080);
  li(&g, T1, 'o' | 'k' << 8 | '!' << 16);
  sw(&g, T1, 0, S9);
  li(&g, T1, 9 << 16 | 6);
  sw(&g, T1, 0x24, S0);
  lw(&g, A0, 0x20, S0);
  for (int i = 0; i < 2; i++) {
    addi(&g, T1, S9, 2 * i);
    sw(&g, T1, 0x10, S0);
    addi(&g, T1, ZERO, 2 - i);
    sw(&g, T1, 0x14, S0);
    addi(&g, T1, ZERO, 0x10);
    sw(&g, T1, 0x18, S0);
  }
  lw(&g, A1, 0x18, S0);
  unsigned again = g.count;
  lw(&g, A2, 0x20, S0);
  loop_while(&g, A2, again);
  lw(&g, A3, 0x18, S0);
  guest_exit(&g);
  char text[16] = "";
  unsigned ratio = (unsigned)_i + 1;
  char settings[64];
  snprintf(settings, sizeof settings, "soc.soc_clock_mhz=100 soc.cluster_clock_mhz=%u",
           100 * ratio);
  struct pulpsim *sim = guest_boot(&g, RESET, CORES, settings, PULPSIM_FAST);
  pulpsim_on_output(sim, keep, text);
  guest_run(sim);
  ck_assert_str_eq(text, "ok!");
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A0), 0);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A1), 0x30);
  ck_assert_uint_eq(pulpsim_register(sim, CORES, A3), 0);
  uint64_t cycles = pulpsim_stats(sim)->cycles;
  ck_assert_uint_ge(cycles, 300 * ratio);
  ck_assert_uint_le(cycles, 380 * ratio);
  pulpsim_free(sim);
}
END_TEST

Suite *fabric_rules_suite(void) {
  Suite *s = suite_create("fabric_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, the_entry_decides_who_boots_unless_forced, 0, 4);
  tcase_add_loop_test(t, fetch_enable_starts_these_cores_and_no_others, 0, 4);
  tcase_add_loop_test(t, a_program_follows_the_protocol_from_reset_to_exit, 0, 2);
  tcase_add_loop_test(t, accesses_take_the_cycles_of_their_way, 0, 5);
  tcase_add_test(t, it_waits_for_the_banks_of_l2);
  tcase_add_test(t, it_shares_the_cluster_s_memory);
  tcase_add_loop_test(t, it_tests_and_sets_on_the_crossbar, 0, 2);
  tcase_add_test(t, it_has_a_memory_of_its_own);
  tcase_add_test(t, it_sees_the_start_of_l2_at_0);
  tcase_add_loop_test(t, an_address_that_is_not_there_stops_it, 0, 5);
  tcase_add_test(t, clocks_are_locked_and_tell_their_frequency);
  tcase_add_loop_test(t, interrupt_lines_are_kept_set_and_cleared, 0, 3);
  tcase_add_loop_test(t, its_timer_raises_a_line, 0, 2);
  tcase_add_loop_test(t, gates_and_masks_keep_what_is_written, 0, 3);
  tcase_add_loop_test(t, what_the_uart_sends_is_printed, 0, 3);
  suite_add_tcase(s, t);
  return s;
}
