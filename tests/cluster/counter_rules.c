// tests/cluster/counter_rules.c: what RI5CY's performance counters say in a cluster: of what goes
// past L1, of conflicts there, and of a core that sleeps. Each is the same on both engines.
//
// What an event is: pulp_cluster v2.0.0 core_demux.sv (perf_l2_*), core_region.sv
// (perf_counters[4]); a core's clock: event_unit_core.sv core_clock_CS, riscv_core.sv core_busy_q.
#include <check.h>

#include "outcome.h"

Suite *counter_rules_suite(void);

enum { CORES = 4, COUNTERS = 17, PCER = 0xcc0, PCMR = 0xcc1, PCCR = 0x780, ALL = 0x79f };
enum { CYCLES, INSTRUCTIONS, LOADS = 5, STORES, ELW = 11, FAR_LOADS, FAR_STORES, FAR_LOADING };
enum { FAR_STORING = 15, CONFLICTS };

static struct guest g;

static void csrw(int number, int rs1) {
  word(&g, (uint32_t)number << 20 | (uint32_t)rs1 << 15 | 1 << 12 | 0x73);
}

static void start_counting(void) {
  li(&g, T1, UINT32_MAX);
  li(&g, T2, 1);
  csrw(ALL, ZERO);
  csrw(PCER, T1);
  csrw(PCMR, T2);
  nops(&g, 2);
}

// Each core's counters to its part of L2.
static void report(void) {
  csrw(PCMR, ZERO);
  nops(&g, 2);
  li(&g, T1, 7);
  sll(&g, S0, T5, T1);
  add(&g, S0, S0, S9);
  for (int i = 0; i < COUNTERS; i++) {
    word(&g, (uint32_t)(PCCR + i) << 20 | A0 << 7 | 2 << 12 | 0x73);
    sw(&g, A0, 4 * i, S0);
  }
  guest_end(&g);
}

static uint32_t counter(const struct pulpsim *sim, unsigned core, unsigned i) {
  return guest_word(sim, GUEST_DATA + (core << 7) + 4 * i);
}

static struct pulpsim *run(unsigned engine, const char *settings) {
  struct pulpsim *sim = guest_load_on(&g, CORES, settings, engine ? PULPSIM_PLAIN : PULPSIM_FAST);
  guest_run(sim);
  return sim;
}

START_TEST(what_goes_past_l1_is_counted_with_its_cycles) {
  enum { LATENCY = 15 };
  guest_begin(&g);
  unsigned one = only(&g, 0);
  start_counting();
  for (int i = 0; i < 3; i++)
    lw(&g, A1, 4 * i, S9);
  sw(&g, A1, 0x400, S9);
  lw(&g, A1, 0, S10);
  sw(&g, A1, 0, S10);
  report();
  end_only(&g, one);
  report();
  struct pulpsim *sim = run((unsigned)_i, "core.model=ri5cy core.isa=auto l2.latency=15");
  ck_assert_uint_eq(counter(sim, 0, LOADS), 4);
  ck_assert_uint_eq(counter(sim, 0, STORES), 2);
  ck_assert_uint_eq(counter(sim, 0, FAR_LOADS), 3);
  ck_assert_uint_eq(counter(sim, 0, FAR_STORES), 1);
  ck_assert_uint_eq(counter(sim, 0, FAR_LOADING), 3 * (LATENCY + 5));
  ck_assert_uint_eq(counter(sim, 0, FAR_STORING), LATENCY + 5);
  ck_assert_uint_eq(counter(sim, 0, CONFLICTS), 0);
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_cycle_that_a_bank_gives_to_another_is_a_conflict) {
  guest_begin(&g);
  start_counting();
  meet(&g);
  csrw(ALL, ZERO);
  for (int i = 0; i < 8; i++)
    lw(&g, A1, 0, S10); // all cores in each cycle: of four, three wait
  report();
  struct pulpsim *sim = run((unsigned)_i, "core.model=ri5cy core.isa=auto");
  uint32_t conflicts = 0;
  for (unsigned i = 0; i < CORES; i++)
    conflicts += counter(sim, i, CONFLICTS);
  uint64_t stalls = 0;
  for (unsigned i = 0; i < CORES; i++)
    stalls += guest_stalls(sim, i, "tcdm_conflict");
  ck_assert_uint_eq(conflicts, stalls);
  ck_assert_uint_gt(conflicts, 8 * 2);
  pulpsim_free(sim);
}
END_TEST

