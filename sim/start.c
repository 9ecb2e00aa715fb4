#include "sim/start.h"

#include <stdlib.h>
#include <string.h>

#include "engine/out_of_memory.h"

void start_record_write(struct start *s, uint32_t address, const void *bytes, size_t count) {
  if (s->begun) {
    s->lost = true;
    return;
  }
  struct start_write *w = must_have(malloc(sizeof *w + count));
  *w = (struct start_write){.address = address, .count = count};
  memcpy(w->bytes, bytes, count);
  *(s->last ? &s->last->next : &s->first) = w;
  s->last = w;
}

void start_record_change(struct start *s) {
  s->lost = true;
}

void start_free(struct start *s) {
  while (s->first) {
    struct start_write *w = s->first;
    s->first = w->next;
    free(w);
  }
  s->last = NULL;
}
