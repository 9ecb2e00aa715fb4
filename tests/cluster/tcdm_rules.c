// tests/cluster/tcdm_rules.c: who gets a bank, when, and in which order, on both interconnects.
#include <check.h>
#include <string.h>

#include "cluster/tcdm.h"

Suite *tcdm_rules_suite(void);

enum { ARBITER = ENGINE_ARBITERS, DRIVER = ENGINE_UNITS, ACCESSES = 200 };

static struct engine e;
static struct tcdm tcdm;

// Ports that ask for `bank`, again one cycle after each grant, until `left` is used up.
static struct {
  uint32_t ports;
  unsigned left[TCDM_PORTS], bank[TCDM_PORTS];
  uint32_t again; // ports to post in the next cycle
  uint8_t order[4096];
  cycle_t when[4096];
  unsigned grants;
} run;

static void post(void *self, cycle_t now) {
  (void)self, (void)now;
  for (uint32_t m = run.again; m; m &= m - 1) {
    unsigned p = (unsigned)__builtin_ctz(m);
    tcdm_post(&tcdm, p, 4 * run.bank[p]);
  }
  run.again = 0;
}

static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)self;
  unsigned port = (unsigned)__builtin_ctz(ports);
  run.order[run.grants] = (uint8_t)port;
  run.when[run.grants++] = now;
  if (--run.left[port]) {
    run.again |= UINT32_C(1) << port;
    engine_wake(&e, DRIVER, now + 1);
  }
}

static void start(enum tcdm_arbiter arbiter, uint32_t ports, unsigned accesses) {
  memset(&run, 0, sizeof run);
  engine_init(&e);
  ck_assert(tcdm_init(&tcdm, &e, ARBITER, 65536, 16, (struct tcdm_ports){8, 4, 0}, arbiter));
  engine_add(&e, DRIVER, post, NULL);
  run.ports = run.again = ports;
  for (unsigned p = 0; p < 16; p++) {
    run.left[p] = accesses;
    tcdm_attach(&tcdm, UINT32_C(1) << p, granted, NULL);
  }
  engine_wake(&e, DRIVER, 1);
}

static void finish(void) {
  while (engine_run(&e, 100000) && engine_next(&e) != CYCLE_NEVER)
    continue;
  tcdm_free(&tcdm);
}

static uint32_t ports_of(int i) {
  return (uint32_t)i & 0xffff;
}

START_TEST(one_bank_serves_one_port_per_cycle) {
  uint32_t ports = ports_of(_i * 259 + 1);
  unsigned n = (unsigned)__builtin_popcount(ports);
  for (int arbiter = 0; arbiter < 2; arbiter++) {
    start(arbiter ? TCDM_XBAR : TCDM_LIC, ports, ACCESSES / 8);
    finish();
    ck_assert_uint_eq(run.grants, n * (ACCESSES / 8));
    for (unsigned k = 0; k < run.grants; k++)
      ck_assert_uint_eq(run.when[k], k + 1);
  }
}
END_TEST

START_TEST(different_banks_do_not_disturb_each_other) {
  uint32_t ports = ports_of(_i * 977 + 3);
  for (int arbiter = 0; arbiter < 2; arbiter++) {
    start(arbiter ? TCDM_XBAR : TCDM_LIC, ports, 20);
    for (unsigned p = 0; p < 16; p++)
      run.bank[p] = p;
    finish();
    ck_assert_uint_eq(run.when[run.grants - 1], 20);
  }
}
END_TEST

START_TEST(the_flat_tree_goes_round) {
  start(TCDM_LIC, 0xff, 5);
  finish();
  for (unsigned k = 0; k < run.grants; k++)
    ck_assert_uint_eq(run.order[k], k % 8);
}
END_TEST

// Its pointer may stay on the winner: cores 2 and 3 alone are served 2, 2, 3, 2, 3 ...
START_TEST(the_flat_tree_does_not_skip_the_winner) {
  static const uint8_t expected[] = {2, 2, 3, 2, 3, 2, 3};
  start(TCDM_LIC, 0xc, 5);
  finish();
  for (unsigned k = 0; k < sizeof expected; k++)
    ck_assert_uint_eq(run.order[k], expected[k]);
}
END_TEST

