// sim/loop_hint.h: hardware loops of a program that lose a fetch in every pass.
//
// RI5CY's prefetcher brings aligned words: a 32-bit instruction at 2 modulo 4 takes two of them,
// and where a loop begins with one, each pass waits a cycle for the second. (CV32E40P's loops begin
// at multiples of 4.)
#ifndef PULPSIM_LOOP_HINT_H
#define PULPSIM_LOOP_HINT_H

#include <stdbool.h>
#include <stddef.h>

struct pulpsim;

// Behind a run that has lost some cycles to the fetch: a sentence that says how many such loops the
// program's functions have and where the first is. False if there is none to say.
bool loop_hint(struct pulpsim *sim, char *text, size_t size);

#endif
