// sim/tohost.h: the words `tohost` and `fromhost`, by which a test suite's program talks to its
// host (the host-target interface of riscv-tests and riscv-arch-test; riscv-isa-sim's
// fesvr/htif.cc).
//
// A store of an odd value to the word at symbol `tohost` ends the program with the status value
// >> 1. An even value other than 0 is the address of eight 64-bit words, 64-byte aligned: the
// number of a host call and its arguments (sim/host_calls.c has the numbers). The result goes into
// the first of them, and 1 into `fromhost`. The upper half, tohost + 4, is a plain word.
#ifndef PULPSIM_TOHOST_H
#define PULPSIM_TOHOST_H

#include "sim/machine.h"

// Stores to the program's `tohost` go through the core's bus from now on. Only where the core
// reaches it in one cycle: on machines of one core.
void tohost_watch(struct pulpsim *sim);

// The access in c->acc, a store to the 64 bytes around it. False: it is another.
bool tohost_request(struct pulpsim *sim, struct core *c, cycle_t now);

#endif
