// deploy/models/fashion_net.h: a MobileNetV1 (Howard et al., 2017) for images of 28 x 28 bytes, and
// a step of its training by the kernels of kernels/train/, on the host as on the machine.
//
// Convolutions without bias, each with batch normalization and a ReLU behind it: 3x3 from one
// channel, then depthwise 3x3 and 1x1 in turn; the mean of each channel; fully connected.
//
// Every function but net_create() and net_free() is called by all cores with the same arguments,
// and leaves them together.
#ifndef FASHION_NET_H
#define FASHION_NET_H

#include <stdbool.h>
#include <stdint.h>

enum { NET_LAYERS = 11, NET_MOST_CHANNELS = 128, NET_CLASSES = 10 };
#define NET_EPSILON 1e-3f // of the batch normalization, as MobileNets have it

// A convolution, its normalization and its ReLU. Square images and kernels, all in CHW.
struct net_layer {
  bool depthwise;
  uint8_t kernel, stride, pad; // on all four sides
  uint16_t in_c, out_c, in_side, out_side;
  float *weights;                // [out_c][in_c or 1][kernel][kernel]
  float *gamma, *beta;           // [out_c]
  float mean[NET_MOST_CHANNELS]; // of this batch
  float rstd[NET_MOST_CHANNELS]; // 1 / sqrt(variance + epsilon) of this batch
  float running_mean[NET_MOST_CHANNELS], running_variance[NET_MOST_CHANNELS];
  float *sums, *out; // [batch][out_c][out_side][out_side]: of the convolution, of the ReLU
};

struct net {
  uint32_t batch; // images at a time
  struct net_layer layers[NET_LAYERS];
  float *linear, *bias; // [classes][channels], [classes]

  // All weights, then what is not decayed: gammas, betas and the bias; likewise in these.
  float *parameters, *gradients, *velocity, *folded;
  uint32_t weights, count;

  float *images;              // [batch][28][28]
  uint8_t *labels;            // [batch]
  float *means;               // [batch][channels]
  float *scores, *score_grad; // [batch][classes]
  float *grad, *sums_grad, *scratch;
  float *partial, loss; // the mean over the batch
};

struct net *net_create(uint32_t batch, uint32_t seed); // NULL: no memory
void net_free(struct net *net);

// Forward, loss, backward and SGD for the images and labels that are there.
void net_learn(struct net *net, float rate);

// Scores of the images that are there, by the running statistics. net_fold() merges these into the
// weights, and is called before, once after learning.
void net_fold(struct net *net);
void net_infer(struct net *net);

#endif
