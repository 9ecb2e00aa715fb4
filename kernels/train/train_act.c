// kernels/train/train_act.c
#include "train_act.h"

#include "kernels/rt/rt.h"
#include "train_math.h"

const char *const train_act_names[TRAIN_ACT_COUNT] = {
#define TRAIN_ACT(name, fw, slope) #name,
#include "train_act.def"
#undef TRAIN_ACT
};

// sqrt(2 / pi) * (x + 0.044715 x^3)
static float gelu_inner(float x) {
  return 0.797884561f * __builtin_fmaf(0.044715f * x * x, x, x);
}

static float train_gelu(float x) {
  return 0.5f * x * (1.0f + train_tanh(gelu_inner(x)));
}

static float train_gelu_slope(float x) {
  float t = train_tanh(gelu_inner(x));
  float inner = 0.797884561f * __builtin_fmaf(3 * 0.044715f * x, x, 1.0f);
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
}

static enum kernel_status refuse(enum train_act_id id, const void *one, const void *two,
                                 uint32_t count) {
  if (id >= TRAIN_ACT_COUNT || count == 0)
    return KERNEL_BAD_SHAPE;
  return one && two ? KERNEL_OK : KERNEL_BAD_POINTER;
}

#define TRAIN_ACT(name, fw, slope)                                                                 \
  static void fw_##name(const struct train_act *l, uint32_t i, uint32_t end) {                     \
    float a = l->a;                                                                                \
    (void)a;                                                                                       \
    for (; i < end; i++) {                                                                         \
      float x = l->in[i];                                                                          \
      l->out[i] = fw;                                                                              \
    }                                                                                              \
  }                                                                                                \
  static void ig_##name(const struct train_act *l, uint32_t i, uint32_t end) {                     \
    float a = l->a;                                                                                \
    (void)a;                                                                                       \
    for (; i < end; i++) {                                                                         \
      float x = l->in[i], y = l->out[i];                                                           \
      (void)x, (void)y;                                                                            \
      l->in_grad[i] = l->out_grad[i] * (slope);                                                    \
    }                                                                                              \
  }
#include "train_act.def"
#undef TRAIN_ACT

typedef void act_fn(const struct train_act *act, uint32_t begin, uint32_t end);

enum kernel_status train_act_fw(enum train_act_id id, const struct train_act *l) {
  static act_fn *const fn[] = {
#define TRAIN_ACT(name, fw, slope) fw_##name,
#include "train_act.def"
#undef TRAIN_ACT
  };
  enum kernel_status status = refuse(id, l->in, l->out, l->count);
  struct rt_range mine = rt_split(l->count, 1);
  if (status == KERNEL_OK)
    fn[id](l, mine.begin, mine.end);
  return status;
}

enum kernel_status train_act_ig(enum train_act_id id, const struct train_act *l) {
  static act_fn *const fn[] = {
#define TRAIN_ACT(name, fw, slope) ig_##name,
#include "train_act.def"
#undef TRAIN_ACT
  };
  enum kernel_status status = refuse(id, l->in, l->out, l->count);
  if (status == KERNEL_OK && (!l->out_grad || !l->in_grad))
    status = KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 1);
  if (status == KERNEL_OK)
    fn[id](l, mine.begin, mine.end);
  return status;
}
