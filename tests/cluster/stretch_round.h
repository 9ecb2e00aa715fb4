// tests/cluster/stretch_round.h: what happens between the rounds of such a program.
#ifndef PULPSIM_TESTS_STRETCH_ROUND_H
#define PULPSIM_TESTS_STRETCH_ROUND_H

#include "stretch_parts.h"

// What is between is for core `core` alone.
unsigned stretch_only(struct stretch *s, unsigned core);
void stretch_only_end(struct stretch *s, unsigned place);

// A place for a jump that core `core` alone executes.
unsigned stretch_all_but(struct stretch *s, unsigned core);

void stretch_barrier(struct stretch *s);

// In every round the same, while all go through the loops, in step.
void stretch_stream_of_round(struct stretch *s);

// In every round, while the others go on.
void stretch_transfer(struct stretch *s);

// The function in L1: adds a number to a3, and returns.
void stretch_write_code(struct stretch *s, int number);

// One of them may change what the others read.
void stretch_change(struct stretch *s);

#endif
