// sim/observe/check_copies.c: see check_copies.h.
#include "observe/check_copies.h"

enum { STORED = 1 }; // of a store's sources: rs1, rs2, perhaps an index

bool check_copies_used(struct check_copies *copies, const struct pulpsim_insn_event *e,
                       struct check_load *used) {
  for (unsigned i = 0; i < e->read_count; i++) {
    struct check_load *load = &copies->of[e->core][e->read[i].number];
    bool copied = e->memory_write && e->has_memory && i == STORED;
    if (!load->cycle || copied)
      continue;
    *used = *load;
    load->cycle = 0;
    return true;
  }
  return false;
}

bool check_copies_stored(const struct check_copies *copies, const struct pulpsim_insn_event *e) {
  return e->memory_write && e->read_count > STORED &&
         copies->of[e->core][e->read[STORED].number].cycle != 0;
}

void check_copies_end(struct check_copies *copies, const struct pulpsim_insn_event *e,
                      bool unwritten) {
  for (unsigned i = 0; i < e->write_count; i++)
    copies->of[e->core][e->write[i].number].cycle = 0;
  if (unwritten && e->write_count) // rd stands first
    copies->of[e->core][e->write[0].number] =
        (struct check_load){.cycle = e->cycle, .pc = e->pc, .address = e->memory_address};
}
