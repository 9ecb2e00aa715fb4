// deploy/emit/choices.h: the tiles that were chosen for one network, so that stripes alike, and
// plans that are tried one after the other, look for them once.
#ifndef CHOICES_H
#define CHOICES_H

#include "tiles.h"

struct choices;

struct choices *choices_new(void);
void choices_free(struct choices *choices);

// As tiles_choose(), for the same options but for their cost.
bool choices_tile(struct choices *choices, struct plan_layer *layer, const char *name,
                  const struct plan_options *options, const struct tiles_limit *limit,
                  struct net_error *error);

#endif
