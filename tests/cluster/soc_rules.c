// tests/cluster/soc_rules.c: what cores reach outside the TCDM: L2, output, exit, timer, control
// unit, instruction cache.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

Suite *soc_rules_suite(void);

static struct guest g;

// ---- L2 (l2.tsv)

START_TEST(an_access_to_l2_costs_five_cycles_and_its_latency) {
  unsigned latency = (unsigned)_i;
  guest_begin(&g);
  meet(&g);
  mark(&g, ZERO);
  lw(&g, A0, 0, S9);
  mark(&g, ZERO);
  sw(&g, A0, 4, S9);
  mark(&g, ZERO);
  char settings[32];
  snprintf(settings, sizeof settings, "l2.latency=%u", latency);
  struct pulpsim *sim = guest_finish(&g, 4, settings);
  unsigned cost = latency ? 5 + latency : 4;
  for (unsigned core = 0; core < 4; core++) {
    ck_assert_uint_eq(guest_mark(sim, core, 1) - guest_mark(sim, core, 0), 1 + cost + core);
    ck_assert_uint_eq(guest_mark(sim, core, 2) - guest_mark(sim, core, 1), 1 + cost);
  }
  pulpsim_free(sim);
}
END_TEST

START_TEST(bytes_and_halves_find_their_place) {
  guest_begin(&g);
  li(&g, T1, 0x11223344);
  sw(&g, T1, 0, S9);
  li(&g, T1, 0xaa);
  for (int i = 1; i < 4; i += 2)
    sb(&g, T1, i, S9);
  lw(&g, A0, 0, S9);
  lw(&g, A1, 2, S9); // crosses a word
  struct pulpsim *sim = guest_finish(&g, 1, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 0xaa22aa44);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 0x0000aa22);
  ck_assert_uint_eq(guest_word(sim, GUEST_DATA), 0xaa22aa44);
  pulpsim_free(sim);
}
END_TEST

START_TEST(an_address_that_is_not_there_stops_the_program) {
  static const uint32_t address[] = {0x1b000000, 0x40000000,          0x1c200000, 0x10020000,
                                     0x10204800, 0x1a110000 + 0x1000, 0x1020440c};
  guest_begin(&g);
  li(&g, S0, address[_i]);
  lw(&g, A0, 0, S0);
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "");
  guest_fails(sim, "load");
  char text[16];
  snprintf(text, sizeof text, "%08x", address[_i]);
  ck_assert_msg(strstr(pulpsim_reason(sim), text) != NULL, "%s", pulpsim_reason(sim));
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_cluster_sees_itself_at_zero) {
  guest_begin(&g);
  li(&g, T1, 0x5a5a);
  sw(&g, T1, 0x40, S10);
  lw(&g, A0, 0x40, ZERO); // TCDM
  li(&g, S0, 0x00204000);
  sw(&g, T1, 0, S0); // event unit
  lw(&g, A1, 0, S11);
  li(&g, S0, 0x00200400);
  sw(&g, T1, 0x10, S0); // timer, compare value
  li(&g, S0, 0x10200400);
  lw(&g, A2, 0x10, S0);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  for (unsigned i = 0; i < 3; i++)
    ck_assert_uint_eq(pulpsim_register(sim, 0, A0 + i), 0x5a5a);
  pulpsim_free(sim);
}
END_TEST

// ---- output and exit

static char printed[64];
static void print(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd;
  strncat(printed, bytes, count);
}

START_TEST(characters_and_the_exit_status_come_out) {
  printed[0] = '\0';
  guest_begin(&g);
  li(&g, S0, 0x1a10f000);
  for (const char *p = "pulp\n"; *p; p++) {
    li(&g, T1, (uint32_t)*p);
    sb(&g, T1, 0, S0);
  }
  li(&g, S0, 0x1a104000);
  lw(&g, A0, 0, S0);
  li(&g, T1, 0x80000000 | 42);
  sw(&g, T1, 0xa0, S0);
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "");
  pulpsim_on_output(sim, print, NULL);
  ck_assert_int_eq(pulpsim_run(sim, 10000), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 42);
  ck_assert_str_eq(printed, "pulp\n");
  pulpsim_free(sim);
}
END_TEST

// ---- timer

enum { TIMER = GUEST_PERIPHERALS + 0x400 };

