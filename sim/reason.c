#include "sim/reason.h"

#include <stdio.h>
#include <string.h>

#include "core/pipeline.h"
#include "engine/out_of_memory.h"
#include "observe/backtrace.h"
#include "observe/lines.h"
#include "sim/platform.h"
#include "sim/sets.h"
#include "soc/unit_names.h"

enum { CALLERS = 16, NULL_PAGE = 0x100 };

// What is written about a run goes here; the program's lines are read when they are needed.
struct teller {
  const struct pulpsim *sim;
  struct lines *lines;
  FILE *out;
};

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// "0x1c008010 (main+0x10, hello.c:3)"; `call`: the pc is behind a call, whose line is meant.
static void put_place(struct teller *t, uint32_t pc, bool call) {
  uint32_t offset = 0;
  unsigned line;
  const char *file, *name = pulpsim_symbol_at(t->sim, pc - call, &offset);
  fprintf(t->out, "0x%08x", (unsigned)pc);
  if (!name)
    return;
  fprintf(t->out, " (%s+0x%x", name, (unsigned)offset + call);
  if (lines_find(t->lines, pc - call, &file, &line))
    fprintf(t->out, ", %s:%u", base_name(file), line);
  fputc(')', t->out);
}

// ---- traps

void reason_keep_trap(struct pulpsim *sim, const struct core *c, uint32_t pc, const char *text) {
  struct failure *f = &sim->failure;
  *f = (struct failure){.core = c->index, .pc = pc};
  snprintf(f->text, sizeof f->text, "%s", text);
  f->accesses = strstr(text, "load outside") || strstr(text, "store outside");
  f->address = c->acc.addr;
  f->size = c->acc.size;
}

static void put_address(struct teller *t, const struct failure *f) {
  const char *unit = unit_name(f->address);
  fprintf(t->out, ": %u byte%s at address 0x%08x", f->size, f->size == 1 ? "" : "s",
          (unsigned)f->address);
  if (f->address < NULL_PAGE)
    fprintf(t->out, ", near 0: a null pointer");
  else if (unit && t->sim->platform)
    fprintf(t->out, ", which nobody models: %s", unit);
}

// The word, and what it means elsewhere.
static void put_word(struct teller *t, uint32_t pc) {
  uint32_t word = 0;
  char text[80];
  if (pc < NULL_PAGE && t->sim->platform) {
    fprintf(t->out, ", near 0: a call by a null pointer");
    return;
  }
  if (!pulpsim_read(t->sim, pc, &word, 2)) {
    fprintf(t->out, ", fetched where no memory is");
    return;
  }
  bool small = (word & 3) != 3;
  if (!small && !pulpsim_read(t->sim, pc, &word, 4))
    return;
  fprintf(t->out, small ? " 0x%04x" : " 0x%08x", (unsigned)word);
  const struct set_setting *elsewhere =
      sets_elsewhere(&t->sim->config, word, pc, text, sizeof text);
  if (elsewhere)
    fprintf(t->out, ": %s of %s, which this machine has not (%s)", text,
            isa_set_names[elsewhere->set], elsewhere->setting);
  else if (word && t->sim->elf && elf_foreign_extension(t->sim->elf, word, text, sizeof text))
    fprintf(t->out, "; the program is compiled for the extension %s, which no machine has", text);
}

static void put_callers(struct teller *t, unsigned core, uint32_t pc) {
  uint32_t caller[CALLERS];
  unsigned n = backtrace_find(t->sim, core, pc, caller, CALLERS);
  for (unsigned i = 0; i < n; i++) {
    fprintf(t->out, "\n  called from ");
    put_place(t, caller[i], true);
  }
}

static void explain_trap(struct teller *t) {
  const struct failure *f = &t->sim->failure;
  fprintf(t->out, "core %u, pc ", f->core);
  put_place(t, f->pc, false);
  fprintf(t->out, ": %s", f->text);
  if (f->accesses)
    put_address(t, f);
  if (strcmp(f->text, "illegal instruction") == 0)
    put_word(t, f->pc);
  fprintf(t->out, " in cycle %llu", (unsigned long long)t->sim->ended);
  put_callers(t, f->core, f->pc);
}

// ---- deadlocks

static void put_cores(FILE *out, uint32_t mask) {
  fputs(mask & (mask - 1) ? "cores" : "core", out);
  const char *separator = " ";
  for (; mask; mask &= mask - 1, separator = ", ")
    fprintf(out, "%s%d", separator, __builtin_ctz(mask));
}

