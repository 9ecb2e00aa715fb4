// tests/deploy/int_layers.c: the integer interpreter against a definition of every layer that is
// written independently: one output at a time, sums in 64 bits or 128, wrapped where net.h says so.
// Requantizations that the kernels have are also compared with theirs.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/net/net_ref.h"
#include "kernels/ref/ref_requant.h"
#include "net_random.h"

Suite *int_layers_suite(void);

__extension__ typedef __int128 int128;

enum { NETS = 1500, LAYERS = 3 };

struct view {
  const struct net *net;
  const struct net_layer *layer;
  const struct int_run *run;
};

static const struct net_tensor *in_of(const struct view *v, uint32_t i) {
  return &v->net->tensors[v->layer->inputs[i]];
}

static int64_t code_at(const struct view *v, uint32_t i, int64_t y, int64_t x, int64_t c) {
  const struct net_tensor *t = in_of(v, i);
  return int_tensor(v->run, v->layer->inputs[i])[(y * t->w + x) * t->c + c];
}

static bool outside(const struct net_tensor *t, int64_t y, int64_t x) {
  return y < 0 || x < 0 || y >= t->h || x >= t->w;
}

// ---------------------------------------------------------------------------- sums

static int64_t weight_at(const struct view *v, int64_t filter, int64_t i) {
  const struct net_layer *l = v->layer;
  int64_t per_filter = (int64_t)l->weight_count / net_output(v->net, l)->c;
  int64_t zero = l->weight_zero ? l->weight_zero[l->weight_zero_per_channel ? filter : 0] : 0;
  return l->weights[filter * per_filter + i] - zero;
}

static int64_t convolution(const struct view *v, int64_t y0, int64_t x0, int64_t f) {
  const struct net_layer *l = v->layer;
  const struct net_tensor *in = in_of(v, 0);
  bool depthwise = l->kind == NET_DEPTHWISE;
  int64_t width = depthwise ? 1 : in->c / l->groups, filters = net_output(v->net, l)->c / l->groups;
  int64_t first = depthwise ? f : f / filters * width, sum = 0, at = 0;
  for (int i = 0; i < l->kernel_h; i++)
    for (int j = 0; j < l->kernel_w; j++)
      for (int64_t c = 0; c < width; c++, at++) {
        int64_t y = y0 * l->stride_h + i * l->dilation_h - l->pad_top;
        int64_t x = x0 * l->stride_w + j * l->dilation_w - l->pad_left;
        int64_t code = outside(in, y, x) ? l->pad_value : code_at(v, 0, y, x, first + c);
        sum += code * weight_at(v, f, at);
      }
  return sum;
}

static int64_t linear(const struct view *v, int64_t f) {
  int64_t sum = 0, at = 0;
  for (int64_t y = 0; y < in_of(v, 0)->h; y++)
    for (int64_t x = 0; x < in_of(v, 0)->w; x++)
      for (int64_t c = 0; c < in_of(v, 0)->c; c++, at++)
        sum += code_at(v, 0, y, x, c) * weight_at(v, f, at);
  return sum;
}

static int64_t pool(const struct view *v, int64_t y0, int64_t x0, int64_t c, int64_t *pixels) {
  const struct net_layer *l = v->layer;
  int64_t sum = 0, most = INT32_MIN;
  *pixels = 0;
  for (int i = 0; i < l->kernel_h; i++)
    for (int j = 0; j < l->kernel_w; j++) {
      int64_t y = y0 * l->stride_h + i - l->pad_top, x = x0 * l->stride_w + j - l->pad_left;
      if (outside(in_of(v, 0), y, x))
        continue;
      int64_t code = code_at(v, 0, y, x, c);
      sum += code, ++*pixels;
      most = code > most ? code : most;
    }
  return l->kind == NET_MAXPOOL ? most : sum;
}

