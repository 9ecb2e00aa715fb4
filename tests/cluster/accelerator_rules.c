// tests/cluster/accelerator_rules.c: the TCDM's port for an accelerator: who gets the banks beside
// it, and the unit that streams through it.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/tcdm_wide.h"
#include "guest.h"

Suite *accelerator_rules_suite(void);

// ---- the arbitration, without a machine

enum { ARBITER = ENGINE_ARBITERS, DRIVER = ENGINE_UNITS, BANKS = 16, WORDS = 4, END = 400 };

static struct engine e;
static struct tcdm tcdm;

// In every cycle core k asks for bank[k], and the accelerator for WORDS words from `first` on,
// until its `transfers` are done.
static struct {
  unsigned cores, bank[8], first, transfers;
  uint32_t again;
  bool wide_again;
  cycle_t wide[END]; // cycles of the accelerator's grants
  unsigned wide_count;
  bool core[8][END + 1]; // core k was granted in that cycle
  uint8_t order[END];    // winners of core 0's bank
  unsigned count[8];
} run;

static void post(void *self, cycle_t now) {
  (void)self, (void)now;
  if (run.wide_again)
    tcdm_wide_post(&tcdm, 4 * run.first);
  for (uint32_t m = run.again; m; m &= m - 1) {
    unsigned k = (unsigned)__builtin_ctz(m);
    tcdm_post(&tcdm, k, 4 * run.bank[k]);
  }
  run.again = 0;
  run.wide_again = false;
}

static void core_granted(void *self, uint32_t ports, cycle_t now) {
  (void)self;
  unsigned port = (unsigned)__builtin_ctz(ports);
  run.core[port][now] = true;
  run.count[port]++;
  run.again |= UINT32_C(1) << port;
  engine_wake(&e, DRIVER, now + 1);
}

static void wide_granted(void *self, uint32_t ports, cycle_t now) {
  (void)self, (void)ports;
  run.wide[run.wide_count++] = now;
  if (run.wide_count < run.transfers) {
    run.wide_again = true;
    engine_wake(&e, DRIVER, now + 1);
  }
}

// `control`: as the control unit's register. Runs END cycles.
static void beside(enum tcdm_arbiter arbiter, uint32_t control, unsigned cores,
                   const unsigned *bank, unsigned first, unsigned transfers) {
  memset(&run, 0, sizeof run);
  engine_init(&e);
  ck_assert(tcdm_init(&tcdm, &e, ARBITER, 65536, BANKS, (struct tcdm_ports){8, 4, WORDS}, arbiter));
  engine_add(&e, DRIVER, post, NULL);
  for (unsigned k = 0; k < cores; k++) {
    tcdm_attach(&tcdm, UINT32_C(1) << k, core_granted, NULL);
    run.bank[k] = bank[k];
  }
  tcdm_wide_attach(&tcdm, wide_granted, NULL);
  tcdm_wide_control(&tcdm, control);
  run.cores = cores;
  run.first = first;
  run.transfers = transfers;
  run.again = (UINT32_C(1) << cores) - 1;
  run.wide_again = transfers != 0;
  engine_wake(&e, DRIVER, 1);
  engine_run(&e, END);
  tcdm_free(&tcdm);
}

static const unsigned same[] = {2, 2, 2}, apart[] = {8, 9, 10};

START_TEST(alone_it_is_granted_in_every_cycle) {
  for (int arbiter = 0; arbiter < 2; arbiter++)
    for (unsigned first = 0; first < BANKS; first++) {
      beside(arbiter ? TCDM_XBAR : TCDM_LIC, 0, 0, NULL, first, 50);
      ck_assert_uint_eq(run.wide_count, 50);
      for (unsigned n = 0; n < 50; n++)
        ck_assert_uint_eq(run.wide[n], n + 1);
    }
}
END_TEST

