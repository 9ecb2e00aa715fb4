// kernels/compat/bench/bench.h: timers, counters and checks of the programs of pulp-runtime, on
// PMSIS. They run their main on every core: link them with -Wl,--defsym=main_on_all_cores=1.
#ifndef COMPAT_BENCH_H
#define COMPAT_BENCH_H

#include "kernels/libc/team.h"
#include "pmsis.h"

#define get_core_id()    ((int)pi_core_id())
#define get_cluster_id() ((int)pi_cluster_id())
#define get_core_num()   ((int)team_cores())
#define synch_barrier()  team_barrier()

// The cluster's timer; counters of the own core start and stop with it.
#define reset_timer()       pi_perf_reset()
#define start_timer()       pi_perf_start()
#define stop_timer()        pi_perf_stop()
#define get_time()          ((int)pi_perf_read(PI_PERF_CYCLES))
#define perf_reset()        (pi_perf_conf(0xffffffffu), pi_perf_reset())
#define perf_start()        pi_perf_start()
#define perf_stop()         pi_perf_stop()
#define cpu_perf_get(event) pi_perf_read(event)

typedef struct {
  const char *name;
  int (*test)(void); // number of errors
} testcase_t;

// 0, or 1 and a line.
static inline int check_uint32(const char *name, uint32_t actual, uint32_t expected) {
  if (actual == expected)
    return 0;
  printf("%s: %08x, expected %08x\n", name, (unsigned)actual, (unsigned)expected);
  return 1;
}

static inline void print_summary(unsigned errors) {
  printf("==== SUMMARY: %s\n", errors ? "FAIL" : "SUCCESS");
}

// Every core runs the tests up to the one without a name; core 0 tells. Their errors.
static inline int run_suite(testcase_t *tests) {
  int errors = 0;
  for (testcase_t *t = tests; t->name != NULL; t++) {
    synch_barrier();
    int here = t->test();
    errors += here;
    if (get_core_id() == 0)
      printf("== test: %s -> %s\n", t->name, here ? "fail" : "success");
  }
  if (get_core_id() == 0)
    print_summary((unsigned)errors);
  return errors;
}

#endif
