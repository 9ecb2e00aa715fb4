// sim/cli/progress.h: the line on a terminal that says how far a long run is.
#ifndef PULPSIM_PROGRESS_H
#define PULPSIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/pulpsim.h"

struct progress {
  bool enabled; // stderr is a terminal that can, and the user wants it
  bool shown;   // the line is on the screen
  double started, updated;
};

void progress_start(struct progress *p, bool enabled);

// Called now and then; shows or renews the line when it is time to.
void progress_update(struct progress *p, struct pulpsim *sim);

// Takes the line off the screen, before anything else is written.
void progress_clear(struct progress *p);

// Seconds since the start.
double progress_elapsed(const struct progress *p);

#endif
