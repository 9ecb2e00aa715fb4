#include "tiny.h"

#include <stdio.h>

enum { SEED = 20210614, NAME = 32 };

static const char *numbered(char name[NAME], const char *text, unsigned number) {
  snprintf(name, NAME, "%s%u", text, number);
  return name;
}

struct net *tiny_ds_cnn(const char *name) {
  char text[NAME];
  struct builder b = builder_new(name, SEED);
  int at = builder_input(&b, 49, 10, 1);
  at = builder_conv(&b, "conv0", at, 64, (struct builder_window){10, 4, 2, 4, 5, 1, 1},
                    BUILDER_RELU);
  for (unsigned i = 1; i <= 4; i++) {
    at = builder_depthwise(&b, numbered(text, "dw", i), at, builder_same(3, 1));
    at = builder_conv(&b, numbered(text, "pw", i), at, 64, builder_same(1, 1), BUILDER_RELU);
  }
  at = builder_average(&b, "pool", at);
  return builder_end(&b, builder_linear(&b, "fc", at, 12, BUILDER_SUMS));
}

// Two 3x3 convolutions beside a shortcut, which has a convolution where the shape changes. Strides
// of 2 pad only behind the map, as in TensorFlow.
static int residual(struct builder *b, int in, unsigned number, uint32_t out_c, uint8_t stride) {
  char name[NAME];
  struct builder_window first = builder_same(3, stride);
  if (stride == 2)
    first.top = first.left = 0;
  int way = builder_conv(b, numbered(name, "conv_a", number), in, out_c, first, BUILDER_RELU);
  way = builder_conv(b, numbered(name, "conv_b", number), way, out_c, builder_same(3, 1),
                     BUILDER_LINEAR);
  if (stride != 1)
    in = builder_conv(b, numbered(name, "shortcut", number), in, out_c, builder_same(1, stride),
                      BUILDER_LINEAR);
  return builder_add(b, numbered(name, "add", number), way, in, BUILDER_RELU);
}

struct net *tiny_resnet8(const char *name) {
  struct builder b = builder_new(name, SEED + 1);
  int at = builder_input(&b, 32, 32, 3);
  at = builder_conv(&b, "conv0", at, 16, builder_same(3, 1), BUILDER_RELU);
  at = residual(&b, at, 1, 16, 1);
  at = residual(&b, at, 2, 32, 2);
  at = residual(&b, at, 3, 64, 2);
  at = builder_average(&b, "pool", at);
  return builder_end(&b, builder_linear(&b, "fc", at, 10, BUILDER_SUMS));
}

struct net *tiny_autoencoder(const char *name) {
  static const uint16_t widths[] = {128, 128, 128, 128, 8, 128, 128, 128, 128};
  char text[NAME];
  struct builder b = builder_new(name, SEED + 2);
  unsigned count = sizeof widths / sizeof *widths;
  int at = builder_input(&b, 1, 1, 640);
  for (unsigned i = 0; i < count; i++)
    at = builder_linear(&b, numbered(text, "fc", i), at, widths[i], BUILDER_RELU);
  return builder_end(&b, builder_linear(&b, "fc9", at, 640, BUILDER_SUMS));
}
