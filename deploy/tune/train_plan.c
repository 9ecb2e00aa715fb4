// deploy/tune/train_plan.c: see train_plan.h.
#include "deploy/tune/train_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "deploy/read/load.h"
#include "kernels/rt/rt_host.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_layers.h"

// ---------------------------------------------------------------- layers of the chain

struct reading {
  struct train_plan *plan;
  const struct net *net;
  const struct real_layer *numbers; // of each layer; NULL: there are none
  bool mse;                         // the loss
  struct net_error *error;
};

static uint32_t window(const struct train_net_layer *l) {
  return (uint32_t)l->kernel_h * l->kernel_w;
}

static struct train_plan_layer *append(struct train_plan *plan, const char *name) {
  struct train_plan_layer *l = &plan->layers[plan->count++];
  *l = (struct train_plan_layer){.weights = NULL};
  snprintf(l->name, sizeof l->name, "%s", name);
  return l;
}

static bool refuse(const struct reading *r, const struct net_layer *l, const char *why) {
  r->error->status = EX_UNAVAILABLE;
  return net_fail(r->error, "%s (%s): %s", l->name, net_kind_name(l->kind), why);
}

static void take_shapes(struct train_net_layer *to, const struct net_tensor *in,
                        const struct net_tensor *out) {
  to->in_c = (uint16_t)in->c;
  to->in_h = (uint16_t)in->h;
  to->in_w = (uint16_t)in->w;
  to->out_c = (uint16_t)out->c;
  to->out_h = (uint16_t)out->h;
  to->out_w = (uint16_t)out->w;
}

static void take_window(struct train_net_layer *to, const struct net_layer *l) {
  to->kernel_h = l->kernel_h;
  to->kernel_w = l->kernel_w;
  to->stride_h = l->stride_h;
  to->stride_w = l->stride_w;
  to->pad_top = l->pad_top;
  to->pad_bottom = l->pad_bottom;
  to->pad_left = l->pad_left;
  to->pad_right = l->pad_right;
}

// Clipped at 0: by the file's numbers, or, without any, as unsigned codes are.
static bool has_relu(const struct reading *r, uint32_t number) {
  const struct net_layer *l = &r->net->layers[number];
  if (r->numbers)
    return r->numbers[number].low == 0;
  return !net_output(r->net, l)->is_signed && number + 1 < r->net->layer_count;
}

// Nothing but a ReLU, or nothing.
static bool is_clipped_elsewhere(const struct reading *r, uint32_t number) {
  const struct real_layer *l = r->numbers ? &r->numbers[number] : NULL;
  return l && (l->high != INFINITY || (l->low != 0 && l->low != -INFINITY));
}

// Where element (o, channel, y, x) of the weights is in the order of net.h.
static size_t place(const struct net_layer *l, const struct train_net_layer *shape, uint32_t o,
                    uint32_t c, uint32_t y, uint32_t x, bool linear) {
  size_t h = linear ? shape->in_h : l->kernel_h, w = linear ? shape->in_w : l->kernel_w;
  if (l->kind == NET_DEPTHWISE)
    return ((size_t)o * h + y) * w + x;
  return (((size_t)o * h + y) * w + x) * shape->in_c + c;
}

// From plane to plane.
static uint32_t pitch_of(const struct train_plan *plan, uint32_t pixels) {
  return plan->type == TRAIN_F32 ? pixels : train_net_half_pitch(pixels);
}

// In the order of train_net.h: [out][in][y][x], or x before y; zeros for what is between planes.
static bool take_weights(const struct reading *r, uint32_t number, const struct train_net_layer *as,
                         struct train_plan_layer *to) {
  const struct net_layer *l = &r->net->layers[number];
  const struct real_layer *from = r->numbers ? &r->numbers[number] : NULL;
  bool linear = l->kind == NET_LINEAR;
  uint32_t channels = l->kind == NET_DEPTHWISE ? 1 : as->in_c;
  uint32_t h = linear ? as->in_h : l->kernel_h, w = linear ? as->in_w : l->kernel_w, count = 0;
  uint32_t pitch = linear ? pitch_of(r->plan, h * w) : h * w;
  to->weight_count = (uint32_t)as->out_c * channels * pitch;
  to->weights = calloc(to->weight_count, sizeof(float));
  to->bias = calloc(as->out_c, sizeof(float));
  if (!to->weights || !to->bias)
    return net_fail(r->error, "out of memory");
  uint32_t seed = 2463534242u + number;
  float scale = sqrtf(6.0f / (float)(channels * h * w));
  for (uint32_t o = 0; o < as->out_c; o++)
    for (uint32_t c = 0; c < channels; c++, count += pitch - h * w)
      for (uint32_t i = 0; i < h * w; i++) {
        uint32_t y = r->plan->turned ? i % h : i / w, x = r->plan->turned ? i / h : i % w;
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
        to->weights[count++] = from ? from->weights[place(l, as, o, c, y, x, linear)]
                                    : scale * (float)(int16_t)(seed >> 7) * 0x1p-15f;
      }
  if (from && from->bias)
    memcpy(to->bias, from->bias, as->out_c * sizeof(float));
  return true;
}

