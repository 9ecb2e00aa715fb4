// tests/kernels/grid_split.c: shares cover everything once, in order, and differ by at most one
// group.
#include "grid.h"

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

int grid_split(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("split", &what);
}