START_TEST(the_timer_counts_cycles) {
  unsigned prescaler = (unsigned)_i;
  guest_begin(&g);
  li(&g, S0, TIMER);
  li(&g, T1, 1 | (prescaler ? 1u << 6 : 0) | prescaler << 8);
  sw(&g, T1, 0, S0);
  mark(&g, ZERO);
  nops(&g, 50);
  lw(&g, A0, 8, S0);
  nops(&g, 59);
  lw(&g, A1, 8, S0);
  sw(&g, ZERO, 0, S0); // stop
  lw(&g, A2, 8, S0);
  lw(&g, A3, 8, S0);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  // From load to load: 4 cycles and 59 instructions.
  uint32_t counted = pulpsim_register(sim, 0, A1) - pulpsim_register(sim, 0, A0);
  ck_assert_uint_le(counted, 63 / (prescaler + 1) + (prescaler != 0));
  ck_assert_uint_ge(counted, 63 / (prescaler + 1));
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), pulpsim_register(sim, 0, A3));
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_timer_counts_the_reference_clock) {
  guest_begin(&g);
  li(&g, S0, TIMER);
  li(&g, T1, 3);
  sw(&g, T1, 0x10, S0);
  li(&g, T1, 1 | 1 << 2 | 1 << 7);
  sw(&g, T1, 0, S0);
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0, S11);
  mark(&g, ZERO);
  elw(&g, A0, 0x3c, S11);
  mark(&g, ZERO);
  struct pulpsim *sim = guest_finish(&g, 1, "soc.cluster_clock_mhz=50");
  uint64_t counts = 3 * (50 * UINT64_C(1000000) / 32768); // 32768 Hz
  ck_assert_uint_le(guest_mark(sim, 0, 1) - guest_mark(sim, 0, 0), counts + 8);
  ck_assert_uint_ge(guest_mark(sim, 0, 1) - guest_mark(sim, 0, 0) + 24, counts);
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_timer_wakes_a_core_at_its_compare_value) {
  uint32_t compare = 20u << _i;
  guest_begin(&g);
  li(&g, S0, TIMER);
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0, S11);
  li(&g, T1, compare);
  sw(&g, T1, 0x10, S0);
  li(&g, T1, 1 | 1 << 2 | 1 << 5); // enable, event, one shot
  sw(&g, T1, 0, S0);
  mark(&g, ZERO);
  elw(&g, A0, 0x3c, S11);
  mark(&g, ZERO);
  lw(&g, A1, 0, S0); // no longer enabled
  lw(&g, A2, 8, S0);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  uint64_t asleep = guest_mark(sim, 0, 1) - guest_mark(sim, 0, 0);
  ck_assert_uint_ge(asleep, compare - 3);
  ck_assert_uint_le(asleep, compare + 6);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 1 << 2 | 1 << 5);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), compare + 1);
  pulpsim_free(sim);
}
END_TEST

START_TEST(both_counters_make_one_of_64_bits) {
  guest_begin(&g);
  li(&g, S0, TIMER);
  li(&g, T1, 0x80000000);
  sw(&g, T1, 0, S0);
  li(&g, T1, 0xfffffff0);
  sw(&g, T1, 8, S0);
  li(&g, T1, 7);
  sw(&g, T1, 12, S0);
  li(&g, T1, 0x80000001);
  sw(&g, T1, 0, S0);
  nops(&g, 40);
  sw(&g, ZERO, 0x1c, S0); // start of the upper one: nothing to it
  lw(&g, A0, 12, S0);
  lw(&g, A1, 8, S0);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 8);
  ck_assert_uint_lt(pulpsim_register(sim, 0, A1), 64);
  pulpsim_free(sim);
}
END_TEST

// ---- control unit

START_TEST(the_control_unit_keeps_its_registers) {
  static const int offset[] = {0x00, 0x20, 0x40, 0x44, 0x5c, 0x80, 0x88, 0x100};
  guest_begin(&g);
  for (unsigned i = 0; i < 8; i++) {
    li(&g, T1, 0x100 + i);
    sw(&g, T1, offset[i], S8);
  }
  for (unsigned i = 0; i < 8; i++)
    lw(&g, A0 + (int)i, offset[i], S8);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  for (unsigned i = 0; i < 8; i++)
    ck_assert_uint_eq(pulpsim_register(sim, 0, A0 + i), 0x100 + i);
  pulpsim_free(sim);
}
END_TEST

// ---- instruction cache (icache.tsv)

enum { ICACHE = GUEST_PERIPHERALS + 0x1400 };

// A loop of `words` instructions, run `rounds` times, with a marker in every round.
static void rounds(unsigned words, unsigned n) {
  li(&g, S1, n);
  nops(&g, (4 - g.count % 4) % 4);
  unsigned start = g.count;
  mark(&g, ZERO);
  nops(&g, words - 3);
  addi(&g, S1, S1, -1);
  loop_while(&g, S1, start);
}

