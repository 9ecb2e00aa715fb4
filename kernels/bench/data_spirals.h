// kernels/bench/data_spirals.h: points along the arms of two spirals, half a turn apart (Lang,
// Witbrock, "Learning to tell two spirals apart", 1988), with noise, generated from a seed; every
// third is held out. The order is all over the spirals.
#ifndef BENCH_DATA_SPIRALS_H
#define BENCH_DATA_SPIRALS_H

#include "bench.h"

enum { DATA_INPUTS = 2, DATA_CLASSES = 2, DATA_HELD = 96, DATA_TRAINED = 2 * DATA_HELD };
enum { SPIRALS_POINTS = DATA_TRAINED + DATA_HELD };

static RT_L1_BSS float spirals_point[SPIRALS_POINTS][2];
static RT_L1_BSS uint16_t spirals_order[SPIRALS_POINTS];

static inline float data_uniform(uint32_t *seed);

static inline void data_make(void) {
  const float c = 0.99905f, s = 0.04362f; // a step of 2.5 degrees: one turn in all
  float x = 1, y = 0;
  uint32_t seed = 2024, trained = 0, held = DATA_TRAINED;
  for (uint32_t i = 0; i < SPIRALS_POINTS; i++) {
    float sign = i & 1 ? -1.0f : 1.0f;
    uint32_t step = i / 2, steps = SPIRALS_POINTS / 2;
    float radius = 0.1f + 0.9f * (float)step / (float)steps;
    spirals_point[i][0] = 2.0f * (sign * radius * x + 0.02f * data_uniform(&seed));
    spirals_point[i][1] = 2.0f * (sign * radius * y + 0.02f * data_uniform(&seed));
    if (i & 1) {
      float turned = x * c - y * s;
      y = x * s + y * c;
      x = turned;
    }
  }
  for (uint32_t n = 0; n < SPIRALS_POINTS; n++) {
    uint32_t i = n * 89 % SPIRALS_POINTS;
    spirals_order[i / 2 % 3 == 2 ? held++ : trained++] = (uint16_t)i;
  }
}

static inline void data_get(uint32_t n, float *values) {
  values[0] = spirals_point[spirals_order[n]][0];
  values[1] = spirals_point[spirals_order[n]][1];
}

static inline uint8_t data_label(uint32_t n) {
  return spirals_order[n] & 1;
}

#endif
