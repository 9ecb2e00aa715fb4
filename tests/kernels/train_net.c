// tests/kernels/train_net.c: networks that learn by tiles (train_net.h) against plain loops in
// double precision: outputs, the loss and every gradient; frozen layers, batches, tiles that do not
// fit. The same in 16 bits, against doubles that are rounded where tensors are written.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/fp.h"
#include "kernels/bench/train_ds_cnn.h"
#include "kernels/rt/rt_host.h"
#include "kernels/train/train_net_half.h"

Suite *train_net_suite(void);

// ---------------------------------------------------------------- reference

enum { MOST_LAYERS = 16 };

struct reference {
  const struct train_net *net;
  enum train_type type;         // tensors are rounded to it
  double *out[MOST_LAYERS + 1]; // [0]: the input
  double *grad[MOST_LAYERS + 1];
  double *weights;
  double *gradients;
};

static size_t in_floats(const struct train_net_layer *l) {
  return (size_t)l->in_c * l->in_h * l->in_w;
}
static size_t out_floats(const struct train_net_layer *l) {
  return (size_t)l->out_c * l->out_h * l->out_w;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint16_t to_half(float value, enum train_type type) {
  unsigned flags;
  return (uint16_t)(type == TRAIN_FP16 ? fp16_from_fp32(bits_of(value), 0, &flags)
                                       : bf16_from_fp32(bits_of(value), 0, &flags));
}
static float from_half(uint16_t half, enum train_type type) {
  unsigned flags;
  uint32_t boxed = half | 0xffff0000u;
  return float_of(type == TRAIN_FP16 ? fp32_from_fp16(boxed, &flags)
                                     : fp32_from_bf16(boxed, &flags));
}

static void round_all(const struct reference *r, double *values, size_t count) {
  for (size_t i = 0; r->type != TRAIN_F32 && i < count; i++)
    values[i] = (double)from_half(to_half((float)values[i], r->type), r->type);
}

// Calls visit(w, i, o) for every product of a layer: weight w (-1: one), input i, output o.
struct visit {
  struct reference *r;
  uint32_t layer;
  void (*each)(const struct visit *visit, long w, size_t i, size_t o);
  double factor;
};

static void visit_window(const struct visit *v, const struct train_net_layer *l, uint32_t c,
                         uint32_t y, uint32_t x) {
  size_t o = ((size_t)c * l->out_h + y) * l->out_w + x;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      long row = (long)y * l->stride_h + (long)i - l->pad_top;
      long column = (long)x * l->stride_w + (long)j - l->pad_left;
      if (row < 0 || column < 0 || row >= l->in_h || column >= l->in_w)
        continue;
      long tap = ((long)c * l->kernel_h + i) * l->kernel_w + j;
      size_t in = ((size_t)c * l->in_h + (size_t)row) * l->in_w + (size_t)column;
      if (l->kind == TRAIN_NET_PATCHES)
        v->each(v, -1, in, ((size_t)tap * l->out_h + y) * l->out_w + x);
      else
        v->each(v, l->kind == TRAIN_NET_DEPTHWISE ? tap : -1, in, o);
    }
  }
}

static void visit_all(const struct visit *v) {
  const struct train_net_layer *l = &v->r->net->layers[v->layer];
  if (l->kind == TRAIN_NET_PRODUCT) {
    size_t plane = (size_t)l->out_h * l->out_w;
    for (size_t f = 0; f < l->out_c; f++)
      for (size_t c = 0; c < l->in_c; c++)
        for (size_t p = 0; p < plane; p++)
          v->each(v, (long)(f * l->in_c + c), c * plane + p, f * plane + p);
  } else if (l->kind == TRAIN_NET_MEAN) {
    for (size_t i = 0; i < in_floats(l); i++)
      v->each(v, -1, i, i / ((size_t)l->in_h * l->in_w));
  } else {
    for (uint32_t c = 0; c < l->in_c; c++)
      for (uint32_t y = 0; y < l->out_h; y++)
        for (uint32_t x = 0; x < l->out_w; x++)
          visit_window(v, l, c, y, x);
  }
}

static double *weight_of(const struct visit *v, double *all, long w) {
  const struct train_net *net = v->r->net;
  return all + (net->layers[v->layer].weights - net->weights) + w;
}

static void add_forward(const struct visit *v, long w, size_t i, size_t o) {
  double in = v->r->out[v->layer][i];
  v->r->out[v->layer + 1][o] += (w < 0 ? v->factor : *weight_of(v, v->r->weights, w)) * in;
}

static void take_largest(const struct visit *v, long w, size_t i, size_t o) {
  double in = v->r->out[v->layer][i], *out = &v->r->out[v->layer + 1][o];
  (void)w;
  *out = in > *out ? in : *out;
}

