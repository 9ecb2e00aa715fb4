#include "observe/log_record.h"

uint32_t *log_record_causes(struct ordered_line *l, uint32_t *p, const uint32_t *stalls) {
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    if (!stalls[i])
      continue;
    l->count++;
    *p++ = i;
    *p++ = stalls[i];
  }
  return p;
}

static uint32_t site_of(struct sites *sites, const struct pulpsim_insn_event *e) {
  struct site s = {.pc = e->pc, .word = e->word, .writes = e->write_count};
  for (unsigned i = 0; i < e->write_count; i++)
    s.number[i] = e->write[i].number;
  if (e->has_memory)
    s.access = (uint8_t)(e->memory_size | (e->memory_write ? SITE_STORES : 0));
  return sites_find(sites, &s);
}

void log_record_event(struct ordered *o, struct sites *sites, const struct pulpsim_insn_event *e) {
  const struct log_entry x = {.core = e->core,
                              .cycle = e->cycle,
                              .done = e->done,
                              .site = site_of(sites, e),
                              .writes = e->write_count,
                              .value = {e->write[0].value, e->write[1].value},
                              .access = e->has_memory,
                              .address = e->memory_address,
                              .data = e->memory_data,
                              .stall = e->stall,
                              .stall_cause = e->stall_cause,
                              .stalls = e->stalls};
  if (log_record_put(o, x))
    ordered_mark(o);
}
