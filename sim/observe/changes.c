#include "observe/changes.h"

#include <stdlib.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

void changes_init(struct changes *c, size_t most) {
  *c = (struct changes){.most = most};
}

void changes_free(struct changes *c) {
  free(c->item);
  c->item = NULL;
}

void changes_add(struct changes *c, uint64_t when, uint32_t what, uint32_t value) {
  if (c->count == c->room && !c->full) {
    c->full = c->count >= c->most;
    if (!c->full) {
      c->room = c->room ? 2 * c->room : LIMIT(4096, 1);
      c->item = must_have(realloc(c->item, c->room * sizeof *c->item));
    }
  }
  if (c->full)
    return;
  c->item[c->count] = (struct change){when, what, value, (uint32_t)c->count};
  c->count++;
}

static int compare(const void *a, const void *b) {
  const struct change *x = a, *y = b;
  if (x->when != y->when)
    return x->when < y->when ? -1 : 1;
  if (x->what != y->what)
    return x->what < y->what ? -1 : 1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

void changes_sort(struct changes *c) {
  if (c->count)
    qsort(c->item, c->count, sizeof *c->item, compare);
}
