// By semihosting: picolibc's own libsemihost.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char line[40] = "";
  printf("semi %.2f\n", 1.5);
  FILE *f = fopen(":semihosting-features", "r");
  if (!f || fread(line, 1, sizeof line, f) != 5)
    return 2;
  printf("%.4s %#x\n", line, line[4]);
  fclose(f);
  f = fopen("x", "w");
  if (!f)
    return 1;
  fprintf(f, "abc %d\n", 5);
  fclose(f);
  f = fopen("x", "r");
  fgets(line, sizeof line, f);
  printf("read %s", line);
  fclose(f);
  return remove("x") == 0 ? 0 : 1;
}
