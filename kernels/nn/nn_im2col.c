// kernels/nn/nn_im2col.c
#include "nn_im2col.h"

#include <stddef.h>

#include "nn_spread.h"

#ifndef __riscv
#include <string.h>

void nn_spread_rows(uint32_t *dst, const uint8_t *src, uint32_t words, uint32_t rows,
                    uint32_t stride, uint32_t gap) {
  for (size_t i = 0; i < (size_t)rows * words; i++)
    memcpy(dst + 4 * (i + i / words * gap), src + i / words * stride + i % words * 4, 4);
}

void nn_spread_fill(uint32_t *dst, uint32_t words, uint32_t value) {
  for (size_t i = 0; i < words; i++)
    dst[4 * i] = value;
}

void nn_spread_fills(uint32_t *dst, uint32_t words, uint32_t rows, uint32_t gap, uint32_t value) {
  for (size_t i = 0; i < (size_t)rows * words; i++)
    dst[4 * (i + i / words * gap)] = value;
}
#endif

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
    nn_spread_rows(column + at, src, words, 1, 0, 0);
  for (uint32_t i = words * 4; i < count; i++)
    *byte_of(column, at + i) = src[i];
}

// A row under the kernel of which pixels left..right - 1 are inside; `src` is the first of them.
static void row_of(const struct nn_conv2d *l, uint32_t left, uint32_t right, const uint8_t *src,
                   uint32_t *column) {
  if (right - left < l->kernel_w)
    nn_spread_fill(column, nn_im2col_run(l) / 4, 0);
  copy_bytes(column, left * l->in_c, src, (right - left) * l->in_c);
}

void nn_im2col_row(const struct nn_conv2d *l, struct nn_im2col_place *at) {
  int32_t y0 = (int32_t)(at->y * l->stride_h) - l->pad_top, kernel_h = l->kernel_h;
  int32_t top = y0 < 0 ? -y0 : 0, bottom = l->in_h - y0 < kernel_h ? l->in_h - y0 : kernel_h;
  at->rows = 0;
  if (at->pixel == 0 || top >= bottom)
    return;
  at->words = l->kernel_w * at->pixel / 4;
  at->bytes = l->in_w * at->pixel;
  at->zeros_above = at->words * (uint32_t)top;
  at->zeros_below = at->words * (uint32_t)(kernel_h - bottom);
  at->rows = (uint32_t)(bottom - top);
  at->inside = l->in_w >= l->kernel_w ? l->in_w - l->kernel_w + 1u : 0;
  at->src = l->in + (uint32_t)(y0 + top) * at->bytes;
}

void nn_im2col_u8(const struct nn_conv2d *l, uint32_t y, uint32_t x, uint32_t *column) {
  int32_t y0 = (int32_t)(y * l->stride_h) - l->pad_top, kernel_h = l->kernel_h;
  int32_t x0 = (int32_t)(x * l->stride_w) - l->pad_left, kernel_w = l->kernel_w;
  int32_t top = y0 < 0 ? -y0 : 0, bottom = l->in_h - y0 < kernel_h ? l->in_h - y0 : kernel_h;
  int32_t left = x0 < 0 ? -x0 : 0, right = l->in_w - x0 < kernel_w ? l->in_w - x0 : kernel_w;
  uint32_t run = nn_im2col_run(l), row = (uint32_t)l->in_w * l->in_c;
  if (left >= right || top >= bottom) {
    nn_spread_fill(column, run / 4 * (uint32_t)kernel_h, 0);
    return;
  }
  if (top > 0)
    nn_spread_fill(column, run / 4 * (uint32_t)top, 0);
  column += run * (uint32_t)top;
  const uint8_t *src = l->in + (uint32_t)(y0 + top) * row + (uint32_t)(x0 + left) * l->in_c;
  uint32_t rows = (uint32_t)(bottom - top);
  if (right - left == kernel_w && run == (uint32_t)kernel_w * l->in_c) {
    nn_spread_rows(column, src, run / 4, rows, row, 0);
    column += run * rows;
  } else {
    for (; rows > 0; rows--, column += run, src += row)
      row_of(l, (uint32_t)left, (uint32_t)right, src, column);
  }
  if (bottom < kernel_h)
    nn_spread_fill(column, run / 4 * (uint32_t)(kernel_h - bottom), 0);
}
