// tests/cluster/code_rules.c: a core that rewrites its own code executes, behind a fence.i, what it
// has written, in both engines, with what others do meanwhile in the same cycles.
#include <check.h>
#include <stdio.h>

#include "outcome.h"

Suite *code_rules_suite(void);

enum { CORES = 4, SEEDS = 40, COPY_BITS = 9, CYCLES = 3000, FENCE_I = 0x0000100f };

static uint64_t state;

static uint32_t below(uint32_t bound) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

// addi a1, a1, by chance
static uint32_t any_addi(void) {
  return below(2048) << 20 | A1 << 15 | A1 << 7 | 0x13;
}

// Each core calls code of its own, from `base` on, of which it has rewritten a few words with
// others in each round.
static void rewriter(struct guest *g, unsigned seed, uint32_t base) {
  state = seed;
  unsigned words = 8 + below(40);
  guest_begin(g);
  li(g, S0, base);
  li(g, T0, COPY_BITS);
  sll(g, T0, T5, T0);
  add(g, S0, S0, T0);
  for (unsigned i = 0; i < words; i++) {
    li(g, T1, any_addi());
    sw(g, T1, (int)(4 * i), S0);
  }
  li(g, T1, 0x00008067); // ret
  sw(g, T1, (int)(4 * words), S0);
  li(g, S2, any_addi());
  li(g, S3, 1 << 20);
  li(g, A1, 0);
  unsigned again = g->count;
  for (unsigned n = below(4); n; n--) {
    add(g, S2, S2, S3);
    sw(g, S2, (int)(4 * below(words)), S0);
    nops(g, below(3));
  }
  add(g, S2, S2, S3);
  sw(g, S2, 0, S0); // without the fence, the fetch comes in front of this
  word(g, FENCE_I);
  word(g, S0 << 15 | 1 << 7 | 0x67); // jalr ra, s0
  sw(g, A1, 0, S10);
  sw(g, A1, 0, S9);
  loop_while(g, S10, again);
}

static const char *const machines[] = {
    "core.model=ri5cy core.isa=auto cluster.icache.model=ideal",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=ideal",
    "core.model=ri5cy core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
    "core.model=cv32e40p core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true",
};
enum { MACHINES = sizeof machines / sizeof *machines };

START_TEST(rewritten_code_is_executed_behind_a_fence) {
  static struct guest g;
  static struct outcome a, b;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    rewriter(&g, seed, seed & 1 ? GUEST_TCDM + 0x1000 : GUEST_DATA + 0x1000);
    struct pulpsim *fast = guest_load_on(&g, CORES, machines[_i], PULPSIM_FAST);
    struct pulpsim *plain = guest_load_on(&g, CORES, machines[_i], PULPSIM_PLAIN);
    pulpsim_run_exactly(fast, CYCLES);
    pulpsim_run(plain, CYCLES);
    outcome_take(fast, &a);
    outcome_take(plain, &b);
    outcome_compare(&a, &b, machines[_i], (unsigned)_i, seed);
    for (unsigned i = 0; i < CORES; i++)
      ck_assert_uint_eq(pulpsim_register(fast, i, A1), pulpsim_register(plain, i, A1));
    ck_assert_uint_ne(pulpsim_register(plain, 0, A1), 0);
    pulpsim_free(fast);
    pulpsim_free(plain);
  }
}
END_TEST

Suite *code_rules_suite(void) {
  Suite *s = suite_create("code_rules");
  TCase *t = tcase_create("code");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, rewritten_code_is_executed_behind_a_fence, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