START_TEST(it_waits_for_all_its_banks) {
  beside(TCDM_LIC, 0, 1, same, 0, 50); // words in the banks 0 to 3, the core in 2
  ck_assert_uint_eq(run.wide_count, 0);
  ck_assert_uint_eq(run.count[0], END);
  ck_assert_uint_eq(tcdm.wide.denied, END);
  beside(TCDM_LIC, 0, 1, same, 15, 50); // 15, 0, 1, 2
  ck_assert_uint_eq(run.wide_count, 0);
  beside(TCDM_LIC, 0, 1, same, 14, 50); // 14, 15, 0, 1
  ck_assert_uint_eq(run.wide_count, 50);
  ck_assert_uint_eq(run.count[0], END);
}
END_TEST

START_TEST(stalls_give_the_other_side_a_turn) {
  uint32_t most = (uint32_t)_i;
  beside(TCDM_LIC, most, 3, same, 0, END);
  for (cycle_t t = 1; t <= END; t++) {
    bool turn = t % (most + 1) == 0, any = run.core[0][t] | run.core[1][t] | run.core[2][t];
    ck_assert_int_eq(any, !turn);
  }
  ck_assert_uint_eq(run.wide_count, END / (most + 1));
  beside(TCDM_LIC, most | 1 << 8, 3, same, 0, END); // the other way round
  for (cycle_t t = 1; t <= END; t++) {
    bool turn = t % (most + 1) == 0, any = run.core[0][t] | run.core[1][t] | run.core[2][t];
    ck_assert_int_eq(any, turn);
  }
  ck_assert_uint_eq(run.wide_count, END - END / (most + 1));
}
END_TEST

// The decision is one for all banks: a turn of the accelerator's costs cores that use others, too.
START_TEST(a_turn_takes_all_banks) {
  beside(TCDM_LIC, 0, 3, apart, 0, END);
  ck_assert_uint_eq(run.wide_count, END);
  ck_assert_uint_eq(run.count[0] + run.count[1] + run.count[2], 3 * END);
  beside(TCDM_LIC, 4, 3, apart, 0, END);
  ck_assert_uint_eq(run.wide_count, END);
  for (unsigned k = 0; k < 3; k++)
    for (cycle_t t = 1; t <= END; t++)
      ck_assert_int_eq(run.core[k][t], t % 5 != 0);
  beside(TCDM_LIC, 4 | 1 << 8, 3, apart, 0, END); // here the accelerator loses a cycle
  ck_assert_uint_eq(run.wide_count, END - END / 5);
  ck_assert_uint_eq(run.count[0] + run.count[1] + run.count[2], 3 * END);
}
END_TEST

// Three cores go round; what the accelerator takes delays them and changes nothing else.
START_TEST(the_tree_s_pointer_stands_still) {
  beside(TCDM_LIC, 1, 3, same, 0, END);
  unsigned winner = 3;
  for (cycle_t t = 1; t <= END; t += 2) {
    unsigned w = run.core[0][t] ? 0 : run.core[1][t] ? 1 : 2;
    ck_assert(run.core[w][t] && !run.core[w][t + 1]);
    if (winner < 3)
      ck_assert_uint_eq(w, (winner + 1) % 3);
    winner = w;
  }
}
END_TEST

// On the crossbar, each word competes for its bank alone: a transfer takes as long as its slowest.
START_TEST(on_the_crossbar_its_words_are_ports) {
  beside(TCDM_XBAR, 0, 1, same, 0, 50);
  ck_assert_uint_eq(run.wide_count, 50);
  ck_assert_uint_ge(run.wide[49], 75);
  ck_assert_uint_le(run.wide[49], 125);
  ck_assert_uint_gt(run.count[0], END - 51);
  beside(TCDM_XBAR, 0, 1, same, 4, 50);
  ck_assert_uint_eq(run.wide[49], 50);
  ck_assert_uint_eq(run.count[0], END);
}
END_TEST

// ---- against the RTL (tests/cluster/rtl/wide.sh)

