#include "observe/note.h"

uint32_t *note_causes(struct ordered_line *l, uint32_t *p, const uint32_t *stalls) {
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    if (!stalls[i])
      continue;
    l->note[EXTRA]++;
    *p++ = i;
    *p++ = stalls[i];
  }
  return p;
}

void note_event(struct ordered *o, const struct pulpsim_insn_event *e) {
  unsigned access = e->memory_size | (e->memory_write ? NOTE_STORES : 0);
  struct noted x = {.core = e->core,
                    .cycle = e->cycle,
                    .done = e->done,
                    .pc = e->pc,
                    .word = e->word,
                    .writes = e->write_count,
                    .number[0] = e->write_count > 0 ? e->write[0].number : 0,
                    .number[1] = e->write_count > 1 ? e->write[1].number : 0,
                    .value = {e->write[0].value, e->write[1].value},
                    .access = e->has_memory ? access : 0,
                    .address = e->memory_address,
                    .data = e->memory_data,
                    .stall = e->stall,
                    .stall_cause = e->stall_cause,
                    .stalls = e->stalls};
  if (note_put(o, x))
    ordered_mark(o);
}
