// sim/observe/backtrace.h: from where a core came to an instruction, by the program's call frame
// information (DWARF .debug_frame or .eh_frame).
#ifndef PULPSIM_BACKTRACE_H
#define PULPSIM_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

struct pulpsim;

// Where core `core`, which is at `pc`, returns to, innermost first; `most` of them at most. Returns
// how many. Of code without call frame information, the register ra is taken for it, once.
unsigned backtrace_find(const struct pulpsim *sim, unsigned core, uint32_t pc, uint32_t *caller,
                        unsigned most);

#endif
