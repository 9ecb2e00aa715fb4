#include "legal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "kernels/tile/tile_layer.h"

static int *numbers(const int *from, uint32_t count) {
  return memory_copy(from, count, sizeof *from);
}

// ---------------------------------------------------------------------------- tensors between

static void codes_of(const struct net_tensor *t, int32_t *low, int32_t *high) {
  *low = t->is_signed ? -(1 << (t->bits - 1)) : 0;
  *high = *low + (1 << t->bits) - 1;
}

static bool same_codes(const struct net_tensor *a, const struct net_tensor *b) {
  return a->bits == b->bits && a->is_signed == b->is_signed;
}

// A tensor with the codes of `codes` and the shape of `shape`.
static int tensor_between(struct net *net, int codes, int shape, uint32_t channels) {
  struct net_tensor t = net->tensors[codes], s = net->tensors[shape];
  t.h = s.h, t.w = s.w, t.c = channels;
  t.name = memory_format("%s before its last step %u", s.name, net->tensor_count);
  int number = net_add_tensor(net, &t);
  free(t.name);
  return number;
}

// A layer of single pixels from tensor `between` to what `l` gives, named after it.
static struct net_layer behind(const struct net_layer *l, const char *suffix, enum net_kind kind,
                               int between) {
  struct net_layer last =
      net_plain_layer(kind, memory_format("%s.%s", l->name, suffix), &between, 1);
  last.output = l->output;
  return last;
}

// The layer without its requantization, into a tensor of the input's codes, then one that
// requantizes alone. `kind`: what the first has instead.
static void add_in_two(struct net *net, struct net_layer *l, enum net_requant_kind first,
                       enum net_requant_kind second) {
  int between = tensor_between(net, l->inputs[0], l->output, net_output(net, l)->c);
  struct net_layer last = behind(l, "last", NET_RESIZE, between);
  last.requant = l->requant;
  last.requant.kind = second;
  l->output = between;
  l->requant = (struct net_requant){
      .kind = first, .divisor = last.requant.divisor, .round = last.requant.round};
  codes_of(&net->tensors[between], &l->requant.low, &l->requant.high);
  net_add_layer(net, l);
  net_add_layer(net, &last);
}

// ---------------------------------------------------------------------------- average pools

// floor(sum / d) as a product by 2^s / d, rounded up, and a shift by s, exact for |sum| <= 2^24
// (255 x 255 codes): what the product has too much, and the 2^24 added against too little, are
// below 2^s / d.
static void divide_by_product(struct net_requant *rq, bool is_signed) {
  enum { SUM_BITS = 24 };
  uint32_t d = (uint32_t)rq->divisor, shift = 31;
  while (shift < 62 && (((uint64_t)1 << (shift + 1)) / d) < INT32_MAX - 1)
    shift++;
  uint64_t one = (uint64_t)1 << shift;
  uint32_t factor = (uint32_t)(one / d) + 1;
  rq->kind = NET_NORM, rq->wide = true, rq->shift = (uint8_t)shift, rq->per_channel = false;
  rq->kappa = memory_new(1, sizeof *rq->kappa);
  rq->kappa[0] = (int32_t)factor;
  rq->lambda = NULL;
  int64_t more = is_signed ? (int64_t)1 << SUM_BITS : 0;
  if (rq->round)
    more += (int64_t)(d / 2) * factor;
  rq->divisor = 0;
  rq->zero = 0;
  rq->m = 0;
  rq->lambda = memory_new(1, sizeof *rq->lambda);
  rq->lambda[0] = more;
}

// A depthwise layer of ones: lambda is to have an element per channel.
static void pool_to_depthwise(const struct net *net, struct net_layer *l) {
  struct net_requant *rq = &l->requant;
  uint32_t channels = net_output(net, l)->c;
  if (rq->lambda && !rq->per_channel) {
    int64_t *lambda = memory_new(channels, sizeof *lambda);
    for (uint32_t c = 0; c < channels; c++)
      lambda[c] = rq->lambda[0];
    free(rq->lambda);
    rq->lambda = lambda;
  }
  l->kind = NET_DEPTHWISE, l->weight_bits = 2, l->pad_value = 0;
  l->weight_count = (size_t)channels * l->kernel_h * l->kernel_w;
  l->weights = memory_new(l->weight_count, 1);
  memset(l->weights, 1, l->weight_count);
}

static void add_average(struct net *net, struct net_layer *l) {
  enum { WINDOW_MOST = 4096 }; // nn_pool.h
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  struct net_requant *rq = &l->requant;
  int32_t window = l->kernel_h * l->kernel_w;
  bool padded = l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
  if (rq->kind == NET_DIVIDE && rq->divisor == 0 && !padded)
    rq->divisor = window;
  bool whole = rq->divisor == 0 || (rq->divisor == window && window <= WINDOW_MOST);
  bool ties = in->is_signed && rq->round && rq->divisor % 2 == 0; // away from 0
  if (rq->kind == NET_DIVIDE && (whole || ties)) {
    if (same_codes(in, out) || !whole)
      net_add_layer(net, l);
    else
      add_in_two(net, l, NET_DIVIDE, NET_COPY);
    return;
  }
  if (rq->kind == NET_DIVIDE) {
    free(rq->kappa);
    free(rq->lambda);
    divide_by_product(rq, in->is_signed);
  }
  pool_to_depthwise(net, l);
  net_add_layer(net, l);
}