// Half a unit more and rounded down, then rounded to nearest with halves away from zero.
static int64_t q31(int64_t x, int64_t m, int shift) {
  x = (int32_t)(uint32_t)((uint64_t)x << (shift > 0 ? shift : 0));
  int64_t high = (x * m + (1 << 30)) >> 31;
  if (high > INT32_MAX)
    high = INT32_MAX;
  if (shift >= 0)
    return high;
  int64_t half = (int64_t)1 << (-shift - 1), size = high < 0 ? -high : high;
  return high < 0 ? -((size + half) >> -shift) : (size + half) >> -shift;
}

static int64_t scaled(const struct view *v, uint32_t i, int64_t y, int64_t x, int64_t c) {
  const struct net_scaled *s = &v->layer->scaled[i];
  int64_t value = code_at(v, i, y, x, c) - s->zero;
  if (s->fixed)
    return (int32_t)(uint32_t)(q31(value * ((int64_t)1 << s->shift), s->mul, s->left) + s->add);
  return (value * s->mul + s->add) >> s->shift;
}

static int64_t concat(const struct view *v, int64_t y, int64_t x, int64_t c) {
  for (uint32_t i = 0;; c -= in_of(v, i++)->c)
    if (c < in_of(v, i)->c)
      return scaled(v, i, y, x, c);
}

static int64_t table(const struct view *v, int64_t code) {
  const struct net_tensor *out = net_output(v->net, v->layer);
  int64_t value = v->layer->table[code < 0 ? code + (1 << in_of(v, 0)->bits) : code];
  return out->is_signed && value > 127 ? value - 256 : value;
}

static int64_t sum_at(const struct view *v, int64_t y, int64_t x, int64_t c, int64_t *pixels) {
  const struct net_layer *l = v->layer;
  *pixels = 1;
  switch (l->kind) {
  case NET_CONV:
  case NET_DEPTHWISE:
    return convolution(v, y, x, c);
  case NET_LINEAR:
    return linear(v, c);
  case NET_MAXPOOL:
  case NET_AVGPOOL:
    return pool(v, y, x, c, pixels);
  case NET_ADD:
    return scaled(v, 0, y, x, c) + scaled(v, 1, y, x, c);
  case NET_MULTIPLY:
    return in_of(v, 1)->h * in_of(v, 1)->w == 1 ? scaled(v, 0, y, x, c) * scaled(v, 1, 0, 0, c)
                                                : scaled(v, 0, y, x, c) * scaled(v, 1, y, x, c);
  case NET_CONCAT:
    return concat(v, y, x, c);
  case NET_TABLE:
    return table(v, code_at(v, 0, y, x, c));
  default:
    return (l->dilation_h > 1 && y % l->stride_h) || (l->dilation_w > 1 && x % l->stride_w)
               ? l->pad_value
               : code_at(v, 0, y / l->stride_h, x / l->stride_w, c);
  }
}

// ---------------------------------------------------------------------------- requantization

static int64_t wrapped(int128 x) {
  return (int32_t)(uint32_t)(x & UINT32_MAX);
}

static int128 requantized(const struct net_requant *rq, int64_t sum, int64_t lambda, uint32_t set,
                          int64_t pixels, int steps) {
  int128 y = 0;
  int point = rq->kind == NET_ICN ? rq->shift : 0;
  int64_t biased = wrapped((int128)sum * ((int128)1 << point) + lambda);
  if (rq->kind == NET_NORM || rq->kind == NET_SCALE) {
    y = (int128)rq->kappa[set] * sum + lambda;
    y = rq->wide ? y : wrapped(y);
    return (rq->kind == NET_SCALE ? y * rq->m : y) >> rq->shift;
  }
  if (rq->kind == NET_ICN)
    return ((int128)biased * rq->kappa[set] >> (31 + point - rq->shifts[set])) + rq->zero;
  if (rq->kind == NET_FOLDED)
    return biased >> rq->shifts[set];
  if (rq->kind == NET_TFLITE)
    return q31(biased, rq->kappa[set], rq->shifts[set]) + rq->zero;
  if (rq->kind == NET_THRESHOLDS) {
    for (int i = 0; i < steps; i++)
      y += rq->thresholds[(size_t)set * (size_t)steps + (size_t)i] <= sum;
    return y + rq->zero;
  }
  if (rq->kind == NET_DIVIDE) {
    int64_t d = rq->divisor ? rq->divisor : pixels, twice = 2 * (sum < 0 ? -sum : sum) + d;
    if (rq->round)
      return sum < 0 ? -(twice / (2 * d)) : twice / (2 * d);
    for (y = -100000; (y + 1) * d <= sum;)
      y++;
    return y;
  }
  return sum;
}

