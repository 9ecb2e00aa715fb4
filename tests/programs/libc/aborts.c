// Ends that a C program brings about itself: a failed assertion, abort(), a signal.
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int how = argc > 1 ? atoi(argv[1]) : 0;
  printf("before");
  if (how == 1)
    abort();
  if (how == 2)
    raise(SIGTERM);
  assert(how > 2);
  return 0;
}
