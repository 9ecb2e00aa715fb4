// tests/timing/repeat_program.h: accesses that may be asked for twice and must act once.
//
// A float operation, some instructions, then accesses that move their pointers, so that the float's
// result comes in the cycle of a grant, or beside it; then all that may have changed is stored. One
// program per number: every operation, distance, instruction between, and kind of access.
#ifndef TESTS_REPEAT_PROGRAM_H
#define TESTS_REPEAT_PROGRAM_H

#include "random_program.h"

enum repeat_access {
  REPEAT_LOAD,           // p.lw with an immediate increment
  REPEAT_LOAD_REGISTER,  // ... by a register
  REPEAT_LOAD_CROSSING,  // ... across a word
  REPEAT_LOAD_POINTER,   // ... over its pointer
  REPEAT_STORE,          // p.sw
  REPEAT_STORE_REGISTER, // ...
  REPEAT_STORE_CROSSING, // ...
  REPEAT_BYTES,          // p.sb, p.lb, p.sb
  REPEAT_LOOP,           // a hardware loop of a load and a store
  REPEAT_JUMP,           // a load of a jump's register
  REPEAT_EVENT,          // an event load, a load and a store
  REPEAT_DIVISION,       // an integer division, a high product and a load
  REPEAT_ACCESSES,
  // Nothing is asked for twice, but a float result gets in between (wb_contention.c).
  REPEAT_TAKEN_LOADS = REPEAT_ACCESSES, // across words, without increments
  REPEAT_TAKEN_STORES,
  REPEAT_TAKEN_PRODUCTS, // high ones
  REPEAT_KINDS
};

enum {
  REPEAT_OPERATIONS = 6, // division and root, special and not; sum; fused product
  REPEAT_DISTANCES = 16,
  REPEAT_FILLERS = 2, // products; branches that are not taken
  REPEAT_OF_A_KIND = REPEAT_OPERATIONS * REPEAT_DISTANCES * REPEAT_FILLERS,
  REPEAT_TWICE = REPEAT_ACCESSES * REPEAT_OF_A_KIND, // programs from here on are of the kinds TAKEN
  REPEAT_PROGRAMS = REPEAT_KINDS * REPEAT_OF_A_KIND,
};

// `number` in 0..REPEAT_PROGRAMS-1; neighbours differ in what is between, then in the distance.
// x8 and x9 point to data, x10 to x13 hold numbers, f1 to f4 are 1, 3, 7 and 0. Behind the body x5
// to x15 and f10 hold what came of it.
struct repeat_body {
  uint32_t word[64];
  unsigned count;
  uint32_t landing; // the first word of the data: where REPEAT_JUMP goes to; 0: none
};
void repeat_body(unsigned number, uint32_t address, struct repeat_body *body);

// The whole program, as random_program() makes them.
void repeat_program(unsigned number, uint8_t image[RANDOM_PROGRAM_SIZE]);

#endif
