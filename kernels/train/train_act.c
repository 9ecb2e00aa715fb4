// kernels/train/train_act.c
#include "train_act.h"

#include "kernels/rt/rt.h"
#include "train_math.h"
#include "train_typed.h"

const char *const train_act_names[TRAIN_ACT_COUNT] = {
#define TRAIN_ACT(name, fw, ig) #name,
#include "train_act.def"
#undef TRAIN_ACT
};

// tanh(sqrt(2 / pi) * (x + 0.044715 x^3))
static float gelu_tanh(float x) {
  return train_tanh(0.797884561f * __builtin_fmaf(0.044715f * x * x, x, x));
}

// Where tanh is 1 or -1 the formulas would make NaN of infinities.
static float train_gelu(float x) {
  float t = gelu_tanh(x);
  if (t == 1 || t == -1)
    return t > 0 ? x : 0;
  return 0.5f * x * (1.0f + t);
}

static float train_gelu_slope(float x) {
  float t = gelu_tanh(x);
  if (t == 1 || t == -1)
    return t > 0 ? 1 : 0;
  float inner = 0.797884561f * __builtin_fmaf(3 * 0.044715f * x, x, 1.0f);
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
}

static enum kernel_status refuse(enum train_act_id id, const struct train_act *l, const void *one,
                                 const void *two) {
  if (id >= TRAIN_ACT_COUNT || l->count == 0 || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return one && two ? KERNEL_OK : KERNEL_BAD_POINTER;
}

#define TRAIN_ACT(name, fw, ig)                                                                    \
  TRAIN_TYPED void fw_##name##_of(const struct train_act *l, uint32_t i, uint32_t end,             \
                                  enum train_type t) {                                             \
    float a = l->a;                                                                                \
    (void)a;                                                                                       \
    for (; i < end; i++) {                                                                         \
      float x = train_get(l->in, i, t);                                                            \
      train_put(l->out, i, fw, t);                                                                 \
    }                                                                                              \
  }                                                                                                \
  TRAIN_TYPED void ig_##name##_of(const struct train_act *l, uint32_t i, uint32_t end,             \
                                  enum train_type t) {                                             \
    float a = l->a;                                                                                \
    (void)a;                                                                                       \
    for (; i < end; i++) {                                                                         \
      float x = train_get(l->in, i, t), y = train_get(l->out, i, t);                               \
      float g = train_get(l->out_grad, i, t);                                                      \
      (void)x, (void)y;                                                                            \
      train_put(l->in_grad, i, ig, t);                                                             \
    }                                                                                              \
  }                                                                                                \
  static void fw_##name(const struct train_act *l, uint32_t begin, uint32_t end) {                 \
    TRAIN_BY_TYPE(l->type, fw_##name##_of, l, begin, end);                                         \
  }                                                                                                \
  static void ig_##name(const struct train_act *l, uint32_t begin, uint32_t end) {                 \
    TRAIN_BY_TYPE(l->type, ig_##name##_of, l, begin, end);                                         \
  }
#include "train_act.def"
#undef TRAIN_ACT

typedef void act_fn(const struct train_act *act, uint32_t begin, uint32_t end);

enum kernel_status train_act_fw(enum train_act_id id, const struct train_act *l) {
  static act_fn *const fn[] = {
#define TRAIN_ACT(name, fw, ig) fw_##name,
#include "train_act.def"
#undef TRAIN_ACT
  };
  enum kernel_status status = refuse(id, l, l->in, l->out);
  struct rt_range mine = rt_split(l->count, 2);
  if (status == KERNEL_OK)
    fn[id](l, mine.begin, mine.end);
  return status;
}

enum kernel_status train_act_ig(enum train_act_id id, const struct train_act *l) {
  static act_fn *const fn[] = {
#define TRAIN_ACT(name, fw, ig) ig_##name,
#include "train_act.def"
#undef TRAIN_ACT
  };
  enum kernel_status status = refuse(id, l, l->in, l->out);
  if (status == KERNEL_OK && (!l->out_grad || !l->in_grad))
    status = KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 2);
  if (status == KERNEL_OK)
    fn[id](l, mine.begin, mine.end);
  return status;
}
