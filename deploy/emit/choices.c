#include "choices.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

// What a choice depends on.
struct asked {
  struct tile_layer lowered;
  uint16_t here, stays, stored; // of the layer's tile
  bool simulated;
  uint32_t weights;
  int32_t apart;
};

struct choice {
  struct asked asked;
  struct plan_layer chosen;
};

struct choices {
  struct choice *list;
  uint32_t count;
};

struct choices *choices_new(void) {
  return memory_new(1, sizeof(struct choices));
}

void choices_free(struct choices *choices) {
  if (choices)
    free(choices->list);
  free(choices);
}

// All bytes are set, as they are compared: where padding differs, tiles are looked for once more.
static void ask(struct asked *a, const struct plan_layer *l, const struct plan_options *o,
                const struct tiles_limit *limit) {
  memset(a, 0, sizeof *a);
  memcpy(&a->lowered, &l->lowered, sizeof a->lowered);
  a->here = l->tile.here, a->stays = l->tile.stays, a->stored = l->tile.stored;
  a->simulated = o->cost != NULL;
  a->weights = limit->weights;
  a->apart = limit->apart;
}

static const struct choice *find(const struct choices *choices, const struct asked *asked) {
  for (uint32_t i = 0; i < choices->count; i++) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (memcmp(&choices->list[i].asked, asked, sizeof *asked) == 0)
      return &choices->list[i];
  }
  return NULL;
}

bool choices_tile(struct choices *choices, struct plan_layer *layer, const char *name,
                  const struct plan_options *options, const struct tiles_limit *limit,
                  struct net_error *error) {
  struct choice now;
  ask(&now.asked, layer, options, limit);
  const struct choice *known = find(choices, &now.asked);
  if (known) {
    layer->tile = known->chosen.tile;
    layer->l1_bytes = known->chosen.l1_bytes;
    layer->estimate = known->chosen.estimate;
    layer->cycles = known->chosen.cycles;
    return true;
  }
  if (!tiles_choose(layer, name, options, limit, error))
    return false;
  now.chosen = *layer;
  MEMORY_APPEND(choices->list, choices->count);
  choices->list[choices->count++] = now;
  return true;
}
