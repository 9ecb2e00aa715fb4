// kernels/nn/nn_im2col.c
#include "nn_im2col.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_spread.h"
#include "nn_word.h"

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

// Rows under the kernel, of which bytes begin..end - 1 are inside: by words, the others masked out.
static void masked_rows(uint32_t *column, const uint8_t *src, uint32_t words, uint32_t rows,
                        uint32_t row_bytes, struct rt_range inside) {
#pragma GCC unroll 1
  for (uint32_t w = 0; w < words; w++, column += 4, src += 4) {
    int32_t before = (int32_t)(inside.begin - 4 * w), behind = (int32_t)(4 * w + 4 - inside.end);
    uint32_t mask = before >= 4 || behind >= 4 ? 0 : 0xffffffff;
    if (mask && before > 0)
      mask = mask << 8 * before;
    if (mask && behind > 0)
      mask &= 0xffffffff >> 8 * behind;
    const uint8_t *at = src;
    uint32_t *to = column;
#pragma GCC unroll 1
    for (uint32_t i = 0; i < rows; i++, at += row_bytes, to += 4 * words)
      *to = nn_word_load(at) & mask;
  }
}

// The same row byte by byte, where a word would reach beyond the input.
static void bytes_row(uint32_t *column, const uint8_t *src, uint32_t words,
                      struct rt_range inside) {
  nn_spread_fill(column, words, 0);
  for (uint32_t i = inside.begin; i < inside.end; i++)
    *byte_of(column, i) = src[i];
}

// Rows under the kernel, whose first byte is at `offset` of the input, which may be before it.
static void some_rows(const struct nn_conv2d *l, uint32_t *column, int32_t offset, uint32_t rows,
                      struct rt_range inside) {
  uint32_t run = nn_im2col_run(l), row = (uint32_t)l->in_w * l->in_c, words = run / 4;
  for (; offset < 0 && rows > 0; rows--, column += run, offset += (int32_t)row)
    bytes_row(column, l->in + offset, words, inside);
  uint32_t beyond = 0;
  while (beyond < rows && (uint32_t)offset + (rows - beyond - 1) * row + run > l->in_h * row)
    beyond++;
  rows -= beyond;
  const uint8_t *src = l->in + offset;
  if (rows > 0 && inside.begin == 0 && inside.end == (uint32_t)l->kernel_w * l->in_c)
    nn_spread_rows(column, src, words, rows, row, 0);
  else if (rows > 0)
    masked_rows(column, src, words, rows, row, inside);
  for (; beyond > 0; beyond--, rows++)
    bytes_row(column + run * rows, src + rows * row, words, inside);
}

void nn_im2col_row(const struct nn_conv2d *l, struct nn_im2col_place *at) {
  int32_t y0 = (int32_t)(at->y * l->stride_h) - l->pad_top, kernel_h = l->kernel_h;
  int32_t top = y0 < 0 ? -y0 : 0, bottom = l->in_h - y0 < kernel_h ? l->in_h - y0 : kernel_h;
  at->rows = 0;
  if (at->pixel == 0 || top >= bottom)
    return;
  at->words = (l->kernel_w * at->pixel + 3) / 4;
  at->bytes = l->in_w * at->pixel;
  at->zeros_above = at->words * (uint32_t)top;
  at->zeros_below = at->words * (uint32_t)(kernel_h - bottom);
  at->rows = (uint32_t)(bottom - top);
  at->inside = l->in_w >= l->kernel_w ? l->in_w - l->kernel_w + 1u : 0;
  // A word must not reach beyond the input: the last window's may by the words' rest, less the rows
  // below.
  int32_t below = (l->in_h - y0 - bottom) * (int32_t)at->bytes;
  int32_t beyond = (int32_t)(at->words * 4 - l->kernel_w * at->pixel) - below;
  for (; beyond > 0 && at->inside > 0; beyond -= (int32_t)at->pixel)
    at->inside--;
  at->src = l->in + (uint32_t)(y0 + top) * at->bytes;
}

// Not inlined: for what is rare, or shared by cores.
static __attribute__((noinline)) void whole_words(const struct nn_conv2d *l, uint32_t y, uint32_t x,
                                                  uint32_t *column) {
  struct nn_im2col_place at = {.y = y, .x = x, .pixel = l->in_c};
  nn_im2col_row(l, &at);
  if (at.rows > 0)
    nn_im2col_whole(l, &at, column);
  else
    nn_spread_fill(column, nn_im2col_run(l) / 4 * l->kernel_h, 0);
}

void nn_im2col_u8(const struct nn_conv2d *l, uint32_t y, uint32_t x, uint32_t *column) {
  if (l->in_c % 4 == 0) {
    whole_words(l, y, x, column);
    return;
  }
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
  uint32_t rows = (uint32_t)(bottom - top), pixel = l->in_c;
  some_rows(l, column, (y0 + top) * (int32_t)row + x0 * (int32_t)pixel, rows,
            (struct rt_range){(uint32_t)left * pixel, (uint32_t)right * pixel});
  column += run * rows;
  if (bottom < kernel_h)
    nn_spread_fill(column, run / 4 * (uint32_t)(kernel_h - bottom), 0);
}