enum { TREE = 16, WIDE_WORDS = 9 };

// What is asked for in the cycle to come, and who was granted in this one.
static struct {
  uint32_t control, tree, asked, granted;
  int first; // -1: the accelerator asks for nothing
  bool wide_asked, wide_granted;
} replay;

static void replay_post(void *self, cycle_t now) {
  (void)self, (void)now;
  tcdm_wide_control(&tcdm, replay.control);
  for (uint32_t m = replay.tree & ~replay.asked; m; m &= m - 1)
    tcdm_post(&tcdm, (unsigned)__builtin_ctz(m), 4 * (unsigned)__builtin_ctz(m));
  replay.asked = replay.tree;
  if (replay.first >= 0 && !replay.wide_asked)
    tcdm_wide_post(&tcdm, 4 * (uint32_t)replay.first);
  replay.wide_asked = replay.first >= 0;
}

static void replay_core(void *self, uint32_t ports, cycle_t now) {
  (void)self, (void)now;
  replay.granted |= ports;
}

static void replay_wide(void *self, uint32_t ports, cycle_t now) {
  (void)self, (void)ports, (void)now;
  replay.wide_granted = true;
}

// One port per bank stands for what the tree has decided.
START_TEST(grants_are_those_of_the_rtl) {
  FILE *f = fopen("tests/data/cluster/wide.tsv", "r");
  ck_assert_ptr_nonnull(f);
  memset(&replay, 0, sizeof replay);
  engine_init(&e);
  ck_assert(tcdm_init(&tcdm, &e, ARBITER, 65536, BANKS, (struct tcdm_ports){TREE, 0, WIDE_WORDS},
                      TCDM_LIC));
  engine_add(&e, DRIVER, replay_post, NULL);
  for (unsigned k = 0; k < TREE; k++)
    tcdm_attach(&tcdm, UINT32_C(1) << k, replay_core, NULL);
  tcdm_wide_attach(&tcdm, replay_wide, NULL);
  char first[8];
  uint32_t granted;
  int wide;
  cycle_t t = 0;
  while (fscanf(f, "%x %x %7s %x %d", &replay.control, &replay.tree, first, &granted, &wide) == 5) {
    replay.first = first[0] == '-' ? -1 : (int)strtol(first, NULL, 16);
    engine_wake(&e, DRIVER, ++t);
    engine_run(&e, t);
    ck_assert_msg(replay.granted == granted && replay.wide_granted == wide,
                  "cycle %u: tree %x, not %x; accelerator %d, not %d", (unsigned)t, replay.granted,
                  granted, replay.wide_granted, wide);
    replay.asked &= ~replay.granted;
    replay.wide_asked &= !wide;
    replay.granted = replay.wide_granted = 0;
  }
  ck_assert_uint_eq(t, 3000);
  fclose(f);
  tcdm_free(&tcdm);
}
END_TEST

// ---- the unit, in a machine

static struct guest g;

enum { UNIT = GUEST_PERIPHERALS + 0x1000, PLAIN = GUEST_L2 + 0x100, TRANSFERS = 200, LOADS = 600 };

static void store(uint32_t to, uint32_t value) {
  li(&g, S0, to);
  li(&g, T1, value);
  sw(&g, T1, 0, S0);
}

// Starts a job and sleeps on event 12.
static void use_unit(bool stores, uint32_t control) {
  for (int i = 0; i < 64; i++) {
    li(&g, T1, 0x100u + (uint32_t)i);
    sw(&g, T1, 4 * i, S10);
  }
  store(GUEST_EVENT_UNIT, 1 << 12);
  store(GUEST_PERIPHERALS + 0x18, control);
  store(UNIT + 0x40, GUEST_TCDM);
  store(UNIT + 0x44, TRANSFERS);
  store(UNIT + 0x48, 4);
  store(UNIT + 0x4c, stores);
  store(UNIT + 0x50, 0xabcd1234);
  store(UNIT, 0);
  li(&g, S0, UNIT);
  lw(&g, A1, 0x0c, S0);
  lw(&g, A2, 0x04, S0);
  elw(&g, A0, 0x3c, S11);
  lw(&g, A3, 0x54, S0);
  lw(&g, A4, 0x0c, S0);
}

