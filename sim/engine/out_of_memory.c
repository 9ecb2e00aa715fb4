#include "engine/out_of_memory.h"

#include <stdio.h>
#include <stdlib.h>

void out_of_memory(void) {
  fputs("pulpsim: out of memory\n", stderr);
  exit(70);
}

void *must_have(void *block) {
  if (!block)
    out_of_memory();
  return block;
}
