// deploy/tune/product.c: see product.h.
#include "deploy/tune/product.h"

#include <string.h>

const char *const tune_step_names[TUNE_STEPS] = {"fw", "wg", "ig"};

enum { MAX_SIZE = 65535 };

static bool in_range(const unsigned *sizes, int count) {
  for (int i = 0; i < count; i++) {
    if (sizes[i] < 1 || sizes[i] > MAX_SIZE)
      return false;
  }
  return true;
}

// Numbers of `shape` by a scanf format that ends in %n; whether they are all of it.
static bool whole(const char *shape, int end, const unsigned *sizes, int count, int read) {
  return read == count && end > 0 && shape[end] == '\0' && in_range(sizes, count);
}

static bool pointwise(struct tune_product *p, const char *shape, enum tune_step step) {
  unsigned s[4]; // C, H, W, F
  int end = 0, read = sscanf(shape, "%ux%ux%u,%u%n", &s[0], &s[1], &s[2], &s[3], &end);
  if (!whole(shape, end, s, 4, read))
    return false;
  uint32_t pixels = s[1] * s[2];
  if (step == TUNE_FW)
    *p = (struct tune_product){s[3], pixels, s[0], MMT_NN};
  else if (step == TUNE_WG)
    *p = (struct tune_product){s[3], s[0], pixels, MMT_NT};
  else
    *p = (struct tune_product){s[0], pixels, s[3], MMT_TN};
  return pixels <= MAX_SIZE;
}

static bool linear(struct tune_product *p, const char *shape, enum tune_step step) {
  unsigned s[2]; // I, O
  int end = 0, read = sscanf(shape, "%u,%u%n", &s[0], &s[1], &end);
  if (!whole(shape, end, s, 2, read))
    return false;
  if (step == TUNE_FW)
    *p = (struct tune_product){s[1], 1, s[0], MMT_NN};
  else if (step == TUNE_WG)
    *p = (struct tune_product){s[1], s[0], 1, MMT_NN};
  else
    *p = (struct tune_product){1, s[0], s[1], MMT_NN};
  return true;
}

bool tune_product(struct tune_product *product, const char *layer, const char *shape,
                  enum tune_step step, struct net_error *error) {
  bool is_pointwise = strcmp(layer, "pointwise") == 0;
  if (!is_pointwise && strcmp(layer, "linear") != 0) {
    snprintf(error->text, sizeof error->text, "layer '%s': tuned are pointwise and linear", layer);
    return false;
  }
  if (is_pointwise ? pointwise(product, shape, step) : linear(product, shape, step))
    return true;
  snprintf(error->text, sizeof error->text, "--shape %s: a %s layer has %s, each 1 to %d", shape,
           layer, is_pointwise ? "CHANNELSxHEIGHTxWIDTH,FILTERS" : "INPUTS,OUTPUTS", MAX_SIZE);
  return false;
}

uint64_t tune_product_macs(const struct tune_product *product) {
  return (uint64_t)product->n * product->m * product->k;
}
