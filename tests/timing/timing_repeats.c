// tests/timing/timing_repeats.c: what is asked for twice acts once, as on the RTL.
//
// tests/data/timing/hashes.tsv: a configuration, programs by their numbers, and what the RTL did
// with them: a hash over the cycle and pc of every instruction and over every store (trace_hash.h).
// Measured with tests/timing/rtl (`rtl-compare record`).
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cluster/guest.h"
#include "../cluster/outcome.h"
#include "archive.h"
#include "float_program.h"
#include "repeat_program.h"
#include "testbench.h"
#include "trace_hash.h"

Suite *timing_repeats_suite(void);

// ---- against the RTL

enum { STORES = 4096 };

static struct {
  uint64_t hash, instructions;
  struct access store[STORES];
  unsigned stores;
} seen;

static void watch(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                  bool traps, cycle_t now) {
  (void)self;
  if (!testbench_seen(c, insn, traps))
    return;
  seen.hash = trace_hash_departure(seen.hash, now, pc, traps);
  seen.instructions++;
}

static void watch_store(void *self, const struct access *a) {
  (void)self;
  ck_assert_uint_lt(seen.stores, STORES);
  seen.store[seen.stores++] = *a;
}

static void finish_program(void) {
  for (unsigned i = 0; i < seen.stores; i++) {
    const struct access *a = &seen.store[i];
    uint32_t value = a->size < 4 ? a->data & ((UINT32_C(1) << 8 * a->size) - 1) : a->data;
    seen.hash = trace_hash_store(seen.hash, a->addr, a->size, value);
  }
  seen.stores = 0;
}

enum { LENGTH = 260 }; // as rtl-compare has it

static void generate(const struct testbench *b, const char *flavour, unsigned number,
                     uint8_t image[RANDOM_PROGRAM_SIZE]) {
  struct random_program what = {
      .seed = number, .decoder = testbench_decoder(b), .sets = testbench_sets(b), .length = LENGTH};
  what.crossing = strcmp(flavour, "crossing") == 0;
  what.flavour = RANDOM_INTERRUPTS;
  if (what.crossing || strcmp(flavour, "moving") == 0)
    float_program(&what, image);
  else if (strcmp(flavour, "counters") == 0)
    what.flavour = RANDOM_COUNTERS, random_program(&what, image);
  else if (strcmp(flavour, "interrupts") == 0)
    random_program(&what, image);
  else
    repeat_program(number, image);
}

static void run_row(const struct table *t) {
  static uint8_t image[RANDOM_PROGRAM_SIZE];
  static struct testbench_result result;
  unsigned v[5];
  ck_assert_int_eq(sscanf(table_text(t, "delays"), "%u,%u,%u,%u,%u", v, v + 1, v + 2, v + 3, v + 4),
                   5);
  struct testbench_delays delays = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], 0,
                                    v[4]};
  unsigned first = (unsigned)table_number(t, "first"), count = (unsigned)table_number(t, "count");
  struct testbench *b = testbench_new(table_text(t, "config"));
  testbench_watch(b, watch, NULL);
  testbench_watch_stores(b, watch_store);
  seen.hash = TRACE_HASH_SEED;
  seen.instructions = 0;
  for (unsigned number = first; number < first + count; number++) {
    generate(b, table_text(t, "flavour"), number, image);
    testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &delays,
                        table_number(t, "limit"), &result);
    delays.interrupts += delays.interrupts != 0; // each program has its own
    finish_program();
  }
  testbench_free(b);
  ck_assert_msg(seen.instructions == table_number(t, "instructions") &&
                    seen.hash == table_number(t, "hash"),
                "%s, programs %u to %u, delays %s: %llu instructions, hash %016llx, unlike the RTL",
                table_text(t, "config"), first, first + count - 1, table_text(t, "delays"),
                (unsigned long long)seen.instructions, (unsigned long long)seen.hash);
}

