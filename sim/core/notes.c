#include "core/notes.h"

void notes_begin(struct notes *n, struct core *c) {
  size_t size = NOTES_STATE;
  __asm__("" : "+r"(size)); // a copy of known size would become a string instruction, which is slow
  memcpy(n->state, c, size);
  n->stores = n->blocks = n->waits = 0;
  c->notes = n;
  c->noted = n->access;
}

void notes_end(struct core *c) {
  c->notes->accesses = (unsigned)(c->noted - c->notes->access);
  c->notes = NULL;
  c->noted = NULL;
}

void notes_take_back(struct notes *n, struct core *c) {
  while (n->stores) {
    n->stores--;
    memcpy(c->window + 4 * n->store[n->stores].word, &n->store[n->stores].held, 4);
  }
  while (n->blocks)
    n->block[--n->blocks]->entered[c->index]--;
  while (n->waits)
    c->wait[--c->waits % CORE_WAITS] = n->wait[--n->waits];
  memcpy(c, n->state, NOTES_STATE);
}
