// Commands of GDB's remote serial protocol.
#include "observe/gdb.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_SEGV = 11 };
enum { SLICE = 100000 }; // cycles between looks at the connection

bool gdb_interrupted(struct gdb *g); // gdb_server.c

static void apply_all(struct gdb *g);

static void reply(struct gdb *g, const char *text) {
  gdb_text(&g->writer, text);
}

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
  for (unsigned i = 0; i < g->breakpoints; i++)
    g->breakpoint[i].wanted = false;
  apply_all(g);
  pulpsim_snapshot_free(g->passed.before);
  g->passed.before = NULL;
  g->passed.any = g->finished = g->no_ack = g->watching_output = false;
  g->core = g->step_core = 0;
  g->reader.where = GDB_OUTSIDE;
  history_end(&g->history);
  history_start(&g->history, g->sim);
}

// ---- stops

static void put_stop(struct gdb *g, const struct pulpsim_stop *s) {
  static const char *const watch[] = {"", "", "watch", "rwatch", "awatch"};
  unsigned kind = 1;
  for (unsigned i = 0; i < g->breakpoints; i++) {
    const struct gdb_breakpoint *b = &g->breakpoint[i];
    bool here = s->kind == PULPSIM_STOP_WATCH ? b->kind >= 2 && b->address == s->address
                                              : b->kind < 2 && b->address == s->pc;
    if (here)
      kind = b->kind;
  }
  g->core = g->step_core = s->core;
  gdb_print(&g->writer, "T%02xthread:%x;", SIGNAL_TRAP, s->core + 1);
  if (s->kind == PULPSIM_STOP_WATCH)
    gdb_print(&g->writer, "%s:%x;", watch[kind < 2 ? 2 : kind], s->address);
  else if (s->kind == PULPSIM_STOP_BREAKPOINT)
    reply(g, kind == 0 ? "swbreak:;" : "hwbreak:;");
}

// Text for the debugger's console.
static void put_console(struct gdb *g, const char *text) {
  gdb_begin(&g->notice);
  gdb_text(&g->notice, "O");
  gdb_hex(&g->notice, text, strlen(text));
  gdb_end(&g->notice);
  g->watching_output = true;
}

static void put_state(struct gdb *g) {
  char text[700];
  enum pulpsim_state state = pulpsim_state(g->sim);
  switch (state) {
  case PULPSIM_EXITED:
    gdb_print(&g->writer, "W%02x", pulpsim_exit_status(g->sim) & 0xff);
    g->end = GDB_END_EXITED;
    return;
  case PULPSIM_TRAPPED:
  case PULPSIM_DEADLOCK:
    snprintf(text, sizeof text, "%s\n", pulpsim_reason(g->sim));
    put_console(g, text);
    gdb_print(&g->writer, "T%02xthread:%x;", state == PULPSIM_TRAPPED ? SIGNAL_SEGV : SIGNAL_ABRT,
              g->core + 1);
    return;
  default:
    gdb_print(&g->writer, "T%02xthread:%x;", SIGNAL_TRAP, g->core + 1);
  }
}

// ---- breakpoints

static void apply(struct gdb *g, struct gdb_breakpoint *b, bool set) {
  static const unsigned kinds[] = {0, 0, PULPSIM_WATCH_WRITE, PULPSIM_WATCH_READ,
                                   PULPSIM_WATCH_WRITE | PULPSIM_WATCH_READ};
  if (b->set == set)
    return;
  b->set = set;
  if (b->kind >= 2) {
    pulpsim_watch(g->sim, b->address, b->size, kinds[b->kind], set);
    return;
  }
  bool other = false; // of the other kind at the same place
  for (unsigned i = 0; i < g->breakpoints; i++)
    other |= &g->breakpoint[i] != b && g->breakpoint[i].set && g->breakpoint[i].kind < 2 &&
             g->breakpoint[i].address == b->address;
  if (!other)
    pulpsim_breakpoint(g->sim, b->address, set);
}

