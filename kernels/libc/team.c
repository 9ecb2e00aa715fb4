#include "kernels/libc/team.h"

#include <stdlib.h>

#include "kernels/libc/host.h"
#include "kernels/rt/rt.h"

extern char main_on_all_cores __attribute__((weak)); // a symbol of the linker, or 0
int main(int argc, char **argv);
void __libc_init_array(void); // picolibc: constructors

enum { ARGUMENTS = 16, LENGTH = 256 };

static void (*team_work)(void *);
static void *team_argument;

unsigned team_core(void) {
  return rt_core_id();
}

unsigned team_cores(void) {
  return rt_core_count();
}

void team_barrier(void) {
  rt_barrier();
}

void team_run(void (*work)(void *), void *argument) {
  team_work = work;
  team_argument = argument;
  rt_barrier(); // go
  work(argument);
  rt_barrier(); // all have done it
}

static int work_on_request(void) {
  for (;;) {
    rt_barrier();
    if (!team_work)
      return 0;
    team_work(team_argument);
    rt_barrier();
  }
}

// What stands behind `--` on pulpsim's command line, behind a name.
static int run_main(void) {
  static char text[ARGUMENTS][LENGTH];
  static char *argv[ARGUMENTS + 2] = {"a.out"};
  int argc = 1;
  if (rt_core_id() == 0)
    while (argc <= ARGUMENTS && rt_argument((unsigned)argc - 1, text[argc - 1], LENGTH) >= 0) {
      argv[argc] = text[argc - 1];
      argc++;
    }
  return main(argc, argv);
}

// The first status that is not 0.
static int status_of_all(int status) {
  static int statuses[RT_MAX_CORES];
  statuses[rt_core_id()] = status;
  rt_barrier();
  for (unsigned i = 0; i < rt_core_count(); i++)
    if (statuses[i])
      return statuses[i];
  return 0;
}

int rt_main(void) {
  bool all = &main_on_all_cores != NULL, first = rt_core_id() == 0;
  if (first)
    __libc_init_array();
  if (all)
    rt_barrier(); // behind the constructors
  int status = first || all ? run_main() : work_on_request();
  host_flush();
  if (all)
    status = status_of_all(status);
  if (first)
    exit(status);
  return status;
}
