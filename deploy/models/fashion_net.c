// deploy/models/fashion_net.c
#include "fashion_net.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_act.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"

// MOMENTUM of SGD and DECAY of the weights; FORGET: how much of the running statistics a batch
// replaces.
#define MOMENTUM 0.9f
#define DECAY    5e-4f
#define FORGET   0.1f

static const struct {
  uint8_t depthwise, stride;
  uint16_t out_c;
} plan[NET_LAYERS] = {{0, 1, 16}, {1, 2, 16}, {0, 1, 32}, {1, 1, 32}, {0, 1, 64}, {1, 2, 64},
                      {0, 1, 64}, {1, 1, 64}, {0, 1, 96}, {1, 2, 96}, {0, 1, 128}};

// ---- shapes and memory

static uint32_t plane_in(const struct net_layer *l) {
  return (uint32_t)l->in_side * l->in_side;
}
static uint32_t plane_out(const struct net_layer *l) {
  return (uint32_t)l->out_side * l->out_side;
}
static uint32_t inputs_of(const struct net_layer *l) {
  return l->in_c * plane_in(l);
}
static uint32_t outputs_of(const struct net_layer *l) {
  return l->out_c * plane_out(l);
}
static uint32_t fan_in(const struct net_layer *l) {
  return (l->depthwise ? 1u : l->in_c) * l->kernel * l->kernel;
}
static uint32_t weights_of(const struct net_layer *l) {
  return l->out_c * fan_in(l);
}
static const struct net_layer *last_of(const struct net *net) {
  return &net->layers[NET_LAYERS - 1];
}

static void shape(struct net *net) {
  uint16_t channels = 1, side = 28;
  for (uint32_t i = 0; i < NET_LAYERS; i++) {
    struct net_layer *l = &net->layers[i];
    l->depthwise = plan[i].depthwise;
    l->kernel = i == 0 || l->depthwise ? 3 : 1;
    l->pad = l->kernel / 2;
    l->stride = plan[i].stride;
    l->in_c = channels;
    l->in_side = side;
    l->out_c = channels = plan[i].out_c;
    l->out_side = side = (uint16_t)((side + 2 * l->pad - l->kernel) / l->stride + 1);
    net->weights += weights_of(l);
    net->count += weights_of(l) + 2u * l->out_c;
  }
  net->weights += NET_CLASSES * (uint32_t)channels;
  net->count += NET_CLASSES * (channels + 1u);
}

static float *take(uint32_t count) {
  return calloc(count ? count : 1, sizeof(float));
}

// Weights uniform in +-sqrt(6 / inputs of a sum): He et al., 2015.
static void start(float *weights, uint32_t count, uint32_t inputs, uint32_t *seed) {
  float most = sqrtf(6.0f / (float)inputs);
  for (uint32_t i = 0; i < count; i++)
    weights[i] = most * ((float)(rt_random(seed) >> 8) * 0x1p-23f - 1);
}

static void place(struct net *net, uint32_t seed) {
  float *weights = net->parameters, *others = net->parameters + net->weights;
  for (uint32_t i = 0; i < NET_LAYERS; i++) {
    struct net_layer *l = &net->layers[i];
    l->weights = weights;
    l->gamma = others;
    l->beta = others + l->out_c;
    start(weights, weights_of(l), fan_in(l), &seed);
    for (uint32_t c = 0; c < l->out_c; c++)
      l->gamma[c] = l->running_variance[c] = 1;
    weights += weights_of(l);
    others += 2 * l->out_c;
  }
  net->linear = weights;
  net->bias = others;
  start(weights, NET_CLASSES * last_of(net)->out_c, last_of(net)->out_c, &seed);
}