static void put_events(FILE *out, uint32_t mask) {
  static const struct {
    uint32_t lines;
    const char *name;
  } events[] = {{0xff << EVENT_SW, "software"},
                {1 << EVENT_DMA | 1 << EVENT_DMA_IRQ, "DMA"},
                {1 << EVENT_TIMER_LOW | 1 << EVENT_TIMER_HIGH, "timer"},
                {0xf << EVENT_ACCELERATOR, "accelerator"},
                {1 << EVENT_BARRIER, "barrier"},
                {1 << EVENT_MUTEX, "mutex"},
                {1 << EVENT_DISPATCH, "dispatch"},
                {1 << EVENT_SOC, "SoC"}};
  const char *separator = " of ";
  if (!mask)
    fputs("an event, and its mask has none", out);
  else
    fprintf(out, "an event (mask 0x%08x)", (unsigned)mask);
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    if (mask & events[i].lines) {
      fprintf(out, "%s%s", separator, events[i].name);
      separator = ", ";
    }
}

static void put_mutex_or_dispatch(FILE *out, uint32_t offset) {
  fputs(offset == 0x0c0 ? "the mutex, which another core holds"
                        : "work (dispatch), which nobody pushes",
        out);
}

// What the event load of a core waits for, by its register (sim/cluster/event_unit.h).
static void put_wait(struct teller *t, const struct core *c) {
  const struct event_unit *eu = &t->sim->platform->event_unit;
  uint32_t offset = c->acc.addr & 0xfff, mask = eu->core[c->index].mask;
  unsigned barrier = (offset - 0x200) / 0x20;
  fputs("waits for ", t->out);
  if (offset >= 0x200 && barrier < eu->barriers)
    fprintf(t->out, "barrier %u", barrier);
  else if (offset == 0x080 || offset == 0x0c0)
    put_mutex_or_dispatch(t->out, offset);
  else
    put_events(t->out, mask);
}

static bool sleeps_in_wfi(const struct core *c) {
  return c->phase == CORE_RUNS && c->pipeline->ctrl.state == CTRL_SLEEP;
}

static void put_sleeper(struct teller *t, const struct core *c) {
  if (t->sim->failure.spinning >> c->index & 1) {
    fputs("goes round and round at ", t->out);
    put_place(t, t->sim->failure.spin_pc[c->index], false);
    return;
  }
  bool unit = t->sim->platform && c->index < config_active_cores(&t->sim->config);
  switch (c->phase) {
  case CORE_RUNS:
    if (sleeps_in_wfi(c))
      fputs("sleeps in wfi", t->out);
    else if (c->acc.kind == ACCESS_ELW && unit)
      put_wait(t, c);
    else
      fputs(c->acc.kind == ACCESS_ELW ? "sleeps on an event" : "waits for memory", t->out);
    break;
  default:
    fputs(c->phase == CORE_HALTED ? "has ended" : "never started", t->out);
    return;
  }
  fputs(" at ", t->out);
  bool in_ex = c->phase == CORE_RUNS && !sleeps_in_wfi(c);
  put_place(t, in_ex ? memo_pc_in_ex(c->pipeline) : pulpsim_pc(t->sim, c->index), false);
}

// Of each barrier that somebody has come to: who is there, and who is missing.
static void put_barriers(struct teller *t) {
  const struct event_unit *eu = &t->sim->platform->event_unit;
  for (unsigned i = 0; i < eu->barriers; i++) {
    const struct barrier *b = &eu->barrier[i];
    if (!b->status)
      continue;
    fprintf(t->out, "\n  barrier %u: ", i);
    put_cores(t->out, b->status);
    fputs(b->status & (b->status - 1) ? " are there, " : " is there, ", t->out);
    uint32_t missing = b->trigger & ~b->status;
    if (missing)
      put_cores(t->out, missing);
    fputs(!b->trigger               ? "and its team is empty"
          : !missing                ? "who are not in its team"
          : missing & (missing - 1) ? " are missing"
                                    : " is missing",
          t->out);
  }
}

static void explain_deadlock(struct teller *t) {
  const struct pulpsim *sim = t->sim;
  const char *why = sim->platform ? mchan_stuck(&sim->platform->dma) : NULL;
  if (!why && sim->platform)
    why = icache_stuck(&sim->platform->icache);
  fprintf(t->out, "deadlock in cycle %llu: %s", (unsigned long long)sim->ended,
          why                     ? why
          : sim->failure.spinning ? "no core gets any further, and nobody is left to change that"
                                  : "nothing can wake any core");
  if (sim->platform)
    put_barriers(t);
  for (unsigned i = 0; i < sim->core_count; i++) {
    fprintf(t->out, "\n  core %u ", i);
    put_sleeper(t, &sim->core[i]);
  }
}

void reason_explain(struct pulpsim *sim) {
  if ((sim->state != PULPSIM_TRAPPED && sim->state != PULPSIM_DEADLOCK) || *sim->reason)
    return;
  size_t size;
  const void *elf = pulpsim_program(sim, &size);
  struct teller t = {.sim = sim,
                     .lines = lines_new(elf, size),
                     .out = must_have(fmemopen(sim->reason, sizeof sim->reason, "w"))};
  if (sim->state == PULPSIM_TRAPPED)
    explain_trap(&t);
  else
    explain_deadlock(&t);
  fclose(t.out);
  sim->reason[sizeof sim->reason - 1] = '\0';
  lines_free(t.lines);
}
