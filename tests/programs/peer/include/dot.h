// Sums of products of unsigned activations and signed weights.
#ifndef DOT_H
#define DOT_H

#include <stdint.h>

struct dot {
  const uint8_t *x;
  const int8_t *w;
  int length;  // a multiple of 4 for each core
  int sum[16]; // of each core's part
};

void dot_part(void *argument); // a team's member

int dot_u8(const uint8_t *x, const int8_t *w, int words); // four products a word
#endif
