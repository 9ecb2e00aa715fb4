// deploy/emit/lives_stack.c
#include "lives_stack.h"

#include <stdlib.h>

#include "deploy/memory.h"

struct stack {
  uint32_t *tensor, count, bytes; // from the bottom
};

struct stacks {
  const struct lives *lives;
  struct stack end[2];
  uint32_t *offset; // of a tensor's start from its stack's bottom
  uint8_t *side;    // on which it is
};

static struct stacks stacks_new(const struct lives *lives) {
  struct stacks s = {.lives = lives,
                     .offset = memory_new(lives->count, sizeof *s.offset),
                     .side = memory_new(lives->count, 1)};
  for (unsigned i = 0; i < 2; i++)
    s.end[i].tensor = memory_new(lives->count, sizeof *s.end[i].tensor);
  return s;
}

static void stacks_free(struct stacks *s) {
  for (unsigned i = 0; i < 2; i++)
    free(s->end[i].tensor);
  free(s->offset);
  free(s->side);
}

static void push(struct stacks *s, unsigned side, uint32_t tensor) {
  struct stack *k = &s->end[side];
  s->side[tensor] = (uint8_t)side;
  s->offset[tensor] = k->bytes;
  k->tensor[k->count++] = tensor;
  k->bytes += s->lives->life[tensor].bytes;
}

static void pop_dead(struct stacks *s, uint32_t layer) {
  for (unsigned side = 0; side < 2; side++) {
    struct stack *k = &s->end[side];
    while (k->count && s->lives->life[k->tensor[k->count - 1]].end < layer)
      k->bytes -= s->lives->life[k->tensor[--k->count]].bytes;
  }
}

// What both take at the worst layer; with the filters of two layers, if they are to be counted.
static uint32_t run(struct stacks *s, bool filters) {
  const struct lives *all = s->lives;
  uint32_t most = 0;
  for (uint32_t layer = 0, side = 0; layer < all->layers; layer++) {
    pop_dead(s, layer);
    side ^= layer == 0 || all->filters[layer] > 0;
    for (uint32_t t = 0; t < all->count; t++) { // inputs of the network begin with the first layer
      if (all->life[t].begin == layer)
        push(s, all->life[t].made ? side : !side, t);
    }
    uint32_t bytes = s->end[0].bytes + s->end[1].bytes;
    bytes += filters ? all->filters[layer] : 0;
    bytes += filters && layer + 1 < all->layers ? all->filters[layer + 1] : 0;
    most = bytes > most ? bytes : most;
  }
  return most;
}

void lives_place_stack(struct lives *all) {
  struct stacks s = stacks_new(all);
  all->bytes = run(&s, false);
  for (uint32_t t = 0; t < all->count; t++) {
    struct life *l = &all->life[t];
    l->place = s.side[t] ? all->bytes - s.offset[t] - l->bytes : s.offset[t];
  }
  stacks_free(&s);
}

uint32_t lives_stack_bytes(const struct lives *all) {
  struct stacks s = stacks_new(all);
  uint32_t bytes = run(&s, true);
  stacks_free(&s);
  return bytes;
}
