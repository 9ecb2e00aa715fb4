// main() on all cores: -Wl,--defsym=main_on_all_cores=1.
#include <stdio.h>

#include "kernels/libc/team.h"

int main(void) {
  printf("%u\n", team_core());
  team_barrier();
  return team_core() == team_cores() - 1 ? 33 : 0;
}
