// deploy/net/net.h: a network in integers, the form that every room behind the readers works on.
//
// A net is a list of layers in an order in which they can be executed. A layer is one operator and
// what brings its 32-bit sums back to activations:
//
//   layer = (convolution | depthwise | linear | pool | add | multiply | concat | table | ...)
//           + requantization
//
// Batch normalization, biases, activation functions that clip, zero points of inputs and of
// outputs are all part of the requantization; reshapes, flattening, transposes and padding nodes of
// the file are gone. What remains is what the kernels of kernels/nn execute, and what
// deploy/host computes with the arithmetic of kernels/ref.
//
// Tensors have a batch of 1 and the layout HWC: element (y, x, c) is number (y * w + x) * c_total +
// c; vectors are 1 x 1 x c. Packed as nn_bits.h says where they have fewer than 8 bits. A code q
// stands for the real number scale * (q - zero); the integers are exact without it, the scale is
// for people and for the readers of results.
//
// Sources: the layer of DORY (Burrello et al., IEEE TC 70(8), 2021, section 3.1), the
// requantizations of NEMO (arXiv:2004.05930), Rusci et al. (MLSys 2020) and TensorFlow Lite (Jacob
// et al., CVPR 2018).
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NET_ERROR_TEXT = 1024, NET_NONE = -1 };

// One sentence: which node or line, what is wrong, what is supported or to be done.
struct net_error {
  char text[NET_ERROR_TEXT];
  int status; // the exit status that belongs to it (sysexits.h); 0: not decided
};

