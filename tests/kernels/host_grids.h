// tests/kernels/host_grids.h: tests on grids compiled for this machine, for a suite that defines
// before it includes this
//   HOST_GRIDS(GRID)     the grids, GRID(name)
//   HOST_GRIDS_PROGRAM   the program that has them with sanitizers, behind TEST_BUILD_DIR
#ifndef HOST_GRIDS_H
#define HOST_GRIDS_H

#include <check.h>
#include <stdlib.h>

#include "kernels/rt/rt_host.h"

static const struct host_grid {
  const char *name;
  int (*run)(void);
} host_grids[] = {
#define GRID(name) {#name, grid_##name},
    HOST_GRIDS(GRID)
#undef GRID
};
enum { HOST_GRID_COUNT = sizeof host_grids / sizeof *host_grids };

static int run_grid(void *user) {
  return ((const struct host_grid *)user)->run();
}

START_TEST(grid_equals_reference) {
  const struct host_grid *grid = &host_grids[_i / 8];
  unsigned cores = (unsigned)_i % 8 + 1;
  ck_assert_msg(rt_host_run(cores, run_grid, (void *)grid) == 0, "%s on %u cores", grid->name,
                cores);
}
END_TEST

// The same grids in a program of their own, compiled with sanitizers: exit status 0 means that
// nothing was found.
START_TEST(sanitizers_find_nothing) {
  ck_assert_int_eq(system(TEST_BUILD_DIR HOST_GRIDS_PROGRAM), 0); // NOLINT(cert-env33-c)
}
END_TEST

static void add_grids(Suite *suite) {
  TCase *grid = tcase_create("grid");
  tcase_set_timeout(grid, 120);
  tcase_add_loop_test(grid, grid_equals_reference, 0, HOST_GRID_COUNT * 8);
  tcase_add_test(grid, sanitizers_find_nothing);
  suite_add_tcase(suite, grid);
}

#endif
