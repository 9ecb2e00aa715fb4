// sim/host_files.h: files that a program reads and writes on its host.
//
// Nothing is open to it but what was granted: the host's stdin, and what lies in one directory.
// What a call has done is recorded, with what came of it: where the end of a run is computed once
// more (run_end.h), a core's calls are answered from there, and done only once.
#ifndef PULPSIM_HOST_FILES_H
#define PULPSIM_HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pulpsim;

enum { HOST_FILES = 32, HOST_PATH = 1024 };

enum host_file_call {
  HOST_OPEN,  // path, flags (O_* of newlib), mode: a descriptor from 3 on
  HOST_CLOSE, // descriptor
  HOST_READ,  // descriptor, address, bytes
  HOST_WRITE, // the same
  HOST_SEEK,  // descriptor, offset, whence (0: start, 1: here, 2: end)
  HOST_SIZE,  // descriptor
  HOST_UNLINK // path
};

struct host_record;
struct host_files {
  bool input;           // stdin is granted
  int directory;        // descriptor of what is granted + 1; 0: nothing
  int file[HOST_FILES]; // the host's descriptors + 1 of the program's, from 3 on
  char refused[200];    // path of the first file that was asked for, and nothing granted
  struct {
    struct host_record *record;
    size_t count, room;
  } log[17]; // of each core
};

// The result, or -errno of newlib (which for what happens here is Linux's).
uint32_t host_files_call(struct pulpsim *sim, unsigned core, enum host_file_call call,
                         const uint32_t argument[3]);

void host_files_free(struct host_files *files);

#endif
