// tests/kernels/grid_split.c: shares cover everything once, in order, and differ by at most one
// group.
#include "grid.h"

#include "kernels/nn/nn_split.h"

static uint32_t total, granule;
static struct rt_range share[RT_MAX_CORES];

static void prepare(uint32_t number, uint32_t seed) {
  total = grid_draw(&seed, 0, number % 2 ? 20 : 5000);
  granule = grid_draw(&seed, 1, 9);
}

static int run(void) {
  share[rt_core_id()] = rt_split(total, granule);
  return 0;
}

static int check(void) {
  uint32_t at = 0, least = UINT32_MAX, most = 0;
  for (unsigned i = 0; i < rt_core_count(); i++) {
    uint32_t groups = (share[i].end - share[i].begin + granule - 1) / granule;
    least = groups < least ? groups : least;
    most = groups > most ? groups : most;
    if (share[i].begin != at || share[i].end < at ||
        (share[i].begin % granule != 0 && share[i].begin != total)) {
      rt_printf("split of %u by %u: core %u has %u..%u\n", (unsigned)total, (unsigned)granule, i,
                (unsigned)share[i].begin, (unsigned)share[i].end);
      return 1;
    }
    at = share[i].end;
  }
  return at != total || most - least > 1;
}

// ---- layers of few pixels: every block of every group once, no share larger than by pixels alone

static uint32_t groups, blocks;
static struct nn_split layer[RT_MAX_CORES];

static void prepare_layer(uint32_t number, uint32_t seed) {
  groups = number / 20 + 1;
  blocks = number % 20 < 16 ? number % 20 + 1 : grid_draw(&seed, 17, 300);
}

static int run_layer(void) {
  layer[rt_core_id()] = nn_split_of(groups, blocks, groups % 2 ? NN_SPLIT_MADE : 0);
  return 0;
}

static uint32_t size(struct rt_range range) {
  return range.end - range.begin;
}

static int check_layer(void) {
  uint32_t done = 0, most = 0, cores = rt_core_count();
  for (unsigned i = 0; i < cores; i++) {
    const struct nn_split *s = layer + i;
    uint32_t taken = size(s->groups) * size(s->blocks);
    done += taken;
    most = taken > most ? taken : most;
    bool bad = size(s->groups) > s->turns || s->groups.end > groups || s->blocks.end > blocks;
    for (unsigned j = 0; j < i && taken > 0; j++) { // apart in groups or in blocks
      const struct nn_split *o = layer + j;
      bad |= s->groups.begin < o->groups.end && o->groups.begin < s->groups.end &&
             s->blocks.begin < o->blocks.end && o->blocks.begin < s->blocks.end;
    }
    if (bad) {
      rt_printf("%u groups of %u blocks: core %u\n", (unsigned)groups, (unsigned)blocks, i);
      return 1;
    }
  }
  uint32_t by_pixels = (groups + cores - 1) / cores * blocks; // NOLINT: there are cores
  return done != groups * blocks || most > by_pixels;
}

int grid_split(void) {
  static const struct grid_case shared = {prepare_layer, run_layer, check_layer};
  if (grid_run("split_layer", &shared))
    return 1;
  static const struct grid_case what = {prepare, run, check};
  return grid_run("split", &what);
}
