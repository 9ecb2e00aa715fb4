// kernels/train/train_tiles.c: see train_tiles.h.
#include "train_tiles.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"

enum { NO_TRANSFER = -1 };

// One operand of the run. Transfers are known to the core that moves it.
struct operand {
  struct train_tile now, next; // of this step and of the one behind it
  uint8_t slot;                // place of `now`
  bool changed;                // `now` is not what the step before had
  bool mine, out;
  int8_t load, store[2]; // transfers that may not be complete: into !slot; from each place
};

uint32_t train_tile_bytes(const struct train_tile *tile) {
  return tile->rows * tile->row_bytes;
}

static bool contiguous(const struct train_tile *tile) {
  return tile->rows == 1 || tile->stride == tile->row_bytes;
}

static int8_t start_load(void *place, const struct train_tile *tile) {
  if (contiguous(tile))
    return (int8_t)rt_dma_in(place, tile->ext, train_tile_bytes(tile));
  return (int8_t)rt_dma_in_2d(place, tile->ext, tile->rows, tile->row_bytes, tile->stride);
}

static int8_t start_store(void *place, const struct train_tile *tile) {
  if (contiguous(tile))
    return (int8_t)rt_dma_out(tile->ext, place, train_tile_bytes(tile));
  return (int8_t)rt_dma_out_2d(tile->ext, place, tile->rows, tile->row_bytes, tile->stride);
}

static void finish(int8_t *transfer) {
  if (*transfer != NO_TRANSFER)
    rt_dma_wait((unsigned)*transfer);
  *transfer = NO_TRANSFER;
}

// The place behind `at`; false if that is the end.
static bool advance(const struct train_tile_place *count, struct train_tile_place *at) {
  if (++at->inner < count->inner)
    return true;
  at->inner = 0;
  if (++at->middle < count->middle)
    return true;
  at->middle = 0;
  return ++at->outer < count->outer;
}

// Looks ahead to `step`: an input that changes is on its way from here on.
static void look_ahead(const struct train_tiles *tiles, struct operand *o, uint32_t p,
                       const struct train_tile_place *step) {
  tiles->tile(tiles->layer, step, p, &o->next);
  if (o->mine && !o->out && o->next.ext != o->now.ext)
    o->load = start_load(tiles->place[p][!o->slot], &o->next);
}

static void begin(const struct train_tiles *tiles, struct operand *all) {
  static const struct train_tile_place first = {0, 0, 0};
  unsigned core = rt_core_id(), cores = rt_core_count(), owner = 0;
  for (uint32_t p = 0; p < tiles->operands; p++) {
    all[p] = (struct operand){.slot = 1,
                              .mine = owner == core,
                              .out = tiles->outs >> p & 1,
                              .load = NO_TRANSFER,
                              .store = {NO_TRANSFER, NO_TRANSFER}};
    owner = owner + 1 < cores ? owner + 1 : 0;
    look_ahead(tiles, &all[p], p, &first);
  }
}

// In front of a step's barrier: its inputs are there, and the places of its outputs are free.
static void arrive(const struct train_tiles *tiles, struct operand *all, void **at) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    o->changed = o->next.ext != o->now.ext;
    o->slot ^= o->changed;
    at[p] = tiles->place[p][o->slot];
    if (!o->mine)
      continue;
    finish(&o->load);
    if (o->out && o->changed)
      finish(&o->store[o->slot]);
  }
}

// Behind the barrier: what the step before completed goes out, what the next one reads comes in.
static void exchange(const struct train_tiles *tiles, struct operand *all, bool is_first,
                     const struct train_tile_place *next) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    if (o->mine && o->out && o->changed && !is_first)
      o->store[!o->slot] = start_store(tiles->place[p][!o->slot], &o->now);
    o->now = o->next;
    if (next)
      look_ahead(tiles, o, p, next);
  }
}

static void end(const struct train_tiles *tiles, struct operand *all) {
  for (uint32_t p = 0; p < tiles->operands; p++) {
    struct operand *o = &all[p];
    if (!o->mine || !o->out)
      continue;
    int8_t last = start_store(tiles->place[p][o->slot], &o->now);
    finish(&o->store[!o->slot]);
    finish(&last);
  }
}

void train_tiles_run(const struct train_tiles *tiles) {
  struct operand all[TRAIN_TILE_OPERANDS];
  void *at[TRAIN_TILE_OPERANDS];
  struct train_tile_place step = {0, 0, 0}, next = {0, 0, 0};
  begin(tiles, all);
  for (bool is_first = true, more = true; more; is_first = false, step = next) {
    more = advance(&tiles->count, &next);
    arrive(tiles, all, at);
    rt_barrier();
    exchange(tiles, all, is_first, more ? &next : NULL);
    tiles->compute(tiles->layer, &step, at);
  }
  rt_barrier();
  end(tiles, all);
}