struct net *net_create(uint32_t batch, uint32_t seed) {
  struct net *net = calloc(1, sizeof *net);
  if (!net)
    return NULL;
  shape(net);
  uint32_t largest = 0, last = last_of(net)->out_c;
  bool good = true;
  for (uint32_t i = 0; i < NET_LAYERS; i++) {
    struct net_layer *l = &net->layers[i];
    largest = outputs_of(l) > largest ? outputs_of(l) : largest;
    l->sums = take(batch * outputs_of(l));
    l->out = take(batch * outputs_of(l));
    good = good && l->sums && l->out;
  }
  net->batch = batch;
  float **const areas[] = {&net->parameters, &net->gradients, &net->velocity, &net->folded,
                           &net->images,     &net->means,     &net->scores,   &net->score_grad,
                           &net->grad,       &net->sums_grad, &net->scratch,  &net->partial};
  const uint32_t sizes[] = {net->count,          net->count,          net->count,
                            net->count,          batch * 784,         batch * last,
                            batch * NET_CLASSES, batch * NET_CLASSES, batch * largest,
                            batch * largest,     64 * largest,        TRAIN_LOSS_PARTS};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    good = (*areas[i] = take(sizes[i])) && good;
  net->labels = calloc(batch, 1);
  if (!good || !net->labels) {
    net_free(net);
    return NULL;
  }
  place(net, seed);
  return net;
}

void net_free(struct net *net) {
  for (uint32_t i = 0; i < NET_LAYERS; i++) {
    free(net->layers[i].sums);
    free(net->layers[i].out);
  }
  float *const areas[] = {net->parameters, net->gradients, net->velocity, net->folded,
                          net->images,     net->means,     net->scores,   net->score_grad,
                          net->grad,       net->sums_grad, net->scratch,  net->partial};
  for (uint32_t i = 0; i < sizeof areas / sizeof *areas; i++)
    free(areas[i]);
  free(net->labels);
  free(net);
}

// ---- a layer's convolution, image by image

// The layer as its kernels take it. `weights` and `bias`: what the forward pass uses.
static struct train_conv2d conv_of(const struct net *net, const struct net_layer *l,
                                   const float *weights, const float *bias) {
  return (struct train_conv2d){.weights = weights,
                               .bias = bias,
                               .weights_grad = net->gradients + (l->weights - net->parameters),
                               .scratch = net->scratch,
                               .in_c = l->in_c,
                               .in_h = l->in_side,
                               .in_w = l->in_side,
                               .out_c = l->out_c,
                               .kernel_h = l->kernel,
                               .kernel_w = l->kernel,
                               .stride_h = l->stride,
                               .stride_w = l->stride,
                               .pad_top = l->pad,
                               .pad_bottom = l->pad,
                               .pad_left = l->pad,
                               .pad_right = l->pad,
                               .add = true};
}

static struct train_depthwise depthwise_of(const struct train_conv2d *c) {
  return (struct train_depthwise){.in = c->in,
                                  .weights = c->weights,
                                  .bias = c->bias,
                                  .out = c->out,
                                  .out_grad = c->out_grad,
                                  .in_grad = c->in_grad,
                                  .weights_grad = c->weights_grad,
                                  .scratch = c->scratch,
                                  .c = c->in_c,
                                  .in_h = c->in_h,
                                  .in_w = c->in_w,
                                  .kernel_h = c->kernel_h,
                                  .kernel_w = c->kernel_w,
                                  .stride_h = c->stride_h,
                                  .stride_w = c->stride_w,
                                  .pad_top = c->pad_top,
                                  .pad_bottom = c->pad_bottom,
                                  .pad_left = c->pad_left,
                                  .pad_right = c->pad_right,
                                  .add = c->add};
}

static void expect(enum kernel_status status) {
  if (status != KERNEL_OK)
    abort(); // the shapes are ours
  rt_barrier();
}

static void convolve(const struct net_layer *l, const struct train_conv2d *c) {
  const struct train_depthwise d = depthwise_of(c);
  expect(l->depthwise ? train_depthwise_fw(&d) : train_conv2d_fw(c));
}