static void add_backward(const struct visit *v, long w, size_t i, size_t o) {
  struct reference *r = v->r;
  double grad = r->grad[v->layer + 1][o];
  r->grad[v->layer][i] += (w < 0 ? v->factor : *weight_of(v, r->weights, w)) * grad;
  if (w >= 0)
    *weight_of(v, r->gradients, w) += r->out[v->layer][i] * grad;
}

// To the first that is the largest: a gradient is given away once.
static void give_largest(const struct visit *v, long w, size_t i, size_t o) {
  struct reference *r = v->r;
  (void)w;
  if (r->out[v->layer][i] == r->out[v->layer + 1][o]) {
    r->grad[v->layer][i] += r->grad[v->layer + 1][o];
    r->grad[v->layer + 1][o] = 0;
  }
}

static double factor_of(const struct train_net_layer *l) {
  if (l->kind == TRAIN_NET_MEAN)
    return 1.0 / ((double)l->in_h * l->in_w);
  return l->kind == TRAIN_NET_MEAN_OF ? 1.0 / ((double)l->kernel_h * l->kernel_w) : 1;
}

static void forward(struct reference *r, uint32_t layer) {
  const struct train_net_layer *l = &r->net->layers[layer];
  double *out = r->out[layer + 1];
  size_t plane = (size_t)l->out_h * l->out_w;
  bool largest = l->kind == TRAIN_NET_MAX;
  bool bias_last = l->kind == TRAIN_NET_DEPTHWISE && r->type != TRAIN_F32; // behind a rounding
  const double *bias = l->bias ? r->weights + (l->bias - r->net->weights) : NULL;
  for (size_t i = 0; i < out_floats(l); i++)
    out[i] = largest ? -INFINITY : bias && !bias_last ? bias[i / plane] : 0;
  const struct visit v = {r, layer, largest ? take_largest : add_forward, factor_of(l)};
  visit_all(&v);
  if (bias_last)
    round_all(r, out, out_floats(l));
  for (size_t i = 0; bias && bias_last && i < out_floats(l); i++)
    out[i] += bias[i / plane];
  for (size_t i = 0; l->relu && i < out_floats(l); i++)
    out[i] = out[i] > 0 ? out[i] : 0;
  round_all(r, out, out_floats(l));
}

static void backward(struct reference *r, uint32_t layer) {
  const struct train_net_layer *l = &r->net->layers[layer];
  double *grad = r->grad[layer + 1];
  size_t plane = (size_t)l->out_h * l->out_w;
  for (size_t i = 0; i < out_floats(l); i++) {
    if (l->relu && !(r->out[layer + 1][i] > 0))
      grad[i] = 0;
    if (l->bias)
      r->gradients[l->bias - r->net->weights + (long)(i / plane)] += grad[i];
  }
  const struct visit v = {r, layer, l->kind == TRAIN_NET_MAX ? give_largest : add_backward,
                          factor_of(l)};
  visit_all(&v);
  round_all(r, r->grad[layer], in_floats(l));
}

static struct reference *reference_new(const struct train_net *net, enum train_type type) {
  struct reference *r = calloc(1, sizeof *r);
  r->net = net;
  r->type = type;
  r->weights = calloc(net->weight_count, sizeof(double));
  r->gradients = calloc(net->weight_count, sizeof(double));
  for (uint32_t i = 0; i <= MOST_LAYERS; i++) {
    bool is_output = i > 0 && i <= net->count;
    size_t floats = is_output ? out_floats(&net->layers[i - 1]) : in_floats(net->layers);
    r->out[i] = calloc(floats, sizeof(double));
    r->grad[i] = calloc(floats, sizeof(double));
  }
  for (uint32_t i = 0; i < net->weight_count; i++)
    r->weights[i] = (double)net->weights[i];
  for (size_t i = 0; i < in_floats(net->layers); i++)
    r->out[0][i] = (double)((const float *)net->input)[i];
  round_all(r, r->weights, net->weight_count);
  round_all(r, r->out[0], in_floats(net->layers));
  return r;
}

static void reference_free(struct reference *r) {
  for (uint32_t i = 0; i <= MOST_LAYERS; i++) {
    free(r->out[i]);
    free(r->grad[i]);
  }
  free(r->weights);
  free(r->gradients);
  free(r);
}

// The mean squared error against a target.
static double reference_mse(struct reference *r, size_t outputs) {
  uint32_t count = r->net->count;
  double sum = 0;
  for (size_t i = 0; i < outputs; i++) {
    double d = r->out[count][i] - (double)r->net->target[i];
    r->grad[count][i] = 2 * d / (double)outputs;
    sum += d * d;
  }
  for (uint32_t i = count; i-- > 0;)
    backward(r, i);
  return sum / (double)outputs;
}

