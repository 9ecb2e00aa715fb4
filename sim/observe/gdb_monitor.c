// `monitor` commands: what the simulator knows and GDB has no word for.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/gdb_commands.h"

enum { CODE_MOST = 40 };

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

static const char *name_at(const struct gdb *g, uint32_t pc, uint32_t *offset) {
  const char *name = g->replaced ? NULL : pulpsim_symbol_at(g->sim, pc, offset);
  return name ? name : "?";
}

static void say_cores(struct gdb *g) {
  for (unsigned i = 0; i < pulpsim_cores(g->sim); i++) {
    uint32_t pc = pulpsim_pc(g->sim, i), offset = 0;
    const char *name = name_at(g, pc, &offset), *waits = pulpsim_waits(g->sim, i);
    say(g, "core %u: %s%s at 0x%08x (%s+0x%x)\n", i, waits ? "asleep or waiting: " : "runs",
        waits ? waits : "", pc, name, offset);
  }
}

// "disasm", "disasm main", "disasm 0x1c008000 20": COUNT instructions from there, or from the pc.
static void say_code(struct gdb *g, const char *arguments) {
  char name[100] = "", text[80];
  unsigned count = 10;
  uint32_t pc = pulpsim_pc(g->sim, g->core), word;
  sscanf(arguments, "%99s %u", name, &count);
  char *end;
  if (*name && (g->replaced || !pulpsim_symbol(g->sim, name, &pc))) {
    pc = (uint32_t)strtoul(name, &end, 0);
    if (*end) {
      say(g, "%s: neither a symbol of the program nor an address\n", name);
      return;
    }
  }
  for (unsigned i = 0; i < count && i < CODE_MOST && pulpsim_read(g->sim, pc, &word, 2); i++) {
    bool small = (word & 3) != 3;
    word &= 0xffff;
    if (!small && !pulpsim_read(g->sim, pc, &word, 4))
      return;
    uint32_t offset = 0;
    const char *symbol = name_at(g, pc, &offset);
    pulpsim_disassemble(g->sim, word, pc, text, sizeof text);
    say(g, "%s 0x%08x <%s+%u>:\t%s\n", pc == pulpsim_pc(g->sim, g->core) ? "=>" : "  ",
        (unsigned)pc, symbol, (unsigned)offset, text);
    pc += small ? 2 : 4;
  }
}

static void say_help(struct gdb *g) {
  say(g, "cycles   time and instructions of each core\n"
         "stalls   where the cycles of each core went\n"
         "cores    where each core is, and what it waits for\n"
         "disasm [SYMBOL|ADDRESS] [COUNT]   instructions there, or at the pc\n"
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
  } else if (strncmp(command, "disasm", 6) == 0 && (!command[6] || command[6] == ' ')) {
    say_code(g, command + 6);
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