// A convolution is patches and their product; a pointwise one is a product.
static bool add_conv(const struct reading *r, uint32_t number, struct train_net_layer as) {
  const struct net_layer *l = &r->net->layers[number];
  struct train_net_layer filters = as;
  if (l->groups != 1 || l->dilation_h * l->dilation_w != 1)
    return refuse(r, l, "groups or a dilation: only plain convolutions are trained");
  bool plain = window(&as) == 1 && as.stride_h * as.stride_w == 1 &&
               as.pad_top + as.pad_bottom + as.pad_left + as.pad_right == 0;
  if (!plain) {
    struct train_plan_layer *patches = append(r->plan, l->name);
    patches->layer = as;
    patches->layer.kind = TRAIN_NET_PATCHES;
    patches->layer.out_c = (uint16_t)(as.in_c * window(&as));
  }
  struct train_plan_layer *to = append(r->plan, l->name);
  to->layer = (struct train_net_layer){.kind = TRAIN_NET_PRODUCT,
                                       .relu = has_relu(r, number),
                                       .in_c = (uint16_t)(as.in_c * window(&as)),
                                       .in_h = as.out_h,
                                       .in_w = as.out_w,
                                       .out_c = as.out_c,
                                       .out_h = as.out_h,
                                       .out_w = as.out_w};
  return take_weights(r, number, &filters, to);
}

static bool add_linear(const struct reading *r, uint32_t number, const struct train_net_layer *as) {
  struct train_plan_layer *to = append(r->plan, r->net->layers[number].name);
  uint32_t inputs = as->in_c * pitch_of(r->plan, (uint32_t)as->in_h * as->in_w);
  if (inputs > UINT16_MAX)
    return refuse(r, &r->net->layers[number], "more than 65,535 inputs");
  to->layer = (struct train_net_layer){.kind = TRAIN_NET_PRODUCT,
                                       .relu = has_relu(r, number),
                                       .in_c = (uint16_t)inputs,
                                       .in_h = 1,
                                       .in_w = 1,
                                       .out_c = as->out_c,
                                       .out_h = 1,
                                       .out_w = 1};
  return take_weights(r, number, as, to);
}

static bool add_pool(const struct reading *r, uint32_t number, const struct train_net_layer *as) {
  const struct net_layer *l = &r->net->layers[number];
  bool whole = as->kernel_h == as->in_h && as->kernel_w == as->in_w;
  if (as->pad_top + as->pad_bottom + as->pad_left + as->pad_right)
    return refuse(r, l, "a pool with padding: only those without are trained");
  struct train_plan_layer *to = append(r->plan, l->name);
  to->layer = *as;
  to->layer.kind = l->kind == NET_MAXPOOL ? TRAIN_NET_MAX
                   : whole                ? TRAIN_NET_MEAN
                                          : TRAIN_NET_MEAN_OF;
  return true;
}

static bool add_layer(const struct reading *r, uint32_t number) {
  const struct net_layer *l = &r->net->layers[number];
  const struct net_tensor *in = net_input(r->net, l, 0), *out = net_output(r->net, l);
  int before = number ? r->net->layers[number - 1].output : r->net->inputs[0];
  struct train_net_layer as = {.kind = TRAIN_NET_PRODUCT};
  if (l->input_count != 1 || l->inputs[0] != before)
    return refuse(r, l, "it does not follow the layer before: only chains are trained");
  if (is_clipped_elsewhere(r, number))
    return refuse(r, l, "it clips (ReLU6, Clip): only ReLU is trained");
  take_shapes(&as, in, out);
  take_window(&as, l);
  switch (l->kind) {
  case NET_CONV:
    return add_conv(r, number, as);
  case NET_LINEAR:
    return add_linear(r, number, &as);
  case NET_MAXPOOL:
  case NET_AVGPOOL:
    return add_pool(r, number, &as);
  case NET_DEPTHWISE: {
    struct train_plan_layer *to = append(r->plan, l->name);
    as.kind = TRAIN_NET_DEPTHWISE;
    as.relu = has_relu(r, number);
    to->layer = as;
    return take_weights(r, number, &as, to);
  }
  default:
    return refuse(r, l, "trained are convolutions, depthwise and fully connected layers and pools");
  }
}

