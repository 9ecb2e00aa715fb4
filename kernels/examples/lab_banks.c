// kernels/examples/lab_banks.c: the cores read a matrix by columns; docs/labs.md.
//
// Rows of 16 words keep all of a column in one bank of 16; rows of 17 spread it over all banks.
#include "kernels/rt/rt.h"

enum { ROWS = 256, COLUMNS = 16, PADDED = COLUMNS + 1 };

RT_REGION(1, "rows of 16 words");
RT_REGION(2, "rows of 17 words");

static RT_L1_BSS uint32_t matrix[ROWS * PADDED];
static RT_L1_BSS uint32_t part[RT_MAX_CORES];

// Every core sums its share of the rows, column after column.
static void add_columns(uint32_t row_words) {
  struct rt_range rows = rt_share(ROWS);
  uint32_t sum = 0;
  for (uint32_t c = 0; c < COLUMNS; c++)
    for (uint32_t r = rows.begin; r < rows.end; r++)
      sum += matrix[r * row_words + c];
  part[rt_core_id()] += sum;
}

int main(void) {
  struct rt_range mine = rt_share(ROWS * PADDED);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    matrix[i] = 1;
  for (int pass = 0; pass < 2; pass++) { // the first one fills the instruction caches
    rt_barrier();
    rt_region_begin_if(1, pass);
    add_columns(COLUMNS);
    rt_region_end_if(1, pass);
    rt_barrier();
    rt_region_begin_if(2, pass);
    add_columns(PADDED);
    rt_region_end_if(2, pass);
  }
  rt_barrier();
  uint32_t sum = 0;
  for (unsigned i = 0; i < rt_core_count(); i++)
    sum += part[i];
  return sum != 4 * ROWS * COLUMNS;
}
