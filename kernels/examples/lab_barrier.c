// kernels/examples/lab_barrier.c: rows of unequal length, dealt to the cores in two ways;
// docs/labs.md.
#include "kernels/rt/rt.h"

enum { SIZE = 64 };

RT_REGION(1, "rows in blocks");
RT_REGION(2, "rows in turn");

static RT_L1_BSS float triangle[SIZE][SIZE], x[SIZE], y[SIZE];

// One row of a lower triangular matrix times a vector: row i has i + 1 elements.
static void row(uint32_t i) {
  float sum = 0;
  for (uint32_t j = 0; j <= i; j++)
    sum += triangle[i][j] * x[j];
  y[i] = sum;
}

static void rows_in_blocks(void) {
  struct rt_range rows = rt_share(SIZE);
  for (uint32_t i = rows.begin; i < rows.end; i++)
    row(i);
  rt_barrier();
}

static void rows_in_turn(void) {
  for (uint32_t i = rt_core_id(); i < SIZE; i += rt_core_count())
    row(i);
  rt_barrier();
}

int main(void) {
  struct rt_range mine = rt_share(SIZE);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    x[i] = 1;
    for (uint32_t j = 0; j < SIZE; j++)
      triangle[i][j] = (float)i;
  }
  for (int pass = 0; pass < 2; pass++) { // the first one fills the instruction caches
    rt_barrier();
    rt_region_begin_if(1, pass);
    rows_in_blocks();
    rt_region_end_if(1, pass);
    rt_barrier();
    rt_region_begin_if(2, pass);
    rows_in_turn();
    rt_region_end_if(2, pass);
  }
  for (uint32_t i = mine.begin; i < mine.end; i++)
    if (y[i] != (float)(i * (i + 1)))
      return 1;
  return 0;
}
