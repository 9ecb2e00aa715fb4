#include "mobilenet.h"

#include <stdio.h>

enum { SEED = 20210801, NAME = 32 };

static const char *numbered(char name[NAME], const char *text, unsigned number) {
  snprintf(name, NAME, "%s%u", text, number);
  return name;
}

struct net *mobilenet_v1(const char *name, uint32_t resolution, double alpha, uint32_t classes) {
  static const struct {
    uint16_t out_c;
    uint8_t stride;
  } blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  char text[NAME];
  struct builder b = builder_new(name, SEED);
  int at = builder_input(&b, resolution, resolution, 3);
  at = builder_conv(&b, "conv0", at, (uint32_t)(32 * alpha), builder_same(3, 2), BUILDER_RELU);
  for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    at = builder_depthwise(&b, numbered(text, "dw", i + 1), at, builder_same(3, blocks[i].stride));
    at = builder_conv(&b, numbered(text, "pw", i + 1), at, (uint32_t)(blocks[i].out_c * alpha),
                      builder_same(1, 1), BUILDER_RELU);
  }
  at = builder_average(&b, "pool", at);
  return builder_end(&b, builder_linear(&b, "fc", at, classes, BUILDER_SUMS));
}

// Channels in multiples of eight, not more than a tenth below the product (the authors' rule).
static uint32_t eights(double channels) {
  uint32_t c = (uint32_t)(channels + 4) / 8 * 8;
  c = c < 8 ? 8 : c;
  return c < 0.9 * channels ? c + 8 : c;
}

struct expansion {
  uint8_t factor;
  uint16_t out_c;
  uint8_t repeats, stride;
};

// An inverted residual: expansion, depthwise, linear projection, and the input added where the
// shapes allow it.
static int bottleneck(struct builder *b, int in, unsigned number, uint32_t factor, uint32_t out_c,
                      uint8_t stride) {
  const uint32_t in_c = b->net->tensors[in].c;
  char name[NAME];
  int at = in;
  if (factor > 1)
    at = builder_conv(b, numbered(name, "expand", number), at, in_c * factor, builder_same(1, 1),
                      BUILDER_RELU);
  at = builder_depthwise(b, numbered(name, "dw", number), at, builder_same(3, stride));
  at = builder_conv(b, numbered(name, "project", number), at, out_c, builder_same(1, 1),
                    BUILDER_LINEAR);
  if (stride == 1 && in_c == out_c)
    at = builder_add(b, numbered(name, "add", number), at, in, BUILDER_LINEAR);
  return at;
}

struct net *mobilenet_v2(const char *name, uint32_t resolution, double alpha, uint32_t classes) {
  static const struct expansion stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                            {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                            {6, 320, 1, 1}};
  struct builder b = builder_new(name, SEED);
  unsigned number = 1;
  int at = builder_input(&b, resolution, resolution, 3);
  at = builder_conv(&b, "conv0", at, eights(32 * alpha), builder_same(3, 2), BUILDER_RELU);
  for (unsigned i = 0; i < sizeof stages / sizeof *stages; i++) {
    for (unsigned r = 0; r < stages[i].repeats; r++)
      at = bottleneck(&b, at, number++, stages[i].factor, eights(stages[i].out_c * alpha),
                      r ? 1 : stages[i].stride);
  }
  at = builder_conv(&b, "conv18", at, alpha > 1 ? eights(1280 * alpha) : 1280, builder_same(1, 1),
                    BUILDER_RELU);
  at = builder_average(&b, "pool", at);
  return builder_end(&b, builder_linear(&b, "fc", at, classes, BUILDER_SUMS));
}