START_TEST(what_is_asked_for_twice_acts_once_as_on_the_rtl) {
  struct archive *a = archive_folder("tests/data/timing");
  struct table *t = table_open(a, "hashes.tsv");
  unsigned rows = 0;
  for (; table_next(t); rows++)
    run_row(t);
  ck_assert_uint_ge(rows, 225);
  table_close(t);
  archive_close(a);
}
END_TEST

// ---- both engines

enum {
  MACHINES = 5,
  ZFINX = 4,
  EVERY = 7,
  MOST_CYCLES = 100000,
  RESULTS = 0x400,
  CORES = 3,
  SEEDS = 180
};

static const char *const machines[MACHINES] = {
    "core.model=ri5cy core.isa=auto core.fpu.present=true core.fpu.divider=mvp "
    "core.fpu.results=rtl",
    "core.model=ri5cy core.isa=auto core.fpu.present=true core.fpu.divider=mvp "
    "core.fpu.results=rtl "
    "core.fpu.addmul_latency=2",
    "core.model=ri5cy core.isa=auto core.fpu.present=true core.fpu.divider=mvp "
    "core.fpu.results=rtl "
    "cluster.icache.model=hier "
    "cluster.icache.enabled=true",
    "core.model=ri5cy core.isa=auto core.fpu.present=true core.fpu.divider=mvp "
    "core.fpu.results=rtl "
    "cluster.fpu.sharing=shared "
    "cluster.fpu.units=1",
    [ZFINX] = "core.model=ri5cy core.isa=auto core.fpu.present=true core.fpu.divider=mvp "
              "core.fpu.results=rtl core.zfinx=true",
};

static void set_up(struct guest *g) {
  static const uint32_t floats[] = {0x3f800000, 0x40400000, 0x40e00000, 0};
  for (unsigned f = 0; f < 4; f++) {
    li(g, T1, floats[f]);
    word(g, 0xf0000053 | (uint32_t)T1 << 15 | (f + 1) << 7); // fmv.w.x
  }
  li(g, S0, 11);
  sll(g, S0, T5, S0); // each core has data of its own
  add(g, S0, S0, S10);
  add(g, S1, S0, ZERO);
  li(g, A0, 0x76543210);
  li(g, A1, 12);
  li(g, A2, 35);
  li(g, A3, 7);
}

static void program(struct guest *g, unsigned number) {
  struct repeat_body b;
  guest_begin(g);
  set_up(g);
  enum { FIRST_WORDS = 3 }; // li, sw
  repeat_body(number, GUEST_L2 + 4 * (g->count + FIRST_WORDS), &b);
  li(g, T1, b.landing);
  sw(g, T1, 0, S0);
  for (unsigned i = 0; i < b.count; i++)
    word(g, b.word[i]);
  for (int r = S0; r <= A5; r++)
    sw(g, r, RESULTS + 4 * r, S0);
  guest_end(g);
}

START_TEST(both_engines_agree) {
  static struct guest g;
  static struct outcome fast, plain;
  for (unsigned number = (unsigned)_i; number < REPEAT_PROGRAMS; number += EVERY * MACHINES) {
    unsigned cores = 1 + number % CORES;
    program(&g, number);
    enum pulpsim_state end = outcome_run(&g, cores, machines[_i], PULPSIM_FAST, MOST_CYCLES, &fast);
    bool goes_astray = number >= REPEAT_TWICE; // to where nothing is
    ck_assert_msg(end == PULPSIM_EXITED || goes_astray, "program %u does not end", number);
    outcome_run(&g, cores, machines[_i], PULPSIM_PLAIN, MOST_CYCLES, &plain);
    outcome_compare(&fast, &plain, "outcome", (unsigned)_i, number);
  }
}
END_TEST

