// Whole clusters: traces that the RTL of one has written (README.md, "A whole cluster"), the
// model's made here.
//
// usage: rtl-whole generate MACHINE FIRST COUNT FOLDER [KEY=VALUE...]  writes FOLDER/SEED.elf
//        rtl-whole check MACHINE FILE... [KEY=VALUE...]                FILE.elf and FILE.trace
//        rtl-whole record FIRST COUNT FOLDER                           rows of
//        tests/data/cluster/whole.tsv
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sim/tiny_elf.h"
#include "command.h"
#include "whole_run.h"

enum { SETTLE = 64, LONGEST = 8000 };

static struct whole_run rtl, model;

// Up to where both are known, in cycles since the first instruction.
static uint64_t horizon(void) {
  uint64_t a = rtl.known - rtl.first, b = model.known - model.first;
  return a < b ? a : b;
}

static const struct whole_event *event(const struct whole_run *r, unsigned core, unsigned n,
                                       uint64_t until) {
  if (n >= r->count[core] || r->event[core][n].cycle - r->first > until)
    return NULL;
  return &r->event[core][n];
}

static void tell(const char *who, const struct whole_run *r, const struct whole_event *e) {
  if (e)
    printf(" %s %08x in cycle %" PRIu64, who, e->pc, e->cycle - r->first);
  else
    printf(" %s none", who);
}

// Returns how many instructions are in the same cycle; `*same`: all are.
static unsigned compare_core(const char *name, unsigned core, bool *same) {
  uint64_t until = horizon();
  for (unsigned n = 0;; n++) {
    const struct whole_event *r = event(&rtl, core, n, until), *m = event(&model, core, n, until);
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
  for (unsigned i = 0; i < WHOLE_L1_WORDS; i++)
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
  if (!same && *model.stray)
    printf("%s: in the model, %s\n", name, model.stray);
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
    if (!files_of(*argument, elf, trace, sizeof elf) || !whole_run_read(&rtl, trace) ||
        !whole_run_model(&model, machine, settings, elf, rtl.known - rtl.first + 2000))
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
    if (!whole_run_read(&rtl, trace))
      return 66;
    uint64_t cycles = rtl.last - rtl.first - SETTLE;
    printf("%" PRIu64 "\t%" PRIu64 "\t%016" PRIx64, seed, cycles,
           rtl.ended ? whole_hash(rtl.l1, WHOLE_L1_WORDS) : 0);
    for (unsigned core = 0; core < WHOLE_CORES; core++) {
      struct fetch_trace t = {0};
      const struct whole_event *e;
      for (unsigned n = 0; (e = event(&rtl, core, n, cycles)); n++)
        fetch_trace_note(&t, e->cycle - rtl.first, e->pc);
      printf("\t%" PRIu64 " %" PRIu64 " %016" PRIx64, t.instructions, t.last, t.hash);
    }
    printf("\n");
  }
  return 0;
}

// Programs that stray on the model are left out: see whole_run.h.
static bool keep(const char *machine, char *const *settings, const char *path) {
  if (!whole_run_model(&model, machine, settings, path, LONGEST))
    return false;
  if (*model.stray) {
    fprintf(stderr, "%s left out: %s\n", path, model.stray);
    remove(path);
  }
  return true;
}

// Prints the seeds.
static int generate(const char *machine, char *const *settings, uint64_t seed, uint64_t count,
                    const char *folder) {
  static struct guest g;
  char path[4096];
  for (; count; seed++) {
    whole_program(&g, seed);
    snprintf(path, sizeof path, "%s/%" PRIu64 ".elf", folder, seed);
    tiny_elf_write(path, GUEST_L2, g.word, g.count);
    if (!keep(machine, settings, path))
      return 64;
    if (*model.stray)
      continue;
    printf("%" PRIu64 "\n", seed);
    count--;
  }
  return 0;
}

static int usage(void) {
  fprintf(stderr, "usage: rtl-whole generate MACHINE FIRST COUNT FOLDER [KEY=VALUE...]\n"
                  "       rtl-whole check MACHINE FILE... [KEY=VALUE...]\n"
                  "       rtl-whole record FIRST COUNT FOLDER\n");
  return 64;
}

static int run(int arguments, char **argument) {
  if (arguments > 5 && strcmp(argument[1], "generate") == 0)
    return generate(argument[2], argument + 6, strtoull(argument[3], NULL, 0),
                    strtoull(argument[4], NULL, 0), argument[5]);
  if (arguments == 5 && strcmp(argument[1], "record") == 0)
    return record(strtoull(argument[2], NULL, 0), strtoull(argument[3], NULL, 0), argument[4]);
  if (arguments > 3 && strcmp(argument[1], "check") == 0)
    return check(argument[2], argument + 3);
  return usage();
}

int main(int argc, char **argv) {
  return command_status("rtl-whole", argc, argv, run);
}