static double reference_run(struct reference *r, uint32_t label) {
  uint32_t count = r->net->count;
  size_t classes = out_floats(&r->net->layers[count - 1]);
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    forward(r, i);
  if (r->net->target)
    return reference_mse(r, classes);
  for (size_t i = 0; i < classes; i++)
    sum += exp(r->out[count][i]);
  for (size_t i = 0; i < classes; i++)
    r->grad[count][i] = exp(r->out[count][i]) / sum - (i == label);
  for (uint32_t i = count; i-- > 0;)
    backward(r, i);
  return log(sum) - r->out[count][label];
}

// ---------------------------------------------------------------- runs

struct example {
  const struct train_net *net;
  uint32_t label;
  float *loss;
  enum kernel_status status;
};

static int run_example(void *user) {
  struct example *e = user;
  enum kernel_status status = train_net_forward(e->net);
  if (status == KERNEL_OK)
    status = train_net_backward(e->net, e->label, e->loss);
  if (rt_core_id() == 0)
    e->status = status;
  return 0;
}

static float run(const struct train_net *on, unsigned cores, uint32_t label) {
  static float value;
  struct example e = {on, label, &value, KERNEL_BAD_POINTER};
  ck_assert_int_eq(rt_host_run(cores, run_example, &e), 0);
  ck_assert_int_eq(e.status, KERNEL_OK);
  return value;
}

static void fill(float *values, size_t count, float scale, uint32_t seed) {
  for (size_t i = 0; i < count; i++)
    values[i] = scale * (float)(int16_t)(rt_random(&seed) >> 7) * 0x1p-15f;
}

// Each gradient within `bound` of the largest of its layer.
static void near_reference(const struct reference *r, const float *got, double bound) {
  const struct train_net *on = r->net;
  for (uint32_t layer = 0; layer < on->count; layer++) {
    const struct train_net_layer *l = &on->layers[layer];
    if (!l->weights || l->frozen)
      continue;
    long begin = l->weights - on->weights;
    long count = l->kind == TRAIN_NET_PRODUCT ? (long)l->out_c * l->in_c
                                              : (long)l->in_c * l->kernel_h * l->kernel_w;
    count += l->bias ? l->out_c : 0;
    double most = 0;
    for (long i = begin; i < begin + count; i++)
      most = fmax(most, fabs(r->gradients[i]));
    ck_assert_double_gt(most, 0);
    for (long i = begin; i < begin + count; i++)
      ck_assert_msg(fabs((double)got[i] - r->gradients[i]) <= bound * most,
                    "layer %u, gradient %ld: %g, expected %g", layer, i - begin, (double)got[i],
                    r->gradients[i]);
  }
}

START_TEST(ds_cnn_has_the_gradients_of_doubles) {
  fill(input, INPUTS, 1, 7);
  fill(weights, CONV_W, 0.4f, 11);
  fill(weights + CONV_W, WEIGHTS - CONV_W, 0.3f, 13);
  struct reference *r = reference_new(&ds_cnn, TRAIN_F32);
  double want = reference_run(r, 5);
  double got = (double)run(&ds_cnn, 8, 5);
  ck_assert_double_eq_tol(got, want, 1e-5 * want);
  near_reference(r, gradients, 1e-4);
  float *eight = malloc(sizeof gradients);
  memcpy(eight, gradients, sizeof gradients);
  run(&ds_cnn, 3, 5);
  ck_assert_mem_eq(eight, gradients, sizeof gradients);
  free(eight);
  reference_free(r);
}
END_TEST

// All kinds of layers, odd sizes and tiles: convolution 5 -> 6, 3x3 with stride 2, maximum,
// depthwise with a bias, pointwise, convolution 7 -> 7, mean of 4x4, fully connected twice.
enum { SMALL_LAYERS = 10, AT_DW = 6 * 45 + 6, AT_PW = AT_DW + 6 * 9 + 6, AT_CONV = AT_PW + 50 };
enum { AT_FC = AT_CONV + 7 * 63 + 7, AT_LAST = AT_FC + 136, SMALL_WEIGHTS = AT_LAST + 40 };
static struct {
  float input[5 * 19 * 15], out[SMALL_LAYERS][64 * 70], grads[2][64 * 70];
  float weights[SMALL_WEIGHTS], gradients[SMALL_WEIGHTS], sums[SMALL_WEIGHTS], l1[12000];
} small;

#define WINDOW(h, w, sh, sw, top, bottom, left, right)                                             \
  .kernel_h = h, .kernel_w = w, .stride_h = sh, .stride_w = sw, .pad_top = top,                    \
  .pad_bottom = bottom, .pad_left = left, .pad_right = right