START_TEST(a_loop_that_fits_runs_as_from_ideal_memory) {
  unsigned words = 8 + 16 * (unsigned)_i; // up to 480 bytes
  guest_begin(&g);
  li(&g, S0, ICACHE);
  li(&g, T1, 1);
  sw(&g, T1, 0, S0);
  rounds(words, 12);
  guest_end(&g);
  struct pulpsim *sim =
      guest_load(&g, 1, "cluster.icache.model=hier cluster.icache.refill_latency=15");
  guest_run(sim);
  ck_assert_uint_gt(guest_mark(sim, 0, 1) - guest_mark(sim, 0, 0), words + 2);
  ck_assert_uint_eq(guest_mark(sim, 0, 11) - guest_mark(sim, 0, 10), words + 2);
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_flush_makes_it_cold_again) {
  static const int flush[] = {0x04, 0x08, 0x0c}; // all, private, one set
  guest_begin(&g);
  li(&g, S0, ICACHE);
  li(&g, T1, 1);
  sw(&g, T1, 0, S0);
  li(&g, S2, 2);
  unsigned again = g.count;
  rounds(24, 6);
  li(&g, T1, _i < 2 ? 1 : GUEST_L2 + 4 * (again + 12)); // flush, or an address in the loop
  sw(&g, T1, flush[_i], S0);
  addi(&g, S2, S2, -1);
  loop_while(&g, S2, again);
  guest_end(&g);
  struct pulpsim *sim =
      guest_load(&g, 1, "cluster.icache.model=hier cluster.icache.refill_latency=4");
  guest_run(sim);
  uint64_t warm = guest_mark(sim, 0, 5) - guest_mark(sim, 0, 4);
  // With marker 6 the loop begins again, and its code has to be fetched.
  ck_assert_uint_gt(guest_mark(sim, 0, 7) - guest_mark(sim, 0, 6), warm + 3);
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_counters_of_the_cache_add_up) {
  guest_begin(&g);
  li(&g, S0, ICACHE);
  li(&g, T1, 1);
  sw(&g, T1, 0, S0);
  sw(&g, T1, 0x14, S0);
  sw(&g, T1, 0x10, S0);
  rounds(40, 6);
  sw(&g, ZERO, 0x14, S0);
  lw(&g, A0, 0x30, S0); // hits, fetches, misses
  lw(&g, A1, 0x34, S0);
  lw(&g, A2, 0x38, S0);
  lw(&g, A3, 0x48, S0); // shared misses
  struct pulpsim *sim = guest_finish(&g, 1, "cluster.icache.model=hier");
  uint32_t hits = pulpsim_register(sim, 0, A0), fetches = pulpsim_register(sim, 0, A1),
           misses = pulpsim_register(sim, 0, A2);
  ck_assert_uint_ge(fetches, 240);
  ck_assert_uint_le(hits + misses, fetches + 1);
  ck_assert_uint_ge(hits + misses + 1, fetches);
  ck_assert_uint_ge(misses, 10);
  ck_assert_uint_le(pulpsim_register(sim, 0, A3), misses + 1); // one was under way
  pulpsim_free(sim);
}
END_TEST

Suite *soc_rules_suite(void) {
  Suite *s = suite_create("soc_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, an_access_to_l2_costs_five_cycles_and_its_latency, 0, 20);
  tcase_add_test(t, bytes_and_halves_find_their_place);
  tcase_add_loop_test(t, an_address_that_is_not_there_stops_the_program, 0, 7);
  tcase_add_test(t, the_cluster_sees_itself_at_zero);
  tcase_add_test(t, characters_and_the_exit_status_come_out);
  tcase_add_loop_test(t, the_timer_counts_cycles, 0, 8);
  tcase_add_test(t, the_timer_counts_the_reference_clock);
  tcase_add_loop_test(t, the_timer_wakes_a_core_at_its_compare_value, 0, 8);
  tcase_add_test(t, both_counters_make_one_of_64_bits);
  tcase_add_test(t, the_control_unit_keeps_its_registers);
  tcase_add_loop_test(t, a_loop_that_fits_runs_as_from_ideal_memory, 0, 8);
  tcase_add_loop_test(t, a_flush_makes_it_cold_again, 0, 3);
  tcase_add_test(t, the_counters_of_the_cache_add_up);
  suite_add_tcase(s, t);
  return s;
}
