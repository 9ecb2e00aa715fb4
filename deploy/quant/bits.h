// deploy/quant/bits.h: 8, 4 or 2 bits for every weight and activation tensor of a network, so that
// it fits a device's memories.
//
// After Rusci et al., "Memory-driven mixed low precision quantization", MLSys 2020: all weights and
// parameters fit the read-only memory (Eq. 6), all tensors alive during a layer the read-write one
// (Eq. 7); everything begins with 8 bits, one step halves. Algorithm 1 chooses the activations',
// algorithm 2 the weights' bits. On ties algorithm 1 cuts a layer's output in the forward pass, and
// in the backward pass nothing: as printed it never ends where input and output are equally large.
// The network's inputs, and its outputs, keep 8 bits.
#ifndef BITS_H
#define BITS_H

#include "deploy/net/net.h"

// Read-only bytes of a layer's parameters: Table 1 of the paper (bits_parameter_bytes).
enum bits_scheme {
  BITS_DEFAULT, // per layer: folded where weights and output have 8 bits, else ICN; per channel ICN
  BITS_ICN,
  BITS_FOLDED,
  BITS_THRESHOLDS
};

struct bits_budget {
  uint64_t read_only, read_write; // bytes
  bool per_channel;
  enum bits_scheme scheme;
};

// A tensor that is in memory during a layer; tensors of one group have the same bits.
struct bits_tensor {
  uint32_t group;
  uint64_t elements;
};

struct bits_layer {
  const char *name; // the network's
  uint64_t weights; // elements; 0: a layer without
  uint32_t channels;
  struct bits_tensor x, y;   // first input, output
  struct bits_tensor *alive; // all that is in memory during the layer, x and y among them
  uint32_t alive_count;
};

struct bits_problem {
  struct bits_layer *layers;
  uint32_t layer_count, group_count;
  bool *fixed; // per group: keeps 8 bits
};

// Bits of a network: 32-bit results count as 8.
struct bits_problem *bits_problem_new(const struct net *net);
void bits_problem_free(struct bits_problem *problem);

struct bits_result {
  uint8_t *groups;  // per group
  uint8_t *weights; // per layer; 0 without weights
  uint64_t read_only_bytes, peak_bytes;
  bool cut_off; // bits_optimize(): another may lose less
};

// Both algorithms. False if there is no solution, with the sentence that says what does not fit and
// by how much; the result is then the smallest that was reached. bits_result_free() in any case.
bool bits_assign(const struct bits_problem *problem, const struct bits_budget *budget,
                 struct bits_result *result, struct net_error *error);
void bits_result_free(struct bits_result *result);

// Whether these bits fit; the bytes of the result are set. False with the sentence that says what
// does not, and by how much.
bool bits_judge(const struct bits_problem *problem, const struct bits_budget *budget,
                struct bits_result *result, struct net_error *error);

// Of a layer with weights and outputs of so many bits.
enum bits_scheme bits_scheme_of(const struct bits_budget *budget, uint8_t weights,
                                uint8_t out_bits);

// A folded layer has one factor M0, so its weights have one scale: Table 1 of the paper has no row
// for scales of their own. False with the sentence.
bool bits_scheme_possible(bool per_channel, enum bits_scheme scheme, struct net_error *error);

// Of a layer with `channels` outputs of `out_bits`: zero points, B_q, M0, N0 or thresholds. Types:
// Z uint8 (Z_w int16 per channel), B_q and M0 int32, N0 int8, thresholds int16 (2^out_bits each, as
// published).
uint64_t bits_parameter_bytes(const struct bits_budget *budget, uint32_t channels, uint8_t weights,
                              uint8_t out_bits);

// Sums over the layers, of the given bits.
uint64_t bits_read_only(const struct bits_problem *problem, const struct bits_budget *budget,
                        const struct bits_result *result);
uint64_t bits_layer_bytes(const struct bits_problem *problem, uint32_t layer,
                          const struct bits_result *result); // read-write
uint64_t bits_weight_bytes(const struct bits_problem *problem, uint32_t layer,
                           const struct bits_result *result); // without parameters

#endif
