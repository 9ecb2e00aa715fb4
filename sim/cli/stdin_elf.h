// sim/cli/stdin_elf.h: a program that comes through a pipe.
#ifndef PULPSIM_STDIN_ELF_H
#define PULPSIM_STDIN_ELF_H

// Reads stdin to its end and keeps it. Returns the path under which it can be opened, any number of
// times; NULL with errno on failure. For the program that runs stdin is at its end.
const char *stdin_elf(void);

#endif