static int64_t expected(const struct view *v, int64_t y, int64_t x, int64_t c) {
  const struct net_requant *rq = &v->layer->requant;
  int64_t pixels, sum = wrapped(sum_at(v, y, x, c, &pixels));
  bool weighted = v->layer->weights;
  int64_t lambda = rq->lambda ? rq->lambda[weighted || rq->per_channel ? c : 0] : 0;
  if (rq->kind == NET_SUMS)
    return wrapped((int128)sum + lambda);
  int steps = (1 << net_output(v->net, v->layer)->bits) - 1;
  int128 code = requantized(rq, sum, lambda, rq->per_channel ? (uint32_t)c : 0, pixels, steps);
  return code < rq->low ? rq->low : code > rq->high ? rq->high : (int64_t)code;
}

static void compare_layer(const struct view *v, uint64_t seed) {
  const struct net_tensor *out = net_output(v->net, v->layer);
  const int32_t *got = int_tensor(v->run, v->layer->output);
  for (int64_t y = 0; y < out->h; y++)
    for (int64_t x = 0; x < out->w; x++)
      for (int64_t c = 0; c < out->c; c++, got++)
        if (*got != expected(v, y, x, c))
          ck_abort_msg("net %llu, %s (%s), requantization %d, (%d, %d, %d): %d, not %lld",
                       (unsigned long long)seed, v->layer->name, net_kind_name(v->layer->kind),
                       v->layer->requant.kind, (int)y, (int)x, (int)c, *got,
                       (long long)expected(v, y, x, c));
}

static void fill_inputs(const struct net *net, const struct int_run *run, uint64_t seed) {
  struct draw draw = {seed + 1};
  for (uint32_t i = 0; i < net->input_count; i++)
    for (size_t e = 0; e < int_elements(run, net->inputs[i]); e++)
      int_tensor(run, net->inputs[i])[e] = draw_code(&draw, &net->tensors[net->inputs[i]]);
}

START_TEST(every_layer_is_as_defined) {
  int kinds[NET_KINDS] = {0};
  for (uint64_t seed = 0; seed < NETS; seed++) {
    struct net *net = net_random(seed, LAYERS);
    struct net_error error = {.text = ""};
    ck_assert_msg(net_check(net, &error), "net %d: %s", (int)seed, error.text);
    struct int_run *run = int_new(net);
    fill_inputs(net, run, seed);
    ck_assert_msg(int_execute(run, &error), "%s", error.text);
    for (uint32_t i = 0; i < net->layer_count; i++) {
      compare_layer(&(struct view){net, &net->layers[i], run}, seed);
      kinds[net->layers[i].kind]++;
    }
    int_free(run);
    net_free(net);
  }
  for (int i = 0; i < NET_KINDS; i++)
    ck_assert_int_gt(kinds[i], NETS / 10);
}
END_TEST

// ---------------------------------------------------------------------------- the kernels'

// A requantization of the form and the kernels' parameters for the same.
struct both {
  struct net_requant rq;
  struct nn_requant_i32 nn;
  int32_t kappa, bias, thresholds[255];
  int64_t lambda;
  int8_t shifts;
};

