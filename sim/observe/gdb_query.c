// What the debugger asks: features, threads, `monitor` commands.
#include <string.h>

#include "observe/gdb_commands.h"

static void put_threads(struct gdb *g) {
  for (unsigned i = 0; i < pulpsim_cores(g->sim); i++)
    gdb_print(&g->writer, "%c%x", i ? ',' : 'm', i + 1);
}

static void put_thread_info(struct gdb *g, const char *p) {
  unsigned core = 0;
  char text[160];
  if (!gdb_thread(g, &p, &core)) {
    gdb_text(&g->writer, "E01");
    return;
  }
  const char *waits = pulpsim_waits(g->sim, core);
  snprintf(text, sizeof text, "core %u%s%s", core, waits ? ": " : "", waits ? waits : "");
  gdb_hex(&g->writer, text, strlen(text));
}

static void handle_features(struct gdb *g, const char *p) {
  uint32_t offset, size;
  if (strncmp(p, "target.xml:", 11) != 0) {
    gdb_text(&g->writer, "E00");
    return;
  }
  p += 11;
  if (!gdb_number(&p, &offset) || *p++ != ',' || !gdb_number(&p, &size))
    gdb_text(&g->writer, "E00");
  else
    gdb_put_target(g, offset, size);
}

static void handle_command(struct gdb *g, const char *p) {
  char command[128];
  size_t n = strlen(p) / 2;
  if (n >= sizeof command || !gdb_unhex(p, (uint8_t *)command, n)) {
    gdb_text(&g->writer, "E01");
    return;
  }
  command[n] = '\0';
  gdb_monitor(g, command);
}

void gdb_query(struct gdb *g, const char *p) {
  if (gdb_starts(p, "Supported"))
    gdb_print(&g->writer,
              "PacketSize=%x;qXfer:features:read+;vContSupported+;QStartNoAckMode+;swbreak+;"
              "hwbreak+;ReverseStep+;ReverseContinue+",
              GDB_PACKET_MOST - 64);
  else if (gdb_starts(p, "Xfer:features:read:"))
    handle_features(g, p + 19);
  else if (strcmp(p, "fThreadInfo") == 0)
    put_threads(g);
  else if (strcmp(p, "sThreadInfo") == 0)
    gdb_text(&g->writer, "l");
  else if (gdb_starts(p, "ThreadExtraInfo,"))
    put_thread_info(g, p + 16);
  else if (strcmp(p, "C") == 0)
    gdb_print(&g->writer, "QC%x", g->core + 1);
  else if (gdb_starts(p, "Attached"))
    gdb_text(&g->writer, "0"); // quitting the debugger ends the program
  else if (gdb_starts(p, "Rcmd,"))
    handle_command(g, p + 5);
  else if (gdb_starts(p, "Symbol"))
    gdb_text(&g->writer, "OK");
}
