// sim/observe/gdb.h: a server for GDB's remote serial protocol: one thread per core.
#ifndef PULPSIM_GDB_H
#define PULPSIM_GDB_H

#include "observe/gdb_history.h"
#include "observe/gdb_packet.h"
#include "sim/pulpsim.h"

enum gdb_end {
  GDB_END_EXITED,   // the program ended
  GDB_END_KILLED,   // by the debugger
  GDB_END_DETACHED, // it goes on without the debugger (also when the connection is lost)
  GDB_END_FAILED    // no connection: `error`
};

// Serves one debugger on `where`: "[HOST:]PORT" (a TCP port, on 127.0.0.1 unless HOST says
// otherwise; port 0: any free one) or "stdio". Says on stderr where it listens. Call it before the
// first run.
enum gdb_end gdb_serve(struct pulpsim *sim, const char *where, struct pulpsim_error *error);

// ---- for the parts of the server

struct gdb {
  struct pulpsim *sim;
  int in, out;
  bool no_ack, finished, watching_output;
  bool replaced;  // by `load`: the symbols of the program that the run began with mean nothing
  uint64_t slice; // cycles between looks at the connection
  enum gdb_end end;
  unsigned core;      // that commands refer to
  unsigned step_core; // that `bs` and `s` refer to
  struct history history;
  struct gdb_reader reader;
  struct gdb_writer writer; // the reply
  struct gdb_writer notice; // output of the guest
  // Breakpoints as the debugger asked for them; `set` ones are in the machine.
  struct gdb_breakpoint {
    uint32_t address, size;
    unsigned kind; // 0 software, 1 hardware, 2 write, 3 read, 4 access
    bool wanted, set;
  } breakpoint[64];
  unsigned breakpoints;
  // While one core moved alone, another passed by a stop: to be told when all go on, from a
  // snapshot of before.
  struct {
    bool any;
    struct pulpsim_snapshot *before;
    struct pulpsim_stop stop;
    uint64_t retired;
  } passed;
};

// Connection-less: for tests. Answers one packet; the reply is in g->writer.
void gdb_init(struct gdb *g, struct pulpsim *sim);
void gdb_reset(struct gdb *g); // as at the start, with the machine as it is now
void gdb_handle(struct gdb *g, const char *packet, size_t length);
void gdb_release(struct gdb *g);

#endif
