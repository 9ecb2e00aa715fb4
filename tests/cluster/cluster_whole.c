// tests/cluster/cluster_whole.c: on the machine pulp-cluster-2.0, programs of all its cores, their
// caches, the event unit, the DMA and the way to L2 take the cycles that they take on the RTL of
// the whole pulp_cluster v2.0.0, every instruction, and leave the same in L1. So they do where it
// was built with one core, and where one of eight was started.
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole_program.h"

Suite *cluster_whole_suite(void);

enum { LINE = 1024, MOST = 200000, AFTER = 4000 };

// As their test bench: 14 cycles from address to data.
#define BENCH                                                                                      \
  "soc.boot=standalone cluster.icache.enabled=false l2.latency=14 "                                \
  "cluster.icache.refill_latency=14 cluster.dma.memory_latency=14"

static const struct recording {
  const char *path, *settings;
  unsigned cores, rows; // cores: built
} recordings[] = {
    {"tests/data/cluster/whole.tsv", BENCH, WHOLE_CORES, 99},
    {"tests/data/cluster/whole_one.tsv", BENCH, 1, 23},
    {"tests/data/cluster/whole_floats.tsv", BENCH, WHOLE_CORES, 24},
    {"tests/data/cluster/whole_caches.tsv", BENCH, WHOLE_CORES, 50},
    {"tests/data/cluster/whole_active.tsv", BENCH " cluster.active=1", WHOLE_CORES, 23},
};
enum { RECORDINGS = sizeof recordings / sizeof *recordings };

struct row {
  uint64_t seed, cycles, l1; // l1: hash at the end; 0: it did not end
  struct fetch_trace rtl[WHOLE_CORES];
};

// What the model has executed, until its cores' first instruction is known.
struct seen {
  struct departure {
    uint64_t cycle;
    uint32_t pc;
    uint8_t core;
  } * event;
  unsigned count;
  uint64_t first;
};

static bool parse(const char *line, struct row *r) {
  int at = 0;
  if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNx64 "%n", &r->seed, &r->cycles, &r->l1, &at) != 3)
    return false;
  for (unsigned i = 0; i < WHOLE_CORES; i++) {
    int more = 0;
    if (sscanf(line + at, " %" SCNu64 " %" SCNu64 " %" SCNx64 "%n", &r->rtl[i].instructions,
               &r->rtl[i].last, &r->rtl[i].hash, &more) != 3)
      return false;
    at += more;
  }
  return true;
}

static void observe(void *user, const struct pulpsim_insn_event *e) {
  struct seen *s = user;
  if (!whole_traced(e->encoding) || s->count == MOST)
    return;
  s->event[s->count++] = (struct departure){e->cycle, e->pc, (uint8_t)e->core};
  s->first = e->cycle < s->first ? e->cycle : s->first;
}

static void check_times(const struct row *r, const struct seen *s) {
  struct fetch_trace model[WHOLE_CORES] = {{0}};
  for (unsigned i = 0; i < s->count; i++)
    if (s->event[i].cycle - s->first <= r->cycles)
      fetch_trace_note(&model[s->event[i].core], s->event[i].cycle - s->first, s->event[i].pc);
  for (unsigned i = 0; i < WHOLE_CORES; i++)
    ck_assert_msg(
        memcmp(&model[i], &r->rtl[i], sizeof *model) == 0,
        "seed %" PRIu64 ": core %u executes %" PRIu64 " instructions, the last in cycle %" PRIu64
        ", on the RTL %" PRIu64 " and %" PRIu64,
        r->seed, i, model[i].instructions, model[i].last, r->rtl[i].instructions, r->rtl[i].last);
}

static void check_row(const struct recording *from, const struct row *r, enum pulpsim_engine engine,
                      struct seen *s) {
  static struct guest g;
  static uint32_t l1[WHOLE_L1 / 4];
  whole_program(&g, r->seed);
  struct pulpsim *sim =
      guest_machine(&g, "pulp-cluster-2.0", GUEST_L2, from->cores, from->settings, engine);
  s->count = 0;
  s->first = UINT64_MAX;
  ck_assert(pulpsim_observe(sim, &(struct pulpsim_observer){.user = s, .insn = observe}));
  enum pulpsim_state state = pulpsim_run(sim, r->cycles + AFTER);
  pulpsim_observe_end(sim);
  ck_assert_uint_lt(s->count, MOST);
  check_times(r, s);
  ck_assert(pulpsim_read(sim, GUEST_TCDM, l1, sizeof l1));
  ck_assert_msg(!r->l1 || (state == PULPSIM_EXITED && whole_hash(l1, WHOLE_L1 / 4) == r->l1),
                "seed %" PRIu64 ": L1 at the end", r->seed);
  pulpsim_free(sim);
}

// Each fourth program is DMA transfers beside accesses to L2 and refills; the others are anything.
START_TEST(executes_as_the_rtl_does) {
  const struct recording *from = &recordings[_i / 2];
  FILE *f = fopen(from->path, "r");
  ck_assert(f != NULL);
  char line[LINE];
  unsigned rows = 0;
  struct seen seen = {.event = malloc(MOST * sizeof *seen.event)};
  ck_assert_ptr_nonnull(seen.event);
  ck_assert(fgets(line, sizeof line, f) != NULL);
  for (; fgets(line, sizeof line, f); rows++) {
    struct row r;
    ck_assert_msg(parse(line, &r), "%s", line);
    check_row(from, &r, _i % 2 ? PULPSIM_PLAIN : PULPSIM_FAST, &seen);
  }
  fclose(f);
  free(seen.event);
  ck_assert_uint_eq(rows, from->rows);
}
END_TEST

Suite *cluster_whole_suite(void) {
  Suite *s = suite_create("cluster_whole");
  TCase *rtl = tcase_create("rtl");
  tcase_set_timeout(rtl, 120);
  tcase_add_loop_test(rtl, executes_as_the_rtl_does, 0, 2 * RECORDINGS);
  suite_add_tcase(s, rtl);
  return s;
}
