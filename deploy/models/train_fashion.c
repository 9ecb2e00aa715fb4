// deploy/models/train_fashion.c: trains the network of fashion_net.h on Fashion-MNIST with the
// kernels of kernels/train/, compiled for the host, and writes it as ONNX.
//
// usage: train_fashion DIRECTORY OUTPUT.onnx [EPOCHS [CORES]]
//
// The result is the same, bit for bit, on any number of cores (threads). Images are mirrored at
// random. Prints loss and accuracy of each epoch; the accuracy on the 10,000
// test images is counted once, at the end, by the running statistics that the file holds.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "fashion_data.h"
#include "fashion_net.h"
#include "kernels/rt/rt.h"
#include "kernels/rt/rt_host.h"
#include "onnx_write.h"

enum { BATCH = 50, EPOCHS = 5, SEED = 1 };
#define RATE 0.1f

struct job {
  struct fashion_set train, test;
  struct net *net;
  uint32_t *order; // of the training images
  uint32_t epochs, right;
};

static void shuffle(uint32_t *order, uint32_t count, uint32_t *seed) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = (uint32_t)((uint64_t)rt_random(seed) * i >> 32), other = order[i - 1];
    order[i - 1] = order[j];
    order[j] = other;
  }
}

// Core 0 fetches a batch; image i is number order[i] of the set, or i.
static void fetch(struct net *net, const struct fashion_set *set, const uint32_t *order,
                  uint32_t first, uint32_t *seed) {
  for (uint32_t n = 0; rt_core_id() == 0 && n < net->batch; n++) {
    uint32_t i = order ? order[first + n] : first + n;
    bool mirror = seed && (rt_random(seed) >> 16 & 1);
    fashion_get(net->images + (size_t)n * FASHION_PIXELS, set, i, mirror);
    net->labels[n] = set->labels[i];
  }
  rt_barrier();
}

static uint32_t count_right(const struct net *net) {
  uint32_t right = 0;
  for (uint32_t n = 0; n < net->batch; n++) {
    const float *score = net->scores + (size_t)n * NET_CLASSES;
    uint32_t best = 0;
    for (uint32_t i = 1; i < NET_CLASSES; i++)
      best = score[i] > score[best] ? i : best;
    right += best == net->labels[n];
  }
  return right;
}

static int learn(void *user) {
  struct job *job = user;
  struct net *net = job->net;
  uint32_t seed = SEED, steps = job->train.count / BATCH, all = steps * job->epochs, done = 0;
  for (uint32_t epoch = 1; epoch <= job->epochs; epoch++) {
    if (rt_core_id() == 0)
      shuffle(job->order, job->train.count, &seed);
    double loss = 0;
    uint32_t right = 0;
    for (uint32_t i = 0; i < steps; i++, done++) {
      fetch(net, &job->train, job->order, i * BATCH, &seed);
      net_learn(net, RATE * (1 - (float)done / (float)all)); // falls in a straight line
      loss += (double)net->loss;
      right += count_right(net);
    }
    if (rt_core_id() == 0) {
      printf("epoch %2u: loss %.4f, %.2f %% of the training images right\n", epoch, loss / steps,
             100.0 * right / (steps * BATCH));
      fflush(stdout);
    }
    rt_barrier();
  }
  return 0;
}

static int test(void *user) {
  struct job *job = user;
  net_fold(job->net);
  for (uint32_t first = 0; first + BATCH <= job->test.count; first += BATCH) {
    fetch(job->net, &job->test, NULL, first, NULL);
    net_infer(job->net);
    if (rt_core_id() == 0)
      job->right += count_right(job->net);
    rt_barrier();
  }
  return 0;
}

// ---- the network as ONNX

enum { OPSET = 13, NAME = 64 };

static void add_vector(struct onnx_message *graph, const char *layer, const char *name,
                       const float *data, uint32_t count, char *full) {
  snprintf(full, NAME, "%.32s.%s", layer, name);
  onnx_add_floats(graph, full, data, &count, 1);
}

static void add_conv(struct onnx_message *graph, const struct net_layer *l, const char *in,
                     const char *out, const char *layer) {
  char weights[NAME];
  int64_t k = l->kernel, s = l->stride, p = l->pad;
  const struct onnx_attribute attributes[] = {
      {.name = "group", .type = ONNX_INT, .i = {l->depthwise ? l->in_c : 1}},
      {.name = "kernel_shape", .type = ONNX_INTS, .count = 2, .i = {k, k}},
      {.name = "pads", .type = ONNX_INTS, .count = 4, .i = {p, p, p, p}},
      {.name = "strides", .type = ONNX_INTS, .count = 2, .i = {s, s}}};
  const uint32_t dims[] = {l->out_c, l->depthwise ? 1 : l->in_c, l->kernel, l->kernel};
  snprintf(weights, sizeof weights, "%.32s.weights", layer);
  onnx_add_floats(graph, weights, l->weights, dims, 4);
  onnx_add_node(graph, "Conv", (const char *[]){in, weights, NULL}, out, attributes, 4);
}

