// sim/cli/piped_elf.h: a program that comes through a pipe.
#ifndef PULPSIM_PIPED_ELF_H
#define PULPSIM_PIPED_ELF_H

// "-", stdin, and /dev/fd/N, a shell's <(command), are read to their end and kept. Returns the path
// under which the program can be opened any number of times; NULL with errno on failure. For the
// program that runs a stdin that was read is at its end.
const char *piped_elf(const char *path);

#endif
