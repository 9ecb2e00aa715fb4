// tests/cluster/interrupt_rules.c: interrupts through the event unit and the fabric controller's
// interrupt controller. When a core takes one is in tests/timing/timing_random.c.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "guest.h"

Suite *interrupt_rules_suite(void);

static struct guest g;

enum { VECTORS = 256, RESET = GUEST_L2 + 0x80, ITC = 0x1a109800, SOC_TIMER = 0x1a10b000 };
enum { MSTATUS = 0x300, MIE = 0x304, MTVEC = 0x305, MEPC = 0x341, MCAUSE = 0x342 };

static void csr(unsigned f3, int rd, unsigned number, int rs1) {
  word(&g, number << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | 0x73);
}

static void csrw(unsigned number, int rs1) {
  csr(1, ZERO, number, rs1);
}
static void csrr(int rd, unsigned number) {
  csr(2, rd, number, ZERO);
}
static void enable(void) {
  csr(6, ZERO, MSTATUS, 8); // csrsi mstatus, 8
}

// The vectors are at word VECTORS of the program; all go to the handler behind them.
static void begin(void) {
  guest_begin(&g);
  li(&g, T1, GUEST_L2 + 4 * VECTORS + 1);
  csrw(MTVEC, T1);
  addi(&g, T1, ZERO, -1);
  csrw(MIE, T1);
}

static void jump(int words) {
  uint32_t o = (uint32_t)words * 4;
  word(&g, (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 |
               (o >> 12 & 255) << 12 | 0x6f);
}

// Ends the program's main part. The handler counts in s3, and leaves the causes in s2 (the last
// two, as digits of 5 bits) and the last return address in s1. It uses t4.
static void end_with_handler(void) {
  ck_assert_uint_le(g.count, VECTORS);
  nops(&g, VECTORS - g.count);
  for (int i = 0; i < 32; i++)
    jump(32 - i);
  addi(&g, S3, S3, 1);
  csrr(T4, MCAUSE);
  word(&g, 5u << 20 | (uint32_t)S2 << 15 | 1 << 12 | (uint32_t)S2 << 7 | 0x13);  // slli s2, s2, 5
  word(&g, 31u << 20 | (uint32_t)T4 << 15 | 7 << 12 | (uint32_t)T4 << 7 | 0x13); // andi t4, t4, 31
  add(&g, S2, S2, T4);
  csrr(S1, MEPC);
  word(&g, 0x30200073); // mret
}

static const char *const machines[] = {"core.isa=corev core.model=ri5cy",
                                       "core.isa=corev core.model=cv32e40p"};

static struct pulpsim *run(unsigned cores, const char *settings) {
  struct pulpsim *sim = guest_load(&g, cores, settings);
  guest_run(sim);
  return sim;
}

// The program's end comes long before the vectors.
static void ends(void) {
  guest_end(&g);
  end_with_handler();
}

START_TEST(a_line_of_the_mask_interrupts_the_core) {
  begin();
  li(&g, T1, 1 << 3);
  sw(&g, T1, 0x0c, S11);
  enable();
  unsigned store = g.count;
  sw(&g, ZERO, 0x10c, S11); // software event 3, to all
  nops(&g, 16);
  lw(&g, A0, 0x1c, S11); // the buffer
  ends();
  struct pulpsim *sim = run(1, machines[_i]);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S3), 1);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S2), 3);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 0);
  uint32_t back = (pulpsim_register(sim, 0, S1) - GUEST_L2) / 4;
  ck_assert_uint_gt(back, store);
  ck_assert_uint_lt(back, store + 8);
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_highest_comes_first) {
  begin();
  li(&g, T1, 1 << 3 | 1 << 7);
  sw(&g, T1, 0x0c, S11);
  sw(&g, ZERO, 0x10c, S11);
  sw(&g, ZERO, 0x11c, S11);
  nops(&g, 8);
  add(&g, A0, S3, ZERO); // not enabled yet
  enable();
  nops(&g, 16);
  ends();
  struct pulpsim *sim = run(1, machines[_i]);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 0);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S3), 2);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S2), 7 << 5 | 3);
  pulpsim_free(sim);
}
END_TEST

START_TEST(what_is_not_in_the_mask_does_not) {
  begin();
  enable();
  sw(&g, ZERO, 0x10c, S11);
  nops(&g, 16);
  lw(&g, A0, 0x1c, S11);
  ends();
  struct pulpsim *sim = run(1, machines[_i]);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S3), 0);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 1 << 3);
  pulpsim_free(sim);
}
END_TEST