// Writes the sentence, cut to fit; false. `error` may be NULL.
bool net_fail(struct net_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct net_tensor {
  char *name;       // unique, as in the file it came from where that has names
  uint32_t h, w, c; // >= 1
  uint8_t bits;     // 8, 4, 2; 32: sums (always signed)
  bool is_signed;
  double scale; // real = scale * (code - zero); 0: not known
  int32_t zero;
  bool planes; // of an input: the model it came from, and so raw files for it, have channels first
  bool even; // of an input: numbers halfway between codes become the even one, as ONNX has it, not
             // the one away from 0, as TensorFlow Lite has it
};

enum net_kind {
  NET_CONV,      // weights [out_c][kernel_h][kernel_w][in_c / groups]; groups 1, or any divisor
  NET_DEPTHWISE, // weights [c][kernel_h][kernel_w]; out_c = in_c
  NET_LINEAR,    // weights [outputs][h * w * c of the input, in HWC order]
  NET_MAXPOOL,   // over the window's pixels inside the input
  NET_AVGPOOL,   // sum over the window, outside counting as 0; then the requantization
  NET_ADD,       // sum of the inputs, each scaled (struct net_scaled); shapes equal
  NET_MULTIPLY,  // product of two inputs, each scaled; the second may be 1 x 1 x c
  NET_CONCAT,    // along the channels, each scaled
  NET_TABLE,     // out = table[code], code as an unsigned number of in_bits
  // Whole factors: out_h = in_h * stride_h, out_w alike. Nearest neighbour; or, where the dilation
  // is the stride, the element at each block's first place, and pad_value at the others.
  NET_RESIZE,
  NET_KINDS
};

enum net_requant_kind {
  NET_SUMS, // out (32 bits) = sum + lambda[c]
  // clip(floor((kappa[c] * sum + lambda[c]) / 2^shift)); wraps at 32 bits, unless `wide`: then
  // exact
  NET_NORM,
  // clip(floor((kappa[c] * sum + lambda[c]) * m / 2^shift)); the inner sum wraps at 32 bits unless
  // `wide`, the product by m has 64 bits (NN_SCALE: two steps of DORY's Eqs. 3 and 4)
  NET_SCALE,
  // NN_ICN: clip(zero + ((((sum << shift) + lambda[c]) * kappa[c]) >> (31 + shift - shifts[c]))),
  // `shift` 0, or 1 or 2: bits of lambda behind the point
  NET_ICN,
  // NN_THRESHOLDS: zero + number of thresholds[c][] that are <= sum; zero is the least code: 0, or
  // that of signed codes
  NET_THRESHOLDS,
  NET_FOLDED, // NN_FOLDED:     clip((sum + lambda[c]) >> shifts[c])
  // TensorFlow Lite's: with shifts s[c] in -31..30 (positive: left), multiplier kappa[c] in Q31,
  // clip(zero + MultiplyByQuantizedMultiplier(sum + lambda[c], kappa[c], s[c])), with the doubling
  // high multiplication and the division by a power of two that both round to nearest (double
  // rounding, as in gemmlowp).
  NET_TFLITE,
  NET_DIVIDE, // average pools: clip(sum / divisor), `round`: to nearest, halves away from 0; else
              // floor
  NET_COPY,   // maximum pools, concatenations, resizing, tables: clip(value)
};

// Arrays have as many elements as the output has channels if per_channel, else one; lambda has one
// per channel also in layers with weights (net_lambda_count). All are owned by the layer.
struct net_requant {
  enum net_requant_kind kind;
  bool per_channel;
  bool wide;         // NET_NORM, NET_SCALE
  bool round;        // NET_DIVIDE
  bool unclipped;    // the file clips nothing here, and results can be beyond the output's bits, as
                     // which they are cut; of no meaning to what follows, and not written
  uint8_t shift;     // NET_NORM 0..31 (wide: 0..62), NET_SCALE 0..62, NET_ICN 0..2
  int32_t m;         // NET_SCALE
  int32_t zero;      // of the output: added before the clip (ICN, TFLITE, THRESHOLDS)
  int32_t divisor;   // NET_DIVIDE; 0: the window's pixels inside the input
  int32_t low, high; // the clip, in codes; never wider than the output's bits
  int32_t *kappa;    // NORM, SCALE; ICN: M0; TFLITE: multiplier
  int64_t *lambda;   // within 32 bits unless `wide`; NULL: 0
  int8_t *shifts;    // ICN: N0; FOLDED; TFLITE
  int32_t *thresholds; // [channels or 1][2^bits - 1], ascending
};

// One input of an addition, a product or a concatenation, before that operation:
//   (mul * (code - zero) + add) >> shift                                        exact
//   MultiplyByQuantizedMultiplier((code - zero) << shift, mul, left) + add      `fixed`
// the second as TensorFlow Lite's ADD does (NET_TFLITE), with mul in Q31, left in -31..30. What
// comes out is within 32 bits.
struct net_scaled {
  int32_t mul, add, zero;
  uint8_t shift; // 0..31
  bool fixed;
  int8_t left;
};

struct net_layer {
  char *name;
  enum net_kind kind;
  int *inputs; // numbers of tensors
  uint32_t input_count;
  int output;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w; // >= 1
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  int32_t pad_value; // the code that pixels outside the input have: the input's zero
  uint32_t groups;
  uint8_t weight_bits; // 8, 4, 2
  int8_t *weights;     // one element per byte, whatever its bits
  size_t weight_count;
  int16_t *weight_zero; // NULL: 0; [out_c], or [1] if !weight_zero_per_channel: sum x * (w - zero)
  bool weight_zero_per_channel;
  struct net_scaled *scaled; // [input_count]: ADD, CONCAT, MULTIPLY; NULL: the codes themselves
  uint8_t *table;            // [2^in_bits]: TABLE
  struct net_requant requant;
};

struct net {
  char *name;
  struct net_tensor *tensors;
  uint32_t tensor_count;
  struct net_layer *layers;
  uint32_t layer_count;
  int *inputs, *outputs; // tensors that come from outside, that are the result
  uint32_t input_count, output_count;
};

struct net *net_new(const char *name);
void net_free(struct net *net);
// Numbers of the new ones; the tensor's name is copied, the layer's arrays are taken over.
int net_add_tensor(struct net *net, const struct net_tensor *tensor);
int net_add_layer(struct net *net, const struct net_layer *layer);
// One with a window of 1 x 1, one group and weights of 8 bits, as all begin; takes the name, copies
// the list of inputs.
struct net_layer net_plain_layer(enum net_kind kind, char *name, const int *inputs, uint32_t count);
// With arrays of its own.
struct net_layer net_copy_layer(const struct net *net, const struct net_layer *layer);
void net_free_layer(struct net_layer *layer); // what it owns, of one that no net has

const char *net_kind_name(enum net_kind kind); // "conv", "depthwise", ...
const struct net_tensor *net_input(const struct net *net, const struct net_layer *layer,
                                   uint32_t i);
const struct net_tensor *net_output(const struct net *net, const struct net_layer *layer);
bool net_has_weights(enum net_kind kind);
bool net_adds_zero(const struct net_requant *requant); // the output's, to a product of 64 bits
uint32_t net_kappa_count(const struct net *net, const struct net_layer *layer); // shifts alike
uint32_t net_lambda_count(const struct net *net, const struct net_layer *layer);
size_t net_weight_count(const struct net *net, const struct net_layer *layer); // that it must have
uint64_t net_macs(const struct net *net, const struct net_layer *layer); // taps in padding counted
size_t net_tensor_bytes(const struct net_tensor *tensor);                // packed
size_t net_weight_bytes(const struct net *net, const struct net_layer *layer);    // packed
size_t net_parameter_bytes(const struct net *net, const struct net_layer *layer); // requantization

// Everything that a later room relies on: shapes that agree, an order that can be executed, bits,
// ranges, arrays that are there. False with the sentence otherwise.
// Sizes end at 65,535 in each direction and at 2^28 elements of a tensor.
bool net_check(const struct net *net, struct net_error *error);

// As text (net_text.c): YAML, weights in base64; reads back to the same. NULL with the sentence.
void net_write(const struct net *net, FILE *out);
struct net *net_read(const char *path, struct net_error *error);
struct net *net_read_stream(FILE *in, const char *name, struct net_error *error);

#endif
