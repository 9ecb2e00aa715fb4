// kernels/train/train_conv_tile.c: the blocks by size, and what they compute, in C.
#include "train_conv_tile.h"

#include <stddef.h>

#ifdef __riscv

#define FW(U, V) train_conv_fw_fn train_conv_fw_##U##x##V;
#define WG(U, L) train_conv_wg_fn train_conv_wg_##U##x##L;

#else

static const float *at(const float *base, size_t offset) {
  return (const float *)(const void *)((const char *)base + offset);
}

static float *to(float *base, size_t offset) {
  return (float *)(void *)((char *)base + offset);
}

static void forward(const struct train_conv_fw *b, size_t rows, size_t pixels) {
  for (size_t n = 0; n < b->blocks * rows * pixels; n++) {
    size_t block = n / (rows * pixels), u = n / pixels % rows, v = n % pixels;
    float *out = to(b->out, block * b->next + u * b->out_step) + v;
    float sum = b->add ? *out : 0;
    const float *w = at(b->w, u * b->w_step);
    const float *x = at(b->x, block * b->next) + v;
    for (size_t c = 0; c < b->channels; c++, x = at(x, b->gap)) {
      for (size_t i = 0; i < b->kernel_h; i++, x = at(x, b->row)) {
        for (size_t j = 0; j < 3; j++)
          sum = __builtin_fmaf(*w++, x[j], sum);
      }
    }
    *out = sum;
  }
}

static const float *line_at(const struct train_conv_wg *b, size_t line) {
  size_t row = b->i + line, wraps = row / b->kernel_h;
  return at(b->x, (line - wraps) * b->row + wraps * b->wrap);
}

static void gradient(const struct train_conv_wg *b, size_t rows, size_t lines) {
  lines *= b->blocks;
  for (size_t n = 0; n < rows * lines * 3; n++) {
    size_t u = n / (lines * 3), l = n / 3 % lines, j = n % 3;
    float *dw = to(b->dw, u * b->dw_step) + l * 3 + j;
    float sum = b->add ? *dw : 0;
    const float *dy = at(b->dy, u * b->dy_step);
    const float *x = line_at(b, l);
    for (size_t y = 0; y < b->out_h; y++, x = at(x, b->gap + b->out_w * 4)) {
      for (size_t i = 0; i < b->out_w; i++)
        sum = __builtin_fmaf(*dy++, x[i + j], sum);
    }
    *dw = sum;
  }
}

#define FW(U, V)                                                                                   \
  static void train_conv_fw_##U##x##V(const struct train_conv_fw *block) {                         \
    forward(block, U, V);                                                                          \
  }
#define WG(U, L)                                                                                   \
  static void train_conv_wg_##U##x##L(const struct train_conv_wg *block) {                         \
    gradient(block, U, L);                                                                         \
  }

#endif

#define FW_ALL(U) FW(U, 1) FW(U, 2) FW(U, 3) FW(U, 4) FW(U, 5)
#define WG_ALL(U) WG(U, 1) WG(U, 2)
FW_ALL(1)
FW_ALL(2)
FW_ALL(3)
FW_ALL(4)
WG_ALL(1)
WG_ALL(2)
WG_ALL(3)
WG_ALL(4)

#define FW_ROW(U)                                                                                  \
  {                                                                                                \
    train_conv_fw_##U##x1, train_conv_fw_##U##x2, train_conv_fw_##U##x3, train_conv_fw_##U##x4,    \
        train_conv_fw_##U##x5                                                                      \
  }
#define WG_ROW(U)                                                                                  \
  { train_conv_wg_##U##x1, train_conv_wg_##U##x2 }

train_conv_fw_fn *const train_conv_fw_tiles[TRAIN_CONV_ROWS][TRAIN_CONV_PIXELS] = {
    FW_ROW(1), FW_ROW(2), FW_ROW(3), FW_ROW(4)};
train_conv_wg_fn *const train_conv_wg_tiles[TRAIN_CONV_ROWS][TRAIN_CONV_LINES] = {
    WG_ROW(1), WG_ROW(2), WG_ROW(3), WG_ROW(4)};
