// Whole clusters: traces that the RTL of one has written (README.md, "A whole cluster"), the
// model's made here.
//
// usage: rtl-whole generate FIRST COUNT FOLDER             writes FOLDER/SEED.elf
//        rtl-whole check MACHINE FILE... [KEY=VALUE...]    FILE.elf and FILE.trace
//        rtl-whole record FIRST COUNT FOLDER               rows of tests/data/cluster/whole.tsv
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sim/tiny_elf.h"
#include "../whole_program.h"

enum { EVENTS = 1 << 20, L1_WORDS = WHOLE_L1 / 4, SETTLE = 64 };

struct event {
  uint64_t cycle;
  uint32_t pc;
};
struct run {
  struct event *event[WHOLE_CORES];
  unsigned count[WHOLE_CORES];
  uint64_t first, last; // cycles, of all cores
  bool ended;
  uint32_t l1[L1_WORDS]; // from GUEST_TCDM on
};
static struct run rtl, model;

static void clear(struct run *r) {
  memset(r->count, 0, sizeof r->count);
  memset(r->l1, 0, sizeof r->l1);
  r->first = UINT64_MAX;
  r->last = 0;
  r->ended = false;
}

static void note(struct run *r, unsigned core, uint64_t cycle, uint32_t pc) {
  if (!r->event[core] && !(r->event[core] = malloc(EVENTS * sizeof **r->event)))
    abort();
  if (r->count[core] == EVENTS)
    return;
  r->event[core][r->count[core]++] = (struct event){cycle, pc};
  r->first = cycle < r->first ? cycle : r->first;
  r->last = cycle > r->last ? cycle : r->last;
}

// Returns 0, or the number of a line that says nothing known.
static unsigned read_line(struct run *r, const char *line, unsigned number) {
  unsigned long long cycle;
  unsigned core, a, b;
  if (sscanf(line, "%u %llu %x", &core, &cycle, &a) == 3 && core < WHOLE_CORES)
    note(r, core, cycle, a);
  else if (sscanf(line, "l1 %x %x", &a, &b) == 2 && (a - GUEST_TCDM) / 4 < L1_WORDS)
    r->l1[(a - GUEST_TCDM) / 4] = b;
  else if (strcmp(line, "end\n") == 0)
    r->ended = true;
  else
    return number;
  return 0;
}

static bool read_trace(struct run *r, const char *path) {
  char line[128];
  unsigned number = 0, bad = 0;
  FILE *f = fopen(path, "r");
  clear(r);
  if (!f) {
    fprintf(stderr, "rtl-whole: cannot read %s\n", path);
    return false;
  }
  while (!bad && fgets(line, sizeof line, f))
    bad = read_line(r, line, ++number);
  fclose(f);
  if (bad)
    fprintf(stderr, "rtl-whole: %s:%u: neither CORE CYCLE PC, nor l1 ADDRESS WORD, nor end\n", path,
            bad);
  else if (!r->last)
    fprintf(stderr, "rtl-whole: %s: no instruction\n", path);
  return !bad && r->last;
}

static void observe(void *user, const struct pulpsim_insn_event *e) {
  if (e->core < WHOLE_CORES && whole_traced(e->encoding))
    note(user, e->core, e->cycle, e->pc);
}

static bool run_model(const char *machine, char **settings, const char *elf, uint64_t cycles) {
  struct pulpsim_error error;
  struct pulpsim_config *k = pulpsim_config_new(machine, &error);
  bool good = k && pulpsim_config_set(k, "soc.boot=standalone", &error) &&
              pulpsim_config_set(k, "cluster.icache.enabled=false", &error);
  for (; good && *settings; settings++)
    good = pulpsim_config_set(k, *settings, &error);
  struct pulpsim *sim = good ? pulpsim_new(k, &error) : NULL;
  pulpsim_config_free(k);
  clear(&model);
  struct pulpsim_observer observer = {.user = &model, .insn = observe};
  good = sim && pulpsim_load(sim, elf, &error);
  if (!good)
    fprintf(stderr, "rtl-whole: %s: %s\n", elf, error.text);
  if (good && pulpsim_observe(sim, &observer)) {
    model.ended = pulpsim_run(sim, cycles) == PULPSIM_EXITED;
    pulpsim_observe_end(sim);
    pulpsim_read(sim, GUEST_TCDM, model.l1, sizeof model.l1);
  }
  pulpsim_free(sim);
  return good;
}

// Up to where both have come, in cycles since the first instruction.
static uint64_t horizon(void) {
  uint64_t a = rtl.last - rtl.first, b = model.last - model.first;
  return a < b ? a : b;
}

static const struct event *event(const struct run *r, unsigned core, unsigned n, uint64_t until) {
  const struct event *e = &r->event[core][n];
  return n < r->count[core] && e->cycle - r->first <= until ? e : NULL;
}

static void tell(const char *who, const struct run *r, const struct event *e) {
  if (e)
    printf(" %s %08x in cycle %" PRIu64, who, e->pc, e->cycle - r->first);
  else
    printf(" %s none", who);
}

// Returns how many instructions are in the same cycle; `*same`: all are.
static unsigned compare_core(const char *name, unsigned core, bool *same) {
  uint64_t until = horizon();
  for (unsigned n = 0;; n++) {
    const struct event *r = event(&rtl, core, n, until), *m = event(&model, core, n, until);
    if (!r && !m)
      return n;
    if (r && m && r->pc == m->pc && r->cycle - rtl.first == m->cycle - model.first)
      continue;
    printf("%s: core %u, instruction %u:", name, core, n);
    tell("RTL", &rtl, r);
    tell(", model", &model, m);
    printf("\n");
    *same = false;
    return n;
  }
}

