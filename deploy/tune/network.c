// deploy/tune/network.c: see network.h.
#include "deploy/tune/network.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/read/load.h"

static bool is_product(const struct net_layer *l) {
  return l->kind == NET_LINEAR ||
         (l->kind == NET_CONV && l->groups == 1 && l->kernel_h * l->kernel_w == 1 &&
          l->stride_h * l->stride_w == 1 &&
          l->pad_top + l->pad_bottom + l->pad_left + l->pad_right == 0);
}

static bool has_room(const struct tune_layer *l, uint32_t most_floats) {
  uint64_t weights = (uint64_t)l->in * l->out, pixels = (uint64_t)l->height * l->width;
  return weights + pixels * (l->in + l->out) <= most_floats;
}

static struct tune_network_layer entry(const struct net *net, uint32_t number,
                                       uint32_t most_floats) {
  const struct net_layer *l = &net->layers[number];
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  bool linear = l->kind == NET_LINEAR;
  struct tune_network_layer e = {.macs = net_macs(net, l)};
  e.layer = linear ? (struct tune_layer){false, in->h * in->w * in->c, 1, 1, out->c}
                   : (struct tune_layer){true, in->c, in->h, in->w, out->c};
  e.tuned = is_product(l) && has_room(&e.layer, most_floats);
  for (uint32_t i = 0; i < net->input_count; i++)
    e.first |= l->inputs[0] == net->inputs[i];
  snprintf(e.name, sizeof e.name, "%u %s", number, net_kind_name(l->kind));
  if (linear)
    snprintf(e.shape, sizeof e.shape, "%u,%u", e.layer.in, out->c);
  else if (is_product(l))
    snprintf(e.shape, sizeof e.shape, "%ux%ux%u,%u", in->c, in->h, in->w, out->c);
  else
    snprintf(e.shape, sizeof e.shape, "%ux%ux%u,%u %ux%u", in->c, in->h, in->w, out->c, l->kernel_h,
             l->kernel_w);
  return e;
}

static bool collect(struct tune_network *network, const struct net *net, uint32_t most_floats,
                    struct net_error *error) {
  network->layers = calloc(net->layer_count ? net->layer_count : 1, sizeof *network->layers);
  if (!network->layers)
    return net_fail(error, "out of memory");
  for (uint32_t i = 0; i < net->layer_count; i++)
    if (net_has_weights(net->layers[i].kind))
      network->layers[network->count++] = entry(net, i, most_floats);
  return true;
}

bool tune_network_read(struct tune_network *network, const char *model, uint32_t most_floats,
                       struct net_error *error) {
  struct real_net *real = NULL;
  struct net *net = load_any(model, &(struct tidy_shape){0}, &real, error);
  *network = (struct tune_network){NULL, 0};
  if (!net && !real)
    return false;
  bool ok = collect(network, net ? net : real->net, most_floats, error);
  net_free(net);
  real_free(real);
  return ok;
}

void tune_network_free(struct tune_network *network) {
  free(network->layers);
  *network = (struct tune_network){NULL, 0};
}
