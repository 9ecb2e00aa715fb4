// Files, stdin, time; what is not granted is refused. Cores are at work when the program ends, so
// that its end is computed twice.
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/libc/team.h"

static void spin(void *argument) {
  for (volatile unsigned i = 0; i < 100 * (team_core() + 1); i++)
    (void)argument;
}

static int opens(const char *path) {
  FILE *f = fopen(path, "r");
  if (f)
    fclose(f);
  return f != NULL;
}

int main(void) {
  char line[80];
  int lines = 0;
  FILE *f = fopen("out.txt", "w");
  if (!f) {
    perror("out.txt");
    return 2;
  }
  for (int i = 0; i < 10; i++)
    fprintf(f, "line %d\n", i);
  fclose(f);
  f = fopen("out.txt", "a");
  fputs("more\n", f);
  fclose(f);
  f = fopen("out.txt", "r");
  while (fgets(line, sizeof line, f))
    lines++;
  fseek(f, -5, SEEK_END);
  fgets(line, sizeof line, f);
  printf("%d lines, %ld bytes, last %s", lines, ftell(f), line);
  fclose(f);
  team_run(spin, NULL);
  while (fgets(line, sizeof line, stdin))
    printf("stdin: %s", line);
  int first = unlink("gone.txt"), second = unlink("gone.txt");
  printf("outside: %d %d; unlink %d %d\n", opens("../x"), opens("/etc/passwd"), first, second);
  printf("time passes: %d\n", clock() > 0);
  return 0;
}
