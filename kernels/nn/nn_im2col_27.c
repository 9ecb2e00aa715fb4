// kernels/nn/nn_im2col_27.c
#include "nn_im2col_27.h"

#include <stddef.h>

#include "nn_spread.h"

enum { PIXEL = 3, ROW = 9 };                // bytes of an input pixel, of a window's row
enum { NEXT = 4 * NN_IM2COL_27_WORDS - 3 }; // words from a four's last column to the next one

#ifndef __riscv
#include <string.h>

void nn_spread_27(uint32_t *dst, const uint8_t *row0, const uint8_t *row1, const uint8_t *row2) {
  uint8_t bytes[4 * NN_IM2COL_27_WORDS] = {0};
  memcpy(bytes, row0, ROW);
  memcpy(bytes + ROW, row1, ROW);
  memcpy(bytes + (size_t)2 * ROW, row2, ROW);
  for (size_t i = 0; i < NN_IM2COL_27_WORDS; i++)
    memcpy(dst + 4 * i, bytes + 4 * i, 4);
}
#endif

static __attribute__((noinline)) void begin_row(const struct nn_conv2d *l,
                                                struct nn_im2col_27 *at) {
  int32_t y = (int32_t)(at->y * l->stride_h) - l->pad_top;
#pragma GCC unroll 1
  for (uint32_t i = 0; i < 3; i++, y++) {
    bool inside = y >= 0 && y < l->in_h;
    at->mask[i] = inside ? 0xffffffff : 0;
    at->rows[i] = inside ? l->in + (uint32_t)y * l->in_w * PIXEL : (const uint8_t *)at->zeros;
  }
}

void nn_im2col_27_begin(const struct nn_conv2d *l, struct nn_im2col_27 *at, uint32_t y,
                        uint32_t x) {
  at->y = y;
  at->x = x;
  at->inside = l->in_w >= 3 ? l->in_w - 2u : 0;
  for (uint32_t i = 0; i < 3; i++)
    at->zeros[i] = 0;
  begin_row(l, at);
}

// A window whose first column is x0, of which one is outside at least.
static __attribute__((noinline)) void edge(const struct nn_conv2d *l, const struct nn_im2col_27 *at,
                                           int32_t x0, uint32_t *column) {
  uint32_t words[3][3] = {{0}};
  int32_t left = x0 < 0 ? -x0 : 0, right = l->in_w - x0 < 3 ? l->in_w - x0 : 3;
#pragma GCC unroll 1
  for (uint32_t i = 0; i < 3; i++) {
    if (!at->mask[i])
      continue;
    const uint8_t *row = at->rows[i];
    uint8_t *to = (uint8_t *)words[i];
#pragma GCC unroll 1
    for (int32_t b = left * PIXEL; b < right * PIXEL; b++)
      to[b] = row[x0 * PIXEL + b];
  }
  nn_spread_27(column, (uint8_t *)words[0], (uint8_t *)words[1], (uint8_t *)words[2]);
}

void nn_im2col_27(const struct nn_conv2d *l, struct nn_im2col_27 *at, uint32_t *columns,
                  uint32_t count) {
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; columns += ++i % 4 == 0 ? NEXT : 1) {
    uint32_t x0 = at->x * l->stride_w - l->pad_left, by = x0 * PIXEL;
    if (x0 < at->inside)
      nn_spread_27(columns, at->rows[0] + (by & at->mask[0]), at->rows[1] + (by & at->mask[1]),
                   at->rows[2] + (by & at->mask[2]));
    else
      edge(l, at, (int32_t)x0, columns);
    if (++at->x == at->out_w) {
      at->x = 0;
      at->y++;
      begin_row(l, at);
    }
  }
}

void nn_im2col_27_of(const struct nn_conv2d *l, uint32_t y, uint32_t x, uint32_t *column) {
  struct nn_im2col_27 at;
  nn_im2col_27_begin(l, &at, y, x);
  at.out_w = x + 2; // not the row's end
  nn_im2col_27(l, &at, column, 1);
}