// ---------------------------------------------------------------------------- filters

static uint8_t bits_for(int least, int most) {
  return least >= -2 && most <= 1 ? 2 : least >= -8 && most <= 7 ? 4 : 8;
}

// Weights less their zero points, if 8 bits hold them.
static void take_zeros_off(const struct net *net, struct net_layer *l) {
  size_t per_filter = l->weight_count / net_output(net, l)->c;
  int least = INT_MAX, most = INT_MIN;
  if (!l->weight_zero)
    return;
  for (size_t i = 0; i < l->weight_count; i++) {
    int w = l->weights[i] - l->weight_zero[l->weight_zero_per_channel ? i / per_filter : 0];
    least = w < least ? w : least, most = w > most ? w : most;
  }
  if (least < INT8_MIN || most > INT8_MAX)
    return;
  for (size_t i = 0; i < l->weight_count; i++)
    l->weights[i] =
        (int8_t)(l->weights[i] - l->weight_zero[l->weight_zero_per_channel ? i / per_filter : 0]);
  free(l->weight_zero);
  l->weight_zero = NULL;
  l->weight_bits = bits_for(least, most);
}

// Filters with zeros between their taps, or for the channels of other groups.
struct wider {
  uint32_t filters, h, w, c;     // as they are
  uint32_t new_h, new_w, new_c;  // as they become
  uint32_t step_h, step_w, part; // filters of a group
};

static int8_t *widened(const int8_t *from, const struct wider *k) {
  int8_t *to = memory_new((size_t)k->filters * k->new_h * k->new_w * k->new_c, 1);
  for (size_t f = 0; f < k->filters; f++) {
    uint32_t first = k->new_c > k->c ? (uint32_t)f / k->part * k->c : 0;
    for (size_t y = 0; y < k->h; y++) {
      for (size_t x = 0; x < k->w; x++, from += k->c)
        memcpy(to + ((f * k->new_h + y * k->step_h) * k->new_w + x * k->step_w) * k->new_c + first,
               from, k->c);
    }
  }
  return to;
}

// Zeros cost less than nn_direct.h up to about as many times the products.
static void widen(const struct net *net, struct net_layer *l) {
  enum { TIMES_MOST = 12, KERNEL_MOST = 255, FILTER_MOST = 1 << 16 };
  uint32_t groups = l->kind == NET_CONV ? l->groups : 1, in_c = net_input(net, l, 0)->c;
  struct wider k = {.filters = net_output(net, l)->c,
                    .h = l->kernel_h,
                    .w = l->kernel_w,
                    .c = l->kind == NET_CONV ? in_c / groups : 1,
                    .step_h = l->dilation_h,
                    .step_w = l->dilation_w};
  k.new_h = (k.h - 1) * k.step_h + 1, k.new_w = (k.w - 1) * k.step_w + 1, k.new_c = k.c * groups;
  k.part = k.filters / groups;
  uint64_t now = (uint64_t)k.h * k.w * k.c, then = (uint64_t)k.new_h * k.new_w * k.new_c;
  if (!l->weights || l->weight_zero || now == then || then > TIMES_MOST * now ||
      then > FILTER_MOST || k.new_h > KERNEL_MOST || k.new_w > KERNEL_MOST)
    return;
  int8_t *weights = widened(l->weights, &k);
  free(l->weights);
  l->weights = weights;
  l->weight_count = k.filters * (size_t)then;
  l->kernel_h = (uint8_t)k.new_h, l->kernel_w = (uint8_t)k.new_w;
  l->dilation_h = l->dilation_w = 1, l->groups = 1;
}

// A linear layer whose input's pixels do not fill bytes, or too long for 16 bits, is a convolution
// with one output.
static void unroll(const struct net *net, struct net_layer *l) {
  const struct net_tensor *in = net_input(net, l, 0);
  bool flat = (uint64_t)in->h * in->w * in->c <= UINT16_MAX &&
              ((uint64_t)in->c * in->bits % 8 == 0 || in->h * in->w == 1);
  if (flat || in->h > UINT8_MAX || in->w > UINT8_MAX)
    return;
  l->kind = NET_CONV, l->groups = 1;
  l->kernel_h = (uint8_t)in->h, l->kernel_w = (uint8_t)in->w;
  l->stride_h = l->stride_w = l->dilation_h = l->dilation_w = 1;
  l->pad_top = l->pad_bottom = l->pad_left = l->pad_right = 0;
}

// ---------------------------------------------------------------------------- concatenations

