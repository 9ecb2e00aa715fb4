// deploy/emit/far.h: which activations are in L3, where L2 has no room for all.
//
// Nothing is there that need not be: one tensor after the other goes, at the layer that lacks room,
// until what lives together fits. Stripes are as long as they fit, for rows that two of them share
// come twice; where one row each is too much, transfers do not overlap with computing.
#ifndef FAR_H
#define FAR_H

#include "plan.h"

struct stripes_wish far_new(const struct net *legal);
void far_free(struct stripes_wish *wish);

// One tensor more, or smaller stripes, where `plan`, which was tried, had too little. False: there
// is nothing more that could go.
bool far_more(struct stripes_wish *wish, const struct plan *plan);

#endif