static void swap16(uint16_t *a, uint16_t *b) {
  uint16_t kept = *a;
  *a = *b;
  *b = kept;
}
static void swap8(uint8_t *a, uint8_t *b) {
  uint8_t kept = *a;
  *a = *b;
  *b = kept;
}

static void turn(struct train_net_layer *l) {
  swap16(&l->in_h, &l->in_w);
  swap16(&l->out_h, &l->out_w);
  swap8(&l->kernel_h, &l->kernel_w);
  swap8(&l->stride_h, &l->stride_w);
  swap8(&l->pad_top, &l->pad_left);
  swap8(&l->pad_bottom, &l->pad_right);
}

// ---------------------------------------------------------------- tiles along channels

// Floats that a channel of a pass takes.
static uint32_t channel_floats(const struct train_plan *plan, uint32_t number, bool backward) {
  const struct train_net_layer *l = &plan->layers[number].layer;
  uint32_t in = (uint32_t)l->in_h * l->in_w, out = (uint32_t)l->out_h * l->out_w, w = window(l);
  out *= l->kind == TRAIN_NET_PATCHES ? w : 1;
  if (l->kind != TRAIN_NET_DEPTHWISE)
    return backward ? 2 * in + out : in + out;
  return backward ? 2 * in + 2 * out + 2 * w + 2 : in + out + w + 1;
}

// What the kernels want beside, for each core: on this machine one calls.
static uint32_t scratch_floats(const struct train_net_layer *l) {
  const struct train_depthwise dw = train_net_depthwise(l, l->in_c);
  uint32_t sizes[] = {train_depthwise_fw_buffer_size(&dw), train_depthwise_wg_buffer_size(&dw),
                      train_depthwise_ig_buffer_size(&dw)};
  uint32_t most = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    most = sizes[i] > most ? sizes[i] : most;
  return most / 4;
}

// As many as fit, in whole groups of a channel for each core; all of them need one place each only.
static uint16_t part_of(const struct train_plan *plan, uint32_t number,
                        const struct train_plan_options *o, bool backward) {
  enum { GAPS = 16 };
  const struct train_net_layer *l = &plan->layers[number].layer;
  uint32_t floats = channel_floats(plan, number, backward);
  uint32_t scratch = l->kind == TRAIN_NET_DEPTHWISE ? scratch_floats(l) * o->cores : 0;
  uint32_t room = o->l1_bytes / 4 > scratch + GAPS ? o->l1_bytes / 4 - scratch - GAPS : 0;
  if (floats * l->in_c <= room)
    return l->in_c;
  uint32_t most = room / 2 / floats;
  if (o->cores == 0 || most < o->cores)
    return (uint16_t)most;
  return (uint16_t)(most / o->cores * o->cores);
}

static void choose_products(struct train_net_layer *l) {
  uint16_t pixels = (uint16_t)(l->out_h * l->out_w);
  l->fw = (struct train_net_tile){l->out_c, pixels, l->in_c, false, 0};
  l->wg = (struct train_net_tile){l->out_c, l->in_c, pixels, false, 0};
  l->ig = pixels == 1 ? (struct train_net_tile){1, l->in_c, l->out_c, false, 0}
                      : (struct train_net_tile){l->in_c, pixels, l->out_c, false, 0};
}

struct fitting {
  const struct train_plan *plan;
  struct train_net net;
  uint32_t layer; // the first that does not fit, or the number of layers
};

static int find_misfit(void *user) {
  struct fitting *f = user;
  for (f->layer = 0; f->layer < f->plan->count; f->layer++) {
    const struct train_plan_layer *l = &f->plan->layers[f->layer];
    bool backward = train_plan_has_ig(f->plan, f->layer) || (l->weights && !l->layer.frozen);
    if (!train_half_fits(&f->net, &l->layer, backward))
      break;
  }
  return 0;
}

// In 16 bits there are no tiles: each core takes what fits.
static bool check_half(const struct train_plan *plan, const struct train_plan_options *o,
                       struct net_error *error) {
  static float l1;
  struct fitting f = {.plan = plan, .net = {.l1 = &l1, .l1_bytes = o->l1_bytes}};
  rt_host_first(o->cores, find_misfit, &f);
  if (f.layer == plan->count)
    return true;
  error->status = EX_UNAVAILABLE;
  return net_fail(error, "%s: what %u cores want of it in 16 bits does not fit into %u bytes of L1",
                  plan->layers[f.layer].name, o->cores, o->l1_bytes);
}

