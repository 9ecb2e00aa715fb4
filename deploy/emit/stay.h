// deploy/emit/stay.h: which outputs stay in L1 for the next layer.
//
// A layer's output of one tile can be the next layer's input where it is: neither is moved then.
// Of each layer the best tile is looked for with and without its input in L1, and with and without
// its output staying there; what is best together, a walk along the layers finds.
#ifndef STAY_H
#define STAY_H

#include "plan.h"

// Other tiles for layers of which something stays; gap[i]: bytes of L2 for layer i's filters.
void stay_choose(struct plan *plan, const struct plan_options *options, const uint32_t *gap);

#endif