static void convolve_back(const struct net_layer *l, const struct train_conv2d *c) {
  const struct train_depthwise d = depthwise_of(c);
  expect(l->depthwise ? train_depthwise_wg(&d) : train_conv2d_wg(c));
  if (c->in_grad)
    expect(l->depthwise ? train_depthwise_ig(&d) : train_conv2d_ig(c));
}

// ---- forward

static const float *input_of(const struct net *net, const struct net_layer *l) {
  return l == net->layers ? net->images : (l - 1)->out;
}

static void sums(const struct net *net, const struct net_layer *l, const float *weights,
                 const float *bias, float *out) {
  struct train_conv2d c = conv_of(net, l, weights, bias);
  for (uint32_t n = 0; n < net->batch; n++) {
    c.in = input_of(net, l) + (size_t)n * inputs_of(l);
    c.out = out + (size_t)n * outputs_of(l);
    convolve(l, &c);
  }
}

static void relu(const struct net *net, const struct net_layer *l) {
  const struct train_act act = {
      .in = l->out, .out = l->out, .count = net->batch * outputs_of(l), .type = TRAIN_F32};
  expect(train_act_fw(TRAIN_ACT_relu, &act));
}

static struct train_norm norm_of(const struct net *net, struct net_layer *l) {
  float *gradients = net->gradients + (l->gamma - net->parameters);
  return (struct train_norm){.in = l->sums,
                             .out = l->out,
                             .gamma = l->gamma,
                             .beta = l->beta,
                             .mean = l->mean,
                             .rstd = l->rstd,
                             .out_grad = net->grad,
                             .in_grad = net->sums_grad,
                             .gamma_grad = gradients,
                             .beta_grad = gradients + l->out_c,
                             .outer = net->batch,
                             .groups = l->out_c,
                             .inner = plane_out(l),
                             .epsilon = NET_EPSILON};
}

// The variance of the running statistics is that of a sample: n - 1.
static void remember(struct net_layer *l, uint32_t n) {
  struct rt_range mine = rt_share(l->out_c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    float variance = 1 / (l->rstd[c] * l->rstd[c]) - NET_EPSILON;
    variance *= (float)n / (float)(n - 1);
    l->running_mean[c] += FORGET * (l->mean[c] - l->running_mean[c]);
    l->running_variance[c] += FORGET * (variance - l->running_variance[c]);
  }
}

static struct train_pool pool_of(const struct net *net, uint32_t n) {
  const struct net_layer *l = last_of(net);
  return (struct train_pool){.in = l->out + (size_t)n * outputs_of(l),
                             .out = net->means + (size_t)n * l->out_c,
                             .out_grad = net->sums_grad + (size_t)n * l->out_c,
                             .in_grad = net->grad + (size_t)n * outputs_of(l),
                             .c = l->out_c,
                             .in_h = l->out_side,
                             .in_w = l->out_side,
                             .window_h = (uint8_t)l->out_side,
                             .window_w = (uint8_t)l->out_side,
                             .stride_h = 1,
                             .stride_w = 1};
}

static struct train_linear linear_of(const struct net *net) {
  return (struct train_linear){.in = net->means,
                               .weights = net->linear,
                               .bias = net->bias,
                               .out = net->scores,
                               .out_grad = net->score_grad,
                               .in_grad = net->sums_grad,
                               .weights_grad = net->gradients + (net->linear - net->parameters),
                               .bias_grad = net->gradients + (net->bias - net->parameters),
                               .batch = net->batch,
                               .in_n = last_of(net)->out_c,
                               .out_n = NET_CLASSES};
}

static void classify(const struct net *net) {
  for (uint32_t n = 0; n < net->batch; n++) {
    const struct train_pool pool = pool_of(net, n);
    expect(train_pool_avg_fw(&pool));
  }
  const struct train_linear linear = linear_of(net);
  expect(train_linear_fw(&linear));
}