static void draw_both(struct draw *draw, enum nn_scheme scheme, struct both *b) {
  static const enum net_requant_kind kinds[] = {
      [NN_SCALE] = NET_SCALE,   [NN_ICN] = NET_ICN,   [NN_THRESHOLDS] = NET_THRESHOLDS,
      [NN_FOLDED] = NET_FOLDED, [NN_WIDE] = NET_NORM, [NN_TFLITE] = NET_TFLITE};
  uint32_t bits = 8u >> draw_within(draw, 0, 2);
  bool is_signed = scheme != NN_THRESHOLDS && draw_within(draw, 0, 1);
  int32_t low = is_signed ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
  b->kappa = (int32_t)draw_bits(draw),
  b->bias = (int32_t)draw_bits(draw) >> draw_within(draw, 0, 31);
  b->lambda = scheme == NN_WIDE ? (int64_t)draw_bits(draw) >> draw_within(draw, 3, 63) : b->bias;
  b->shifts =
      (int8_t)draw_within(draw, scheme == NN_FOLDED ? 0 : -31, scheme == NN_TFLITE ? 30 : 31);
  for (int i = 0; i < 255; i++)
    b->thresholds[i] = (i ? b->thresholds[i - 1] : -9000) + (int32_t)draw_within(draw, 0, 99);
  b->rq = (struct net_requant){.kind = kinds[scheme],
                               .wide = scheme == NN_WIDE,
                               .shift = (uint8_t)draw_within(draw, 0, scheme == NN_ICN ? 2 : 62),
                               .m = (int32_t)draw_bits(draw),
                               .zero = (int32_t)draw_within(draw, low, high),
                               .low = low,
                               .high = high,
                               .kappa = &b->kappa,
                               .lambda = &b->lambda,
                               .shifts = &b->shifts,
                               .thresholds = b->thresholds};
  if (scheme == NN_THRESHOLDS)
    b->rq.zero = 0;
  if (scheme == NN_TFLITE) // an activation's clip
    b->rq.low = (int32_t)draw_within(draw, low, high),
    b->rq.high = (int32_t)draw_within(draw, b->rq.low, high);
  b->nn = (struct nn_requant_i32){.scheme = scheme,
                                  .bits = (uint8_t)bits,
                                  .shift = b->rq.shift,
                                  .zero = (int16_t)b->rq.zero,
                                  .m = b->rq.m,
                                  .factor = &b->kappa,
                                  .shifts = &b->shifts,
                                  .bias = &b->bias,
                                  .thresholds = b->thresholds,
                                  .wide_bias = &b->lambda,
                                  .out_signed = is_signed,
                                  .low = (int16_t)b->rq.low,
                                  .high = (int16_t)b->rq.high};
}

START_TEST(requantizations_are_the_kernels) {
  struct draw draw = {7};
  for (int i = 0; i < 4000; i++) {
    struct both b;
    draw_both(&draw, (enum nn_scheme)_i, &b);
    uint32_t mask = (1u << b.nn.bits) - 1;
    for (int k = 0; k < 50; k++) {
      int32_t sum = (int32_t)draw_bits(&draw) >> draw_within(&draw, 0, 31);
      ck_assert_uint_eq((uint32_t)net_requantized(&b.rq, sum, 0, b.nn.bits, 1) & mask,
                        ref_requant_i32(&b.nn, sum, 0));
    }
  }
}
END_TEST

START_TEST(inputs_that_are_no_codes_are_refused) {
  struct net *net = net_random(1, 1);
  struct int_run *run = int_new(net);
  struct net_error error = {.text = ""};
  int_tensor(run, net->inputs[0])[0] = 300;
  ck_assert(!int_execute(run, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "input 'input': element 0 is 300; codes are "));
  int_free(run);
  net_free(net);
}
END_TEST

Suite *int_layers_suite(void) {
  Suite *suite = suite_create("int_layers");
  TCase *tc = tcase_create("int_layers");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, every_layer_is_as_defined);
  tcase_add_loop_test(tc, requantizations_are_the_kernels, NN_SCALE, NN_TFLITE + 1);
  tcase_add_test(tc, inputs_that_are_no_codes_are_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
