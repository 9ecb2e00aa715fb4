// Commands of GDB's remote serial protocol.
#include "observe/gdb_commands.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 100000 }; // cycles between looks at the connection

void gdb_init(struct gdb *g, struct pulpsim *sim) {
  memset(g, 0, sizeof *g);
  g->sim = sim;
  g->in = g->out = -1;
  g->slice = SLICE;
  g->end = GDB_END_DETACHED;
  pulpsim_debugging(sim, true);
  history_start(&g->history, sim);
}

void gdb_release(struct gdb *g) {
  history_end(&g->history);
  pulpsim_snapshot_free(g->passed.before);
}

void gdb_reset(struct gdb *g) {
  gdb_clear_breakpoints(g);
  pulpsim_snapshot_free(g->passed.before);
  g->passed.before = NULL;
  g->passed.any = g->finished = g->no_ack = g->watching_output = false;
  g->core = g->step_core = 0;
  g->reader.where = GDB_OUTSIDE;
  history_end(&g->history);
  history_start(&g->history, g->sim);
}

bool gdb_thread(struct gdb *g, const char **p, unsigned *core) {
  uint32_t id = 0;
  if (**p == '-') { // all
    *p += (*p)[1] ? 2 : 1;
    return true;
  }
  if (!gdb_number(p, &id) || id > pulpsim_cores(g->sim))
    return false;
  if (id > 0)
    *core = id - 1;
  return true;
}

bool gdb_starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static void handle_select(struct gdb *g, const char *p) {
  unsigned *core = *p == 'c' ? &g->step_core : &g->core;
  bool good = (*p == 'c' || *p == 'g') && (p++, gdb_thread(g, &p, core));
  gdb_text(&g->writer, good ? "OK" : "E01");
}

static void finish(struct gdb *g, enum gdb_end end) {
  gdb_clear_breakpoints(g);
  pulpsim_debugging(g->sim, false);
  g->end = end;
  g->finished = true;
}

static void handle_v(struct gdb *g, const char *p) {
  if (strcmp(p, "Cont?") == 0) {
    gdb_text(&g->writer, "vCont;c;C;s;S");
  } else if (gdb_starts(p, "Cont")) {
    gdb_vcont(g, p + 4);
  } else if (gdb_starts(p, "Kill")) {
    gdb_text(&g->writer, "OK");
    finish(g, GDB_END_KILLED);
  }
}

// Registers and memory. False: another command.
static bool handle_data(struct gdb *g, char command, const char *p, const char *end) {
  switch (command) {
  case 'g':
    gdb_read_all(g);
    return true;
  case 'G':
    gdb_write_all(g, p);
    return true;
  case 'p':
    gdb_read_register(g, p);
    return true;
  case 'P':
    gdb_write_register(g, p);
    return true;
  case 'm':
    gdb_read_memory(g, p);
    return true;
  case 'M':
  case 'X':
    gdb_write_memory(g, p, end, command == 'X');
    return true;
  default:
    return false;
  }
}

// What lets the program go on, or stops it. False: another command.
static bool handle_run(struct gdb *g, char command, const char *p) {
  switch (command) {
  case 'c':
  case 's':
    gdb_resume(g, command == 's', command == 's');
    return true;
  case 'b':
    gdb_back(g, *p == 's');
    return true;
  case 'v':
    handle_v(g, p);
    return true;
  case 'Z':
  case 'z':
    gdb_set_breakpoint(g, p, command == 'Z');
    return true;
  case 'D':
    gdb_text(&g->writer, "OK");
    finish(g, GDB_END_DETACHED);
    return true;
  case 'k':
    finish(g, GDB_END_KILLED);
    return true;
  default:
    return false;
  }
}

static void handle_other(struct gdb *g, char command, const char *p) {
  unsigned core = 0;
  switch (command) {
  case '?':
    gdb_put_state(g);
    break;
  case 'H':
    handle_select(g, p);
    break;
  case 'T':
    gdb_text(&g->writer, gdb_thread(g, &p, &core) ? "OK" : "E01");
    break;
  case 'q':
    gdb_query(g, p);
    break;
  case 'Q':
    if (strcmp(p, "StartNoAckMode") == 0) {
      gdb_text(&g->writer, "OK");
      g->no_ack = true;
    }
    break;
  default:
    break; // an empty reply: not supported
  }
}

void gdb_handle(struct gdb *g, const char *packet, size_t length) {
  const char *p = packet + 1, *end = packet + length;
  gdb_begin(&g->writer);
  if (!handle_data(g, *packet, p, end) && !handle_run(g, *packet, p))
    handle_other(g, *packet, p);
  gdb_end(&g->writer);
}
