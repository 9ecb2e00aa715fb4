// Lets the program go on, forth or back, and tells the debugger where it came to a stop.
#include <string.h>

#include "observe/gdb_commands.h"

enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_SEGV = 11 };

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
    gdb_text(&g->writer, kind == 0 ? "swbreak:;" : "hwbreak:;");
}

// Text for the debugger's console.
static void put_console(struct gdb *g, const char *text) {
  gdb_begin(&g->notice);
  gdb_text(&g->notice, "O");
  gdb_hex(&g->notice, text, strlen(text));
  gdb_end(&g->notice);
  g->watching_output = true;
}

void gdb_put_state(struct gdb *g) {
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

// ---- running

static void put_end_of_run(struct gdb *g, enum pulpsim_state state) {
  if (state == PULPSIM_READY)
    gdb_print(&g->writer, "T%02xthread:%x;", SIGNAL_INT, g->core + 1);
  else if (state == PULPSIM_BREAK)
    put_stop(g, pulpsim_stop(g->sim));
  else
    gdb_put_state(g);
}

// Runs all cores until something happens.
static void run_all(struct gdb *g) {
  enum pulpsim_state state;
  do {
    state = pulpsim_run(g->sim, pulpsim_now(g->sim) + g->slice);
    if (state != PULPSIM_BREAK)
      history_reach(&g->history);
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
    gdb_put_state(g);
  } else if (s == PULPSIM_TRAPPED || s == PULPSIM_DEADLOCK) {
    gdb_print(&g->writer, "X%02x", s == PULPSIM_TRAPPED ? SIGNAL_SEGV : SIGNAL_ABRT);
    g->end = GDB_END_EXITED;
  } else {
    return false;
  }
  return true;
}

void gdb_resume(struct gdb *g, bool step, bool alone) {
  if (ended(g))
    return;
  if (alone) {
    run_one(g, step);
    return;
  }
  gdb_apply_breakpoints(g);
  if (!return_to_passed(g))
    run_all(g);
}

// "vCont;c" lets all go; "vCont;c:2" and "vCont;s:2" one core only. An action for the others behind
// a step is not needed: they run along anyway.
void gdb_vcont(struct gdb *g, const char *p) {
  char action = p[0] == ';' ? p[1] : 0;
  bool step = action == 's' || action == 'S';
  if (!action || !strchr("cCsS", action)) {
    gdb_text(&g->writer, "E01");
    return;
  }
  for (p += 2; *p && *p != ':' && *p != ';';)
    p++; // a signal, which the program cannot get
  unsigned core = g->core;
  bool alone = step;
  if (*p == ':') {
    alone = p[1] != '-';
    p++;
    if (!gdb_thread(g, &p, &core)) {
      gdb_text(&g->writer, "E01");
      return;
    }
  }
  g->step_core = core;
  gdb_resume(g, step, alone || step);
}

void gdb_back(struct gdb *g, bool step) {
  struct pulpsim_stop stop = {.kind = PULPSIM_STOP_STEP, .core = g->step_core};
  gdb_apply_breakpoints(g);
  g->passed.any = false;
  bool found = step ? history_step_back(&g->history, g->step_core)
                    : history_run_back(&g->history, g->step_core, &stop);
  stop.pc = pulpsim_pc(g->sim, stop.core);
  put_stop(g, &stop);
  if (!found)
    gdb_text(&g->writer, "replaylog:begin;");
}
