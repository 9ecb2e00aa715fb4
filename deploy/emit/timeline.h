// deploy/emit/timeline.h: what the cores, the DMA and the uDMA do while a network runs.
//
// Of the cores the parts of their cycles by cause, over stretches of time; of the two engines each
// transfer. Whoever runs the machine says when a layer ends and lets the clock be looked at.
#ifndef TIMELINE_H
#define TIMELINE_H

#include "deploy/net/net.h"
#include "sim/pulpsim.h"

struct timeline;

struct timeline *timeline_new(void);
void timeline_free(struct timeline *timeline); // NULL: nothing

// Before the machine's first run: it becomes slower by that, and takes the same cycles.
void timeline_watch(struct timeline *timeline, struct pulpsim *sim);

// From now on; what was before is forgotten.
void timeline_begin(struct timeline *timeline, struct pulpsim *sim);
void timeline_look(struct timeline *timeline, struct pulpsim *sim); // now and then
void timeline_layer(struct timeline *timeline, struct pulpsim *sim, const char *name); // it ended

// A picture if `path` ends in .svg, else Chrome's trace events, for ui.perfetto.dev: a microsecond
// there is a cycle. False with the sentence.
bool timeline_write(const struct timeline *timeline, const char *title, const char *path,
                    struct net_error *error);

#endif
