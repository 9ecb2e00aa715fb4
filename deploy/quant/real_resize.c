// deploy/quant/real_resize.c: see real_resize.h.
#include "real_resize.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

static int between(struct real_net *real, const char *name, const char *what, int like) {
  struct net_tensor t = real->net->tensors[like];
  t.name = memory_format("%s %s", name, what);
  int number = net_add_tensor(real->net, &t);
  free(t.name);
  return number;
}

static struct net_layer layer_of(const char *name, const char *what, enum net_kind kind, int input,
                                 int output) {
  return (struct net_layer){.name = memory_format("%s %s", name, what),
                            .kind = kind,
                            .inputs = memory_copy(&input, 1, sizeof input),
                            .input_count = 1,
                            .output = output,
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .stride_h = 1,
                            .stride_w = 1,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .groups = 1};
}

static void add(struct real_net *real, const struct net_layer *layer) {
  const struct real_layer numbers = {.low = -INFINITY, .high = INFINITY};
  real_add_layer(real, layer, &numbers);
}

bool real_resize_linear(struct real_net *real, const char *name, int input, int output,
                        bool half_pixels) {
  const struct net_tensor in = real->net->tensors[input], out = real->net->tensors[output];
  uint32_t h = out.h / in.h, w = out.w / in.w;
  if (out.h % in.h || out.w % in.w || out.c != in.c || h < 1 || w < 1 || h > 2 || w > 2)
    return false;
  int twice = between(real, name, "twice", output);
  struct net_layer l = layer_of(name, "twice", NET_RESIZE, input, twice);
  l.stride_h = (uint8_t)h, l.stride_w = (uint8_t)w;
  add(real, &l);
  if (half_pixels) {
    int before = between(real, name, "before", output);
    l = layer_of(name, "before", NET_AVGPOOL, twice, before);
    l.kernel_h = (uint8_t)h, l.kernel_w = (uint8_t)w;
    l.pad_top = (uint8_t)(h - 1), l.pad_left = (uint8_t)(w - 1);
    add(real, &l);
    twice = before;
  }
  l = layer_of(name, "behind", NET_AVGPOOL, twice, output);
  l.kernel_h = (uint8_t)h, l.kernel_w = (uint8_t)w;
  l.pad_bottom = (uint8_t)(h - 1), l.pad_right = (uint8_t)(w - 1);
  add(real, &l);
  return true;
}
