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

// The numbers of `shape`: `wanted` of them and nothing behind. All are in range.
static bool read_shape(struct tune_layer *layer, const char *shape) {
  unsigned s[4] = {1, 1, 1, 1};
  int end = 0, wanted = layer->pointwise ? 4 : 2;
  int read = layer->pointwise ? sscanf(shape, "%ux%ux%u,%u%n", &s[0], &s[1], &s[2], &s[3], &end)
                              : sscanf(shape, "%u,%u%n", &s[0], &s[3], &end);
  layer->in = s[0];
  layer->height = s[1];
  layer->width = s[2];
  layer->out = s[3];
  return read == wanted && end > 0 && shape[end] == '\0' && in_range(s, 4) &&
         s[1] * s[2] <= MAX_SIZE;
}

bool tune_layer_parse(struct tune_layer *layer, const char *kind, const char *shape,
                      struct net_error *error) {
  layer->pointwise = strcmp(kind, "pointwise") == 0;
  if (!layer->pointwise && strcmp(kind, "linear") != 0) {
    snprintf(error->text, sizeof error->text, "layer '%s': tuned are pointwise and linear", kind);
    return false;
  }
  if (read_shape(layer, shape))
    return true;
  snprintf(error->text, sizeof error->text, "--shape %s: a %s layer has %s, each 1 to %d", shape,
           kind, layer->pointwise ? "CHANNELSxHEIGHTxWIDTH,FILTERS" : "INPUTS,OUTPUTS", MAX_SIZE);
  return false;
}

static struct tune_product pointwise(const struct tune_layer *l, enum tune_step step) {
  uint32_t pixels = l->height * l->width;
  if (step == TUNE_FW)
    return (struct tune_product){l->out, pixels, l->in, MMT_NN};
  if (step == TUNE_WG)
    return (struct tune_product){l->out, l->in, pixels, MMT_NT};
  return (struct tune_product){l->in, pixels, l->out, MMT_TN};
}

struct tune_product tune_layer_product(const struct tune_layer *l, enum tune_step step) {
  if (l->pointwise)
    return pointwise(l, step);
  if (step == TUNE_FW)
    return (struct tune_product){l->out, 1, l->in, MMT_NN};
  if (step == TUNE_WG)
    return (struct tune_product){l->out, l->in, 1, MMT_NN};
  return (struct tune_product){1, l->in, l->out, MMT_NN};
}

uint64_t tune_product_macs(const struct tune_product *product) {
  return (uint64_t)product->n * product->m * product->k;
}
