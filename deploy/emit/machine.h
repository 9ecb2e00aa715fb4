// deploy/emit/machine.h: runs a folder's program on the simulated machine, and compares.
#ifndef MACHINE_H
#define MACHINE_H

#include "deploy/host/int_run.h"
#include "plan.h"

struct pulpsim;
struct pulpsim_error;

// Eight cores, cluster and SoC at 100 MHz, L3 at a byte a cycle, whatever the configuration says;
// `setting`: one more, or NULL.
struct pulpsim *machine_new(const char *name, const char *setting, struct pulpsim_error *error);

struct machine_result {
  uint32_t *first, *second; // cycles of each layer, of the first and the second image; freed by the
                            // caller
};

// What it runs on, and what is compared.
struct machine_images {
  bool check;                  // every layer's output, with the interpreter's; else the network's
  const struct int_run *given; // of the network that was planned: its inputs, and what every tensor
                               // is to be; NULL: inputs drawn from a seed
};

// `dir`/net.elf with `dir`/l3.bin on configuration `machine`, cluster and SoC at 100 MHz, L3 at a
// byte a cycle, the same image twice; with as much L2 as the plan, if that has more than GAP8.
// False, with what failed or differs.
bool machine_run(const struct plan *plan, const char *dir, const char *machine,
                 const struct machine_images *images, struct machine_result *result,
                 struct net_error *error);

// Bytes of L2 that `dir`/net.elf takes beside the plan's: code and tables. 0: it cannot be read.
uint32_t machine_code_bytes(const struct plan *plan, const char *dir, const char *machine);

#endif
