// tests/cluster/code_rules.c: a core that rewrites its own code executes, behind a fence.i, what it
// has written, in both engines, with what others do meanwhile in the same cycles. What a core, or
// the DMA, rewrites while others execute it, these see in the cycle in which it has been written,
// however far ahead they have been executed.
#include <check.h>
#include <stdio.h>

#include "line.h"
#include "outcome.h"
#include "sim/machine.h"

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
// others in each round; or, `seldom`, in one of sixteen.
static void rewriter(struct guest *g, unsigned seed, uint32_t base, bool seldom) {
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
  li(g, S1, 0);
  unsigned again = g->count;
  addi(g, S1, S1, 1);
  word(g, (seldom ? 15u : 0) << 20 | S1 << 15 | 7 << 12 | T1 << 7 | 0x13); // andi t1, s1, 15 or 0
  unsigned place = g->count;
  word(g, 0);
  for (unsigned n = below(4); n; n--) {
    add(g, S2, S2, S3);
    sw(g, S2, (int)(4 * below(words)), S0);
    nops(g, below(3));
  }
  add(g, S2, S2, S3);
  sw(g, S2, 0, S0); // without the fence, the fetch comes in front of this
  g->word[place] = line_branch(1, T1, ZERO, 4 * (g->count - place));
  word(g, FENCE_I);
  word(g, S0 << 15 | 1 << 7 | 0x67); // jalr ra, s0
  sw(g, A1, 0, S10);
  sw(g, A1, 0, S9);
  loop_while(g, S10, again);
}

static void copy_by_dma(struct guest *g, uint32_t to, uint32_t from, unsigned bytes) {
  const uint32_t words[] = {bytes | 1 << 17 | 1 << 18, to, from};
  lw(g, A0, 0, S7);
  for (unsigned i = 0; i < 3; i++) {
    li(g, T1, words[i]);
    sw(g, T1, 0, S7);
  }
  unsigned top = g->count;
  lw(g, S4, 4, S7);
  word(g, 16u << 20 | S4 << 15 | 1u << 12 | S4 << 7 | 0x13); // slli s4, s4, 16: transfers under way
  loop_while(g, S4, top);
  li(g, T1, 1);
  sll(g, T1, T1, A0);
  sw(g, T1, 4, S7);
}

// Core 0 rewrites words of code that the others call again and again, or lets the DMA do so.
static void rewrite_for_others(struct guest *g, unsigned seed, uint32_t base, bool dma) {
  state = seed + 1;
  unsigned words = 8 + below(40);
  guest_begin(g);
  li(g, S0, base);
  li(g, S1, GUEST_DATA + 0x2000);
  li(g, S2, any_addi());
  li(g, S3, 1 << 20);
  li(g, A1, 0);
  unsigned place = only(g, 0);
  for (unsigned i = 0; i < words; i++) {
    li(g, T1, any_addi());
    sw(g, T1, (int)(4 * i), S0);
    li(g, T1, any_addi());
    sw(g, T1, (int)(4 * i), S1);
  }
  li(g, T1, 0x00008067); // ret
  sw(g, T1, (int)(4 * words), S0);
  end_only(g, place);
  meet(g);
  place = only(g, 0);
  unsigned again = g->count;
  for (unsigned n = 1 + below(4); n; n--) {
    unsigned at = 4 * below(words), size = 4 * (1 + below(words - at / 4));
    add(g, S2, S2, S3);
    sw(g, S2, (int)at, dma ? S1 : S0);
    if (dma)
      copy_by_dma(g, base + at, GUEST_DATA + 0x2000 + at, size);
    nops(g, below(60));
  }
  loop_while(g, S10, again);
  end_only(g, place);
  again = g->count;
  unsigned calls = 1 + below(3);
  while (calls--)
    word(g, S0 << 15 | 1 << 7 | 0x67); // jalr ra, s0
  if (seed & 4)
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
    rewriter(&g, seed, seed & 1 ? GUEST_TCDM + 0x1000 : GUEST_DATA + 0x1000, seed & 2);
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

static void count(void *user, const struct pulpsim_insn_event *event) {
  (void)event;
  ++*(uint64_t *)user;
}

static void compare_rewritten(const struct guest *g, unsigned machine, unsigned seed,
                              bool watched) {
  static struct outcome a, b;
  uint64_t heard = 0;
  struct pulpsim *fast = guest_load_on(g, CORES, machines[machine], PULPSIM_FAST);
  struct pulpsim *plain = guest_load_on(g, CORES, machines[machine], PULPSIM_PLAIN);
  if (watched)
    pulpsim_observe(fast, &(struct pulpsim_observer){.user = &heard, .insn = count});
  pulpsim_run_exactly(fast, CYCLES);
  pulpsim_run(plain, CYCLES);
  outcome_take(fast, &a);
  outcome_take(plain, &b);
  outcome_compare(&a, &b, machines[machine], machine, seed);
  for (unsigned i = 0; i < CORES; i++)
    ck_assert_msg(pulpsim_register(fast, i, A1) == pulpsim_register(plain, i, A1),
                  "%s, seed %u, core %u: a1 differs", machines[machine], seed, i);
  ck_assert_uint_eq(heard > 0, watched);
  ck_assert_msg(!watched || !fast->rollbacks.count, "who is watched is never ahead");
  pulpsim_free(fast);
  pulpsim_free(plain);
}

START_TEST(what_others_rewrite_is_executed_from_that_cycle_on) {
  static struct guest g;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    bool in_l1 = seed & 1, dma = in_l1 && (seed & 2);
    rewrite_for_others(&g, seed, in_l1 ? GUEST_TCDM + 0x1000 : GUEST_DATA + 0x1000, dma);
    compare_rewritten(&g, (unsigned)_i, seed, seed % 8 == 7);
  }
}
END_TEST

Suite *code_rules_suite(void) {
  Suite *s = suite_create("code_rules");
  TCase *t = tcase_create("code");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, rewritten_code_is_executed_behind_a_fence, 0, MACHINES);
  tcase_add_loop_test(t, what_others_rewrite_is_executed_from_that_cycle_on, 0, MACHINES);
  suite_add_tcase(s, t);
  return s;
}