// Core 0 does; the others load from the first bank.
static void job(bool stores, unsigned loads, uint32_t control) {
  guest_begin(&g);
  unsigned first = only(&g, 0);
  use_unit(stores, control);
  guest_exit(&g);
  end_only(&g, first);
  for (unsigned i = 0; i < loads; i++)
    lw(&g, A0, 0, S10);
  elw(&g, A0, 0x3c, S11); // sleeps for good
}

// The same, where the others access many banks, each core its own, and core 0 waits for them.
static void busy_job(bool stores, uint32_t control) {
  guest_begin(&g);
  unsigned first = only(&g, 0);
  use_unit(stores, control);
  li(&g, A5, 500);
  unsigned again = g.count;
  addi(&g, A5, A5, -1);
  loop_while(&g, A5, again);
  guest_exit(&g);
  end_only(&g, first);
  addi(&g, A1, S10, 0);
  for (unsigned core = 1; core < 4; core++) {
    unsigned place = only(&g, core);
    addi(&g, A1, S10, (int)(20 * core));
    end_only(&g, place);
  }
  for (unsigned i = 0; i < 400; i++) {
    int offset = (int)(4 * (i * i * 7 % 64));
    if (i % 3)
      lw(&g, A0, offset, A1);
    else
      sw(&g, A2, 0x400 + offset, A1);
    nops(&g, i * i % 5 / 3);
  }
  elw(&g, A0, 0x3c, S11);
}

static struct pulpsim *machine(const char *more, enum pulpsim_engine engine) {
  char settings[160];
  snprintf(settings, sizeof settings,
           "core.isa=corev cluster.icache.model=ideal cluster.tcdm.accelerator_words=9 %s", more);
  struct pulpsim *sim = guest_boot(&g, PLAIN, 4, settings, engine);
  return sim;
}

START_TEST(it_streams_and_raises_its_event) {
  const char *arbiter = _i & 1 ? "cluster.tcdm.arbiter=xbar" : "cluster.tcdm.arbiter=lic";
  bool stores = _i >> 1;
  job(stores, 0, 0);
  struct pulpsim *sim = machine(arbiter, PULPSIM_FAST);
  guest_run(sim);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 1);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), UINT32_MAX);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 1 << 12);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A4), 0);
  uint32_t sum = 0;
  for (unsigned t = 0; t < TRANSFERS; t++)
    for (unsigned i = 0; i < 9; i++)
      sum += t + i < 64 ? 0x100 + t + i : 0;
  ck_assert_uint_eq(pulpsim_register(sim, 0, A3), stores ? 0 : sum);
  for (unsigned i = 0; i < TRANSFERS + 8; i++)
    ck_assert_uint_eq(guest_word(sim, GUEST_TCDM + 4 * i), stores   ? 0xabcd1234
                                                           : i < 64 ? 0x100 + i
                                                                    : 0);
  uint64_t asleep = guest_stalls(sim, 0, "sleep");
  ck_assert_uint_ge(asleep + 40, TRANSFERS); // it begins some loads before the sleep
  ck_assert_uint_le(asleep, TRANSFERS + 8);
  pulpsim_free(sim);
}
END_TEST

