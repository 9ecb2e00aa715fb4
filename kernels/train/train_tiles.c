// kernels/train/train_tiles.c: see train_tiles.h.
//
// All of this runs between the tiles, from cold instruction caches: one short loop over the
// operands, in which only the core that moves an operand does more than compare addresses.
#include "train_tiles.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

enum { NO_TRANSFER = -1 };

struct extent {
  uint32_t rows, bytes;
};

// One operand of the run. Transfers are known to the core that moves it.
struct operand {
  char *now, *next;     // tiles of this step and of the one behind it
  struct extent extent; // of `now`, where it is written
  uint8_t slot;         // place of `now`
  bool changed;         // `now` is not what the step before had
  bool mine;
  int8_t load, store[2]; // transfers that may not be complete: into !slot; from each place
};

static inline bool is_last(const struct train_tiles *tiles, const struct train_tile_step *step,
                           uint32_t loop) {
  return loop != TRAIN_TILE_NO_LOOP && step->at[loop] + 1 == tiles->count[loop];
}

static inline struct extent extent_of(const struct train_tiles *tiles,
                                      const struct train_tile_operand *o,
                                      const struct train_tile_step *step) {
  return (struct extent){is_last(tiles, step, o->row_loop) ? o->last_rows : o->rows,
                         is_last(tiles, step, o->byte_loop) ? o->last_row_bytes : o->row_bytes};
}

static int8_t start_load(const struct train_tile_operand *o, void *place, const char *ext,
                         struct extent e) {
  if (e.rows == 1 || e.bytes == o->stride)
    return (int8_t)rt_dma_in(place, ext, e.rows * e.bytes);
  return (int8_t)rt_dma_in_2d(place, ext, e.rows, e.bytes, o->stride);
}

static int8_t start_store(const struct train_tile_operand *o, const void *place, char *ext,
                          struct extent e) {
  if (e.rows == 1 || e.bytes == o->stride)
    return (int8_t)rt_dma_out(ext, place, e.rows * e.bytes);
  return (int8_t)rt_dma_out_2d(ext, place, e.rows, e.bytes, o->stride);
}

static void finish(int8_t *transfer) {
  if (*transfer != NO_TRANSFER)
    rt_dma_wait((unsigned)*transfer);
  *transfer = NO_TRANSFER;
}

// The place behind `at`; false if that is the end.
static inline bool advance(const uint32_t *count, struct train_tile_step *step) {
  for (uint32_t loop = TRAIN_TILE_LOOPS; loop-- > 0;) {
    if (++step->at[loop] < count[loop])
      return true;
    step->at[loop] = 0;
  }
  return false;
}

// Looks ahead to `step`: an input that changes is on its way from here on.
static inline void look_ahead(const struct train_tiles *tiles, uint32_t p, struct operand *state,
                              const struct train_tile_step *step) {
  const struct train_tile_operand *o = &tiles->operand[p];
  char *next = o->ext;
  for (uint32_t loop = 0; loop < TRAIN_TILE_LOOPS; loop++)
    next += step->at[loop] * o->step[loop];
  state->next = next;
  if (state->mine && !o->out && next != state->now)
    state->load = start_load(o, o->place[!state->slot], next, extent_of(tiles, o, step));
}

static void begin(const struct train_tiles *tiles, struct operand *all) {
  static const struct train_tile_step first = {{0, 0, 0}};
  unsigned core = rt_core_id(), cores = rt_core_count(), owner = 0;
  for (uint32_t p = 0; p < tiles->operands; p++) {
    all[p].now = NULL;
    all[p].slot = 1;
    all[p].mine = owner == core;
    all[p].load = all[p].store[0] = all[p].store[1] = NO_TRANSFER;
    owner = owner + 1 < cores ? owner + 1 : 0;
    look_ahead(tiles, p, &all[p], &first);
  }
}

// In front of a step's barrier: its inputs are there, and the places of its outputs are free.
static inline void arrive(const struct train_tiles *tiles, struct operand *all, void **at) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    o->changed = o->next != o->now;
    o->slot ^= o->changed;
    at[p] = tiles->operand[p].place[o->slot];
    if (!o->mine)
      continue;
    finish(&o->load);
    if (o->changed)
      finish(&o->store[o->slot]);
  }
}

static inline void store(const struct train_tiles *tiles, uint32_t p, struct operand *o,
                         uint32_t slot) {
  const struct train_tile_operand *what = &tiles->operand[p];
  o->store[slot] = start_store(what, what->place[slot], o->now, o->extent);
}

// Behind the barrier: what the step before completed goes out, what the next one reads comes in.
static inline void exchange(const struct train_tiles *tiles, struct operand *all, bool is_first,
                            const struct train_tile_step *now, const struct train_tile_step *next) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    if (o->changed && o->mine && tiles->operand[p].out) {
      if (!is_first)
        store(tiles, p, o, !o->slot);
      o->extent = extent_of(tiles, &tiles->operand[p], now);
    }
    o->now = o->next;
    if (next)
      look_ahead(tiles, p, o, next);
  }
}

static void end(const struct train_tiles *tiles, struct operand *all) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    if (!o->mine || !tiles->operand[p].out)
      continue;
    finish(&o->store[o->slot]);
    store(tiles, p, o, o->slot);
    finish(&o->store[!o->slot]);
    finish(&o->store[o->slot]);
  }
}

void train_tiles_run(const struct train_tiles *tiles, void *layer) {
  struct operand all[TRAIN_TILE_OPERANDS];
  void *at[TRAIN_TILE_OPERANDS];
  struct train_tile_step step = {{0, 0, 0}}, next = {{0, 0, 0}};
  begin(tiles, all);
  for (bool is_first = true, more = true; more; is_first = false, step = next) {
    more = advance(tiles->count, &next);
    arrive(tiles, all, at);
    rt_barrier();
    exchange(tiles, all, is_first, &step, more ? &next : NULL);
    tiles->compute(layer, &step, at);
  }
  rt_barrier();
  end(tiles, all);
}
