// The runtime of the first PULP SDKs on PMSIS: memory, teams, DMA, counters.
#include "rt/rt_api.h"

enum { WORDS = 64 };

static RT_L2_DATA uint32_t outside[WORDS];
static int visits;

static void member(void *argument) {
  rt_team_barrier();
  if (rt_core_id() == 0)
    *(int *)argument = rt_team_nb_cores();
}

static void work(void *argument) {
  rt_perf_t perf;
  rt_dma_copy_t copy;
  uint32_t *l1 = rt_alloc(RT_ALLOC_CL_DATA, sizeof outside);
  rt_perf_init(&perf);
  rt_perf_conf(&perf, 1 << RT_PERF_CYCLES | 1 << RT_PERF_INSTR);
  rt_perf_reset(&perf);
  rt_perf_start(&perf);
  rt_dma_memcpy((uint32_t)outside, (uint32_t)l1, sizeof outside, RT_DMA_DIR_EXT2LOC, 0, &copy);
  rt_dma_wait(&copy);
  rt_perf_stop(&perf);
  rt_perf_save(&perf);
  printf("%d ", memcmp(outside, l1, sizeof outside));
  printf("%d ", rt_perf_read(RT_PERF_CYCLES) > rt_perf_read(RT_PERF_INSTR));
  rt_free(RT_ALLOC_CL_DATA, l1, sizeof outside);
  rt_team_fork(rt_nb_pe(), member, argument);
}

int main(void) {
  for (unsigned i = 0; i < WORDS; i++)
    outside[i] = 7 * i + 1;
  rt_cluster_mount(1, 0, 0, NULL);
  rt_cluster_call(NULL, 0, work, &visits, NULL, 0, 0, rt_nb_pe(), NULL);
  rt_cluster_mount(0, 0, 0, NULL);
  printf("%d\n", visits);
  return 0;
}
