// bench/groups.c: groups of causes.
#include "bench/groups.h"

#include <stdio.h>
#include <string.h>

const struct bench_group bench_groups[BENCH_GROUPS] = {
    {"issue", "an instruction left the decode stage", "#3a7d44", {"issue"}},
    {"load", "load-use dependency", "#e0a526", {"load_use"}},
    {"bank", "L1 bank conflict", "#c8442e", {"tcdm_conflict"}},
    {"mem", "L2, peripherals, misaligned", "#8e4f9e", {"l2_wait", "periph_wait", "misaligned"}},
    {"fetch", "instruction fetch", "#2f6db3", {"fetch"}},
    {"jump", "branches and jumps", "#58a6c9", {"branch", "jump"}},
    {"fpu", "float unit: dependency, contention", "#d9793b", {"fpu_dependency", "fpu_contention"}},
    {"sync", "barrier, sleep, idle", "#9aa0a6", {"barrier", "sleep", "idle"}},
    {"dma", "waiting for the DMA", "#5f6368", {"dma_wait"}},
    {"other", "high products, division, CSRs", "#b58db6", {NULL}},
};

static unsigned group_of(const char *cause) {
  for (unsigned g = 0; g < BENCH_GROUPS; g++) {
    for (unsigned i = 0; i < 4 && bench_groups[g].causes[i]; i++) {
      if (strcmp(bench_groups[g].causes[i], cause) == 0)
        return g;
    }
  }
  return BENCH_GROUPS - 1;
}

void bench_group_shares(const struct pulpsim_counts *counts, double share[BENCH_GROUPS]) {
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    share[g] = 0;
  for (unsigned i = 0; counts->cycles && i < PULPSIM_CAUSES; i++)
    share[group_of(pulpsim_cause_name(i))] += (double)counts->stalls[i] / (double)counts->cycles;
}

void bench_group_losses(const struct pulpsim_counts *counts, unsigned count, char *text,
                        size_t size) {
  double share[BENCH_GROUPS];
  size_t used = 0;
  *text = '\0';
  bench_group_shares(counts, share);
  for (unsigned n = 0; n < count; n++) {
    unsigned best = 0; // issue is no loss
    for (unsigned g = 1; g < BENCH_GROUPS; g++)
      best = share[g] >= 0.0005 && (!best || share[g] > share[best]) ? g : best;
    if (!best || used >= size)
      return;
    int more = snprintf(text + used, size - used, "%s%s %.1f %%", n ? ", " : "",
                        bench_groups[best].title, 100 * share[best]);
    used += more > 0 ? (size_t)more : 0;
    share[best] = 0;
  }
}
