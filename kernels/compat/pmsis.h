// kernels/compat/pmsis.h: PMSIS as far as kernel libraries and the code that deployment tools
// generate use it, for programs linked by pulpsim.specs.
//
// Core 0 plays the fabric controller too: what is sent to the cluster it does itself, at once.
// Clocks and voltages stay as they are. Not there: interrupts, events, peripherals. Names and
// meaning: PMSIS API of pulp-sdk.
#ifndef COMPAT_PMSIS_H
#define COMPAT_PMSIS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pulp_builtins.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PI_L1      __attribute__((section(".data.l1")))
#define PI_CL_L1   PI_L1
#define PI_L2      __attribute__((section(".data.l2")))
#define PI_FC_L1   PI_L2
#define PI_FC_TINY PI_L2
#define L1_DATA    PI_L1
#define L2_DATA    PI_L2

// What programs are compiled for: a simulator.
#define ARCHI_PLATFORM_OTHER 0
#define ARCHI_PLATFORM_FPGA  1
#define ARCHI_PLATFORM_RTL   2
#define ARCHI_PLATFORM_GVSOC 3
#ifndef __PLATFORM__
#define __PLATFORM__ ARCHI_PLATFORM_GVSOC
#endif

#define MCHAN_VERSION          7
#define ARCHI_CL_EVT_DMA0      8
#define ARCHI_MCHAN_DEMUX_ADDR 0x10204400

// ---- cores

uint32_t pi_core_id(void);
uint32_t pi_cluster_id(void);
int pi_cl_cluster_nb_pe_cores(void);
int pi_cl_team_nb_cores(void); // of the innermost fork
// Calls entry(arg) on cores 0 .. nb_cores - 1 (0: all), of core 0; returns when all have.
void pi_cl_team_fork(int nb_cores, void (*entry)(void *), void *arg);
void compat_barrier(void);
#define pi_cl_team_barrier(...) compat_barrier() // of the cores of the fork
void pi_cl_team_critical_enter(void);
void pi_cl_team_critical_exit(void);
// Sleeps until one of the events has come, takes it; the mask of what had come.
uint32_t eu_evt_maskWaitAndClr(uint32_t events);
#define pi_is_fc()  0
#define hal_is_fc() 0

// ---- cluster

typedef struct pi_device {
  void *config, *data;
} pi_device_t;
struct pi_cluster_conf {
  int id;
  void *heap_start;
  uint32_t heap_size;
};
struct pi_cluster_task {
  void (*entry)(void *);
  void *arg, *stacks;
  uint32_t stack_size, slave_stack_size;
  int nb_cores;
};
void pi_cluster_conf_init(struct pi_cluster_conf *conf);
void pi_open_from_conf(struct pi_device *device, void *conf);
int pi_cluster_open(struct pi_device *device);
int pi_cluster_close(struct pi_device *device);
struct pi_cluster_task *pi_cluster_task(struct pi_cluster_task *task, void (*entry)(void *),
                                        void *arg);
int pi_cluster_send_task_to_cl(struct pi_device *device, struct pi_cluster_task *task);
#define pi_cluster_send_task(device, task) pi_cluster_send_task_to_cl(device, task)
int pmsis_kickoff(void *entry);
__attribute__((noreturn)) void pmsis_exit(int status);

// ---- memory: NULL if there is none left

void *pi_l2_malloc(int size);
void pi_l2_free(void *memory, int size);
void *pi_cl_l1_malloc(struct pi_device *device, uint32_t size); // 8-byte aligned
void pi_cl_l1_free(struct pi_device *device, void *memory, int size);
#define pmsis_l1_malloc(size)              pi_cl_l1_malloc((struct pi_device *)0, size)
#define pmsis_l1_malloc_free(memory, size) pi_cl_l1_free((struct pi_device *)0, memory, size)
#define pmsis_l2_malloc                    pi_l2_malloc
#define pmsis_l2_malloc_free               pi_l2_free

#define pi_malloc pi_l2_malloc
#define pi_free   pi_l2_free