static bool compare_l1(const char *name) {
  if (!rtl.ended)
    return true;
  for (unsigned i = 0; i < L1_WORDS; i++)
    if (rtl.l1[i] != model.l1[i]) {
      printf("%s: L1 at %08x: RTL %08x, model %08x\n", name, GUEST_TCDM + 4 * i, rtl.l1[i],
             model.l1[i]);
      return false;
    }
  return true;
}

// The run of the one is as long as that of the other.
static bool compare_ends(const char *name) {
  uint64_t a = rtl.last - rtl.first, b = model.last - model.first;
  bool same = !rtl.ended || (model.ended && a < b + SETTLE && b < a + SETTLE);
  if (!same)
    printf("%s: the RTL ends in cycle %" PRIu64 ", the model %s %" PRIu64 "\n", name, a,
           model.ended ? "in" : "not; its last instruction is in", b);
  return same;
}

static bool compare(const char *name, unsigned long long *instructions) {
  bool same = compare_ends(name) && compare_l1(name);
  for (unsigned core = 0; core < WHOLE_CORES; core++)
    *instructions += compare_core(name, core, &same);
  return same;
}

// FILE.elf and FILE.trace, without the ending.
static bool files_of(const char *name, char elf[], char trace[], size_t size) {
  return snprintf(elf, size, "%s.elf", name) < (int)size &&
         snprintf(trace, size, "%s.trace", name) < (int)size;
}

static int check(const char *machine, char **argument) {
  char elf[4096], trace[4096];
  unsigned programs = 0, equal = 0, ended = 0;
  unsigned long long instructions = 0;
  char **settings = argument;
  while (*settings && !strchr(*settings, '='))
    settings++;
  for (; argument < settings; argument++) {
    if (!files_of(*argument, elf, trace, sizeof elf) || !read_trace(&rtl, trace) ||
        !run_model(machine, settings, elf, rtl.last - rtl.first + 2000))
      return 66;
    programs++;
    ended += rtl.ended;
    equal += compare(*argument, &instructions);
  }
  printf("%u programs, %u with their ends and L1, %llu instructions in the RTL's cycles; "
         "%u programs differ\n",
         programs, ended, instructions, programs - equal);
  return programs && equal == programs ? 0 : 1;
}

static int record(uint64_t first, uint64_t count, const char *folder) {
  char trace[4096];
  printf("seed\tcycles\thash of L1 at the end\tper core: instructions, cycle of the last, hash\n");
  for (uint64_t seed = first; seed < first + count; seed++) {
    snprintf(trace, sizeof trace, "%s/%" PRIu64 ".trace", folder, seed);
    if (access(trace, R_OK) != 0)
      continue; // not run
    if (!read_trace(&rtl, trace))
      return 66;
    uint64_t cycles = rtl.last - rtl.first - SETTLE;
    printf("%" PRIu64 "\t%" PRIu64 "\t%016" PRIx64, seed, cycles,
           rtl.ended ? whole_hash(rtl.l1, L1_WORDS) : 0);
    for (unsigned core = 0; core < WHOLE_CORES; core++) {
      struct fetch_trace t = {0};
      const struct event *e;
      for (unsigned n = 0; (e = event(&rtl, core, n, cycles)); n++)
        fetch_trace_note(&t, e->cycle - rtl.first, e->pc);
      printf("\t%" PRIu64 " %" PRIu64 " %016" PRIx64, t.instructions, t.last, t.hash);
    }
    printf("\n");
  }
  return 0;
}

static int generate(uint64_t first, uint64_t count, const char *folder) {
  static struct guest g;
  char path[4096];
  for (uint64_t seed = first; seed < first + count; seed++) {
    whole_program(&g, seed);
    snprintf(path, sizeof path, "%s/%" PRIu64 ".elf", folder, seed);
    tiny_elf_write(path, GUEST_L2, g.word, g.count);
  }
  return 0;
}

static int arguments;
static char **argument;
static int status = 64;

// A test, because the programs are put together with its checks.
START_TEST(command) {
  bool numbers = arguments == 5;
  uint64_t first = numbers ? strtoull(argument[2], NULL, 0) : 0,
           count = numbers ? strtoull(argument[3], NULL, 0) : 0;
  if (numbers && strcmp(argument[1], "generate") == 0)
    status = generate(first, count, argument[4]);
  else if (numbers && strcmp(argument[1], "record") == 0)
    status = record(first, count, argument[4]);
  else if (arguments > 3 && strcmp(argument[1], "check") == 0)
    status = check(argument[2], argument + 3);
  else
    fprintf(stderr, "usage: rtl-whole generate FIRST COUNT FOLDER\n"
                    "       rtl-whole check MACHINE FILE... [KEY=VALUE...]\n"
                    "       rtl-whole record FIRST COUNT FOLDER\n");
}
END_TEST

int main(int argc, char **argv) {
  Suite *s = suite_create("rtl-whole");
  TCase *t = tcase_create("command");
  arguments = argc;
  argument = argv;
  tcase_add_test(t, command);
  suite_add_tcase(s, t);
  SRunner *runner = srunner_create(s);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_SILENT);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 70 : status;
}
