// kernels/libc/team.h: all cores of the cluster at work for an ordinary C program (pulpsim.specs).
//
// main() runs on core 0; the other cores sleep until it gives them something to do. A program whose
// main() is for every core is linked with -Wl,--defsym=main_on_all_cores=1.
#ifndef TEAM_H
#define TEAM_H

#ifdef __cplusplus
extern "C" {
#endif

// Calls work(argument) on every core, and returns when all have returned. Of core 0 only, and not
// from within `work`; not if main() is on all cores.
void team_run(void (*work)(void *argument), void *argument);

unsigned team_core(void);  // 0 .. team_cores() - 1
unsigned team_cores(void); // that run: pulpsim --cores
void team_barrier(void);   // all cores

#ifdef __cplusplus
}
#endif

#endif
