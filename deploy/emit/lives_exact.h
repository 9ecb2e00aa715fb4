// deploy/emit/lives_exact.h: the best places there are, by integer programming (GLPK).
//
// Of a tensor the place p; of all the end H, to be least; of two that live at the same time a
// choice of one bit (two where one may lie over the other): below, above, or `apart` in front.
// Whatever is smaller than a word of 8 bytes does not occur, so that all numbers are whole.
#ifndef LIVES_EXACT_H
#define LIVES_EXACT_H

#include "lives.h"

// From valid places with an end (`bytes`) and a bound to better ones, if there are any: branch and
// bound, ended after `nodes` nodes, so that it takes the same way on every host. Sets the places,
// `bytes` and `bound`; they are equal where the end is proved to be the least.
void lives_place_exactly(struct lives *lives, unsigned nodes);

#endif
