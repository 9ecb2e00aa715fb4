// deploy/models/fashion_data.c
#include "fashion_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <zlib.h>

static _Noreturn void fail(const char *path, const char *what) {
  fprintf(stderr, "train_fashion: %s %s: apt-get install dataset-fashion-mnist\n", path, what);
  exit(EX_DATAERR);
}

static uint32_t big_endian(const uint8_t *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// The elements of an IDX file of bytes with so many dimensions; their first is the count.
static uint8_t *read_idx(const char *directory, const char *name, uint32_t dimensions, size_t each,
                         uint32_t *count) {
  char path[4096];
  uint8_t header[16];
  snprintf(path, sizeof path, "%s/%s-idx%u-ubyte.gz", directory, name, dimensions);
  gzFile file = gzopen(path, "rb");
  if (!file)
    fail(path, "cannot be read");
  int bytes = 4 + 4 * (int)dimensions;
  if (gzread(file, header, (unsigned)bytes) != bytes || big_endian(header) != 0x800 + dimensions)
    fail(path, "is not an IDX file of bytes");
  *count = big_endian(header + 4);
  if (*count == 0 || *count > 60000 || (dimensions == 3 && big_endian(header + 8) != FASHION_SIDE))
    fail(path, "holds other images");
  uint8_t *data = malloc(*count * each);
  if (!data || gzread(file, data, (unsigned)(*count * each)) != (int)(*count * each))
    fail(path, "ends too early");
  gzclose(file);
  return data;
}

struct fashion_set fashion_read(const char *directory, const char *name) {
  struct fashion_set set;
  uint32_t labels;
  char file[64];
  snprintf(file, sizeof file, "%s-images", name);
  set.images = read_idx(directory, file, 3, FASHION_PIXELS, &set.count);
  snprintf(file, sizeof file, "%s-labels", name);
  set.labels = read_idx(directory, file, 1, 1, &labels);
  if (labels != set.count)
    fail(directory, "has not a label for every image");
  for (uint32_t i = 0; i < labels; i++) {
    if (set.labels[i] >= FASHION_CLASSES)
      fail(directory, "has labels beyond 9");
  }
  return set;
}

void fashion_free(struct fashion_set *set) {
  free(set->images);
  free(set->labels);
}

void fashion_get(float *image, const struct fashion_set *set, uint32_t i, bool mirror) {
  const uint8_t *from = set->images + (size_t)i * FASHION_PIXELS;
  for (int y = 0; y < FASHION_SIDE; y++, from += FASHION_SIDE) {
    for (int x = 0; x < FASHION_SIDE; x++)
      *image++ = (float)from[mirror ? FASHION_SIDE - 1 - x : x] * (1.0f / 255);
  }
}
