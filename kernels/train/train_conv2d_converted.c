// kernels/train/train_conv2d_converted.c: gradients of inputs with strides in HWC or 16 bits: by
// way of floats in CHW, which multiply nothing by the zeros between the pixels.
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_typed.h"

// Elements of planes, steps of the tensor between planes and between the elements of one.
struct layout {
  uint32_t planes, elements;
  size_t plane_step, step;
};

static struct layout layout_of(const struct train_conv2d *l, uint32_t planes, uint32_t elements) {
  return l->hwc ? (struct layout){planes, elements, 1, planes}
                : (struct layout){planes, elements, elements, 1};
}

TRAIN_TYPED void widen(float *dst, const void *src, struct layout a, enum train_type t) {
  struct rt_range mine = rt_share(a.planes * a.elements);
  uint32_t plane = mine.begin / a.elements, i = mine.begin - plane * a.elements;
  for (; mine.begin < mine.end; mine.begin++) {
    dst[mine.begin] = train_get(src, plane * a.plane_step + i * a.step, t);
    if (++i == a.elements) {
      i = 0;
      plane++;
    }
  }
}

TRAIN_TYPED void narrow(void *dst, const float *src, struct layout a, enum train_type t) {
  struct rt_range mine = rt_split(a.planes * a.elements, 2); // a word of results has one writer
  uint32_t inner = a.step == 1 ? a.elements : a.planes;      // of the tensor's order
  uint32_t outer = mine.begin / inner, i = mine.begin - outer * inner;
  for (; mine.begin < mine.end; mine.begin++) {
    size_t from = a.step == 1 ? mine.begin : (size_t)i * a.elements + outer;
    train_put(dst, mine.begin, src[from], t);
    if (++i == inner) {
      i = 0;
      outer++;
    }
  }
}

// The layer as floats in CHW, its tensors in scratch behind each other.
struct plain {
  struct train_conv2d layer;
  uint32_t weights, gradient, result; // floats
};

static struct plain plain_of(const struct train_conv2d *l) {
  struct plain p = {*l, l->in_c * l->out_c * train_conv2d_taps(l), l->out_c * train_conv2d_plane(l),
                    (uint32_t)l->in_c * l->in_h * l->in_w};
  float *at = l->scratch;
  p.layer.type = TRAIN_F32;
  p.layer.hwc = false;
  p.layer.weights = at;
  p.layer.out_grad = at + p.weights;
  p.layer.in_grad = at + p.weights + p.gradient;
  p.layer.scratch = at + p.weights + p.gradient + p.result;
  return p;
}

uint32_t train_conv2d_converted_ig_size(const struct train_conv2d *l) {
  const struct plain p = plain_of(l);
  return (p.weights + p.gradient + p.result) * 4 + train_conv2d_ig_buffer_size(&p.layer);
}

enum kernel_status train_conv2d_converted_ig(const struct train_conv2d *l) {
  const struct plain p = plain_of(l);
  uint32_t taps = train_conv2d_taps(l), filter = l->in_c * taps;
  float *weights = (float *)l->scratch;
  if (l->hwc) {
    for (uint32_t f = 0; f < l->out_c; f++)
      TRAIN_BY_TYPE(l->type, widen, weights + (size_t)f * filter,
                    train_at(l->weights, (size_t)f * filter, l->type), layout_of(l, l->in_c, taps));
  } else {
    const struct layout all = {1, l->out_c * filter, 0, 1};
    TRAIN_BY_TYPE(l->type, widen, weights, l->weights, all);
  }
  TRAIN_BY_TYPE(l->type, widen, weights + p.weights, l->out_grad,
                layout_of(l, l->out_c, train_conv2d_plane(l)));
  rt_barrier();
  enum kernel_status status = train_conv2d_ig(&p.layer);
  rt_barrier();
  TRAIN_BY_TYPE(l->type, narrow, l->in_grad, p.layer.in_grad,
                layout_of(l, l->in_c, (uint32_t)l->in_h * l->in_w));
  return status;
}