// All cores run it on the same data, which they change.
static void float_guest(struct guest *g, const struct random_program *what) {
  static uint8_t code[RANDOM_PROGRAM_SIZE], data[RANDOM_PROGRAM_SIZE];
  guest_begin(g);
  random_program_data(what->seed, data);
  for (int i = 0; i < 96; i++) {
    uint32_t value;
    memcpy(&value, data + RANDOM_PROGRAM_DATA + 4 * i, sizeof value);
    li(g, T1, value);
    sw(g, T1, 0x400 + 4 * i, S10);
  }
  uint32_t size = float_program_code(what, GUEST_TCDM, code);
  for (uint32_t at = 0; at < size; at += 4) {
    uint32_t value;
    memcpy(&value, code + at, sizeof value);
    word(g, value);
  }
  guest_end(g);
}

START_TEST(both_engines_agree_on_programs_by_chance) {
  static struct guest g;
  static struct outcome fast, plain;
  struct testbench *b = testbench_new(_i == ZFINX ? "ri5cyzf" : "ri5cyfp");
  struct random_program what = {
      .decoder = testbench_decoder(b), .sets = testbench_sets(b), .length = LENGTH};
  for (what.seed = 1 + (unsigned)_i; what.seed <= SEEDS; what.seed += MACHINES) {
    what.crossing = what.seed % 3 == 0;
    float_guest(&g, &what);
    outcome_run(&g, 1 + what.seed % CORES, machines[_i], PULPSIM_FAST, MOST_CYCLES, &fast);
    outcome_run(&g, 1 + what.seed % CORES, machines[_i], PULPSIM_PLAIN, MOST_CYCLES, &plain);
    outcome_compare(&fast, &plain, "outcome", (unsigned)_i, what.seed);
  }
  testbench_free(b);
}
END_TEST

// In a loop, the division before decides the mask or the shift; the sum is the RTL's.
START_TEST(masks_overtake_divisions) {
  static const struct {
    uint32_t word, sum;
  } rtl[] = {{0x80c78733, 0xfff52345},  // p.extractr x14,x15,x12
             {0x40c7a75b, 0x7f01e827},  // p.addnr x14,x15,x12
             {0x80c7a733, 0x9bc68b1f}}; // p.insertr x14,x15,x12
  static struct guest g;
  for (unsigned i = 0; i < 2 * sizeof rtl / sizeof *rtl; i++) {
    guest_begin(&g);
    static const uint32_t values[] = {0, 0x40400000, 0x123, 0x3f800000, 0, 0x89abcdef, 40};
    for (int r = 0; r < 7; r++)
      li(&g, A0 + r, values[r]);
    unsigned again = g.count;
    word(&g, 0x18d58653); // fdiv.s x12,x11,x13
    word(&g, rtl[i / 2].word);
    add(&g, A0, A0, A4);
    addi(&g, A1, A1, 0x155);
    addi(&g, A0 + 6, A0 + 6, -1);
    loop_while(&g, A0 + 6, again);
    sw(&g, A0, 0, S9);
    guest_end(&g);
    struct pulpsim *sim =
        guest_load_on(&g, 1, machines[ZFINX], i % 2 ? PULPSIM_PLAIN : PULPSIM_FAST);
    guest_run(sim);
    uint32_t sum = guest_word(sim, GUEST_DATA);
    ck_assert_msg(sum == rtl[i / 2].sum, "%08x: %08x, on the RTL %08x", rtl[i / 2].word, sum,
                  rtl[i / 2].sum);
    pulpsim_free(sim);
  }
}
END_TEST

Suite *timing_repeats_suite(void) {
  Suite *s = suite_create("timing_repeats");
  TCase *c = tcase_create("repeats");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, what_is_asked_for_twice_acts_once_as_on_the_rtl);
  tcase_add_test(c, masks_overtake_divisions);
  tcase_add_loop_test(c, both_engines_agree, 0, MACHINES);
  tcase_add_loop_test(c, both_engines_agree_on_programs_by_chance, 0, MACHINES);
  suite_add_tcase(s, c);
  return s;
}
