// `monitor` commands: what the simulator knows and GDB has no word for.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "observe/gdb_parts.h"

static void say(struct gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct gdb *g, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gdb_hex(&g->writer, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void say_cycles(struct gdb *g) {
  say(g, "cycle %" PRIu64 "\n", pulpsim_now(g->sim));
  for (unsigned i = 0; i < pulpsim_cores(g->sim); i++)
    say(g, "core %u: cycle %" PRIu64 ", %" PRIu64 " instructions\n", i,
        pulpsim_core_cycle(g->sim, i), pulpsim_retired(g->sim, i));
}

static void say_stalls(struct gdb *g) {
  const struct pulpsim_stats *s = pulpsim_stats(g->sim);
  for (unsigned i = 0; i < s->core_count; i++) {
    say(g, "core %u: issue %" PRIu64, i, s->core[i].total.instructions);
    for (unsigned k = 1; k < PULPSIM_CAUSES; k++)
      if (s->core[i].total.stalls[k])
        say(g, ", %s %" PRIu64, pulpsim_cause_name(k), s->core[i].total.stalls[k]);
    say(g, "\n");
  }
}

static void say_cores(struct gdb *g) {
  for (unsigned i = 0; i < pulpsim_cores(g->sim); i++) {
    uint32_t pc = pulpsim_pc(g->sim, i), offset = 0;
    const char *name = pulpsim_symbol_at(g->sim, pc, &offset), *waits = pulpsim_waits(g->sim, i);
    say(g, "core %u: %s%s at 0x%08x (%s+0x%x)\n", i, waits ? "asleep or waiting: " : "runs",
        waits ? waits : "", pc, name ? name : "?", offset);
  }
}

static void say_help(struct gdb *g) {
  say(g, "cycles   time and instructions of each core\n"
         "stalls   where the cycles of each core went\n"
         "cores    where each core is, and what it waits for\n"
         "reset    back to the first instruction\n"
         "help     this list\n");
}

void gdb_monitor(struct gdb *g, const char *command) {
  if (strcmp(command, "cycles") == 0) {
    say_cycles(g);
  } else if (strcmp(command, "stalls") == 0) {
    say_stalls(g);
  } else if (strcmp(command, "cores") == 0) {
    say_cores(g);
  } else if (strcmp(command, "reset") == 0) {
    history_rewind(&g->history);
    say(g, "at cycle %" PRIu64 "; GDB's view follows with the next stop or `flushregs`\n",
        pulpsim_now(g->sim));
  } else {
    if (strcmp(command, "help") != 0)
      say(g, "no such command: %.100s\n", command);
    say_help(g);
  }
}
