// kernels/train/train_act.h: activation functions, element by element.
//
//   relu max(x, 0); leaky_relu x or a * x; sigmoid; tanh; gelu in its tanh form
//   (Hendrycks, Gimpel, "Gaussian error linear units", 2016, section 2)
//
// Forward: out = f(in); gradient: in_grad = out_grad * f'(in), which reads in and out. in and out
// may be the same place for the forward pass, in_grad and out_grad for the gradient. NaN goes
// through. All cores call with the same arguments; the caller puts a barrier behind the call.
#ifndef TRAIN_ACT_H
#define TRAIN_ACT_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

enum train_act_id {
#define TRAIN_ACT(name, fw, ig) TRAIN_ACT_##name,
#include "train_act.def"
#undef TRAIN_ACT
  TRAIN_ACT_COUNT
};

struct train_act {
  const void *in;
  void *out;
  const void *out_grad;
  void *in_grad;
  uint32_t count;
  float a; // leaky_relu: slope below 0
  enum train_type type;
};

extern const char *const train_act_names[TRAIN_ACT_COUNT];

enum kernel_status train_act_fw(enum train_act_id id, const struct train_act *act);
enum kernel_status train_act_ig(enum train_act_id id, const struct train_act *act);

#endif