static void forward(struct net *net) {
  for (struct net_layer *l = net->layers; l < net->layers + NET_LAYERS; l++) {
    sums(net, l, l->weights, NULL, l->sums);
    const struct train_norm norm = norm_of(net, l);
    expect(train_norm_fw(TRAIN_NORM_BATCH, &norm));
    remember(l, net->batch * plane_out(l));
    relu(net, l);
  }
  classify(net);
}

// ---- backward

static void classify_back(const struct net *net) {
  const struct train_linear linear = linear_of(net);
  expect(train_linear_wg(&linear));
  expect(train_linear_ig(&linear));
  for (uint32_t n = 0; n < net->batch; n++) {
    const struct train_pool pool = pool_of(net, n);
    expect(train_pool_avg_ig(&pool));
  }
}

static void backward(struct net *net) {
  classify_back(net);
  for (struct net_layer *l = net->layers + NET_LAYERS; l-- > net->layers;) {
    const struct train_act act = {.in = l->out,
                                  .out = l->out,
                                  .out_grad = net->grad,
                                  .in_grad = net->grad,
                                  .count = net->batch * outputs_of(l)};
    expect(train_act_ig(TRAIN_ACT_relu, &act));
    const struct train_norm norm = norm_of(net, l);
    expect(train_norm_ig(TRAIN_NORM_BATCH, &norm));
    struct train_conv2d c = conv_of(net, l, l->weights, NULL);
    for (uint32_t n = 0; n < net->batch; n++) {
      c.in = input_of(net, l) + (size_t)n * inputs_of(l);
      c.out_grad = net->sums_grad + (size_t)n * outputs_of(l);
      c.in_grad = l == net->layers ? NULL : net->grad + (size_t)n * inputs_of(l);
      convolve_back(l, &c);
    }
  }
}

static void step(const struct net *net, float rate, uint32_t begin, uint32_t end, float decay) {
  const struct train_optim sgd = {.weights = net->parameters + begin,
                                  .grad = net->gradients + begin,
                                  .v = net->velocity + begin,
                                  .count = end - begin,
                                  .rate = rate,
                                  .decay = decay,
                                  .momentum = MOMENTUM};
  expect(train_optim_sgd(&sgd));
}

void net_learn(struct net *net, float rate) {
  struct rt_range mine = rt_share(net->weights);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    net->gradients[i] = 0;
  rt_barrier();
  forward(net);
  const struct train_loss loss = {.in = net->scores,
                                  .labels = net->labels,
                                  .in_grad = net->score_grad,
                                  .loss = &net->loss,
                                  .partial = net->partial,
                                  .rows = net->batch,
                                  .columns = NET_CLASSES};
  expect(train_loss_cross_entropy(&loss));
  backward(net);
  step(net, rate, 0, net->weights, DECAY);
  step(net, rate, net->weights, net->count, 0);
}

// ---- inference

// w' = w * gamma / sqrt(variance + epsilon);  bias = beta - mean * gamma / sqrt(...). The biases
// lie where the gammas are.
void net_fold(struct net *net) {
  for (const struct net_layer *l = net->layers; l < net->layers + NET_LAYERS; l++) {
    float *weights = net->folded + (l->weights - net->parameters);
    float *bias = net->folded + (l->gamma - net->parameters);
    struct rt_range mine = rt_share(l->out_c);
    for (uint32_t c = mine.begin; c < mine.end; c++) {
      float scale = l->gamma[c] / sqrtf(l->running_variance[c] + NET_EPSILON);
      for (uint32_t i = 0, at = c * fan_in(l); i < fan_in(l); i++, at++)
        weights[at] = l->weights[at] * scale;
      bias[c] = l->beta[c] - l->running_mean[c] * scale;
    }
  }
  rt_barrier();
}

void net_infer(struct net *net) {
  for (const struct net_layer *l = net->layers; l < net->layers + NET_LAYERS; l++) {
    sums(net, l, net->folded + (l->weights - net->parameters),
         net->folded + (l->gamma - net->parameters), l->out);
    relu(net, l);
  }
  classify(net);
}
