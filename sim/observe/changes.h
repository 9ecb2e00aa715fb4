// sim/observe/changes.h: things that happen at a time, collected in any order and read in the order
// of time. For formats that must be sorted although a core may report what began long ago.
#ifndef PULPSIM_CHANGES_H
#define PULPSIM_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change {
  uint64_t when;
  uint32_t what; // meaning is the user's; equal times keep the order of `what`, then of arrival
  uint32_t value;
  uint32_t serial;
};

struct changes {
  struct change *item;
  size_t count, room, most;
  bool full; // `most` was reached, or memory ran out: what came later is missing
};

void changes_init(struct changes *c, size_t most);
void changes_free(struct changes *c);
void changes_add(struct changes *c, uint64_t when, uint32_t what, uint32_t value);
void changes_sort(struct changes *c);

#endif