// GDB takes its breakpoints out to step over one of them with one thread. Other cores may run
// meanwhile, and must not slip through: a breakpoint goes when it is still unwanted as all go on.
static void apply_all(struct gdb *g) {
  for (unsigned i = 0; i < g->breakpoints;) {
    struct gdb_breakpoint *b = &g->breakpoint[i];
    apply(g, b, b->wanted);
    if (b->wanted)
      i++;
    else
      *b = g->breakpoint[--g->breakpoints];
  }
}

static struct gdb_breakpoint *find(struct gdb *g, unsigned kind, uint32_t address, uint32_t size) {
  for (unsigned i = 0; i < g->breakpoints; i++) {
    struct gdb_breakpoint *b = &g->breakpoint[i];
    if (b->kind == kind && b->address == address && b->size == size)
      return b;
  }
  return NULL;
}

static void handle_breakpoint(struct gdb *g, const char *p, bool set) {
  uint32_t kind, address, size;
  if (!gdb_number(&p, &kind) || *p++ != ',' || !gdb_number(&p, &address) || *p++ != ',' ||
      !gdb_number(&p, &size) || kind > 4 || size == 0) {
    reply(g, "E01");
    return;
  }
  struct gdb_breakpoint *b = find(g, kind, address, size);
  if (!b && set) {
    unsigned watched = 0;
    for (unsigned i = 0; i < g->breakpoints; i++)
      watched += g->breakpoint[i].kind >= 2;
    if (g->breakpoints == 64 || (kind >= 2 && watched == 16)) {
      reply(g, "E02");
      return;
    }
    b = &g->breakpoint[g->breakpoints++];
    *b = (struct gdb_breakpoint){address, size, kind, true, false};
  }
  if (b)
    b->wanted = set;
  if (b && set)
    apply(g, b, true);
  reply(g, "OK");
}

// ---- running

static void put_end_of_run(struct gdb *g, enum pulpsim_state state) {
  if (state == PULPSIM_READY)
    gdb_print(&g->writer, "T%02xthread:%x;", SIGNAL_INT, g->core + 1);
  else if (state == PULPSIM_BREAK)
    put_stop(g, pulpsim_stop(g->sim));
  else
    put_state(g);
}

// Runs all cores until something happens.
static void run_all(struct gdb *g) {
  enum pulpsim_state state;
  do {
    state = pulpsim_run(g->sim, pulpsim_now(g->sim) + g->slice);
    if (state != PULPSIM_BREAK)
      history_note(&g->history);
  } while (state == PULPSIM_READY && !gdb_interrupted(g));
  put_end_of_run(g, state);
}

// Lets core g->step_core go on, by one instruction or to a stop of its own. The others run along
// where they must; GDB expects to hear of none of them (it takes them to stand still).
static void run_one(struct gdb *g, bool step) {
  uint64_t target = pulpsim_retired(g->sim, g->step_core) + 1;
  enum pulpsim_state state;
  pulpsim_snapshot_free(g->passed.before);
  g->passed.before = pulpsim_save(g->sim);
  g->passed.any = false;
  do {
    uint64_t until = pulpsim_now(g->sim) + g->slice;
    if (step)
      pulpsim_stop_at(g->sim, g->step_core, target);
    state = pulpsim_run_only(g->sim, g->step_core, until);
    if (!g->passed.any)
      g->passed.any = pulpsim_passed(g->sim, &g->passed.stop, &g->passed.retired);
  } while (state == PULPSIM_READY && !gdb_interrupted(g));
  put_end_of_run(g, state);
}

// Goes back to the stop that a core passed by. False if there was none.
static bool return_to_passed(struct gdb *g) {
  if (!g->passed.any || !g->passed.before)
    return false;
  g->passed.any = false;
  g->history.replaying = true;
  pulpsim_restore(g->sim, g->passed.before);
  history_run_exactly(&g->history, g->passed.stop.core, g->passed.retired);
  g->history.replaying = false;
  put_stop(g, &g->passed.stop);
  return true;
}

