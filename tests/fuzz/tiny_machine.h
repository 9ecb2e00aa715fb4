// tests/fuzz/tiny_machine.h: a one-core machine with little memory, made once and reset for each
// input.
#ifndef TESTS_TINY_MACHINE_H
#define TESTS_TINY_MACHINE_H

#include "sim/pulpsim.h"

enum { TINY_START = 0x80, TINY_MEMORY = 4096 };

// A machine with a program that loops at TINY_START. NULL if it cannot be made.
struct pulpsim *tiny_machine(enum pulpsim_engine engine);

#endif
