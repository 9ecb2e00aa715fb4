// tests/cluster/event_unit_rules.c: events, barriers, mutex and dispatch: what their registers do,
// and what they cost (eu.tsv).
#include <check.h>

#include "guest.h"

Suite *event_unit_rules_suite(void);

static struct guest g;

static void set_up_barrier(unsigned cores) {
  li(&g, T1, 0x70000);
  sw(&g, T1, 8, S11);
  li(&g, T1, (1u << cores) - 1);
  unsigned first = only(&g, 0);
  sw(&g, T1, 0x200, S11);
  sw(&g, T1, 0x20c, S11);
  sw(&g, T1, 0x84, S11);
  end_only(&g, first);
}

// ---- barrier

START_TEST(all_leave_a_barrier_five_cycles_after_the_last_arrival) {
  unsigned cores = (unsigned)_i % 8 + 1, late = (unsigned)_i / 8 * 3;
  guest_begin(&g);
  set_up_barrier(cores);
  meet(&g);
  meet(&g);
  unsigned last = only(&g, cores - 1);
  nops(&g, late);
  end_only(&g, last);
  mark(&g, ZERO);
  elw(&g, T2, 0x21c, S11);
  mark(&g, ZERO);
  struct pulpsim *sim = guest_finish(&g, cores, "");
  uint64_t arrival = 0;
  for (unsigned i = 0; i < cores; i++)
    if (guest_mark(sim, i, 0) + 1 > arrival)
      arrival = guest_mark(sim, i, 0) + 1;
  for (unsigned i = 0; i < cores; i++)
    ck_assert_uint_eq(guest_mark(sim, i, 1), arrival + 5 + 1); // the marker is in EX after ID
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_barrier_of_a_team_leaves_the_others_alone) {
  guest_begin(&g);
  li(&g, T1, 0x10000);
  sw(&g, T1, 0, S11);
  li(&g, T1, 0x6); // cores 1 and 2
  unsigned first = only(&g, 0);
  sw(&g, T1, 0x260, S11);
  sw(&g, T1, 0x26c, S11);
  lw(&g, A0, 0x260, S11);
  lw(&g, A1, 0x26c, S11);
  end_only(&g, first);
  meet(&g);
  for (unsigned i = 1; i < 3; i++) {
    unsigned member = only(&g, i);
    elw(&g, A2, 0x27c, S11);
    end_only(&g, member);
  }
  meet(&g);
  lw(&g, A3, 0x1c, S11);
  lw(&g, A4, 0x264, S11); // status
  struct pulpsim *sim = guest_finish(&g, 4, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 6);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 6);
  for (unsigned i = 0; i < 4; i++) {
    ck_assert_uint_eq(pulpsim_register(sim, i, A3), 0);
    ck_assert_uint_eq(pulpsim_register(sim, i, A4), 0);
  }
  ck_assert_uint_eq(pulpsim_register(sim, 1, A2), 0x10000);
  ck_assert_uint_eq(pulpsim_register(sim, 2, A2), 0x10000);
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_barrier_may_be_triggered_for_others) {
  guest_begin(&g);
  set_up_barrier(2);
  meet(&g);
  unsigned first = only(&g, 0);
  li(&g, T1, 2);
  sw(&g, T1, 0x210, S11); // arrive for core 1
  lw(&g, A0, 0x204, S11);
  lw(&g, A0, 0x204, S11);
  elw(&g, A1, 0x218, S11); // wait, not clear
  lw(&g, A2, 0x1c, S11);
  end_only(&g, first);
  struct pulpsim *sim = guest_finish(&g, 2, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 2);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), 0x10000);
  pulpsim_free(sim);
}
END_TEST

// ---- registers

START_TEST(masks_are_set_and_cleared_bit_by_bit) {
  unsigned reg = _i ? 0x0c : 0x00;
  guest_begin(&g);
  li(&g, T1, 0xf0f0f0f0);
  sw(&g, T1, (int)reg, S11);
  lw(&g, A0, (int)reg, S11);
  li(&g, T1, 0xff00);
  sw(&g, T1, (int)reg + 4, S11);
  lw(&g, A1, (int)reg, S11);
  sw(&g, T1, (int)reg + 8, S11);
  lw(&g, A2, (int)reg, S11);
  lw(&g, A3, (int)(reg ? 0x0c : 0x00), S11);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 0xf0f0f0f0);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 0xf0f000f0);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), 0xf0f0fff0);
  pulpsim_free(sim);
}
END_TEST

