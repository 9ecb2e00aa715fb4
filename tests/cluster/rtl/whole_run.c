#include "whole_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_EVENTS = 1 << 16 };

static void clear(struct whole_run *r) {
  memset(r->count, 0, sizeof r->count);
  memset(r->l1, 0, sizeof r->l1);
  r->first = UINT64_MAX;
  r->last = r->known = 0;
  r->ended = false;
  *r->stray = '\0';
}

static void make_room(struct whole_run *r, unsigned core) {
  if (r->count[core] < r->room[core])
    return;
  r->room[core] = r->room[core] ? 2 * r->room[core] : FIRST_EVENTS;
  r->event[core] = realloc(r->event[core], r->room[core] * sizeof **r->event);
  if (!r->event[core])
    abort();
}

static void note(struct whole_run *r, unsigned core, uint64_t cycle, uint32_t pc) {
  make_room(r, core);
  r->event[core][r->count[core]++] = (struct whole_event){cycle, pc};
  r->first = cycle < r->first ? cycle : r->first;
  r->last = cycle > r->last ? cycle : r->last;
  r->known = r->last;
}

// Returns 0, or the number of a line that says nothing known.
static unsigned read_line(struct whole_run *r, const char *line, unsigned number) {
  unsigned long long cycle;
  unsigned core, a, b;
  if (sscanf(line, "%u %llu %x", &core, &cycle, &a) == 3 && core < WHOLE_CORES)
    note(r, core, cycle, a);
  else if (sscanf(line, "l1 %x %x", &a, &b) == 2 && (a - GUEST_TCDM) / 4 < WHOLE_L1_WORDS)
    r->l1[(a - GUEST_TCDM) / 4] = b;
  else if (sscanf(line, "stopped %llu", &cycle) == 1)
    r->known = cycle;
  else if (strcmp(line, "end\n") == 0)
    r->ended = true;
  else
    return number;
  return 0;
}

bool whole_run_read(struct whole_run *r, const char *path) {
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
    fprintf(
        stderr,
        "rtl-whole: %s:%u: neither CORE CYCLE PC, nor l1 ADDRESS WORD, stopped CYCLE, nor end\n",
        path, bad);
  else if (!r->last)
    fprintf(stderr, "rtl-whole: %s: no instruction\n", path);
  return !bad && r->last;
}

// ---- the model

struct model {
  struct pulpsim *sim;
  struct whole_run *run;
};

enum { CSR_MEPC = 0x341, CSR_SYSTEM = 0x73 };
enum { NO_UNIT = GUEST_PERIPHERALS + 0x1000, NO_UNIT_END = GUEST_PERIPHERALS + 0x1400 };

// flw, fsw and their short forms.
static bool is_float_access(uint32_t word) {
  bool is_long = (word & 0x7f) == 0x07 || (word & 0x7f) == 0x27;
  bool is_short = (word & 1) == 0 && (word >> 13 & 3) == 3;
  return is_long || is_short;
}

static void stray(struct whole_run *r, unsigned core, const char *what, uint32_t where) {
  if (!*r->stray)
    snprintf(r->stray, sizeof r->stray, "core %u %s %08" PRIx32, core, what, where);
}

// The handler of mixed_program.h asks where its trap came from.
static void trapped(struct model *m, unsigned core, uint32_t pc) {
  uint32_t word = 0;
  if (pc < GUEST_L2 || pc >= GUEST_L2 + WHOLE_L2)
    stray(m->run, core, "goes to where no program is,", pc);
  else if (pulpsim_read(m->sim, pc, &word, sizeof word) && is_float_access(word))
    stray(m->run, core, "accesses memory for a float at", pc);
}

// An accelerator's registers; what is below the clusters is L1 again in the model, and an
// assertion's end of the RTL. (The model itself ends at what is not mapped there.)
static bool nothing_at(uint32_t address) {
  return address < GUEST_TCDM || (address >= NO_UNIT && address < NO_UNIT_END);
}

static void look_for_strays(struct model *m, const struct pulpsim_insn_event *e) {
  bool handler = (e->word & 0x7f) == CSR_SYSTEM && e->word >> 20 == CSR_MEPC &&
                 (e->word >> 7 & 31) == T4 && e->write_count > 0;
  if (handler)
    trapped(m, e->core, e->write[0].value);
  if (e->has_memory && nothing_at(e->memory_address))
    stray(m->run, e->core, "accesses what is not there,", e->memory_address);
}

static void observe(void *user, const struct pulpsim_insn_event *e) {
  struct model *m = user;
  look_for_strays(m, e);
  if (e->core < WHOLE_CORES && whole_traced(e->encoding))
    note(m->run, e->core, e->cycle, e->pc);
}

static void run(struct model *m, uint64_t cycles) {
  struct whole_run *r = m->run;
  enum pulpsim_state state = pulpsim_run(m->sim, cycles);
  r->ended = state == PULPSIM_EXITED;
  if (state == PULPSIM_READY || state == PULPSIM_DEADLOCK)
    r->known = state == PULPSIM_READY ? cycles : UINT64_MAX;
  pulpsim_observe_end(m->sim);
  pulpsim_read(m->sim, GUEST_TCDM, r->l1, sizeof r->l1);
  if (state == PULPSIM_TRAPPED && !*r->stray)
    snprintf(r->stray, sizeof r->stray, "%s", pulpsim_reason(m->sim));
}

static struct pulpsim *build(const char *machine, char *const *settings, const char *elf,
                             struct pulpsim_error *error) {
  struct pulpsim_config *k = pulpsim_config_new(machine, error);
  bool good = k && pulpsim_config_set(k, "soc.boot=standalone", error) &&
              pulpsim_config_set(k, "cluster.icache.enabled=false", error);
  for (; good && *settings; settings++)
    good = pulpsim_config_set(k, *settings, error);
  struct pulpsim *sim = good ? pulpsim_new(k, error) : NULL;
  pulpsim_config_free(k);
  if (!sim || pulpsim_load(sim, elf, error))
    return sim;
  pulpsim_free(sim);
  return NULL;
}

bool whole_run_model(struct whole_run *r, const char *machine, char *const *settings,
                     const char *elf, uint64_t cycles) {
  struct pulpsim_error error;
  struct model m = {build(machine, settings, elf, &error), r};
  struct pulpsim_observer observer = {.user = &m, .insn = observe};
  clear(r);
  if (m.sim && pulpsim_observe(m.sim, &observer))
    run(&m, cycles);
  else
    fprintf(stderr, "rtl-whole: %s: %s\n", elf, m.sim ? "cannot be observed" : error.text);
  pulpsim_free(m.sim);
  return m.sim;
}