#define SIZES(c, h, w, oc, oh, ow)                                                                 \
  .in_c = c, .in_h = h, .in_w = w, .out_c = oc, .out_h = oh, .out_w = ow
static struct train_net_layer small_layers[SMALL_LAYERS + 1] = {
    {.kind = TRAIN_NET_PATCHES,
     SIZES(5, 19, 15, 45, 10, 7),
     WINDOW(3, 3, 2, 2, 1, 1, 0, 0),
     .part_fw = 2,
     .part_bw = 2,
     .out = small.out[0]},
    {.kind = TRAIN_NET_PRODUCT,
     .relu = true,
     SIZES(45, 10, 7, 6, 10, 7),
     .weights = small.weights,
     .bias = small.weights + 270,
     .out = small.out[1],
     .fw = {4, 33, 20, false, 0},
     .wg = {5, 17, 30, true, 0},
     .ig = {20, 20, 6, true, 0}},
    {.kind = TRAIN_NET_MAX,
     SIZES(6, 10, 7, 6, 9, 6),
     WINDOW(2, 2, 1, 1, 0, 0, 0, 0),
     .part_fw = 4,
     .part_bw = 5,
     .out = small.out[2]},
    {.kind = TRAIN_NET_DEPTHWISE,
     .relu = true,
     SIZES(6, 9, 6, 6, 9, 6),
     WINDOW(3, 3, 1, 1, 1, 1, 1, 1),
     .part_fw = 4,
     .part_bw = 1,
     .weights = small.weights + AT_DW,
     .bias = small.weights + AT_DW + 54,
     .out = small.out[3]},
    {.kind = TRAIN_NET_PRODUCT,
     .relu = true,
     SIZES(6, 9, 6, 7, 9, 6),
     .weights = small.weights + AT_PW,
     .bias = small.weights + AT_PW + 42,
     .out = small.out[4],
     .fw = {7, 54, 6, false, 0},
     .wg = {7, 6, 54, false, 0},
     .ig = {6, 54, 7, false, 0}},
    {.kind = TRAIN_NET_PATCHES,
     SIZES(7, 9, 6, 63, 9, 6),
     WINDOW(3, 3, 1, 1, 1, 1, 1, 1),
     .part_fw = 3,
     .part_bw = 2,
     .out = small.out[8]},
    {.kind = TRAIN_NET_PRODUCT,
     .relu = true,
     SIZES(63, 9, 6, 7, 9, 6),
     .weights = small.weights + AT_CONV,
     .bias = small.weights + AT_CONV + 441,
     .out = small.out[9],
     .fw = {7, 20, 63, false, 0},
     .wg = {7, 20, 54, false, 0},
     .ig = {30, 54, 7, false, 0}},
    {.kind = TRAIN_NET_MEAN_OF,
     SIZES(7, 9, 6, 7, 2, 1),
     WINDOW(4, 4, 4, 4, 0, 0, 0, 0),
     .part_fw = 7,
     .part_bw = 3,
     .out = small.out[5]},
    {.kind = TRAIN_NET_PRODUCT,
     .relu = true,
     SIZES(14, 1, 1, 9, 1, 1),
     .weights = small.weights + AT_FC,
     .bias = small.weights + AT_FC + 126,
     .out = small.out[6],
     .fw = {4, 1, 5, false, 0},
     .wg = {4, 5, 1, false, 0},
     .ig = {1, 14, 9, false, 0}},
    {.kind = TRAIN_NET_PRODUCT,
     SIZES(9, 1, 1, 4, 1, 1),
     .weights = small.weights + AT_LAST,
     .bias = small.weights + AT_LAST + 36,
     .out = small.out[7],
     .fw = {4, 1, 9, false, 0},
     .wg = {4, 9, 1, false, 0},
     .ig = {1, 9, 4, false, 0}},
};
static struct train_net small_net = {.layers = small_layers,
                                     .count = SMALL_LAYERS,
                                     .input = small.input,
                                     .grads = {small.grads[0], small.grads[1]},
                                     .weights = small.weights,
                                     .gradients = small.gradients,
                                     .weight_count = SMALL_WEIGHTS,
                                     .rate = 0.125f,
                                     .l1 = small.l1,
                                     .l1_bytes = sizeof small.l1};

static void begin_small(void) {
  memset(&small, 0, sizeof small);
  fill(small.input, sizeof small.input / 4, 1, 3);
  fill(small.weights, SMALL_WEIGHTS, 0.5f, 5);
}

START_TEST(every_kind_has_the_gradients_of_doubles) {
  begin_small();
  struct reference *r = reference_new(&small_net, TRAIN_F32);
  double want = reference_run(r, 2);
  for (unsigned cores = 1; cores <= 8; cores++) {
    memset(small.gradients, 0, sizeof small.gradients);
    ck_assert_double_eq_tol((double)run(&small_net, cores, 2), want, 1e-5 * want);
    near_reference(r, small.gradients, 2e-5);
  }
  reference_free(r);
}
END_TEST

