// kernels/rt/rt_host.h: the runtime on the host, for tests: one thread per core.
#ifndef RT_HOST_H
#define RT_HOST_H

// Runs program(user) on `cores` threads (1..RT_MAX_CORES), in which rt_core_id() and so on behave
// as on the target. Returns the first non-zero result, lowest core first; -1 if the threads cannot
// be had. Not re-entrant.
int rt_host_run(unsigned cores, int (*program)(void *user), void *user);

// Runs program(user) in this thread alone, as core 0 of `cores`: for questions whose answer depends
// on how many cores there are. It must not come to a barrier.
int rt_host_first(unsigned cores, int (*program)(void *user), void *user);

#endif
