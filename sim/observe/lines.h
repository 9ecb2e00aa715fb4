// sim/observe/lines.h: which source line an instruction comes from: the program's DWARF, by libdw.
#ifndef PULPSIM_LINES_H
#define PULPSIM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;

// From an ELF file in memory, which must stay. Never NULL: without debug information, no address
// has a line.
struct lines *lines_new(const void *elf, size_t size);
void lines_free(struct lines *lines);

// File and line of the code at `pc`; false (and "" and 0) if unknown. The name stays valid.
bool lines_find(const struct lines *lines, uint32_t pc, const char **file, unsigned *line);

// Line number `line` of `file` without leading blanks and end of line; false if it cannot be read.
bool lines_text(const char *file, unsigned line, char *text, size_t size);

#endif
