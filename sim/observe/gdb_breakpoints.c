// Breakpoints and watchpoints as the debugger asks for them, and as the machine has them.
#include "observe/gdb_commands.h"

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
void gdb_apply_breakpoints(struct gdb *g) {
  for (unsigned i = 0; i < g->breakpoints;) {
    struct gdb_breakpoint *b = &g->breakpoint[i];
    apply(g, b, b->wanted);
    if (b->wanted)
      i++;
    else
      *b = g->breakpoint[--g->breakpoints];
  }
}

void gdb_clear_breakpoints(struct gdb *g) {
  for (unsigned i = 0; i < g->breakpoints; i++)
    g->breakpoint[i].wanted = false;
  gdb_apply_breakpoints(g);
}

static struct gdb_breakpoint *find(struct gdb *g, unsigned kind, uint32_t address, uint32_t size) {
  for (unsigned i = 0; i < g->breakpoints; i++) {
    struct gdb_breakpoint *b = &g->breakpoint[i];
    if (b->kind == kind && b->address == address && b->size == size)
      return b;
  }
  return NULL;
}

void gdb_set_breakpoint(struct gdb *g, const char *p, bool set) {
  uint32_t kind, address, size;
  if (!gdb_number(&p, &kind) || *p++ != ',' || !gdb_number(&p, &address) || *p++ != ',' ||
      !gdb_number(&p, &size) || kind > 4 || size == 0) {
    gdb_text(&g->writer, "E01");
    return;
  }
  struct gdb_breakpoint *b = find(g, kind, address, size);
  if (!b && set) {
    unsigned watched = 0;
    for (unsigned i = 0; i < g->breakpoints; i++)
      watched += g->breakpoint[i].kind >= 2;
    if (g->breakpoints == 64 || (kind >= 2 && watched == 16)) {
      gdb_text(&g->writer, "E02");
      return;
    }
    b = &g->breakpoint[g->breakpoints++];
    *b = (struct gdb_breakpoint){address, size, kind, true, false};
  }
  if (b)
    b->wanted = set;
  if (b && set)
    apply(g, b, true);
  gdb_text(&g->writer, "OK");
}