START_TEST(cores_and_accelerator_disturb_each_other) {
  const char *arbiter = _i ? "cluster.tcdm.arbiter=xbar" : "cluster.tcdm.arbiter=lic";
  uint64_t asleep[2], cycles[4];
  for (int k = 0; k < 2; k++) {
    job(false, k ? LOADS : 0, 0);
    struct pulpsim *sim = machine(arbiter, PULPSIM_FAST);
    guest_run(sim);
    asleep[k] = guest_stalls(sim, 0, "sleep");
    pulpsim_free(sim);
  }
  ck_assert_uint_gt(asleep[1], asleep[0] + 50);
  for (int k = 0; k < 4; k++) {
    struct pulpsim *sim = machine(arbiter, k & 1 ? PULPSIM_PLAIN : PULPSIM_FAST);
    pulpsim_shuffle(sim, k & 2 ? 77 : 0);
    guest_run(sim);
    cycles[k] = pulpsim_stats(sim)->cycles;
    ck_assert_uint_eq(cycles[k], cycles[0]);
    pulpsim_free(sim);
  }
}
END_TEST

// Cores say in advance for which bank they will ask. Who gets it beside the
// accelerator is the same as if all asked in the cycle itself: cause by cause, bank by bank.
START_TEST(it_meets_cores_that_have_promised) {
  static const uint32_t control[] = {0, 1, 4, 1 << 8, 4 | 1 << 8};
  const char *arbiter = _i / 5 & 1 ? "cluster.tcdm.arbiter=xbar" : "cluster.tcdm.arbiter=lic";
  struct pulpsim_counts counts[4][4];
  struct pulpsim_bank_stats banks[4][BANKS];
  uint64_t conflicts = 0;
  busy_job(_i >= 10, control[_i % 5]);
  for (int k = 0; k < 4; k++) {
    struct pulpsim *sim = machine(arbiter, k & 1 ? PULPSIM_PLAIN : PULPSIM_FAST);
    pulpsim_shuffle(sim, k & 2 ? 77 : 0);
    guest_run(sim);
    const struct pulpsim_stats *s = pulpsim_stats(sim);
    ck_assert_uint_eq(s->bank_count, BANKS);
    for (unsigned i = 0; i < 4; i++)
      counts[k][i] = s->core[i].total;
    memcpy(banks[k], s->bank, sizeof banks[k]);
    pulpsim_free(sim);
    ck_assert(memcmp(counts[k], counts[0], sizeof counts[k]) == 0);
    ck_assert(memcmp(banks[k], banks[0], sizeof banks[k]) == 0);
  }
  for (unsigned i = 0; i < BANKS; i++)
    conflicts += banks[0][i].conflicts;
  ck_assert_uint_gt(conflicts, 10);
}
END_TEST

START_TEST(the_control_unit_decides_who_wins) {
  uint64_t asleep[3];
  static const uint32_t control[] = {0, 4, 1 << 8};
  for (int k = 0; k < 3; k++) {
    job(false, LOADS, control[k]);
    struct pulpsim *sim = machine("", PULPSIM_FAST);
    guest_run(sim);
    asleep[k] = guest_stalls(sim, 0, "sleep");
    pulpsim_free(sim);
  }
  ck_assert_uint_lt(asleep[1], asleep[0]);
  ck_assert_uint_lt(asleep[2], asleep[1]);
}
END_TEST

Suite *accelerator_rules_suite(void) {
  Suite *s = suite_create("accelerator_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, alone_it_is_granted_in_every_cycle);
  tcase_add_test(t, it_waits_for_all_its_banks);
  tcase_add_loop_test(t, stalls_give_the_other_side_a_turn, 1, 9);
  tcase_add_test(t, a_turn_takes_all_banks);
  tcase_add_test(t, the_tree_s_pointer_stands_still);
  tcase_add_test(t, on_the_crossbar_its_words_are_ports);
  tcase_add_test(t, grants_are_those_of_the_rtl);
  tcase_add_loop_test(t, it_streams_and_raises_its_event, 0, 4);
  tcase_add_loop_test(t, cores_and_accelerator_disturb_each_other, 0, 2);
  tcase_add_loop_test(t, it_meets_cores_that_have_promised, 0, 20);
  tcase_add_test(t, the_control_unit_decides_who_wins);
  suite_add_tcase(s, t);
  return s;
}