START_TEST(software_events_reach_their_targets) {
  unsigned event = (unsigned)_i & 7, targets = (unsigned)_i >> 3;
  guest_begin(&g);
  meet(&g);
  unsigned first = only(&g, 0);
  li(&g, T1, targets);
  sw(&g, T1, 0x100 + 4 * (int)event, S11);
  end_only(&g, first);
  meet(&g);
  lw(&g, A0, 0x1c, S11);
  li(&g, T1, 1u << event);
  sw(&g, T1, 0x28, S11);
  lw(&g, A1, 0x1c, S11);
  struct pulpsim *sim = guest_finish(&g, 3, "");
  for (unsigned i = 0; i < 3; i++) {
    bool hit = !targets || targets >> i & 1;
    ck_assert_uint_eq(pulpsim_register(sim, i, A0), hit ? 1u << event : 0);
    ck_assert_uint_eq(pulpsim_register(sim, i, A1), 0);
  }
  pulpsim_free(sim);
}
END_TEST

START_TEST(waiting_leaves_the_event_and_waiting_with_clear_takes_it) {
  guest_begin(&g);
  li(&g, T1, 3);
  sw(&g, T1, 0, S11);
  sw(&g, ZERO, 0x100, S11);
  sw(&g, ZERO, 0x104, S11);
  sw(&g, ZERO, 0x108, S11); // not in the mask
  elw(&g, A0, 0x38, S11);
  lw(&g, A1, 0x1c, S11);
  elw(&g, A2, 0x3c, S11);
  lw(&g, A3, 0x1c, S11);
  lw(&g, A4, 0x20, S11);
  struct pulpsim *sim = guest_finish(&g, 1, "");
  const uint32_t expected[] = {3, 7, 3, 4, 0};
  for (unsigned i = 0; i < 5; i++)
    ck_assert_uint_eq(pulpsim_register(sim, 0, A0 + i), expected[i]);
  pulpsim_free(sim);
}
END_TEST

START_TEST(trigger_and_wait_uses_the_target_mask) {
  guest_begin(&g);
  li(&g, T1, 2);
  sw(&g, T1, 0, S11); // event 1
  li(&g, T1, 3);
  sw(&g, T1, 0x2c, S11); // cores 0 and 1
  lw(&g, A0, 0x2c, S11);
  meet(&g);
  unsigned first = only(&g, 0);
  elw(&g, A1, 0x184, S11); // trigger event 1, wait, clear
  end_only(&g, first);
  meet(&g);
  lw(&g, A2, 0x1c, S11);
  struct pulpsim *sim = guest_finish(&g, 3, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 3);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 2);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A2), 0);
  ck_assert_uint_eq(pulpsim_register(sim, 1, A2), 2);
  ck_assert_uint_eq(pulpsim_register(sim, 2, A2), 0);
  pulpsim_free(sim);
}
END_TEST

START_TEST(the_plug_shows_the_same_registers) {
  guest_begin(&g);
  li(&g, S0, GUEST_PERIPHERALS + 0x800);
  unsigned first = only(&g, 0);
  li(&g, T1, 0x1234);
  sw(&g, T1, 0x40, S0); // mask of core 1
  li(&g, T1, 2);
  sw(&g, T1, 0x600 + 4 * 5, S0); // software event 5 to core 1
  lw(&g, A0, 0x40, S0);
  lw(&g, A1, 0x40 + 0x1c, S0);
  end_only(&g, first);
  meet(&g);
  lw(&g, A2, 0x00, S11);
  lw(&g, A3, 0x1c, S11);
  struct pulpsim *sim = guest_finish(&g, 2, "");
  ck_assert_uint_eq(pulpsim_register(sim, 0, A0), 0x1234);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A1), 1 << 5);
  ck_assert_uint_eq(pulpsim_register(sim, 1, A2), 0x1234);
  ck_assert_uint_eq(pulpsim_register(sim, 1, A3), 1 << 5);
  ck_assert_uint_eq(pulpsim_register(sim, 0, A3), 0);
  pulpsim_free(sim);
}
END_TEST

// ---- mutex, dispatch