static bool ended(struct gdb *g) {
  enum pulpsim_state s = pulpsim_state(g->sim);
  if (s == PULPSIM_EXITED) {
    put_state(g);
  } else if (s == PULPSIM_TRAPPED || s == PULPSIM_DEADLOCK) {
    gdb_print(&g->writer, "X%02x", s == PULPSIM_TRAPPED ? SIGNAL_SEGV : SIGNAL_ABRT);
    g->end = GDB_END_EXITED;
  } else {
    return false;
  }
  return true;
}

static void resume(struct gdb *g, bool step, bool alone) {
  if (ended(g))
    return;
  if (alone) {
    run_one(g, step);
    return;
  }
  apply_all(g);
  if (!return_to_passed(g))
    run_all(g);
}

static bool thread(struct gdb *g, const char **p, unsigned *core) {
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

// "vCont;c" lets all go; "vCont;c:2" and "vCont;s:2" one core only. An action for the others behind
// a step is not needed: they run along anyway.
static void handle_vcont(struct gdb *g, const char *p) {
  char action = p[0] == ';' ? p[1] : 0;
  bool step = action == 's' || action == 'S';
  if (!action || !strchr("cCsS", action)) {
    reply(g, "E01");
    return;
  }
  for (p += 2; *p && *p != ':' && *p != ';';)
    p++; // a signal, which the program cannot get
  unsigned core = g->core;
  bool alone = step;
  if (*p == ':') {
    alone = p[1] != '-';
    p++;
    if (!thread(g, &p, &core)) {
      reply(g, "E01");
      return;
    }
  }
  g->step_core = core;
  resume(g, step, alone || step);
}

static void handle_back(struct gdb *g, bool step) {
  struct pulpsim_stop stop = {.kind = PULPSIM_STOP_STEP, .core = g->step_core};
  apply_all(g);
  g->passed.any = false;
  bool found = step ? history_step_back(&g->history, g->step_core)
                    : history_run_back(&g->history, g->step_core, &stop);
  stop.pc = pulpsim_pc(g->sim, stop.core);
  put_stop(g, &stop);
  if (!found)
    reply(g, "replaylog:begin;");
}

// ---- memory

static void read_memory(struct gdb *g, const char *p) {
  uint32_t address, count;
  uint8_t byte;
  if (!gdb_number(&p, &address) || *p++ != ',' || !gdb_number(&p, &count) || *p ||
      !pulpsim_read(g->sim, address, &byte, 1)) {
    reply(g, "E01");
    return;
  }
  for (uint32_t i = 0; i < count && i < GDB_PACKET_MOST / 2; i++)
    if (pulpsim_read(g->sim, address + i, &byte, 1))
      gdb_hex(&g->writer, &byte, 1);
    else
      break;
}

static void write_memory(struct gdb *g, const char *p, const char *end, bool binary) {
  uint32_t address, count;
  static uint8_t bytes[GDB_PACKET_MOST];
  bool good = gdb_number(&p, &address) && *p++ == ',' && gdb_number(&p, &count) && *p++ == ':' &&
              count <= sizeof bytes;
  if (good && binary && (size_t)(end - p) == count)
    memcpy(bytes, p, count);
  else if (good)
    good = !binary && gdb_unhex(p, bytes, count);
  if (good && count && !pulpsim_write(g->sim, address, bytes, count))
    good = false;
  if (good && count)
    history_forget(&g->history);
  reply(g, good ? "OK" : "E01");
}

// ---- queries

static void put_threads(struct gdb *g) {
  for (unsigned i = 0; i < pulpsim_cores(g->sim); i++)
    gdb_print(&g->writer, "%c%x", i ? ',' : 'm', i + 1);
}

static void put_thread_info(struct gdb *g, const char *p) {
  unsigned core = 0;
  char text[160];
  if (!thread(g, &p, &core)) {
    reply(g, "E01");
    return;
  }
  const char *waits = pulpsim_waits(g->sim, core);
  snprintf(text, sizeof text, "core %u%s%s", core, waits ? ": " : "", waits ? waits : "");
  gdb_hex(&g->writer, text, strlen(text));
}

static void handle_features(struct gdb *g, const char *p) {
  uint32_t offset, size;
  if (strncmp(p, "target.xml:", 11) != 0) {
    reply(g, "E00");
    return;
  }
  p += 11;
  if (!gdb_number(&p, &offset) || *p++ != ',' || !gdb_number(&p, &size))
    reply(g, "E00");
  else
    gdb_put_target(g, offset, size);
}

static void handle_command(struct gdb *g, const char *p) {
  char command[128];
  size_t n = strlen(p) / 2;
  if (n >= sizeof command || !gdb_unhex(p, (uint8_t *)command, n)) {
    reply(g, "E01");
    return;
  }
  command[n] = '\0';
  gdb_monitor(g, command);
}

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static void handle_query(struct gdb *g, const char *p) {
  if (starts(p, "Supported"))
    gdb_print(&g->writer,
              "PacketSize=%x;qXfer:features:read+;vContSupported+;QStartNoAckMode+;swbreak+;"
              "hwbreak+;ReverseStep+;ReverseContinue+",
              GDB_PACKET_MOST - 64);
  else if (starts(p, "Xfer:features:read:"))
    handle_features(g, p + 19);
  else if (strcmp(p, "fThreadInfo") == 0)
    put_threads(g);
  else if (strcmp(p, "sThreadInfo") == 0)
    reply(g, "l");
  else if (starts(p, "ThreadExtraInfo,"))
    put_thread_info(g, p + 16);
  else if (strcmp(p, "C") == 0)
    gdb_print(&g->writer, "QC%x", g->core + 1);
  else if (starts(p, "Attached"))
    reply(g, "0"); // quitting the debugger ends the program
  else if (starts(p, "Rcmd,"))
    handle_command(g, p + 5);
  else if (starts(p, "Symbol"))
    reply(g, "OK");
}

static void handle_select(struct gdb *g, const char *p) {
  unsigned *core = *p == 'c' ? &g->step_core : &g->core;
  bool good = (*p == 'c' || *p == 'g') && (p++, thread(g, &p, core));
  reply(g, good ? "OK" : "E01");
}

static void finish(struct gdb *g, enum gdb_end end) {
  for (unsigned i = 0; i < g->breakpoints; i++)
    g->breakpoint[i].wanted = false;
  apply_all(g);
  pulpsim_debugging(g->sim, false);
  g->end = end;
  g->finished = true;
}

static void handle_v(struct gdb *g, const char *p) {
  if (strcmp(p, "Cont?") == 0) {
    reply(g, "vCont;c;C;s;S");
  } else if (starts(p, "Cont")) {
    handle_vcont(g, p + 4);
  } else if (starts(p, "Kill")) {
    reply(g, "OK");
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
    read_memory(g, p);
    return true;
  case 'M':
  case 'X':
    write_memory(g, p, end, command == 'X');
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
    resume(g, command == 's', command == 's');
    return true;
  case 'b':
    handle_back(g, *p == 's');
    return true;
  case 'v':
    handle_v(g, p);
    return true;
  case 'Z':
  case 'z':
    handle_breakpoint(g, p, command == 'Z');
    return true;
  case 'D':
    reply(g, "OK");
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
    put_state(g);
    break;
  case 'H':
    handle_select(g, p);
    break;
  case 'T':
    reply(g, thread(g, &p, &core) ? "OK" : "E01");
    break;
  case 'q':
    handle_query(g, p);
    break;
  case 'Q':
    if (strcmp(p, "StartNoAckMode") == 0) {
      reply(g, "OK");
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