// Of the cluster; done at once.
typedef struct {
  void *memory;
} pi_cl_alloc_req_t;
typedef struct {
  int done;
} pi_cl_free_req_t;
void pi_cl_l2_malloc(uint32_t size, pi_cl_alloc_req_t *req);
void *pi_cl_l2_malloc_wait(pi_cl_alloc_req_t *req);
void pi_cl_l2_free(void *memory, uint32_t size, pi_cl_free_req_t *req);
void pi_cl_l2_free_wait(pi_cl_free_req_t *req);

// ---- DMA. Any size; each command is waited for once, by the core that gave it.

typedef enum { PI_CL_DMA_DIR_LOC2EXT = 0, PI_CL_DMA_DIR_EXT2LOC = 1 } pi_cl_dma_dir_e;
typedef struct {
  int id; // 0: done
} pi_cl_dma_cmd_t;
typedef struct {
  uint32_t ext, loc, id;
  uint16_t size;
  pi_cl_dma_dir_e dir;
  uint8_t merge;
} pi_cl_dma_copy_t;
typedef struct {
  uint32_t ext, loc, id, size;
  pi_cl_dma_dir_e dir;
  uint8_t merge;
  uint32_t stride, length;
} pi_cl_dma_copy_2d_t;
void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size, pi_cl_dma_dir_e dir,
                   pi_cl_dma_cmd_t *cmd);
void pi_cl_dma_cmd_2d(uint32_t ext, uint32_t loc, uint32_t size, uint32_t stride, uint32_t length,
                      pi_cl_dma_dir_e dir, pi_cl_dma_cmd_t *cmd);
void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t *cmd);
void pi_cl_dma_memcpy(pi_cl_dma_copy_t *copy);
void pi_cl_dma_memcpy_2d(pi_cl_dma_copy_2d_t *copy);
void pi_cl_dma_wait(void *copy);

// ---- counters of the own core; PI_PERF_CYCLES is the cluster's timer

typedef enum {
  PI_PERF_ACTIVE_CYCLES = 0,
  PI_PERF_INSTR,
  PI_PERF_LD_STALL,
  PI_PERF_JR_STALL,
  PI_PERF_IMISS,
  PI_PERF_LD,
  PI_PERF_ST,
  PI_PERF_JUMP,
  PI_PERF_BRANCH,
  PI_PERF_BTAKEN,
  PI_PERF_RVC,
  PI_PERF_LD_EXT = 12,
  PI_PERF_ST_EXT,
  PI_PERF_LD_EXT_CYC,
  PI_PERF_ST_EXT_CYC,
  PI_PERF_TCDM_CONT,
  PI_PERF_CYCLES,
} pi_perf_event_e;
#define PI_PERF_JMP_STALL    PI_PERF_JR_STALL
#define PI_PERF_TAKEN_BRANCH PI_PERF_BTAKEN
void pi_perf_conf(unsigned events); // 1 << event, several
void pi_perf_reset(void);
void pi_perf_start(void);
void pi_perf_stop(void);
unsigned pi_perf_read(int event);
#define pi_perf_cl_reset pi_perf_reset
#define pi_perf_cl_start pi_perf_start
#define pi_perf_cl_stop  pi_perf_stop
#define pi_perf_cl_read  pi_perf_read

// ---- clocks, voltages, time

typedef enum { PI_FREQ_DOMAIN_FC, PI_FREQ_DOMAIN_CL, PI_FREQ_DOMAIN_PERIPH } pi_freq_domain_e;
enum { PI_PMU_VOLTAGE_DOMAIN_CHIP = 0, PI_PMU_VOLT_800 = 800 };
int pi_freq_set(pi_freq_domain_e domain, uint32_t hertz); // 0, and changes nothing
#define pi_pmu_voltage_set(domain, millivolts) ((void)(domain), (void)(millivolts), 0)
unsigned int PMU_set_voltage(unsigned int millivolts, unsigned int check); // weak: yours counts
uint32_t pi_time_get_us(void);
#define pi_time_wait_us(microseconds) ((void)(microseconds)) // nothing needs the wait

#ifdef __cplusplus
}
#endif

#include "pmsis_storage.h"

#endif
