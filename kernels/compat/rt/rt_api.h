// kernels/compat/rt/rt_api.h: the runtime of the first PULP and GAP8 SDKs, on PMSIS: what programs
// of teams, DMA, memory and counters use. Names and meaning: rt_api.h of pulp-rt. Not together with
// kernels/rt/rt.h, some of whose names it takes.
#ifndef COMPAT_RT_API_H
#define COMPAT_RT_API_H

#include "pmsis.h"

#define RT_L1_DATA PI_L1
#define RT_L2_DATA PI_L2
#define RT_FC_DATA PI_L2

typedef enum {
  RT_ALLOC_FC_CODE,
  RT_ALLOC_FC_DATA,
  RT_ALLOC_FC_RET_DATA,
  RT_ALLOC_CL_CODE,
  RT_ALLOC_CL_DATA, // L1; all others are L2
  RT_ALLOC_L2_CL_DATA,
  RT_ALLOC_PERIPH,
} rt_alloc_e;
typedef struct rt_event rt_event_t; // none is ever there: calls return when all is done
typedef pi_cl_dma_cmd_t rt_dma_copy_t;
typedef enum { RT_DMA_DIR_LOC2EXT, RT_DMA_DIR_EXT2LOC } rt_dma_dir_e;
typedef struct {
  unsigned events;
} rt_perf_t;

static inline void *rt_alloc(rt_alloc_e kind, int size) {
  return kind == RT_ALLOC_CL_DATA ? pmsis_l1_malloc((uint32_t)size) : pi_l2_malloc(size);
}

static inline void rt_free(rt_alloc_e kind, void *memory, int size) {
  if (kind == RT_ALLOC_CL_DATA)
    pmsis_l1_malloc_free(memory, size);
  else
    pi_l2_free(memory, size);
}

static inline int rt_cluster_call(rt_event_t *sched, int cluster, void (*entry)(void *), void *arg,
                                  void *stacks, int master_stack, int slave_stack, int cores,
                                  rt_event_t *event) {
  (void)sched, (void)cluster, (void)stacks, (void)master_stack, (void)slave_stack, (void)cores;
  (void)event;
  entry(arg);
  return 0;
}

#define rt_core_id()                                ((int)pi_core_id())
#define rt_cluster_id()                             ((int)pi_cluster_id())
#define rt_is_fc()                                  0
#define rt_nb_pe()                                  pi_cl_cluster_nb_pe_cores()
#define rt_team_nb_cores()                          pi_cl_team_nb_cores()
#define rt_team_fork(cores, entry, arg)             pi_cl_team_fork(cores, entry, arg)
#define rt_team_barrier()                           pi_cl_team_barrier()
#define rt_cluster_mount(on, cluster, flags, event) ((void)(on), (void)(event))
#define rt_event_alloc(sched, count)                ((void)(sched), (void)(count), 0)
#define rt_event_execute(sched, wait)               ((void)(sched), (void)(wait))
#define rt_time_get_us()                            pi_time_get_us()
#define rt_freq_set(domain, hertz)                  pi_freq_set(PI_FREQ_DOMAIN_FC, hertz)
#define rt_dma_memcpy(ext, loc, size, dir, merge, copy)                                            \
  pi_cl_dma_cmd(ext, loc, size, (pi_cl_dma_dir_e)(dir), copy)
#define rt_dma_memcpy_2d(ext, loc, size, stride, length, dir, merge, copy)                         \
  pi_cl_dma_cmd_2d(ext, loc, size, stride, length, (pi_cl_dma_dir_e)(dir), copy)
#define rt_dma_wait(copy) pi_cl_dma_cmd_wait(copy)

#define RT_PERF_CYCLES           PI_PERF_CYCLES
#define RT_PERF_ACTIVE_CYCLES    PI_PERF_ACTIVE_CYCLES
#define RT_PERF_INSTR            PI_PERF_INSTR
#define RT_PERF_LD_STALL         PI_PERF_LD_STALL
#define RT_PERF_JR_STALL         PI_PERF_JR_STALL
#define RT_PERF_IMISS            PI_PERF_IMISS
#define RT_PERF_LD               PI_PERF_LD
#define RT_PERF_ST               PI_PERF_ST
#define RT_PERF_JUMP             PI_PERF_JUMP
#define RT_PERF_BRANCH           PI_PERF_BRANCH
#define RT_PERF_BTAKEN           PI_PERF_BTAKEN
#define RT_PERF_RVC              PI_PERF_RVC
#define RT_PERF_TCDM_CONT        PI_PERF_TCDM_CONT
#define rt_perf_init(perf)       ((void)((perf)->events = 0))
#define rt_perf_conf(perf, set)  ((perf)->events = (set), pi_perf_conf((perf)->events))
#define rt_perf_reset(perf)      pi_perf_reset()
#define rt_perf_start(perf)      pi_perf_start()
#define rt_perf_stop(perf)       pi_perf_stop()
#define rt_perf_save(perf)       ((void)(perf)) // counters keep their values
#define rt_perf_read(event)      pi_perf_read(event)
#define rt_perf_get(perf, event) pi_perf_read(event)

#endif
