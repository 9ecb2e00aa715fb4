// kernels/compat/pmsis_team.c: cores, teams, time. A fork's cores meet at barrier 1 of the event
// unit.
#include <sys/lock.h>
#include <time.h>

#include "kernels/libc/team.h"
#include "kernels/rt/platform.h"
#include "pmsis.h"

enum { BARRIER = 0x20 }; // behind the runtime's own

static struct {
  int cores;
  void (*entry)(void *);
  void *arg;
} team = {.cores = 1};

uint32_t pi_core_id(void) {
  return team_core();
}

uint32_t pi_cluster_id(void) {
  return __builtin_pulp_ClusterId();
}

int pi_cl_cluster_nb_pe_cores(void) {
  return (int)team_cores();
}

int pi_cl_team_nb_cores(void) {
  return team.cores;
}

void compat_barrier(void) {
  if (team.cores > 1)
    (void)p_elw((void *)(RT_EU_BASE + BARRIER), RT_EU_BARRIER_GO);
  __asm__ volatile("" ::: "memory");
}

// The C library has one recursive lock.
void pi_cl_team_critical_enter(void) {
  __retarget_lock_acquire_recursive(NULL);
}

void pi_cl_team_critical_exit(void) {
  __retarget_lock_release_recursive(NULL);
}

uint32_t eu_evt_maskWaitAndClr(uint32_t events) {
  volatile uint32_t *mask = (volatile uint32_t *)(RT_EU_BASE + RT_EU_MASK);
  *mask = events;
  uint32_t came = (uint32_t)p_elw((void *)RT_EU_BASE, RT_EU_WAIT_CLEAR);
  *mask = RT_EVENT_TEAM;
  return came;
}

static void run_member(void *nothing) {
  (void)nothing;
  if ((int)team_core() < team.cores)
    team.entry(team.arg);
}

static void set_team(int cores) {
  volatile uint32_t *barrier = (volatile uint32_t *)(RT_EU_BASE + BARRIER + RT_EU_BARRIER);
  team.cores = cores;
  barrier[0] = barrier[3] = (1u << cores) - 1;
}

void pi_cl_team_fork(int nb_cores, void (*entry)(void *), void *arg) {
  int all = (int)team_cores(), before = team.cores;
  team.entry = entry;
  team.arg = arg;
  set_team(nb_cores > 0 && nb_cores < all ? nb_cores : all);
  team_run(run_member, NULL);
  set_team(before);
}

// ---- the cluster, whose core 0 is at work already

void pi_cluster_conf_init(struct pi_cluster_conf *conf) {
  *conf = (struct pi_cluster_conf){0};
}

void pi_open_from_conf(struct pi_device *device, void *conf) {
  *device = (struct pi_device){.config = conf};
}

int pi_cluster_open(struct pi_device *device) {
  (void)device;
  return 0;
}

int pi_cluster_close(struct pi_device *device) {
  (void)device;
  return 0;
}

struct pi_cluster_task *pi_cluster_task(struct pi_cluster_task *task, void (*entry)(void *),
                                        void *arg) {
  *task = (struct pi_cluster_task){.entry = entry, .arg = arg};
  return task;
}

int pi_cluster_send_task_to_cl(struct pi_device *device, struct pi_cluster_task *task) {
  (void)device;
  task->entry(task->arg);
  return 0;
}

int pmsis_kickoff(void *entry) {
  ((void (*)(void))entry)();
  return 0;
}

void pmsis_exit(int status) {
  exit(status);
}

int pi_freq_set(pi_freq_domain_e domain, uint32_t hertz) {
  (void)domain;
  (void)hertz;
  return 0;
}

__attribute__((weak)) unsigned int PMU_set_voltage(unsigned int millivolts, unsigned int check) {
  (void)millivolts;
  (void)check;
  return 0;
}

uint32_t pi_time_get_us(void) {
  return (uint32_t)((uint64_t)clock() * 1000000 / CLOCKS_PER_SEC);
}
