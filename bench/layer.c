// bench/layer.c: shapes of layers.
#include "bench/layer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 8 };

struct elements {
  uint64_t in, weights, out;
};

static uint64_t out_size(uint64_t in, uint64_t kernel, uint64_t stride, uint64_t pad) {
  return stride && in + 2 * pad >= kernel ? (in + 2 * pad - kernel) / stride + 1 : 0;
}

static uint64_t matmul(const uint64_t *d, struct elements *e) {
  *e = (struct elements){d[0] * d[2], d[2] * d[1], d[0] * d[1]};
  return d[0] * d[1] * d[2];
}

static uint64_t linear(const uint64_t *d, struct elements *e) {
  *e = (struct elements){d[0], d[0] * d[1], d[1]};
  return d[0] * d[1];
}

static uint64_t conv2d(const uint64_t *d, struct elements *e) {
  uint64_t pixels = out_size(d[0], d[4], d[6], d[7]) * out_size(d[1], d[5], d[6], d[7]);
  *e = (struct elements){d[0] * d[1] * d[2], d[2] * d[3] * d[4] * d[5], pixels * d[3]};
  return pixels * d[3] * d[2] * d[4] * d[5];
}

static uint64_t depthwise(const uint64_t *d, struct elements *e) {
  uint64_t pixels = out_size(d[0], d[3], d[5], d[6]) * out_size(d[1], d[4], d[5], d[6]);
  *e = (struct elements){d[0] * d[1] * d[2], d[2] * d[3] * d[4], pixels * d[2]};
  return pixels * d[2] * d[3] * d[4];
}

static uint64_t vector(const uint64_t *d, struct elements *e) {
  *e = (struct elements){d[0], d[0], d[0]};
  return d[0];
}

static const struct {
  const char *name;
  unsigned dimensions;
  uint64_t (*macs)(const uint64_t *d, struct elements *e);
} kinds[] = {
    {"matmul", 3, matmul},       {"linear", 2, linear}, {"conv2d", 8, conv2d},
    {"depthwise", 7, depthwise}, {"vector", 1, vector},
};

// Returns how many numbers `text` holds; -1 if there is anything else in it.
static int numbers(const char *text, uint64_t *d) {
  int count = 0;
  for (char *end; count < MAX_DIMENSIONS && *(text += strspn(text, " ,")); text = end) {
    d[count++] = strtoull(text, &end, 10);
    if (end == text)
      return -1;
  }
  return *text ? -1 : count;
}

bool layer_parse(struct layer *layer, const char *text, const unsigned bits[3]) {
  uint64_t d[MAX_DIMENSIONS];
  struct elements e;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].name);
    if (strncmp(text, kinds[i].name, length) != 0 || text[length] != ' ')
      continue;
    if (numbers(text + length, d) != (int)kinds[i].dimensions)
      return false;
    layer->macs = kinds[i].macs(d, &e);
    layer->bytes = (double)(e.in * bits[0] + e.weights * bits[1] + e.out * bits[2]) / 8;
    return layer->macs != 0;
  }
  return false;
}