// Core 0 waits at the barrier when core 1 interrupts it, twice; the barrier is passed once.
START_TEST(a_wait_goes_on_behind_the_handler) {
  begin();
  li(&g, T1, 1 << 16);
  sw(&g, T1, 0, S11);
  li(&g, T1, 1 << 3);
  sw(&g, T1, 0x0c, S11);
  li(&g, T1, 3);
  sw(&g, T1, 0x200, S11);
  sw(&g, T1, 0x20c, S11);
  meet(&g);
  enable();
  unsigned second = only(&g, 1);
  li(&g, T1, 1);
  for (int i = 0; i < 2; i++) {
    nops(&g, 40);
    sw(&g, T1, 0x10c, S11);
  }
  nops(&g, 40);
  end_only(&g, second);
  elw(&g, A0, 0x21c, S11);
  mark(&g, ZERO);
  lw(&g, A1, 0x1c, S11);
  ends();
  char settings[128];
  snprintf(settings, sizeof settings, "%s cluster.tcdm.arbiter=%s", machines[_i & 1],
           _i & 2 ? "xbar" : "lic");
  struct pulpsim *sim = run(2, settings);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S3), 2);
  ck_assert_uint_eq(pulpsim_register(sim, 1, S3), 0);
  ck_assert_uint_eq(pulpsim_register(sim, 0, S2), 3 << 5 | 3);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 1 << 16);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 0);
  ck_assert_uint_eq(guest_mark(sim, 0, 0), guest_mark(sim, 1, 0));
  pulpsim_free(sim);
}
END_TEST

// ---- the fabric controller

static void timer_interrupts_every(unsigned cycles) {
  li(&g, S0, ITC);
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0, S0);
  li(&g, S0, SOC_TIMER);
  li(&g, T1, cycles);
  sw(&g, T1, 0x10, S0);
  li(&g, T1, 1 | 1 << 2 | 1 << 4); // enable, interrupt, clear on compare
  sw(&g, T1, 0, S0);
}

START_TEST(wfi_sleeps_until_the_timer_fires) {
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    begin();
    timer_interrupts_every(1000);
    enable();
    li(&g, A0, 5);
    unsigned again = g.count;
    word(&g, 0x10500073); // wfi
    addi(&g, A0, A0, -1);
    loop_while(&g, A0, again);
    guest_exit(&g);
    end_with_handler();
    struct pulpsim *sim = guest_boot(&g, RESET, 1, machines[_i], k ? PULPSIM_PLAIN : PULPSIM_FAST);
    guest_run(sim);
    ck_assert_uint_eq(pulpsim_register(sim, 1, S3), 5);
    ck_assert_uint_eq(pulpsim_register(sim, 1, S2) & 31, 10);
    cycles[k] = pulpsim_stats(sim)->cycles;
    ck_assert_uint_ge(cycles[k], 5000);
    ck_assert_uint_le(cycles[k], 5200);
    pulpsim_free(sim);
  }
  ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

// As the public runtime waits for an event: the line ends the sleep, and is cleared by a store.
START_TEST(wfi_ends_without_an_interrupt_too) {
  begin();
  timer_interrupts_every(300);
  li(&g, S0, ITC);
  word(&g, 0x10500073);
  lw(&g, A0, 0x0c, S0);
  li(&g, T1, 1 << 10);
  sw(&g, T1, 0x14, S0);
  lw(&g, A1, 0x0c, S0);
  guest_exit(&g);
  end_with_handler();
  struct pulpsim *sim = guest_boot(&g, RESET, 1, machines[_i], PULPSIM_FAST);
  guest_run(sim);
  ck_assert_uint_eq(pulpsim_register(sim, 1, S3), 0);
  ck_assert_uint_eq(pulpsim_register(sim, 1, A0), 1 << 10);
  ck_assert_uint_eq(pulpsim_register(sim, 1, A1), 0);
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_sleep_that_nothing_ends_is_reported) {
  begin();
  word(&g, 0x10500073);
  guest_exit(&g);
  end_with_handler();
  struct pulpsim *sim = guest_boot(&g, RESET, 1, machines[_i], PULPSIM_FAST);
  guest_fails(sim, "sleeps in wfi");
  pulpsim_free(sim);
}
END_TEST

Suite *interrupt_rules_suite(void) {
  Suite *s = suite_create("interrupt_rules");
  TCase *t = tcase_create("rules");
  tcase_add_loop_test(t, a_line_of_the_mask_interrupts_the_core, 0, 2);
  tcase_add_loop_test(t, the_highest_comes_first, 0, 2);
  tcase_add_loop_test(t, what_is_not_in_the_mask_does_not, 0, 2);
  tcase_add_loop_test(t, a_wait_goes_on_behind_the_handler, 0, 4);
  tcase_add_loop_test(t, wfi_sleeps_until_the_timer_fires, 0, 1);
  tcase_add_loop_test(t, wfi_ends_without_an_interrupt_too, 0, 1);
  tcase_add_loop_test(t, a_sleep_that_nothing_ends_is_reported, 0, 1);
  suite_add_tcase(s, t);
  return s;
}
