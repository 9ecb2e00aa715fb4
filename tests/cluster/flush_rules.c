// tests/cluster/flush_rules.c: what one core does to the instruction caches of all reaches the
// others in the cycle in which it comes, however far ahead they are executed.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "fetch_program.h"
#include "outcome.h"
#include "sim/machine.h"

Suite *flush_rules_suite(void);

enum { CORES = 4, SEEDS = 32, TEXT = 64, FLUSH = 0x1404, PUT = 4 };

static const char *const models[] = {"ri5cy", "cv32e40p"};
static const unsigned latencies[] = {1, 2, 4, 15, 40};

static void compare(struct pulpsim *fast, struct pulpsim *plain, unsigned model, unsigned seed) {
  static struct outcome a, b;
  outcome_take(fast, &a);
  outcome_take(plain, &b);
  outcome_compare(&a, &b, models[model], model, seed);
}

// Who is watched is never ahead.
static void listen(void *user, const struct pulpsim_insn_event *event) {
  (void)user, (void)event;
}

START_TEST(engines_agree_where_cores_flush) {
  static struct guest g;
  char settings[200];
  unsigned few = 0, many = 0;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    snprintf(settings, sizeof settings,
             "core.model=%s core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true "
             "cluster.icache.refill_latency=%u",
             models[_i], latencies[seed % 5]);
    fetch_program(&g, FETCH_PROGRAM_FLUSHES + seed, _i == 1);
    struct pulpsim *fast = guest_load_on(&g, CORES, settings, PULPSIM_FAST);
    struct pulpsim *plain = guest_load_on(&g, CORES, settings, PULPSIM_PLAIN);
    if (seed % 8 == 7)
      pulpsim_observe(fast, &(struct pulpsim_observer){.insn = listen});
    for (unsigned until = 1500; until <= 4500; until += 3000) {
      pulpsim_run_exactly(fast, until);
      pulpsim_run(plain, until);
      compare(fast, plain, (unsigned)_i, seed);
    }
    few += fast->rollbacks.count > 0 && !fast->rollbacks.always;
    many += fast->rollbacks.always;
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
  if (_i == 1) // CV32E40P: computed cycle by cycle, and so never ahead
    return;
  ck_assert(few > 2 ||
            ROLLBACKS < 8); // so few in the hostile build that hardly any program has so few
  ck_assert_uint_gt(many, 2);
}
END_TEST

// ---- what has been heard is not heard again

struct heard {
  char text[TEXT];
  size_t length;
};

static void hear(void *user, int fd, const char *bytes, size_t count) {
  struct heard *h = user;
  (void)fd;
  ck_assert_uint_gt(count, 0);
  ck_assert_uint_lt(h->length + count, TEXT);
  memcpy(h->text + h->length, bytes, count);
  h->length += count;
}

static void print(struct guest *g, char character) {
  li(g, A0, (unsigned char)character);
  sw(g, A0, PUT, T6);
}

// Core 0 prints and flushes, the others go round and round until it ends. They divide: caches that
// are asked in every cycle, and hit, would never flush (so on the RTL).
static void lines_and_flushes(struct guest *g, unsigned lines) {
  guest_begin(g);
  unsigned place = only(g, 0);
  for (unsigned i = 0; i < lines; i++) {
    print(g, (char)('a' + i));
    if (i & 1)
      print(g, '\n');
    nops(g, 12);
    li(g, A1, 1);
    li(g, A2, GUEST_PERIPHERALS + FLUSH);
    sw(g, A1, 0, A2);
  }
  word(g, 0x00000513); // li a0, 0
  li(g, A7, 93);
  word(g, 0x00000073); // ecall
  end_only(g, place);
  unsigned again = g->count;
  nops(g, 20);
  word(g, 0x02b55533); // divu a0, a0, a1
  li(g, A1, 1);
  loop_while(g, A1, again);
}

START_TEST(text_is_heard_once) {
  static struct guest g;
  for (unsigned lines = 1; lines < 24; lines++) {
    struct heard heard = {.length = 0};
    lines_and_flushes(&g, lines);
    struct pulpsim *fast = guest_load_on(
        &g, CORES,
        "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
        PULPSIM_FAST);
    struct pulpsim *plain = guest_load_on(
        &g, CORES,
        "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
        PULPSIM_PLAIN);
    pulpsim_on_output(fast, hear, &heard);
    ck_assert_msg(pulpsim_run(fast, 1 << 20) == PULPSIM_EXITED, "%s", pulpsim_reason(fast));
    ck_assert_uint_gt(fast->rollbacks.count, 0);
    struct heard once = heard;
    heard.length = 0;
    pulpsim_on_output(plain, hear, &heard);
    ck_assert_int_eq(pulpsim_run(plain, 1 << 20), PULPSIM_EXITED);
    ck_assert_uint_eq(once.length, heard.length);
    ck_assert_mem_eq(once.text, heard.text, heard.length);
    ck_assert_uint_eq(heard.length, lines + lines / 2);
    compare(fast, plain, 0, lines);
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
}
END_TEST

// Who has been changed from outside cannot start over.
START_TEST(who_cannot_start_over_is_computed_plainly) {
  static struct guest g;
  fetch_program(&g, FETCH_PROGRAM_FLUSHES, false);
  struct pulpsim *fast = guest_load_on(
      &g, CORES,
      "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
      PULPSIM_FAST);
  pulpsim_run(fast, 100);
  unsigned count = fast->rollbacks.count;
  ck_assert(!fast->rollbacks.always);
  ck_assert(pulpsim_write(fast, GUEST_DATA + 0xf000, &count, sizeof count));
  pulpsim_run(fast, 4500);
  ck_assert(fast->rollbacks.always && fast->computes_part && !fast->rollbacks.due);
  ck_assert_uint_eq(fast->rollbacks.count, count);
  pulpsim_free(fast);
}
END_TEST

// Of cores that flush a set at once the second gets the first one's answer (cluster_whole has the
// RTL's runs).
START_TEST(an_answer_to_another_core_is_told) {
  static struct guest g;
  guest_begin(&g);
  li(&g, A2, GUEST_PERIPHERALS + FLUSH);
  li(&g, A1, GUEST_L2);
  sw(&g, A1, 8, A2); // +0x0c: of the sets that hold an address
  guest_end(&g);
  struct pulpsim *sim = guest_load_on(
      &g, 2, "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
      PULPSIM_FAST);
  ck_assert_int_eq(pulpsim_run(sim, 100000), PULPSIM_DEADLOCK);
  ck_assert_msg(strstr(pulpsim_reason(sim), "has given the answer to a flush of a set to another"),
                "%s", pulpsim_reason(sim));
  pulpsim_free(sim);
}
END_TEST

Suite *flush_rules_suite(void) {
  Suite *s = suite_create("flush_rules");
  TCase *t = tcase_create("rollbacks");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, engines_agree_where_cores_flush, 0, 2);
  tcase_add_test(t, text_is_heard_once);
  tcase_add_test(t, who_cannot_start_over_is_computed_plainly);
  tcase_add_test(t, an_answer_to_another_core_is_told);
  suite_add_tcase(s, t);
  return s;
}
