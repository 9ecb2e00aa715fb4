// All cores print, and allocate under the library's lock.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/libc/team.h"

enum { ROUNDS = 4, BLOCKS = 8 };

static int failures[16];

static void work(void *argument) {
  unsigned core = team_core();
  char *block[BLOCKS];
  for (unsigned i = 0; i < BLOCKS; i++) {
    block[i] = malloc(64 + 16 * core);
    if (block[i])
      memset(block[i], (int)core + 1, 64 + 16 * core);
  }
  for (unsigned i = 0; i < BLOCKS; i++) {
    failures[core] += !block[i] || block[i][0] != (int)core + 1 || block[i][63] != (int)core + 1;
    free(block[i]);
  }
  printf("core %u of %u: %s %.3f\n", core, team_cores(), (char *)argument, core / 8.0);
}

int main(void) {
  for (int i = 0; i < ROUNDS; i++)
    team_run(work, "round");
  for (unsigned i = 0; i < team_cores(); i++)
    if (failures[i])
      return 1;
  return 0;
}
