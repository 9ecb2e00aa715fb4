#include "dot.h"

#include "pmsis.h"

void dot_part(void *argument) {
  struct dot *d = argument;
  int core = pi_core_id(), words = d->length / 4, part = (words + NUM_CORES - 1) / NUM_CORES;
  int first = core * part < words ? core * part : words;
  int count = words - first < part ? words - first : part;
  d->sum[core] = count ? dot_u8(d->x + 4 * first, d->w + 4 * first, count) : 0;
  for (int i = 4 * words; core == 0 && i < d->length; i++)
    d->sum[core] += d->x[i] * d->w[i];
  pi_cl_team_barrier(0);
}