static void add_norm(struct onnx_message *graph, const struct net_layer *l, const char *in,
                     const char *out, const char *layer) {
  char gamma[NAME], beta[NAME], mean[NAME], variance[NAME];
  const struct onnx_attribute epsilon = {.name = "epsilon", .type = ONNX_FLOAT, .f = NET_EPSILON};
  add_vector(graph, layer, "gamma", l->gamma, l->out_c, gamma);
  add_vector(graph, layer, "beta", l->beta, l->out_c, beta);
  add_vector(graph, layer, "mean", l->running_mean, l->out_c, mean);
  add_vector(graph, layer, "variance", l->running_variance, l->out_c, variance);
  onnx_add_node(graph, "BatchNormalization",
                (const char *[]){in, gamma, beta, mean, variance, NULL}, out, &epsilon, 1);
}

static void add_classifier(struct onnx_message *graph, const struct net *net, const char *in) {
  const struct onnx_attribute transposed = {.name = "transB", .type = ONNX_INT, .i = {1}};
  const uint32_t weights[] = {NET_CLASSES, net->layers[NET_LAYERS - 1].out_c}, bias = NET_CLASSES;
  onnx_add_floats(graph, "linear.weights", net->linear, weights, 2);
  onnx_add_floats(graph, "linear.bias", net->bias, &bias, 1);
  onnx_add_node(graph, "GlobalAveragePool", (const char *[]){in, NULL}, "means", NULL, 0);
  onnx_add_node(graph, "Flatten", (const char *[]){"means", NULL}, "features", NULL, 0);
  onnx_add_node(graph, "Gemm", (const char *[]){"features", "linear.weights", "linear.bias", NULL},
                "scores", &transposed, 1);
}

static bool write_model(const struct net *net, const char *path) {
  struct onnx_message graph = {0};
  char in[NAME] = "image", layer[NAME], conv[NAME], norm[NAME];
  onnx_add_end(&graph, ONNX_INPUT, in, (const uint32_t[]){1, 1, FASHION_SIDE, FASHION_SIDE}, 4);
  onnx_add_end(&graph, ONNX_OUTPUT, "scores", (const uint32_t[]){1, NET_CLASSES}, 2);
  for (uint32_t i = 0; i < NET_LAYERS; i++) {
    const struct net_layer *l = &net->layers[i];
    snprintf(layer, sizeof layer, "%s%u", l->depthwise ? "depthwise" : "conv", i);
    snprintf(conv, sizeof conv, "%.20s.sums", layer);
    snprintf(norm, sizeof norm, "%.20s.norm", layer);
    add_conv(&graph, l, in, conv, layer);
    add_norm(&graph, l, conv, norm, layer);
    snprintf(in, sizeof in, "%.20s.relu", layer);
    onnx_add_node(&graph, "Relu", (const char *[]){norm, NULL}, in, NULL, 0);
  }
  add_classifier(&graph, net, in);
  return onnx_write(path, &graph, "fashion", OPSET);
}

// A number from 1 to `most`.
static uint32_t number(const char *text, uint32_t most) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value < 1 || value > most) {
    fprintf(stderr, "train_fashion: '%s' is no number from 1 to %u\n", text, most);
    exit(EX_USAGE);
  }
  return (uint32_t)value;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    fprintf(stderr, "usage: train_fashion DIRECTORY OUTPUT.onnx [EPOCHS [CORES]]\n");
    return EX_USAGE;
  }
  struct job job = {.epochs = argc > 3 ? number(argv[3], 1000) : EPOCHS};
  unsigned cores = argc > 4 ? number(argv[4], RT_MAX_CORES) : 1;
  job.train = fashion_read(argv[1], "train");
  job.test = fashion_read(argv[1], "t10k");
  job.net = net_create(BATCH, SEED);
  job.order = calloc(job.train.count, sizeof *job.order);
  if (!job.net || !job.order) {
    fprintf(stderr, "train_fashion: not enough memory\n");
    exit(EX_OSERR);
  }
  for (uint32_t i = 0; i < job.train.count; i++)
    job.order[i] = i;
  rt_host_run(cores, learn, &job);
  rt_host_run(cores, test, &job);
  printf("%u of %u test images right: %.2f %%\n", job.right, job.test.count,
         100.0 * job.right / job.test.count);
  bool written = write_model(job.net, argv[2]);
  if (!written)
    fprintf(stderr, "train_fashion: %s: %s\n", argv[2], strerror(errno));
  net_free(job.net);
  free(job.order);
  fashion_free(&job.train);
  fashion_free(&job.test);
  return written ? 0 : EX_CANTCREAT;
}
