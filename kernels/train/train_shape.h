// kernels/train/train_shape.h: moving, reducing and resizing tensors.
//
// Dense tensors, sizes >= 1, source and destination must not overlap. Each pair of functions is a
// pass and its gradient. All cores call with the same arguments; the caller puts a barrier behind
// the call.
#ifndef TRAIN_SHAPE_H
#define TRAIN_SHAPE_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

// dst[k][j][i] = src[i][k][j] and so on: axis a of dst is axis `order[a]` of src; `size` are those
// of src. The gradient is the inverse permutation. Transposition: size {1, rows, columns}, order
// {0, 2, 1}; CHW to HWC: order {1, 2, 0}; HWC to CHW: order {2, 0, 1}.
struct train_permute {
  const void *src;
  void *dst;
  uint32_t size[3];
  uint8_t order[3];
  enum train_type type;
};
enum kernel_status train_permute(const struct train_permute *op);

// Planes surrounded by zeros; the gradient cuts them out again.
struct train_pad {
  const void *src;
  void *dst;
  uint32_t planes, h, w; // without the border
  uint32_t top, bottom, left, right;
  enum train_type type;
};
enum kernel_status train_pad_fw(const struct train_pad *op);
enum kernel_status train_pad_ig(const struct train_pad *op); // src: with border, dst: without

// dst[r] = scale * sum over i of src[r][i]; gradient: dst[r][i] = scale * src[r]. With scale = 1 /
// columns the mean.
struct train_reduce {
  const void *src;
  void *dst;
  uint32_t rows, columns;
  float scale;
  enum train_type type;
};
enum kernel_status train_reduce_fw(const struct train_reduce *op);
enum kernel_status train_reduce_ig(const struct train_reduce *op);

// dst[c][y][x] = src at (y * src_h / dst_h, x * src_w / dst_w), rounded down (nearest), or between
// four neighbours by the pixels' centres (bilinear). Gradients add up what each source pixel gave:
// there, src is the gradient of the larger side and dst of the smaller; sizes as forward. Additions
// to a gradient, here and in the embedding, are rounded to the type one by one.
struct train_resize {
  const void *src;
  void *dst;
  uint32_t planes, src_h, src_w, dst_h, dst_w; // of the forward pass
  enum train_type type;
};
enum kernel_status train_resize_nearest_fw(const struct train_resize *op);
enum kernel_status train_resize_nearest_ig(const struct train_resize *op);
enum kernel_status train_resize_bilinear_fw(const struct train_resize *op);
enum kernel_status train_resize_bilinear_ig(const struct train_resize *op);

// dst[i] = table[index[i]], rows of `columns`; gradient: table_grad[index[i]] += src[i].
struct train_embedding {
  const void *table;
  void *table_grad; // as table, added to
  const uint32_t *index;
  const void *src;
  void *dst;
  uint32_t entries, columns, count;
  enum train_type type;
};
enum kernel_status train_embedding_fw(const struct train_embedding *op);
enum kernel_status train_embedding_wg(const struct train_embedding *op);

#endif
