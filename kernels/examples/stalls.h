// kernels/examples/stalls.h: the loops of stalls.c, in assembly so that they are what they say.
#ifndef STALLS_H
#define STALLS_H

#include <stdint.h>

// Sums of `count` words.
uint32_t stall_load_use_before(const uint32_t *words,
                               uint32_t count); // each load right before its use
uint32_t stall_load_use_after(const uint32_t *words, uint32_t count); // four loads, then four uses
uint32_t stall_same_bank(const uint32_t *words, uint32_t count);      // every 16th word
uint32_t stall_branch_before(const uint32_t *words, uint32_t count);  // loop by a branch
uint32_t stall_branch_after(const uint32_t *words, uint32_t count);   // hardware loop
uint32_t stall_jump_before(const uint32_t *words, uint32_t count);    // a call for every word
uint32_t stall_jump_after(const uint32_t *words, uint32_t count);     // its body in the loop

void stall_fetch_before(uint32_t rounds); // a body of 2 kB: more than the private cache
void stall_fetch_after(uint32_t rounds);  // a sixteenth of it, as many instructions in all

uint32_t stall_divide_before(uint32_t count); // a division each
uint32_t stall_divide_after(uint32_t count);  // a shift
float stall_float_before(uint32_t count);     // a float division each
float stall_float_after(uint32_t count);      // times the reciprocal
void stall_share_before(uint32_t rounds);     // additions: of floats, then of integers
void stall_share_after(uint32_t rounds);      // ... in turns

#endif
