// deploy/emit/machine.h: runs a folder's program on the simulated machine, and compares.
#ifndef MACHINE_H
#define MACHINE_H

#include "deploy/host/int_run.h"
#include "plan.h"
#include "sim/pulpsim.h"
#include "timeline.h"

// Eight cores, cluster and SoC at 100 MHz, L3 at a byte a cycle, whatever the configuration says.
// `name`: of a configuration, with settings behind it: "gap8,soc.cluster_clock_mhz=175"; `setting`:
// one more, or NULL.
struct pulpsim *machine_new(const char *name, const char *setting, struct pulpsim_error *error);

struct machine_result {
  uint32_t *first, *second; // cycles of each layer, of the first and the second image
  // Where the cores' cycles went, of each layer of the second image, summed over the cores. Noticed
  // up to MACHINE_STEP cycles after the layer's end, so that a few are counted to the layer before.
  struct pulpsim_counts *counts;
  uint32_t program; // bytes of L2 beside the plan's: code, tables, data
  char *machine;    // and what was set of it: "gap8,soc.cluster_clock_mhz=100"
};
enum { MACHINE_CORES = 8, MACHINE_STEP = 128 };
void machine_result_free(struct machine_result *result);

// What it runs on, and what is compared.
struct machine_images {
  bool check; // every layer's output, with the interpreter's; else the network's; and if no inputs
              // are given, for races, accesses out of bounds and overrun stacks
              // (sim/observe/check.h)
  struct timeline *timeline;   // of the second image; NULL: none
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