// The last to come does not sleep; who has slept longer has counted no more, but for the cycles.
START_TEST(a_core_that_sleeps_counts_its_cycles_alone) {
  uint32_t late[2][CORES][COUNTERS];
  for (unsigned k = 0; k < 2; k++) {
    guest_begin(&g);
    li(&g, T1, 0x70000);
    sw(&g, T1, 8, S11);
    unsigned first = only(&g, 0);
    li(&g, T1, (1u << CORES) - 1);
    sw(&g, T1, 0x200, S11);
    sw(&g, T1, 0x20c, S11);
    end_only(&g, first);
    meet(&g);
    start_counting();
    unsigned last = only(&g, CORES - 1);
    nops(&g, 100 + 300 * k);
    end_only(&g, last);
    word(&g, 0x21c << 20 | S11 << 15 | 6 << 12 | T2 << 7 | 0x03); // p.elw: waits at the barrier
    report();
    struct pulpsim *sim = run((unsigned)_i, "core.model=ri5cy core.isa=auto");
    for (unsigned i = 0; i < CORES; i++)
      for (unsigned n = 0; n < COUNTERS; n++)
        late[k][i][n] = counter(sim, i, n);
    pulpsim_free(sim);
  }
  for (unsigned i = 0; i < CORES - 1; i++) {
    for (unsigned n = INSTRUCTIONS; n < COUNTERS; n++)
      ck_assert_uint_eq(late[0][i][n], late[1][i][n]);
    ck_assert_uint_eq(late[1][i][CYCLES] - late[0][i][CYCLES], 300);
    ck_assert_uint_eq(late[0][i][FAR_LOADS], 1);
    ck_assert_uint_lt(late[0][i][ELW], 12);
  }
  ck_assert_uint_eq(late[1][CORES - 1][CYCLES] - late[0][CORES - 1][CYCLES], 300);
  ck_assert_uint_eq(late[1][CORES - 1][INSTRUCTIONS] - late[0][CORES - 1][INSTRUCTIONS], 300);
}
END_TEST

// Whatever cores do to each other, on each machine.
START_TEST(engines_count_the_same) {
  for (unsigned m = 0; m < OUTCOME_MACHINES; m++) {
    if (outcome_is_corev(m))
      continue;
    guest_begin(&g);
    start_counting();
    li(&g, A2, 40);
    unsigned again = g.count;
    lw(&g, A1, 0, S10);
    add(&g, A1, A1, T5);
    sw(&g, A1, 64, S10);
    unsigned some = only(&g, 2);
    lw(&g, A1, 8, S9);
    sw(&g, A1, 8, S9);
    end_only(&g, some);
    addi(&g, A2, A2, -1);
    loop_while(&g, A2, again);
    report();
    struct pulpsim *fast = run(0, outcome_machine[m]), *plain = run(1, outcome_machine[m]);
    for (unsigned i = 0; i < CORES; i++)
      for (unsigned n = 0; n < COUNTERS; n++)
        ck_assert_msg(counter(fast, i, n) == counter(plain, i, n), "%s, core %u, PCCR%u: %u, %u",
                      outcome_machine[m], i, n, counter(fast, i, n), counter(plain, i, n));
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
}
END_TEST

// What is left of bits that are set or cleared, on the RTL of RI5CY (in PCER, of the bits here).
START_TEST(bits_are_cleared_where_they_were_not_set) {
  enum { RW = 1, RS, RC, RSI = 6, RCI };
  static const struct {
    unsigned number, how;
    uint32_t after;
  } rtl[] = {{PCCR + 5, RC, 0x000f000f},
             {PCCR + 5, RCI, 0x0000000f},
             {PCCR + 5, RS, 0xf0fff0ff},
             {PCCR, RC, 0x000f000f},
             {PCCR + 30, RC, 0},
             {PCER, RC, 0x0001000f},
             {PCER, RCI, 0x0000000f},
             {0x7e0, RC, 0x0001000f},
             {PCMR, RC, 3},
             {0x7e1, RCI, 3},
             {ALL, RS, 0xf0fff0ff},
             {ALL, RC, 0x000f000f},
             {0x340, RC, 0xf000f000},
             {0x340, RSI, 0xf0f0f0ff}};
  enum { CHANGES = sizeof rtl / sizeof *rtl };
  guest_begin(&g);
  li(&g, A0, 0xf0f0f0f0);
  li(&g, A1, 0x00ff00ff);
  for (unsigned i = 0; i < CHANGES; i++) {
    unsigned to = rtl[i].number == ALL ? PCCR + 6 : rtl[i].number, how = rtl[i].how;
    csrw(PCMR, ZERO); // counters stand still
    csrw((int)to, A0);
    word(&g, rtl[i].number << 20 | (how < RSI ? A1 : 15) << 15 | how << 12 | 0x73);
    word(&g, to << 20 | A2 << 7 | RS << 12 | 0x73);
    sw(&g, A2, 4 * (int)i, S9);
  }
  guest_end(&g);
  struct pulpsim *sim = run((unsigned)_i, "core.model=ri5cy core.isa=auto");
  for (unsigned i = 0; i < CHANGES; i++)
    ck_assert_msg(guest_word(sim, GUEST_DATA + 4 * i) == rtl[i].after, "%x: %x, on the RTL %x",
                  rtl[i].number, guest_word(sim, GUEST_DATA + 4 * i), rtl[i].after);
  pulpsim_free(sim);
}
END_TEST

Suite *counter_rules_suite(void) {
  Suite *s = suite_create("counter_rules");
  TCase *t = tcase_create("counters");
  tcase_add_loop_test(t, what_goes_past_l1_is_counted_with_its_cycles, 0, 2);
  tcase_add_loop_test(t, a_cycle_that_a_bank_gives_to_another_is_a_conflict, 0, 2);
  tcase_add_loop_test(t, a_core_that_sleeps_counts_its_cycles_alone, 0, 2);
  tcase_add_loop_test(t, bits_are_cleared_where_they_were_not_set, 0, 2);
  tcase_add_test(t, engines_count_the_same);
  suite_add_tcase(s, t);
  return s;
}