START_TEST(a_mutex_lets_one_in_at_a_time_the_lowest_first) {
  unsigned cores = (unsigned)_i;
  guest_begin(&g);
  set_up_barrier(cores);
  meet(&g);
  elw(&g, A0, 0xc0, S11);
  lw(&g, T2, 0x40, S10);
  addi(&g, A1, T2, 1);
  nops(&g, 3);
  sw(&g, A1, 0x40, S10);
  addi(&g, T0, T5, 100);
  sw(&g, T0, 0xc0, S11); // message: core + 100
  struct pulpsim *sim = guest_finish(&g, cores, "");
  ck_assert_uint_eq(guest_word(sim, GUEST_TCDM + 0x40), cores);
  for (unsigned i = 0; i < cores; i++) {
    ck_assert_uint_eq(pulpsim_register(sim, i, A1), i + 1);
    ck_assert_uint_eq(pulpsim_register(sim, i, A0), i ? i - 1 + 100 : 0);
  }
  pulpsim_free(sim);
}
END_TEST

START_TEST(dispatched_words_reach_the_team_in_order) {
  unsigned team = (unsigned)_i & ~1u; // workers
  guest_begin(&g);
  set_up_barrier(4);
  li(&g, T1, team);
  unsigned first = only(&g, 0);
  sw(&g, T1, 0x84, S11);
  end_only(&g, first);
  meet(&g);
  unsigned master = only(&g, 0);
  for (int k = 1; k <= 3; k++) {
    li(&g, T1, 0x1000u * (unsigned)k);
    sw(&g, T1, 0x80, S11);
  }
  end_only(&g, master);
  for (unsigned i = 1; i < 4; i++) {
    if (!(team >> i & 1))
      continue;
    unsigned worker = only(&g, i);
    for (int k = 0; k < 3; k++)
      elw(&g, A0 + k, 0x80, S11);
    end_only(&g, worker);
  }
  struct pulpsim *sim = guest_finish(&g, 4, "");
  for (unsigned i = 1; i < 4; i++)
    for (unsigned k = 0; k < 3; k++)
      ck_assert_uint_eq(pulpsim_register(sim, i, A0 + k), team >> i & 1 ? 0x1000u * (k + 1) : 0);
  pulpsim_free(sim);
}
END_TEST

// ---- causes, and what never wakes

START_TEST(the_time_asleep_has_its_cause) {
  guest_begin(&g);
  set_up_barrier(2);
  meet(&g);
  unsigned late = only(&g, 1);
  nops(&g, 200);
  end_only(&g, late);
  elw(&g, T2, 0x21c, S11);
  struct pulpsim *sim = guest_finish(&g, 2, "");
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  unsigned barrier = 0;
  while (pulpsim_cause_name(barrier)[0] != 'b' || pulpsim_cause_name(barrier)[1] != 'a')
    barrier++;
  ck_assert_uint_ge(s->core[0].total.stalls[barrier], 195);
  ck_assert_uint_le(s->core[0].total.stalls[barrier], 210);
  pulpsim_free(sim);
}
END_TEST

START_TEST(waiting_for_ever_is_a_deadlock) {
  guest_begin(&g);
  elw(&g, T2, 0x3c, S11);
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 2, "");
  guest_fails(sim, "deadlock");
  pulpsim_free(sim);
}
END_TEST

Suite *event_unit_rules_suite(void) {
  Suite *s = suite_create("event_unit_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, all_leave_a_barrier_five_cycles_after_the_last_arrival, 0, 48);
  tcase_add_test(t, a_barrier_of_a_team_leaves_the_others_alone);
  tcase_add_test(t, a_barrier_may_be_triggered_for_others);
  tcase_add_loop_test(t, masks_are_set_and_cleared_bit_by_bit, 0, 2);
  tcase_add_loop_test(t, software_events_reach_their_targets, 0, 64);
  tcase_add_test(t, waiting_leaves_the_event_and_waiting_with_clear_takes_it);
  tcase_add_test(t, trigger_and_wait_uses_the_target_mask);
  tcase_add_test(t, the_plug_shows_the_same_registers);
  tcase_add_loop_test(t, a_mutex_lets_one_in_at_a_time_the_lowest_first, 1, 9);
  tcase_add_loop_test(t, dispatched_words_reach_the_team_in_order, 2, 16);
  tcase_add_test(t, the_time_asleep_has_its_cause);
  tcase_add_test(t, waiting_for_ever_is_a_deadlock);
  suite_add_tcase(s, t);
  return s;
}
