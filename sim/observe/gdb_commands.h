// sim/observe/gdb_commands.h: the commands of the server, which answer into g->writer. Text of a
// command is what stands behind its letter.
#ifndef PULPSIM_GDB_COMMANDS_H
#define PULPSIM_GDB_COMMANDS_H

#include "observe/gdb.h"

// Whether the debugger wants the program to stop (gdb_server.c).
bool gdb_interrupted(struct gdb *g);

// A thread's id at *p; *p moves behind it. `core` stays as it is for "all" and "any". False if
// there is no such thread (gdb.c).
bool gdb_thread(struct gdb *g, const char **p, unsigned *core);
bool gdb_starts(const char *text, const char *with);

// Z and z (gdb_breakpoints.c).
void gdb_set_breakpoint(struct gdb *g, const char *text, bool set);
void gdb_apply_breakpoints(struct gdb *g); // into the machine
void gdb_clear_breakpoints(struct gdb *g);

// c, s, vCont, bc, bs, ? (gdb_run.c). `alone`: only core g->step_core goes on.
void gdb_resume(struct gdb *g, bool step, bool alone);
void gdb_vcont(struct gdb *g, const char *text);
void gdb_back(struct gdb *g, bool step);
void gdb_put_state(struct gdb *g);

// m, M, X (gdb_memory.c). `binary`: bytes instead of hex digits.
void gdb_read_memory(struct gdb *g, const char *text);
void gdb_write_memory(struct gdb *g, const char *text, const char *end, bool binary);

// q (gdb_query.c).
void gdb_query(struct gdb *g, const char *text);

// Registers (gdb_registers.c).
void gdb_put_target(struct gdb *g, uint32_t offset, uint32_t size);
void gdb_read_register(struct gdb *g, const char *text);
void gdb_write_register(struct gdb *g, const char *text);
void gdb_read_all(struct gdb *g);
void gdb_write_all(struct gdb *g, const char *text);

// `monitor` commands (gdb_monitor.c). The reply is text as hex.
void gdb_monitor(struct gdb *g, const char *command);

#endif