// What a copy of a concatenation needs for `count` of its inputs, from number `first`, alone: into
// a tensor of the output's codes.
static void keep_part(struct net *net, struct net_layer *l, uint32_t first, uint32_t count) {
  struct net_requant *rq = &l->requant;
  size_t levels = ((size_t)1 << net_output(net, l)->bits % 32) - 1;
  uint32_t before = 0, channels = 0;
  for (uint32_t i = 0; i < first + count; i++)
    *(i < first ? &before : &channels) += net_input(net, l, i)->c;
  memmove(l->inputs, l->inputs + first, count * sizeof *l->inputs);
  if (l->scaled)
    memmove(l->scaled, l->scaled + first, count * sizeof *l->scaled);
  if (rq->per_channel && rq->kappa)
    memmove(rq->kappa, rq->kappa + before, channels * sizeof *rq->kappa);
  if (rq->per_channel && rq->lambda)
    memmove(rq->lambda, rq->lambda + before, channels * sizeof *rq->lambda);
  if (rq->per_channel && rq->shifts)
    memmove(rq->shifts, rq->shifts + before, channels * sizeof *rq->shifts);
  if (rq->per_channel && rq->thresholds)
    memmove(rq->thresholds, rq->thresholds + before * levels,
            channels * levels * sizeof *rq->thresholds);
  l->input_count = count;
  l->output = tensor_between(net, l->output, l->output, channels);
}

// The last input alone, if nothing happens to its codes.
static bool is_as_joined(const struct net *net, const struct net_layer *l, uint32_t i) {
  return i + 1 == l->input_count && !l->scaled && l->requant.kind == NET_COPY &&
         same_codes(net_input(net, l, i), net_output(net, l));
}

// Of more inputs than a tile takes, as many as it takes are joined first; what comes of that has
// the output's codes, and is joined as it is.
static void add_concat(struct net *net, struct net_layer *l) {
  while (l->input_count > TILE_INPUTS) {
    struct net_layer whole = net_plain_layer(NET_CONCAT, memory_text(l->name), l->inputs, 0);
    whole.inputs = memory_new(l->input_count, sizeof *whole.inputs);
    whole.output = l->output;
    whole.requant.kind = NET_COPY;
    codes_of(net_output(net, l), &whole.requant.low, &whole.requant.high);
    for (uint32_t i = 0; i < l->input_count; i += TILE_INPUTS) {
      uint32_t left = l->input_count - i, count = left < TILE_INPUTS ? left : TILE_INPUTS;
      if (is_as_joined(net, l, i)) {
        whole.inputs[whole.input_count++] = l->inputs[i];
        break;
      }
      struct net_layer part = net_copy_layer(net, l);
      free(part.name);
      part.name = memory_format("%s.%u", l->name, i);
      keep_part(net, &part, i, count);
      whole.inputs[whole.input_count++] = part.output;
      net_add_layer(net, &part);
    }
    net_free_layer(l);
    *l = whole;
  }
  net_add_layer(net, l);
}

// ---------------------------------------------------------------------------- thresholds

// Thresholds count from 0: signed codes are counted unsigned, and a table takes half of them off.
static struct net_layer count_unsigned(struct net *net, struct net_layer *l) {
  const struct net_tensor out = *net_output(net, l);
  int between = tensor_between(net, l->output, l->output, out.c), half = 1 << (out.bits - 1);
  struct net_layer last = behind(l, "signed", NET_TABLE, between);
  last.table = memory_new((size_t)1 << out.bits, 1);
  last.requant.kind = NET_COPY;
  for (int i = 0; i < 2 * half; i++)
    last.table[i] = (uint8_t)(i - half);
  codes_of(&out, &last.requant.low, &last.requant.high);
  net->tensors[between].is_signed = false;
  net->tensors[between].zero += half;
  l->output = between;
  l->requant.zero = 0, l->requant.low += half, l->requant.high += half;
  return last;
}

// ---------------------------------------------------------------------------- the net

static void add_one(struct net *net, struct net_layer *l) {
  bool copies = l->requant.kind == NET_COPY && same_codes(net_input(net, l, 0), net_output(net, l));
  switch (l->kind) {
  case NET_MAXPOOL:
    if (copies)
      net_add_layer(net, l);
    else
      add_in_two(net, l, NET_COPY, l->requant.kind);
    return;
  case NET_AVGPOOL:
    add_average(net, l);
    return;
  case NET_CONCAT:
    add_concat(net, l);
    return;
  case NET_CONV:
  case NET_DEPTHWISE:
    take_zeros_off(net, l);
    widen(net, l);
    break;
  case NET_LINEAR:
    take_zeros_off(net, l);
    unroll(net, l);
    break;
  default:
    break;
  }
  net_add_layer(net, l);
}

static void add_layer(struct net *net, struct net_layer *l) {
  if (l->requant.kind != NET_THRESHOLDS || !net_output(net, l)->is_signed) {
    add_one(net, l);
    return;
  }
  struct net_layer last = count_unsigned(net, l);
  add_one(net, l);
  net_add_layer(net, &last);
}

struct net *legal_net(const struct net *net) {
  struct net *copy = net_new(net->name);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    net_add_tensor(copy, &net->tensors[i]);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer l = net_copy_layer(net, &net->layers[i]);
    add_layer(copy, &l);
  }
  copy->inputs = numbers(net->inputs, net->input_count);
  copy->outputs = numbers(net->outputs, net->output_count);
  copy->input_count = net->input_count, copy->output_count = net->output_count;
  return copy;
}
