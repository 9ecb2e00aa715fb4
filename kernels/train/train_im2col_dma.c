// kernels/train/train_im2col_dma.c: im2col from memory outside the cluster; train_im2col.h.
#include "kernels/rt/rt.h"
#include "train_im2col.h"
#include "train_typed.h"

enum { OPEN = 16 }; // transfers that may be open at a time, all cores together

// The transfers of a core, the oldest first.
struct queue {
  unsigned id[OPEN];
  uint32_t used, first, size;
};

static void finish_one(struct queue *q) {
  rt_dma_wait(q->id[q->first]);
  q->first = q->first + 1 < q->size ? q->first + 1 : 0;
  q->used--;
}

static void bring(struct queue *q, void *to, const void *from, uint32_t rows, uint32_t bytes,
                  uint32_t stride) {
  if (q->used == q->size)
    finish_one(q);
  uint32_t last = q->first + q->used;
  q->id[last < q->size ? last : last - q->size] =
      rows == 1 ? rt_dma_in(to, from, bytes) : rt_dma_in_2d(to, from, rows, bytes, stride);
  q->used++;
}

// Taps begin .. end - 1 of an axis lie in the image.
static struct rt_range inside(int32_t first, uint32_t kernel, uint32_t size) {
  int32_t begin = first < 0 ? -first : 0, end = (int32_t)size - first;
  end = end < (int32_t)kernel ? end : (int32_t)kernel;
  return (struct rt_range){(uint32_t)begin, (uint32_t)(end > begin ? end : begin)};
}

// Kernel rows of `pixel` bytes per tap, from an image of the same; to: dense.
static void window(const struct train_im2col *l, struct queue *q, char *to, const char *image,
                   int32_t y, int32_t x, uint32_t pixel) {
  struct rt_range i = inside(y, l->kernel_h, l->h), j = inside(x, l->kernel_w, l->w);
  uint32_t rows = i.end - i.begin, bytes = (j.end - j.begin) * pixel;
  if (rows == 0 || bytes == 0)
    return;
  const char *from =
      image + (size_t)(((y + (int32_t)i.begin) * l->w + x + (int32_t)j.begin)) * pixel;
  uint32_t line = l->kernel_w * pixel;
  to += i.begin * line + j.begin * pixel;
  if (bytes == line) {
    bring(q, to, from, rows, bytes, l->w * pixel);
    return;
  }
  for (uint32_t r = 0; r < rows; r++)
    bring(q, to + r * line, from + (size_t)r * l->w * pixel, 1, bytes, 0);
}

static void bring_patch(const struct train_im2col *l, struct queue *q, size_t row, int32_t y,
                        int32_t x) {
  uint32_t size = train_bytes(l->type), taps = (uint32_t)l->kernel_h * l->kernel_w;
  char *to = (char *)l->patches + row * l->pitch * size;
  bool whole = y >= 0 && x >= 0 && y + l->kernel_h <= l->h && x + l->kernel_w <= l->w;
  if (!whole || l->pitch > taps * l->channels)
    __builtin_memset(to, 0, l->pitch * size);
  if (l->hwc) {
    window(l, q, to, l->image, y, x, l->channels * size);
    return;
  }
  for (uint32_t c = 0; c < l->channels; c++)
    window(l, q, to + c * taps * size, (const char *)l->image + (size_t)c * l->h * l->w * size, y,
           x, size);
}

enum kernel_status train_im2col_dma(const struct train_im2col *l) {
  enum kernel_status status = train_im2col_refuse(l, l->image, l->channels);
  if (status != KERNEL_OK)
    return status;
  struct queue q = {.size = OPEN / rt_core_count()};
  uint32_t w = train_im2col_out_w(l);
  struct rt_range mine = rt_share(train_im2col_out_h(l) * w);
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    uint32_t y = p / w, x = p - y * w;
    bring_patch(l, &q, p, (int32_t)(y * l->stride_h) - l->pad_top,
                (int32_t)(x * l->stride_w) - l->pad_left);
  }
  while (q.used > 0)
    finish_one(&q);
  return KERNEL_OK;
}
