// Cores behind the instruction cache: the RTL's traces (icache_trace.cpp) from standard input, the
// model's made here.
//
// usage: rtl-icache generate CORE SEED FILE                     writes the program
//        rtl-icache check CORE CORES LATENCY PREFETCH SEED LIMIT  reads the RTL's traces
//
// CORE: cv32e40p or ri5cy. `check` prints the run as a line of tests/data/cluster/fetch.tsv, and on
// standard error where the model goes another way: the cycle model than the RTL, or the fast engine
// than the cycle model.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sim/tiny_elf.h"
#include "../fetch_program.h"
#include "command.h"

enum { CORES = 16, EVENTS = 100000 };

struct event {
  uint64_t cycle;
  uint32_t pc;
};
struct run {
  struct event event[CORES][EVENTS];
  unsigned count[CORES];
};
static struct run model, fast;

static void observe(void *user, const struct pulpsim_insn_event *e) {
  struct run *r = user;
  if (r->count[e->core] < EVENTS)
    r->event[e->core][r->count[e->core]++] = (struct event){e->cycle, e->pc};
}

static void run_model(const struct guest *g, unsigned cores, const char *settings, uint64_t limit,
                      enum pulpsim_engine engine) {
  struct pulpsim *sim = guest_load_on(g, cores, settings, engine);
  struct pulpsim_observer observer = {
      .user = engine == PULPSIM_PLAIN ? &model : &fast, .ahead = true, .insn = observe};
  pulpsim_observe(sim, &observer);
  pulpsim_run(sim, limit + 8);
  pulpsim_free(sim);
}

// Reads a core's trace; returns whether the model's is the same.
static bool compare(unsigned core, struct fetch_trace *rtl) {
  char line[80];
  unsigned long long cycle;
  unsigned pc, n = 0;
  bool same = true;
  if (!fgets(line, sizeof line, stdin) || strcmp(line, "program\n") != 0)
    return false;
  while (fgets(line, sizeof line, stdin) && sscanf(line, "%llu %x", &cycle, &pc) == 2) {
    const struct event *m = &model.event[core][n];
    fetch_trace_note(rtl, cycle, pc);
    if (same && (n >= model.count[core] || m->cycle != cycle || m->pc != pc)) {
      same = false;
      fprintf(stderr, "core %u, instruction %u: RTL cycle %llu pc %08x, model cycle %llu pc %08x\n",
              core, n, cycle, pc, n < model.count[core] ? (unsigned long long)m->cycle : 0,
              n < model.count[core] ? m->pc : 0);
    }
    n++;
  }
  return same && n > 0;
}

static bool engines_agree(unsigned core, uint64_t limit) {
  const struct event *m = model.event[core], *f = fast.event[core];
  for (unsigned n = 0; n < model.count[core] && m[n].cycle < limit; n++)
    if (n >= fast.count[core] || f[n].cycle != m[n].cycle || f[n].pc != m[n].pc) {
      fprintf(stderr, "core %u, instruction %u: the fast engine leaves the cycle model\n", core, n);
      return false;
    }
  return true;
}

static int check(char **arg) {
  unsigned cores = (unsigned)strtoul(arg[1], NULL, 0);
  uint64_t seed = strtoull(arg[4], NULL, 0), limit = strtoull(arg[5], NULL, 0);
  static struct guest g;
  char settings[256];
  bool same = true;
  fetch_program(&g, seed, strcmp(arg[0], "cv32e40p") == 0);
  snprintf(settings, sizeof settings,
           "core.model=%s core.isa=auto cluster.icache.model=hier cluster.icache.enabled=true "
           "cluster.icache.refill_latency=%s cluster.icache.prefetch=%s",
           arg[0], arg[2], strcmp(arg[3], "1") == 0 ? "true" : "false");
  run_model(&g, cores, settings, limit, PULPSIM_PLAIN);
  run_model(&g, cores, settings, limit, PULPSIM_FAST);
  printf("%s\t%u\t%s\t%s\t%" PRIu64 "\t%" PRIu64, arg[0], cores, arg[2], arg[3], seed, limit);
  for (unsigned i = 0; i < cores; i++) {
    struct fetch_trace rtl = {0};
    same &= compare(i, &rtl) && engines_agree(i, limit);
    printf("\t%" PRIu64 " %" PRIu64 " %016" PRIx64, rtl.instructions, rtl.last, rtl.hash);
  }
  printf("\n");
  return same ? 0 : 1;
}

static int run(int arguments, char **argument) {
  static struct guest g;
  if (arguments == 5 && strcmp(argument[1], "generate") == 0) {
    fetch_program(&g, strtoull(argument[3], NULL, 0), strcmp(argument[2], "cv32e40p") == 0);
    tiny_elf_write(argument[4], GUEST_L2, g.word, g.count);
    return 0;
  }
  if (arguments == 8 && strcmp(argument[1], "check") == 0)
    return check(argument + 2);
  fprintf(stderr, "usage: rtl-icache generate CORE SEED FILE\n"
                  "       rtl-icache check CORE CORES LATENCY PREFETCH SEED LIMIT\n");
  return 64;
}

int main(int argc, char **argv) {
  return command_status("rtl-icache", argc, argv, run);
}
