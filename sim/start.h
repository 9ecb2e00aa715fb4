// sim/start.h: how a machine's first run began, so that it can begin once more: what was written to
// its memories in front of it, besides the program.
#ifndef PULPSIM_START_H
#define PULPSIM_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct start_write {
  struct start_write *next;
  uint32_t address;
  size_t count;
  uint8_t bytes[];
};

struct start {
  struct start_write *first, *last;
  bool plain; // pulpsim_set_engine()
  bool begun; // the machine has run
  bool lost; // ... and was changed from outside since: it cannot be brought to the same state again
};

// Somebody has written to the guest's memory, or changed a register.
void start_record_write(struct start *s, uint32_t address, const void *bytes, size_t count);
void start_record_change(struct start *s);

void start_free(struct start *s);

#endif