// The first layer's patches by tiles, as L1 does not hold them all.
START_TEST(patches_by_tiles_are_the_same) {
  static float whole[SMALL_WEIGHTS];
  begin_small();
  run(&small_net, 4, 2);
  memcpy(whole, small.gradients, sizeof whole);
  struct train_net cramped = small_net;
  cramped.l1_bytes = 4 * 4700;
  for (unsigned cores = 1; cores <= 4; cores++) {
    memset(&small.gradients, 0, sizeof small.gradients);
    run(&cramped, cores, 2);
    ck_assert_mem_eq(whole, small.gradients, sizeof whole);
  }
}
END_TEST

START_TEST(squared_errors_have_the_gradients_of_doubles) {
  static const float target[4] = {0.5f, -1, 2, 0};
  begin_small();
  struct train_net squared = small_net;
  squared.target = target;
  struct reference *r = reference_new(&squared, TRAIN_F32);
  double want = reference_run(r, 0);
  ck_assert_double_eq_tol((double)run(&squared, 3, 99), want, 1e-5 * want);
  near_reference(r, small.gradients, 2e-5);
  reference_free(r);
}
END_TEST

static int learn_one(void *user) {
  const struct train_net *on = user;
  static float value;
  return train_net_forward(on) != KERNEL_OK || train_net_backward(on, 1, &value) != KERNEL_OK ||
         train_net_descend(on) != KERNEL_OK;
}

// Stepped layer by layer, the weights become what they become all together.
START_TEST(layers_step_at_once) {
  static float together[SMALL_WEIGHTS], room[448];
  begin_small();
  small_layers[6].frozen = true;
  ck_assert_int_eq(rt_host_run(4, learn_one, &small_net), 0);
  memcpy(together, small.weights, sizeof together);
  begin_small();
  struct train_net at_once = small_net;
  at_once.at_once = true;
  at_once.gradients = room;
  ck_assert_int_eq(rt_host_run(4, learn_one, &at_once), 0);
  small_layers[6].frozen = false;
  ck_assert_mem_eq(together, small.weights, sizeof together);
  begin_small();
  ck_assert_mem_ne(together, small.weights, sizeof together);
}
END_TEST

// At a rate of 0 nothing is learned, whoever steps.
START_TEST(a_rate_of_zero_changes_nothing) {
  begin_small();
  fill(input, INPUTS, 1, 3);
  fill(weights, WEIGHTS, 0.5f, 5);
  const struct train_net nets[] = {small_net, ds_cnn};
  for (unsigned i = 0; i < 4; i++) {
    struct train_net net = nets[i / 2];
    float *before = malloc(net.weight_count * sizeof *before);
    ck_assert_ptr_nonnull(before);
    net.rate = 0;
    net.at_once = i % 2;
    memcpy(before, net.weights, net.weight_count * sizeof *before);
    ck_assert_int_eq(rt_host_run(4, learn_one, &net), 0);
    ck_assert_mem_eq(net.weights, before, net.weight_count * sizeof *before);
    free(before);
  }
}
END_TEST

// The same where kernels take the step, to the bit.
START_TEST(ds_cnn_steps_where_gradients_arise) {
  static float before[WEIGHTS], together[WEIGHTS];
  fill(input, INPUTS, 1, 3);
  fill(weights, WEIGHTS, 0.5f, 5);
  memcpy(before, weights, sizeof before);
  ck_assert_int_eq(rt_host_run(8, learn_one, &ds_cnn), 0);
  memcpy(together, weights, sizeof together);
  memcpy(weights, before, sizeof before);
  struct train_net at_once = ds_cnn;
  at_once.at_once = true;
  ck_assert_int_eq(rt_host_run(8, learn_one, &at_once), 0);
  ck_assert_mem_eq(together, weights, sizeof together);
  ck_assert_mem_ne(before, weights, sizeof before);
}
END_TEST

static int learn_batch(void *user) {
  const struct train_net *on = user;
  static float value;
  for (uint32_t label = 0; label < 2; label++) {
    if (train_net_forward(on) != KERNEL_OK || train_net_backward(on, label, &value) != KERNEL_OK ||
        train_net_add(on, label == 0) != KERNEL_OK)
      return 1;
  }
  return train_net_descend(on) != KERNEL_OK;
}

