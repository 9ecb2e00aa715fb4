// printf with floats, malloc, arguments, atexit, errno, and a status.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bye(void) {
  printf("bye"); // without an end of line
}

int main(int argc, char **argv) {
  char *text = malloc(100);
  atexit(bye);
  snprintf(text, 100, "%s of %d", argc > 1 ? argv[1] : "none", argc);
  printf("hello %s %.6f %g %lld\n", text, sqrt(2.0), 1e30, 123456789012345LL);
  int before = errno;
  char *too_much = malloc(1 << 30);
  fprintf(stderr, "errno %d %d\n", before, too_much == NULL && errno == ENOMEM);
  free(too_much);
  free(text);
  return 7;
}
