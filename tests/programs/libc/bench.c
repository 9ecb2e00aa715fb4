// A program as those of pulp-runtime: every core runs main.
#include "bench/bench.h"

static volatile int counts[16];

static int counting(void) {
  counts[get_core_id()] = get_core_num();
  synch_barrier();
  int sum = 0;
  for (int i = 0; i < get_core_num(); i++)
    sum += counts[i];
  return check_uint32("cores", (uint32_t)sum, (uint32_t)(get_core_num() * get_core_num()));
}

static int timing(void) {
  if (get_core_id() != 0)
    return 0;
  perf_reset();
  reset_timer();
  start_timer();
  for (volatile int i = 0; i < 100; i++)
    ;
  stop_timer();
  return get_time() < 400 || cpu_perf_get(PI_PERF_INSTR) < 400;
}

static int wrong(void) {
  return get_core_id() == 0 ? check_uint32("one", 1, 2) : 0;
}

static testcase_t tests[] = {{"counting", counting}, {"timing", timing}, {"wrong", wrong}, {0, 0}};

int main(void) {
  return run_suite(tests);
}
