// deploy/quant/shapes.c
#include "shapes.h"

#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"

static const char family[] = "mobilenet_v1:";

bool shapes_named(const char *name) {
  return strncmp(name, family, sizeof family - 1) == 0;
}

// A layer behind tensor `in`; square windows of `kernel` keep the map's size at stride 1.
static int add(struct net *net, enum net_kind kind, int in, uint32_t channels, uint8_t kernel,
               uint8_t stride) {
  const struct net_tensor *from = &net->tensors[in];
  bool vector = kind == NET_LINEAR || kind == NET_AVGPOOL;
  uint8_t pad = vector ? 0 : kernel / 2;
  char *name = memory_format("%u_%s", net->layer_count, net_kind_name(kind));
  struct net_tensor t = {.name = name, .c = channels, .bits = 8};
  t.h = vector ? 1 : (from->h + stride - 1) / stride;
  t.w = vector ? 1 : (from->w + stride - 1) / stride;
  struct net_layer layer = net_plain_layer(kind, name, &in, 1);
  layer.output = net_add_tensor(net, &t);
  layer.kernel_h = layer.kernel_w = kernel, layer.stride_h = layer.stride_w = stride;
  layer.pad_top = layer.pad_bottom = layer.pad_left = layer.pad_right = pad;
  net_add_layer(net, &layer);
  return layer.output;
}

static struct net *mobilenet_v1(const char *name, uint32_t resolution, uint32_t quarters) {
  static const uint16_t blocks[13][2] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                         {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                         {512, 1}, {1024, 2}, {1024, 1}};
  struct net *net = net_new(name);
  struct net_tensor image = {
      .name = (char[]){"image"}, .h = resolution, .w = resolution, .c = 3, .bits = 8};
  int at = net_add_tensor(net, &image);
  net->inputs = memory_copy(&at, 1, sizeof at), net->input_count = 1;
  at = add(net, NET_CONV, at, 32 * quarters / 4, 3, 2);
  for (int i = 0; i < 13; i++) {
    at = add(net, NET_DEPTHWISE, at, net->tensors[at].c, 3, (uint8_t)blocks[i][1]);
    at = add(net, NET_CONV, at, blocks[i][0] * quarters / 4, 1, 1);
  }
  at = add(net, NET_AVGPOOL, at, net->tensors[at].c, (uint8_t)net->tensors[at].h, 1);
  at = add(net, NET_LINEAR, at, 1000, 1, 1);
  net->outputs = memory_copy(&at, 1, sizeof at), net->output_count = 1;
  return net;
}

struct net *shapes_new(const char *name, struct net_error *error) {
  unsigned resolution = 0;
  double width = 0;
  int end = 0;
  // NOLINTNEXTLINE(cert-err34-c): the ranges below catch what does not fit
  if (sscanf(name + sizeof family - 1, "%4u:%lf%n", &resolution, &width, &end) == 2 &&
      !name[sizeof family - 1 + (size_t)end] && resolution >= 32 && resolution <= 512 &&
      resolution % 32 == 0 && width > 0.2 && width < 1.1) {
    uint32_t quarters = (uint32_t)(4 * width);
    if (4 * width - quarters <= 0)
      return mobilenet_v1(name, resolution, quarters);
  }
  net_fail(error,
           "%.100s: give mobilenet_v1:RESOLUTION:WIDTH, with a multiple of 32 up to 512, and "
           "0.25, 0.5, 0.75 or 1.0",
           name);
  error->status = EX_USAGE;
  return NULL;
}
