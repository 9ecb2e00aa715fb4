// kernels/nn/nn_im2col.c
#include "nn_im2col.h"

#include <stdbool.h>
#include <stddef.h>

#include "nn_spread.h"

#ifndef __riscv
#include <string.h>

void nn_spread_rows(uint32_t *dst, const uint8_t *src, uint32_t words, uint32_t rows,
                    uint32_t stride) {
  for (size_t i = 0; i < (size_t)rows * words; i++)
    memcpy(dst + 4 * i, src + i / words * stride + i % words * 4, 4);
}

void nn_spread_fill(uint32_t *dst, uint32_t words, uint32_t value) {
  for (size_t i = 0; i < words; i++)
    dst[4 * i] = value;
}
#endif

uint32_t nn_im2col_run(const struct nn_conv2d *l) {
  return ((uint32_t)l->kernel_w * l->in_c + 3) / 4 * 4;
}

uint32_t nn_im2col_words(const struct nn_conv2d *l) {
  uint32_t words = l->kernel_h * nn_im2col_run(l) / 4;
  return words < 2 ? 2 : words;
}

// Byte `at` of a column.
static uint8_t *byte_of(uint32_t *column, uint32_t at) {
  return (uint8_t *)(column + at / 4 * 4) + at % 4;
}

// Bytes at..at + count - 1 of a column: to the next word, then words, then what is left.
static void copy_bytes(uint32_t *column, uint32_t at, const uint8_t *src, uint32_t count) {
  for (; count > 0 && at % 4 != 0; count--)
    *byte_of(column, at++) = *src++;
  uint32_t words = count / 4;
  if (words > 0)
    nn_spread_rows(column + at, src, words, 1, 0);
  for (uint32_t i = words * 4; i < count; i++)
    *byte_of(column, at + i) = src[i];
}

// A column that is partly outside: pixels left..right - 1 of each row are in.
static void across(const struct nn_conv2d *l, int32_t y0, int32_t x0, uint32_t *column) {
  uint32_t run = nn_im2col_run(l), in_c = l->in_c;
  int32_t left = x0 < 0 ? -x0 : 0;
  int32_t right = l->in_w - x0 < l->kernel_w ? l->in_w - x0 : l->kernel_w;
  for (int32_t i = 0; i < l->kernel_h; i++, column += run) {
    int32_t y = y0 + i;
    bool outside = y < 0 || y >= l->in_h || left >= right;
    if (outside || right - left < l->kernel_w)
      nn_spread_fill(column, run / 4, 0);
    if (outside)
      continue;
    const uint8_t *src = l->in + ((uint32_t)y * l->in_w + (uint32_t)(x0 + left)) * in_c;
    copy_bytes(column, (uint32_t)left * in_c, src, (uint32_t)(right - left) * in_c);
  }
}

void nn_im2col_u8(const struct nn_conv2d *l, uint32_t y, uint32_t x, uint32_t *column) {
  int32_t y0 = (int32_t)(y * l->stride_h) - l->pad_top;
  int32_t x0 = (int32_t)(x * l->stride_w) - l->pad_left;
  uint32_t run = (uint32_t)l->kernel_w * l->in_c;
  bool inside = y0 >= 0 && x0 >= 0 && y0 + l->kernel_h <= l->in_h && x0 + l->kernel_w <= l->in_w;
  if (inside && run % 4 == 0)
    nn_spread_rows(column, l->in + ((uint32_t)y0 * l->in_w + (uint32_t)x0) * l->in_c, run / 4,
                   l->kernel_h, (uint32_t)l->in_w * l->in_c);
  else
    across(l, y0, x0, column);
}
