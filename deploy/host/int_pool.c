// deploy/host/int_pool.c: pooling in the integer interpreter.
#include "deploy/net/net_ref.h"
#include "int_layer.h"

// The part of a window inside the input.
struct window {
  uint32_t top, bottom, left, right;
};

static uint32_t at_least_0(int64_t x) {
  return x < 0 ? 0 : (uint32_t)x;
}

static uint32_t at_most(int64_t x, uint32_t limit) {
  return x > limit ? limit : (uint32_t)x;
}

static struct window window_of(const struct int_layer *run, uint32_t y0, uint32_t x0) {
  const struct net_layer *l = run->layer;
  int64_t y = (int64_t)y0 * l->stride_h - l->pad_top, x = (int64_t)x0 * l->stride_w - l->pad_left;
  return (struct window){at_least_0(y), at_most(y + l->kernel_h, run->in->h), at_least_0(x),
                         at_most(x + l->kernel_w, run->in->w)};
}

static int32_t pooled(const struct int_layer *run, struct window w, uint32_t c) {
  uint32_t sum = 0;
  int32_t most = INT32_MIN;
  for (uint32_t y = w.top; y < w.bottom; y++) {
    for (uint32_t x = w.left; x < w.right; x++) {
      int32_t value = run->values[0][((size_t)y * run->in->w + x) * run->in->c + c];
      sum += (uint32_t)value;
      most = value > most ? value : most;
    }
  }
  return run->layer->kind == NET_MAXPOOL ? most : (int32_t)sum;
}

void int_pool(const struct int_layer *run) {
  const struct net_requant *rq = &run->layer->requant;
  int32_t *at = run->result;
  for (uint32_t y = 0; y < run->out->h; y++) {
    for (uint32_t x = 0; x < run->out->w; x++) {
      struct window w = window_of(run, y, x);
      uint32_t pixels = (w.bottom - w.top) * (w.right - w.left);
      for (uint32_t c = 0; c < run->out->c; c++)
        *at++ =
            net_requantized(rq, pooled(run, w, c), rq->per_channel ? c : 0, run->out->bits, pixels);
    }
  }
}
