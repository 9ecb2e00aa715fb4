// kernels/train/train_net_far.h: weights of a network (train_net.h) in L3, with the sums of their
// gradients, for layers that L2 has no room for. In floats.
//
// A layer's weights come into a slot in L2 before its pass begins, those of the next one while it
// goes on; what a step has changed leaves behind it. Layers of one network are in L2 or in L3; each
// one's gradients lie in the place that all share (train_net.at_once), and are taken as soon as
// they are there: by a step, or, where there are sums, by adding. So train_net_add() has nothing
// left to do, and the sums begin anew behind each train_net_descend(). Bits are those of a network
// in L2.
#ifndef TRAIN_NET_FAR_H
#define TRAIN_NET_FAR_H

#include "kernels/rt/rt.h"
#include "kernels/train/train_net.h"

enum { TRAIN_NET_FAR_SLOTS = 3 };

// A place in L2 that layers share in turn.
struct train_net_far_slot {
  float *floats;
  uint32_t holds; // 1 + a layer; 0: nothing
  bool comes, leaves;
  struct rt_l3 in, out;
};

// Two slots or three: with the third, what leaves does not hold up what comes.
struct train_net_far_ring {
  uint32_t l3; // where all lie, each `at` bytes further
  uint32_t slots;
  struct train_net_far_slot slot[TRAIN_NET_FAR_SLOTS];
};

struct train_net_far_layer {
  uint32_t floats; // of weights and bias; 0: there are none
  bool far;        // in L3; its `weights` and `bias` lie in slot `order` % slots
  uint16_t order;  // among those in L3
  uint32_t at;     // bytes
};

// What the passes call: functions of train_net_far.c, so that they are linked where they are used.
struct train_net_far_calls {
  // Before a pass: the layer's weights; the next one's are on their way then.
  void (*want)(const struct train_net *net, uint32_t layer, bool forward);
  // For a pass of another layer's in between: nothing else moves.
  void (*hold)(const struct train_net *net, uint32_t layer);
  enum kernel_status (*learn)(const struct train_net *net, uint32_t layer); // from its gradients
  void (*add)(const struct train_net *net);                                 // an example has ended
  enum kernel_status (*descend)(const struct train_net *net);
};
extern const struct train_net_far_calls train_net_far_calls;

// Until L3 holds what was learned: for whoever reads it there. All cores call.
void train_net_far_settle(const struct train_net *net);

// In L2, as one core alone looks at most of it.
struct train_net_far {
  const struct train_net_far_calls *calls; // &train_net_far_calls
  const struct train_net_far_layer *layer; // of each layer
  struct train_net_far_ring weights, sums; // sums: of a network that has them
  uint32_t examples;                       // in the sums
};

#endif
