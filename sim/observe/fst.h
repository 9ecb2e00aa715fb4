// sim/observe/fst.h: waveforms as FST, a tenth of the VCD that they are made of, by GTKWave's
// vcd2fst, which runs beside the simulation: Debian has no library for the format.
#ifndef PULPSIM_FST_H
#define PULPSIM_FST_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct fst {
  FILE *vcd; // what is written here goes to the program
  pid_t program;
};

// NULL with errno; ENOEXEC: the program is not installed. `path`: a plain file.
FILE *fst_open(struct fst *fst, const char *path);

// Waits for the program. Whether the file is whole, else errno: the program says nothing about a
// full disk, so the lengths of the file's blocks have to add up.
bool fst_close(struct fst *fst, const char *path);

#endif
