// deploy/emit/layout.h: where in L1 each layer has its tiles.
//
// What stays for the next layer lies at one end of L1, what stayed for this one at the other;
// tiles, filters and scratch between them. The next layer's first filters come early to what is
// left.
#ifndef LAYOUT_H
#define LAYOUT_H

#include "plan.h"

// Sets all layers' places in L1, what comes early, and l1_bytes, also the plan's; the tiles, and
// the places of the pieces in L2, are known. `l1`: bytes that there are.
void layout_place(struct plan *plan, uint32_t l1);

#endif
