// tests/isa/lockstep/compare.c: where two outputs of a random program differ first.
//
// usage: compare FILE FILE
//
// Exit status 0 if they are the same, 1 with one line that names the record and what differs in it.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// What a program writes after each round (little-endian).
struct record {
  uint32_t x[32]; // x0 is 0; tp (x4) is the address of the round's end, t6 (x31) is not kept
  uint32_t f[32];
  uint32_t fcsr;
  uint32_t buffer[256];
};

static const char *field(size_t word, char *name, size_t size) {
  if (word < 32)
    snprintf(name, size, "x%zu", word);
  else if (word < 64)
    snprintf(name, size, "f%zu", word - 32);
  else if (word == 64)
    snprintf(name, size, "fcsr");
  else
    snprintf(name, size, "data buffer + %zu", 4 * (word - 65));
  return name;
}

static int compare(FILE *a, FILE *b, const char *names[2]) {
  for (unsigned round = 0;; round++) {
    struct record r[2];
    uint32_t words[2][sizeof(struct record) / 4];
    char name[32];
    memset(r, 0, sizeof r);
    size_t na = fread(&r[0], 1, sizeof r[0], a), nb = fread(&r[1], 1, sizeof r[1], b);
    memcpy(words, r, sizeof words);
    for (size_t i = 0; i < sizeof words[0] / 4; i++)
      if (words[0][i] != words[1][i]) {
        printf("record %u (round ends at 0x%x): %s is %08x in %s, %08x in %s\n", round, r[0].x[4],
               field(i, name, sizeof name), words[0][i], names[0], words[1][i], names[1]);
        return 1;
      }
    if (na != nb) {
      printf("record %u: %s ends earlier\n", round, names[na > nb]);
      return 1;
    }
    if (na < sizeof r[0])
      return 0;
  }
}

int main(int argc, char **argv) {
  FILE *a = argc == 3 ? fopen(argv[1], "rb") : NULL, *b = argc == 3 ? fopen(argv[2], "rb") : NULL;
  if (a == NULL || b == NULL) {
    fputs("usage: compare FILE FILE\n", stderr);
    return 2;
  }
  return compare(a, b, (const char *[]){argv[1], argv[2]});
}