START_TEST(nobody_starves) {
  uint32_t ports = ports_of(_i * 1543 + 7);
  unsigned n = (unsigned)__builtin_popcount(ports), worst = 0, last[16] = {0};
  for (int arbiter = 0; arbiter < 2; arbiter++) {
    start(arbiter ? TCDM_XBAR : TCDM_LIC, ports, 50);
    finish();
    memset(last, 0, sizeof last);
    for (unsigned k = 0; k < 40 * n; k++) {
      unsigned gap = k - last[run.order[k]];
      if (gap > worst)
        worst = gap;
      last[run.order[k]] = k;
    }
  }
  ck_assert_uint_le(worst, 32);
}
END_TEST

// On the crossbar a flag, toggled by every grant, decides between cores and the others.
START_TEST(the_crossbar_takes_turns_between_cores_and_dma) {
  start(TCDM_XBAR, 1u << 2 | 1u << 13, 10);
  finish();
  for (unsigned k = 0; k < 20; k++)
    ck_assert_uint_eq(run.order[k], k % 2 ? 13 : 2);
}
END_TEST

START_TEST(a_held_bank_serves_nobody) {
  for (int arbiter = 0; arbiter < 2; arbiter++) {
    start(arbiter ? TCDM_XBAR : TCDM_LIC, 1, 10);
    tcdm_hold_bank(&tcdm, 0, 4);
    finish();
    ck_assert_uint_eq(run.when[2], 3);
    ck_assert_uint_eq(run.when[3], 5);
    ck_assert_uint_eq(run.when[9], 11);
  }
}
END_TEST

START_TEST(conflicts_are_counted_where_they_happen) {
  start(TCDM_LIC, 0xff, 10);
  finish();
  ck_assert_uint_eq(tcdm.shared.grants[0], 80);
  uint64_t denied = 0;
  for (unsigned p = 0; p < 8; p++)
    denied += tcdm.port[p].denied;
  ck_assert_uint_eq(denied, tcdm.conflicts[0]);
  ck_assert_uint_eq(denied, 73 * 7 + 6 + 5 + 4 + 3 + 2 + 1);
  ck_assert_uint_eq(tcdm.conflicts[1], 0);
}
END_TEST

START_TEST(only_what_fits_is_built) {
  engine_init(&e);
  ck_assert(!tcdm_init(&tcdm, &e, ARBITER, 65536, 3, (struct tcdm_ports){8, 4, 0},
                       TCDM_LIC)); // no power of two
  ck_assert(!tcdm_init(&tcdm, &e, ARBITER, 65536, 512, (struct tcdm_ports){8, 4, 0},
                       TCDM_LIC)); // too many banks
  ck_assert(!tcdm_init(&tcdm, &e, ARBITER, 65536, 16, (struct tcdm_ports){30, 4, 0},
                       TCDM_LIC)); // too many ports
}
END_TEST

Suite *tcdm_rules_suite(void) {
  Suite *s = suite_create("tcdm_rules");
  TCase *t = tcase_create("rules");
  tcase_add_loop_test(t, one_bank_serves_one_port_per_cycle, 0, 64);
  tcase_add_loop_test(t, different_banks_do_not_disturb_each_other, 0, 16);
  tcase_add_test(t, the_flat_tree_goes_round);
  tcase_add_test(t, the_flat_tree_does_not_skip_the_winner);
  tcase_add_loop_test(t, nobody_starves, 0, 16);
  tcase_add_test(t, the_crossbar_takes_turns_between_cores_and_dma);
  tcase_add_test(t, a_held_bank_serves_nobody);
  tcase_add_test(t, conflicts_are_counted_where_they_happen);
  tcase_add_test(t, only_what_fits_is_built);
  suite_add_tcase(s, t);
  return s;
}