static bool choose(struct train_plan *plan, const struct train_plan_options *o,
                   struct net_error *error) {
  if (plan->type != TRAIN_F32)
    return check_half(plan, o, error);
  for (uint32_t i = 0; i < plan->count; i++) {
    struct train_net_layer *l = &plan->layers[i].layer;
    if (l->kind == TRAIN_NET_PRODUCT) {
      choose_products(l);
      continue;
    }
    l->part_fw = part_of(plan, i, o, false);
    l->part_bw = part_of(plan, i, o, true);
    bool mean_fits =
        l->kind != TRAIN_NET_MEAN || train_net_mean_fits(o->l1_bytes, o->cores ? o->cores : 1, l);
    if (l->part_fw == 0 || l->part_bw == 0 || !mean_fits) {
      error->status = EX_UNAVAILABLE;
      return net_fail(error, "%s: two planes do not fit into %u bytes of L1", plan->layers[i].name,
                      o->l1_bytes);
    }
  }
  return true;
}

// All but the last `learn` layers with weights are frozen.
static void freeze(struct train_plan *plan, uint32_t learn) {
  uint32_t left = learn;
  for (uint32_t i = plan->count; learn && i-- > 0;) {
    struct train_plan_layer *l = &plan->layers[i];
    l->layer.frozen = l->weights && left == 0;
    left -= l->weights && left > 0;
  }
}

// ---------------------------------------------------------------- all

static bool read_chain(const struct reading *r) {
  struct train_plan *plan = r->plan;
  const struct net_tensor *in = &r->net->tensors[r->net->inputs[0]];
  plan->layers = calloc(2 * (size_t)r->net->layer_count + 1, sizeof *plan->layers);
  if (!plan->layers)
    return net_fail(r->error, "out of memory");
  plan->turned = in->h > in->w;
  plan->random = !r->numbers;
  for (uint32_t i = 0; i < r->net->layer_count; i++)
    if (!add_layer(r, i))
      return false;
  for (uint32_t i = 0; plan->turned && i < plan->count; i++)
    turn(&plan->layers[i].layer);
  uint32_t classes = plan->count ? plan->layers[plan->count - 1].layer.out_c : 0;
  if (!r->mse && (classes < 2 || classes > 256))
    return net_fail(r->error,
                    "the network has %u outputs: cross entropy wants 2 to 256 classes "
                    "(--loss mse: the mean squared error)",
                    classes);
  return true;
}

bool train_plan_read(struct train_plan *plan, const char *model,
                     const struct train_plan_options *options, struct net_error *error) {
  struct real_net *real = NULL;
  struct net *net = NULL;
  *plan = (struct train_plan){.layers = NULL, .type = options->type};
  if (strcmp(model, "-") == 0 || access(model, R_OK) == 0)
    real = load_real(model, &(struct tidy_shape){0}, error);
  else
    net = load_net(model, error);
  if (!real && !net)
    return false;
  const struct reading r = {plan, real ? real->net : net, real ? real->layers : NULL, options->mse,
                            error};
  bool ok = read_chain(&r);
  if (ok) {
    freeze(plan, options->learn);
    ok = choose(plan, options, error);
  }
  net_free(net);
  real_free(real);
  if (!ok)
    train_plan_free(plan);
  return ok;
}

void train_plan_free(struct train_plan *plan) {
  for (uint32_t i = 0; i < plan->count; i++) {
    free(plan->layers[i].weights);
    free(plan->layers[i].bias);
  }
  free(plan->layers);
  *plan = (struct train_plan){.layers = NULL};
}

uint32_t train_plan_floats(const struct train_plan_layer *l) {
  return l->weights ? (l->weight_count + l->layer.out_c + 1) / 2 * 2 : 0;
}

uint32_t train_plan_out(const struct train_plan *plan, uint32_t layer) {
  const struct train_net_layer *l = &plan->layers[layer].layer;
  return l->out_c * pitch_of(plan, (uint32_t)l->out_h * l->out_w);
}

uint32_t train_plan_in(const struct train_plan *plan) {
  const struct train_net_layer *l = &plan->layers[0].layer;
  return l->in_c * pitch_of(plan, (uint32_t)l->in_h * l->in_w);
}

bool train_plan_has_ig(const struct train_plan *plan, uint32_t layer) {
  for (uint32_t i = 0; i < layer; i++)
    if (plan->layers[i].weights && !plan->layers[i].layer.frozen)
      return true;
  return false;
}

uint64_t train_plan_macs(const struct train_plan *plan) {
  uint64_t macs = 0;
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct train_plan_layer *l = &plan->layers[i];
    uint64_t once = (uint64_t)l->weight_count * l->layer.out_h * l->layer.out_w;
    macs += l->weights ? once * (1u + !l->layer.frozen + train_plan_has_ig(plan, i)) : 0;
  }
  return macs;
}
