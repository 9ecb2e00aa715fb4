// kernels/data/fashion_sample.c: makes fashion.bin from the Fashion-MNIST files (IDX, gzip).
//
// usage: fashion_sample DIRECTORY OUTPUT
//
// Records of 99 bytes: the class (0..9), then 14 x 14 pixels, row by row, two to a byte, the left
// one in the low four bits. A pixel is the mean of 2 x 2 pixels of the original, divided by 16.
// First 40 images of each class from the training set, then 20 of each from the test set: the first
// ones that the files hold, the classes in turn.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { SIDE = 28, PIXELS = SIDE * SIDE, CLASSES = 10, RECORD = 1 + PIXELS / 8, MOST = 40 };
enum { BAD_USAGE = 64, BAD_INPUT = 65, NO_OUTPUT = 73 };

static void fail(int status, const char *what, const char *path) {
  fprintf(stderr, "fashion_sample: %s: %s\n", path, what);
  exit(status);
}

// Opens NAME in `directory` and skips its header of `header` bytes.
static gzFile open_idx(const char *directory, const char *name, unsigned header) {
  char path[1024];
  uint8_t skipped[16];
  snprintf(path, sizeof path, "%s/%s-ubyte.gz", directory, name);
  gzFile file = gzopen(path, "rb");
  if (!file)
    fail(BAD_INPUT, "cannot be read", path);
  if (gzread(file, skipped, header) != (int)header || skipped[0] || skipped[1] || skipped[2] != 8)
    fail(BAD_INPUT, "is not an IDX file of bytes", path);
  return file;
}

static void make_record(uint8_t *record, uint8_t label, const uint8_t *image) {
  record[0] = label;
  for (unsigned i = 0; i < PIXELS / 4; i++) {
    unsigned row = i / (SIDE / 2) * 2, column = i % (SIDE / 2) * 2;
    const uint8_t *at = image + row * SIDE + column;
    unsigned value = (at[0] + at[1] + at[SIDE] + at[SIDE + 1]) / 4 / 16;
    uint8_t *byte = &record[1 + i / 2];
    *byte = (uint8_t)(i % 2 ? *byte | value << 4 : value);
  }
}

// The first `each` images of every class.
static void sample(const char *directory, const char *set, unsigned each, FILE *out) {
  static uint8_t records[CLASSES * MOST][RECORD];
  unsigned count[CLASSES] = {0}, missing = CLASSES * each;
  char name[64];
  snprintf(name, sizeof name, "%s-images-idx3", set);
  gzFile images = open_idx(directory, name, 16);
  snprintf(name, sizeof name, "%s-labels-idx1", set);
  gzFile labels = open_idx(directory, name, 8);
  while (missing > 0) {
    uint8_t label, image[PIXELS];
    if (gzread(labels, &label, 1) != 1 || gzread(images, image, PIXELS) != PIXELS ||
        label >= CLASSES)
      fail(BAD_INPUT, "ends too early, or has another class", set);
    if (count[label] == each)
      continue;
    make_record(records[count[label]++ * CLASSES + label], label, image);
    missing--;
  }
  gzclose(images);
  gzclose(labels);
  fwrite(records, RECORD, CLASSES * (size_t)each, out);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: fashion_sample DIRECTORY OUTPUT\n");
    return BAD_USAGE;
  }
  FILE *out = fopen(argv[2], "wb");
  if (!out)
    fail(NO_OUTPUT, "cannot be written", argv[2]);
  sample(argv[1], "train", MOST, out);
  sample(argv[1], "t10k", MOST / 2, out);
  bool written = !ferror(out);
  if (fclose(out) != 0 || !written)
    fail(NO_OUTPUT, "cannot be written", argv[2]);
  return 0;
}
