// Calls a function of an object of another compiler (theirs.S).
#include <stdio.h>

int dot(const signed char *a, const signed char *b, int words);

static signed char a[32], b[32];

int main(void) {
  int wanted = 0;
  for (int i = 0; i < 32; i++) {
    a[i] = (signed char)(i * 7);
    b[i] = (signed char)(i * 5 - 60);
    wanted += a[i] * b[i];
  }
  printf("%d of %d\n", dot(a, b, 8), wanted);
  return 0;
}