// Of a batch of two the sum of their gradients is taken; frozen layers stay as they are.
START_TEST(batches_are_summed_and_frozen_layers_kept) {
  static float before[SMALL_WEIGHTS], sum[SMALL_WEIGHTS];
  begin_small();
  memcpy(before, small.weights, sizeof before);
  small_layers[1].frozen = small_layers[4].frozen = true;
  for (uint32_t label = 0; label < 2; label++) {
    run(&small_net, 4, label);
    for (uint32_t i = 0; i < SMALL_WEIGHTS; i++)
      sum[i] = label ? fmaf(1, small.gradients[i], sum[i]) : small.gradients[i];
  }
  struct train_net batched = small_net;
  batched.sums = small.sums;
  ck_assert_int_eq(rt_host_run(4, learn_batch, &batched), 0);
  for (uint32_t i = 0; i < SMALL_WEIGHTS; i++) {
    bool frozen = i < AT_DW || (i >= AT_PW && i < AT_CONV);
    ck_assert_msg(small.weights[i] == (frozen ? before[i] : fmaf(-0.125f, sum[i], before[i])),
                  "weight %u", i);
  }
  small_layers[1].frozen = small_layers[4].frozen = false;
}
END_TEST

// ---------------------------------------------------------------- 16 bits

struct half_net {
  struct train_net net;
  struct train_net_half half;
  struct train_net_layer layers[MOST_LAYERS];
  void *arrays[MOST_LAYERS + 8];
  uint32_t count;
};

static void *halves(struct half_net *h, size_t count) {
  return h->arrays[h->count++] = calloc(count + 1, sizeof(uint16_t));
}

static size_t half_out(const struct train_net_layer *l) {
  return l->out_c * (size_t)train_net_half_pitch((uint32_t)l->out_h * l->out_w);
}

// The input, a plane at a time.
static void *half_input(struct half_net *h, const struct train_net *of, enum train_type type) {
  const struct train_net_layer *l = of->layers;
  uint32_t plane = (uint32_t)l->in_h * l->in_w, pitch = train_net_half_pitch(plane);
  uint16_t *input_ = halves(h, l->in_c * (size_t)pitch);
  for (uint32_t i = 0; i < l->in_c * plane; i++)
    input_[i / plane * pitch + i % plane] = to_half(((const float *)of->input)[i], type);
  return input_;
}

// The same network in 16 bits, on the same weights and in the same L1.
static struct half_net *half_new(const struct train_net *of, enum train_type type, float scale) {
  struct half_net *h = calloc(1, sizeof *h);
  size_t most = 0;
  h->net = *of;
  h->net.half = &h->half;
  h->net.layers = h->layers;
  h->net.input = half_input(h, of, type);
  for (uint32_t i = 0; i < of->count; i++) {
    h->layers[i] = of->layers[i];
    h->layers[i].out = halves(h, half_out(&of->layers[i]));
    most = half_out(&of->layers[i]) > most ? half_out(&of->layers[i]) : most;
  }
  h->net.grads[0] = halves(h, most);
  h->net.grads[1] = halves(h, most);
  h->half =
      (struct train_net_half){.type = type == TRAIN_FP16 ? &train_half_fp16 : &train_half_bf16,
                              .weights = halves(h, of->weight_count),
                              .gradients = halves(h, of->weight_count),
                              .scale = scale};
  return h;
}

static void half_free(struct half_net *h) {
  for (uint32_t i = 0; i < h->count; i++)
    free(h->arrays[i]);
  free(h);
}

static int round_weights(void *user) {
  return train_net_round(user) != KERNEL_OK;
}

static float run_half(struct half_net *h, unsigned cores, uint32_t label) {
  ck_assert_int_eq(rt_host_run(cores, round_weights, &h->net), 0);
  return run(&h->net, cores, label);
}

static void half_near(const struct half_net *h, const struct reference *r, double bound) {
  float *got = malloc(h->net.weight_count * sizeof *got);
  for (uint32_t i = 0; i < h->net.weight_count; i++)
    got[i] = from_half(h->half.gradients[i], h->half.type->id) / h->half.scale;
  near_reference(r, got, bound);
  free(got);
}

static const struct half_case {
  enum train_type type;
  float scale;
  double unit; // of rounding
} half_cases[] = {{TRAIN_FP16, 64, 0x1p-11}, {TRAIN_BF16, 1, 0x1p-8}};

// The reference rounds where the network does, but for sums of a few: what is left are roundings
// that fall to the other side, and those of 16-bit sums and biases.
START_TEST(halves_have_the_gradients_of_doubles) {
  const struct half_case *c = &half_cases[_i];
  begin_small();
  struct half_net *h = half_new(&small_net, c->type, c->scale);
  struct reference *r = reference_new(&small_net, c->type);
  double want = reference_run(r, 2);
  uint16_t first[SMALL_WEIGHTS];
  for (unsigned cores = 1; cores <= 8; cores++) {
    ck_assert_double_eq_tol((double)run_half(h, cores, 2), want, 8 * c->unit * want);
    half_near(h, r, 8 * c->unit);
    if (cores > 1)
      ck_assert_mem_eq(first, h->half.gradients, sizeof first);
    memcpy(first, h->half.gradients, sizeof first);
  }
  reference_free(r);
  half_free(h);
}
END_TEST

