// deploy/emit/machine.h: runs a folder's program on the simulated machine, and compares.
#ifndef MACHINE_H
#define MACHINE_H

#include "plan.h"

struct machine_result {
  uint32_t *first, *second; // cycles of each layer, of the first and the second image; freed by the
                            // caller
};

// `dir`/net.elf with `dir`/l3.bin on configuration `machine`, cluster and SoC at 100 MHz, L3 at a
// byte a cycle, on an input drawn from a seed. `check`: every layer's output is compared with the
// interpreter's, else the network's. False, with what failed or differs.
bool machine_run(const struct plan *plan, const char *dir, const char *machine, bool check,
                 struct machine_result *result, struct net_error *error);

// Bytes of L2 that `dir`/net.elf takes beside the plan's: code and tables. 0: it cannot be read.
uint32_t machine_code_bytes(const struct plan *plan, const char *dir, const char *machine);

#endif
