// tests/cluster/fpu_rules.c: float units shared among cores: who is served, and what waiting costs.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fpu_share.h"
#include "guest.h"

Suite *fpu_rules_suite(void);

static struct guest g;

// ---- the interconnect alone (tests/cluster/rtl)

// Cycles from request to result, by the divider of FPnew 0.6: 11, or 2 with a zero.
enum { NORMAL = 11 + FPU_SHARE_DIVIDER_FRAME, ZERO_OPERAND = 2 + FPU_SHARE_DIVIDER_FRAME };

static void replay(struct fpu_share *s, const char *line) {
  unsigned long long cycle;
  unsigned asks, divides, zero, served, results, seen = 0;
  ck_assert_int_eq(
      sscanf(line, "%llu %x %x %x %x %x", &cycle, &asks, &divides, &zero, &served, &results), 6);
  for (unsigned i = 0; i < s->cores; i++) {
    unsigned latency = divides >> i & 1 ? (zero >> i & 1 ? ZERO_OPERAND : NORMAL) : 0;
    if (asks >> i & 1)
      fpu_share_ask(s, i, latency, cycle);
  }
  for (unsigned i = 0; i < s->cores; i++)
    seen |= (unsigned)fpu_share_served(s, i, cycle) << i;
  ck_assert_msg(!asks || seen == served, "cycle %llu: serves %x, the RTL %x", cycle, seen, served);
}

START_TEST(serves_whom_the_rtl_serves) {
  FILE *f = fopen("tests/data/cluster/fpu.tsv", "r");
  ck_assert(f != NULL);
  char line[80];
  unsigned cores, units, machines = 0, cycles = 0;
  struct fpu_share s = {0};
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "# %u %u", &cores, &units) == 2) {
      fpu_share_init(&s, cores, units);
      machines++;
    } else {
      replay(&s, line);
      cycles++;
    }
  }
  fclose(f);
  ck_assert_uint_eq(machines, 4);
  ck_assert_uint_gt(cycles, 2000);
}
END_TEST

// ---- cores behind it

enum { FADD = 0x53, FDIV = 0x18000053, FADD_LOOP = 32 };

// `n` independent operations, from f1 and f2 (1.0 and 3.0) to f8..f23.
static void floats(uint32_t op, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    word(&g, op | 2u << 20 | 1u << 15 | (8 + i % 16) << 7);
}

static void set_float(unsigned f, uint32_t bits) {
  li(&g, T1, bits);
  word(&g, 0xf0000053 | (uint32_t)T1 << 15 | f << 7); // fmv.w.x
}

static void program(uint32_t op, unsigned n) {
  guest_begin(&g);
  set_float(1, 0x3f800000);
  set_float(2, 0x40400000);
  meet(&g);
  mark(&g, ZERO);
  floats(op, n);
  word(&g, 0xe0000053 | 8u << 15 | (uint32_t)A0 << 7); // fmv.x.w a0, f8: waits for the first
  mark(&g, ZERO);
  guest_end(&g);
}

struct spent {
  uint64_t cycles, contention;
};

static struct spent run(unsigned cores, const char *sharing, struct spent *of_core) {
  char settings[256];
  snprintf(settings, sizeof settings,
           "core.model=ri5cy core.fpu.present=true core.fpu.divider=mvp %s", sharing);
  struct pulpsim *sim = guest_load(&g, cores, settings);
  guest_run(sim);
  struct spent most = {0};
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < cores; i++) {
    struct spent one = {.cycles = guest_mark(sim, i, 1) - guest_mark(sim, i, 0)};
    uint64_t sum = 0;
    for (unsigned k = 0; k < PULPSIM_CAUSES; k++) {
      sum += s->core[i].total.stalls[k];
      if (strcmp(pulpsim_cause_name(k), "fpu_contention") == 0)
        one.contention = s->core[i].total.stalls[k];
    }
    ck_assert_uint_eq(sum, s->core[i].total.cycles);
    if (of_core)
      of_core[i] = one;
    if (one.cycles > most.cycles)
      most = one;
  }
  pulpsim_free(sim);
  return most;
}

// With n cores on u units, each unit gets n / u of the operations and takes one per cycle.
START_TEST(operations_beyond_the_units_wait) {
  static const struct {
    unsigned cores, units, cycles_per_operation;
  } row[] = {{1, 1, 1}, {2, 1, 2}, {4, 1, 4}, {8, 1, 8}, {1, 2, 1}, {2, 2, 1}, {4, 2, 2},
             {8, 2, 4}, {1, 4, 1}, {2, 4, 1}, {4, 4, 1}, {8, 4, 2}, {8, 8, 1}, {8, 16, 1}};
  char sharing[80];
  program(FADD, FADD_LOOP);
  struct spent private = run(row[_i].cores, "", NULL), of_core[8];
  snprintf(sharing, sizeof sharing, "cluster.fpu.sharing=shared cluster.fpu.units=%u",
           row[_i].units);
  struct spent most = run(row[_i].cores, sharing, of_core);
  unsigned extra = (row[_i].cycles_per_operation - 1) * (FADD_LOOP + 1); // and the move
  ck_assert_uint_eq(private.contention, 0);
  // The first and the last in a round are served up to a round apart.
  ck_assert_uint_le(most.cycles, private.cycles + extra);
  ck_assert_uint_ge(most.cycles + 8, private.cycles + extra);
  for (unsigned i = 0; i < row[_i].cores; i++)
    ck_assert_uint_ge(of_core[i].contention + private.cycles, of_core[i].cycles);
}
END_TEST

// One divider for all: an operation of 13 cycles begins every 14.
START_TEST(divisions_go_one_by_one) {
  unsigned cores = (unsigned)_i;
  program(FDIV, 1);
  struct spent private = run(cores, "", NULL);
  struct spent most = run(cores, "cluster.fpu.sharing=shared cluster.fpu.units=4", NULL);
  ck_assert_uint_eq(most.cycles, private.cycles + FPU_SHARE_DIVIDER_FRAME + 14 * (cores - 1));
}
END_TEST

// The order of equal times within a rank is nobody's business.
START_TEST(order_does_not_matter) {
  program(FADD, FADD_LOOP);
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    struct pulpsim *sim = guest_load(&g, 8,
                                     "core.model=ri5cy core.fpu.present=true "
                                     "cluster.fpu.sharing=shared cluster.fpu.units=4");
    pulpsim_shuffle(sim, k * 77);
    guest_run(sim);
    cycles[k] = 0;
    for (unsigned i = 0; i < 8; i++)
      cycles[k] = cycles[k] * 31 + guest_mark(sim, i, 1);
    pulpsim_free(sim);
  }
  ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

Suite *fpu_rules_suite(void) {
  Suite *s = suite_create("fpu_rules");
  TCase *t = tcase_create("rules");
  tcase_add_test(t, serves_whom_the_rtl_serves);
  tcase_add_loop_test(t, operations_beyond_the_units_wait, 0, 14);
  tcase_add_loop_test(t, divisions_go_one_by_one, 1, 9);
  tcase_add_test(t, order_does_not_matter);
  suite_add_tcase(s, t);
  return s;
}