START_TEST(ds_cnn_in_halves_has_the_gradients_of_doubles) {
  const struct half_case *c = &half_cases[_i];
  fill(input, INPUTS, 1, 7);
  fill(weights, CONV_W, 0.4f, 11);
  fill(weights + CONV_W, WEIGHTS - CONV_W, 0.3f, 13);
  struct half_net *h = half_new(&ds_cnn, c->type, c->scale);
  struct reference *r = reference_new(&ds_cnn, c->type);
  double want = reference_run(r, 5);
  ck_assert_double_eq_tol((double)run_half(h, 8, 5), want, 8 * c->unit * want);
  half_near(h, r, 16 * c->unit);
  uint16_t *eight = malloc(WEIGHTS * sizeof *eight);
  memcpy(eight, h->half.gradients, WEIGHTS * sizeof *eight);
  run_half(h, 3, 5);
  ck_assert_mem_eq(eight, h->half.gradients, WEIGHTS * sizeof *eight);
  free(eight);
  reference_free(r);
  half_free(h);
}
END_TEST

// The step of the floats by the gradients without their scale; the copies are these, rounded.
START_TEST(halves_step_floats) {
  static float before[SMALL_WEIGHTS];
  begin_small();
  small_layers[4].frozen = true;
  struct half_net *h = half_new(&small_net, TRAIN_FP16, 64);
  h->half.growth = 2;
  memcpy(before, small.weights, sizeof before);
  ck_assert_int_eq(rt_host_run(4, round_weights, &h->net), 0);
  ck_assert_int_eq(rt_host_run(4, learn_one, &h->net), 0);
  for (uint32_t i = 0; i < SMALL_WEIGHTS; i++) {
    float gradient = from_half(h->half.gradients[i], TRAIN_FP16);
    bool frozen = i >= AT_PW && i < AT_CONV;
    ck_assert_msg(small.weights[i] ==
                      (frozen ? before[i] : fmaf(-0.125f / 64, gradient, before[i])),
                  "weight %u", i);
    ck_assert_uint_eq(h->half.weights[i], to_half(small.weights[i], TRAIN_FP16));
  }
  ck_assert(h->half.scale == 64 && h->half.taken == 1);
  ck_assert_int_eq(rt_host_run(4, learn_one, &h->net), 0);
  ck_assert(h->half.scale == 128 && h->half.taken == 0 && h->half.skipped == 0);
  small_layers[4].frozen = false;
  half_free(h);
}
END_TEST

// All in one, by sums, layer by layer: what overflows is left out, and the scale halved.
START_TEST(steps_that_overflow_are_left_out) {
  static float before[SMALL_WEIGHTS];
  static uint16_t room[448];
  begin_small();
  struct half_net *h = half_new(&small_net, TRAIN_FP16, 0x1p23f);
  memcpy(before, small.weights, sizeof before);
  h->net.sums = _i == 1 ? small.sums : NULL;
  h->net.at_once = _i == 2;
  h->half.gradients = _i == 2 ? room : h->half.gradients;
  ck_assert_int_eq(rt_host_run(4, round_weights, &h->net), 0);
  ck_assert_int_eq(rt_host_run(4, _i == 1 ? learn_batch : learn_one, &h->net), 0);
  ck_assert_mem_eq(before, small.weights, sizeof before);
  ck_assert(h->half.scale == 0x1p22f && h->half.skipped == 1);
  h->half.scale = 64;
  ck_assert_int_eq(rt_host_run(4, _i == 1 ? learn_batch : learn_one, &h->net), 0);
  ck_assert_mem_ne(before, small.weights, sizeof before);
  ck_assert(h->half.scale == 64 && h->half.skipped == 1);
  half_free(h);
}
END_TEST

// ---- one layer's gradients alone

struct told {
  const struct half_net *of;
  uint32_t layer;
  uint16_t *out_grad;
  bool finite;
};

