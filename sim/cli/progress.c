// sim/cli/progress.c: how far a long run is.
#include "sim/cli/progress.h"

#include <stdio.h>
#include <time.h>

#include "sim/terminal.h"

enum { NAME_MOST = 32 }; // so that all fits a line of 80 characters

static const double FIRST_AFTER = 1.0, PERIOD = 0.2; // seconds

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(struct progress *p, bool enabled) {
  *p = (struct progress){.enabled = enabled && terminal_is_able(stderr), .started = seconds()};
  p->updated = p->started + FIRST_AFTER - PERIOD;
}

double progress_elapsed(const struct progress *p) {
  return seconds() - p->started;
}

// Name of a region that some core is in; NULL: none.
static const char *open_region(const struct pulpsim_stats *stats) {
  for (size_t i = stats->region_count; i-- > 0;)
    if (stats->region[i].open)
      return stats->region[i].name;
  return NULL;
}

void progress_update(struct progress *p, struct pulpsim *sim) {
  double now = seconds();
  if (!p->enabled || now - p->updated < PERIOD)
    return;
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  uint64_t instructions = 0;
  for (unsigned i = 0; i < stats->core_count; i++)
    instructions += stats->core[i].total.instructions;
  double cycles = (double)pulpsim_now(sim), elapsed = now - p->started;
  fprintf(stderr, "\r\033[K%.1f M cycles, %.1f MIPS, %.0f s", cycles * 1e-6,
          (double)instructions * 1e-6 / elapsed, elapsed);
  const char *region = open_region(stats);
  if (region)
    fprintf(stderr, ", in %.*s", NAME_MOST, region);
  fflush(stderr);
  p->shown = true;
  p->updated = now;
}

void progress_clear(struct progress *p) {
  if (p->shown)
    fputs("\r\033[K", stderr);
  p->shown = false;
}
