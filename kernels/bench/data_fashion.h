// kernels/bench/data_fashion.h: 600 images of Fashion-MNIST, 14x14 in 16 shades of grey; ten kinds
// of clothes (kernels/data/README.md). They stay in L2; an image is brought by the DMA.
#ifndef BENCH_DATA_FASHION_H
#define BENCH_DATA_FASHION_H

#include "bench.h"

enum { DATA_SIDE = 14, DATA_INPUTS = DATA_SIDE * DATA_SIDE, DATA_CLASSES = 10 };
enum { FASHION_RECORD = 1 + DATA_INPUTS / 2 }; // class, then two pixels to a byte

// By -DTRAINED and -DHELD: multiples of ten, at most 400 and 200; classes take turns.
#ifndef TRAINED
#define TRAINED 400
#endif
#ifndef HELD
#define HELD 200
#endif
enum { DATA_TRAINED = TRAINED, DATA_HELD = HELD, FASHION_TRAINED = 400 };

extern const uint8_t fashion_records[600][FASHION_RECORD]; // kernels/data/fashion.S

static inline void data_make(void) {}

static inline const uint8_t *fashion_record(uint32_t n) {
  return fashion_records[n < DATA_TRAINED ? n : FASHION_TRAINED + n - DATA_TRAINED];
}

static inline uint8_t data_label(uint32_t n) {
  return fashion_record(n)[0];
}

// 0 .. 15 to -0.5 .. 1.375.
static inline void data_get(uint32_t n, float *values) {
  static RT_L1_BSS uint8_t packed[RT_MAX_CORES][DATA_INPUTS / 2];
  uint8_t *mine = packed[rt_core_id()];
  rt_dma_wait(rt_dma_in(mine, fashion_record(n) + 1, DATA_INPUTS / 2));
  for (uint32_t i = 0; i < DATA_INPUTS / 2; i++) {
    values[2 * i] = (float)(mine[i] & 15) * 0.125f - 0.5f;
    values[2 * i + 1] = (float)(mine[i] >> 4) * 0.125f - 0.5f;
  }
}

#endif
