// deploy/emit/lives_stack.h: DORY's memory plan, to compare with: two stacks that grow towards each
// other, one from either end (Burrello et al., IEEE TC 70(8), 2021, section 4.4).
//
// A layer's output goes on top of one stack; which, changes at each layer that has filters. What
// has died is taken off a stack once nothing lies on it. Outputs never lie over inputs.
#ifndef LIVES_STACK_H
#define LIVES_STACK_H

#include "lives.h"

void lives_place_stack(struct lives *lives); // sets the places and `bytes`

// What that plan takes with filters in it, as published: of a layer and of the next one at a time.
uint32_t lives_stack_bytes(const struct lives *lives);

#endif
