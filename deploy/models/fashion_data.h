// deploy/models/fashion_data.h: Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017) as Debian's package
// dataset-fashion-mnist installs it: IDX files of 28 x 28 bytes an image, compressed by gzip.
#ifndef FASHION_DATA_H
#define FASHION_DATA_H

#include <stdbool.h>
#include <stdint.h>

enum { FASHION_SIDE = 28, FASHION_PIXELS = FASHION_SIDE * FASHION_SIDE, FASHION_CLASSES = 10 };

struct fashion_set {
  uint32_t count;
  uint8_t *images; // [count][FASHION_PIXELS], row by row
  uint8_t *labels; // [count], 0..9
};

// Set "train" (60,000 images) or "t10k" (10,000, for tests only). Ends the program with one
// sentence and status 65 where the files are not what they should be.
struct fashion_set fashion_read(const char *directory, const char *name);
void fashion_free(struct fashion_set *set);

// Image i as floats 0..1, or its mirror image.
void fashion_get(float *image, const struct fashion_set *set, uint32_t i, bool mirror);

#endif