static int tell(void *user) {
  struct told *t = user;
  const struct half_net *h = t->of;
  const struct train_net_layer *l = &h->layers[t->layer];
  const struct train_half_place place = {
      .type = h->half.type->id,
      .blocks = h->half.type,
      .in = t->layer ? h->layers[t->layer - 1].out : h->net.input,
      .out_grad = t->out_grad,
      .in_grad = h->net.grads[0],
      .weights = h->half.weights + (l->weights - h->net.weights),
      .weights_grad = h->half.gradients + (l->weights - h->net.weights),
      .bias = l->bias ? h->half.weights + (l->bias - h->net.weights) : NULL,
      .bias_grad = l->bias ? h->half.gradients + (l->bias - h->net.weights) : NULL,
      .gated = true};
  train_half_watch_none();
  bool good = train_half_bw(&h->net, l, &place) == KERNEL_OK;
  rt_barrier();
  t->finite = train_half_finite();
  rt_barrier();
  return !good;
}

static void put_ones(uint16_t *to, size_t count, enum train_type type) {
  for (size_t i = 0; i < count; i++)
    to[i] = to_half(1, type);
}

// With an infinite gradient of this element of its output, or (past the end) without.
static bool tells_of(const struct half_net *h, uint32_t layer, unsigned cores, size_t at) {
  size_t count = half_out(&h->layers[layer]);
  struct told t = {h, layer, malloc((count + 1) * sizeof(uint16_t)), false};
  put_ones(t.out_grad, count, h->half.type->id);
  t.out_grad[at < count ? at : count] = h->half.type->id == TRAIN_FP16 ? 0xfc00 : 0xff80;
  ck_assert_int_eq(rt_host_run(cores, tell, &t), 0);
  free(t.out_grad);
  return !t.finite;
}

// Of the first pixel and of the last one, by whichever core and kernel.
START_TEST(every_layer_tells_of_infinite_gradients) {
  const struct half_case *c = &half_cases[_i / 2];
  begin_small();
  struct half_net *h = half_new(_i % 2 ? &ds_cnn : &small_net, c->type, 1);
  for (uint32_t i = 0; i < h->net.count; i++)
    put_ones(h->layers[i].out, half_out(&h->layers[i]), c->type);
  for (uint32_t i = 1; i < h->net.count; i++) {
    const struct train_net_layer *l = &h->layers[i];
    uint32_t pixels = (uint32_t)l->out_h * l->out_w, planes = l->out_c - 1u;
    if (!l->weights)
      continue;
    for (unsigned cores = 1; cores <= 8; cores += 7) {
      ck_assert(!tells_of(h, i, cores, SIZE_MAX));
      ck_assert_msg(tells_of(h, i, cores, 0), "layer %u, first", i);
      ck_assert_msg(tells_of(h, i, cores, planes * train_net_half_pitch(pixels) + pixels - 1),
                    "layer %u, last", i);
    }
  }
  half_free(h);
}
END_TEST

START_TEST(tiles_that_do_not_fit_are_refused) {
  begin_small();
  struct train_net cramped = small_net;
  static float value;
  for (uint32_t bytes = 400; bytes <= 2000; bytes += 400) {
    struct example e = {&cramped, 1, &value, KERNEL_OK};
    cramped.l1_bytes = bytes;
    ck_assert_int_eq(rt_host_run(2, run_example, &e), 0);
    ck_assert_int_eq(e.status, KERNEL_BAD_SHAPE);
  }
  struct half_net *h = half_new(&small_net, TRAIN_FP16, 1);
  struct example e = {&h->net, 1, &value, KERNEL_OK};
  h->net.l1_bytes = 1200;
  ck_assert_int_eq(rt_host_run(2, run_example, &e), 0);
  ck_assert_int_eq(e.status, KERNEL_BAD_SHAPE);
  half_free(h);
}
END_TEST

Suite *train_net_suite(void) {
  Suite *suite = suite_create("train_net");
  TCase *test = tcase_create("train_net");
  tcase_set_timeout(test, 60);
  tcase_add_test(test, ds_cnn_has_the_gradients_of_doubles);
  tcase_add_test(test, every_kind_has_the_gradients_of_doubles);
  tcase_add_test(test, batches_are_summed_and_frozen_layers_kept);
  tcase_add_test(test, patches_by_tiles_are_the_same);
  tcase_add_test(test, squared_errors_have_the_gradients_of_doubles);
  tcase_add_test(test, layers_step_at_once);
  tcase_add_test(test, a_rate_of_zero_changes_nothing);
  tcase_add_test(test, ds_cnn_steps_where_gradients_arise);
  tcase_add_loop_test(test, halves_have_the_gradients_of_doubles, 0, 2);
  tcase_add_loop_test(test, ds_cnn_in_halves_has_the_gradients_of_doubles, 0, 2);
  tcase_add_test(test, halves_step_floats);
  tcase_add_loop_test(test, steps_that_overflow_are_left_out, 0, 3);
  tcase_add_loop_test(test, every_layer_tells_of_infinite_gradients, 0, 4);
  tcase_add_test(test, tiles_that_do_not_fit_are_refused);
  suite_add_tcase(suite, test);
  return suite;
}
