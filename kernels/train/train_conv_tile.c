// kernels/train/train_conv_tile.c: the blocks by size, and what they compute, in C.
#include "train_conv_tile.h"

#include <stddef.h>

#ifdef __riscv

#define FW(K, U, V) train_conv_fw_fn train_conv_fw_##K##_##U##x##V;
#define WG(S, U, L) train_conv_wg_fn train_conv_wg_##S##_##U##x##L;

#else

static const float *at(const float *base, size_t offset) {
  return (const float *)(const void *)((const char *)base + offset);
}

static float *to(float *base, size_t offset) {
  return (float *)(void *)((char *)base + offset);
}

// The kind: 100 * width of the kernel + 10 * step + step of the output.
static void forward(const struct train_conv_fw *b, size_t rows, size_t pixels, size_t kind) {
  size_t width = kind / 100, step = kind / 10 % 10, by = kind % 10;
  for (size_t n = 0; n < b->blocks * rows * pixels; n++) {
    size_t block = n / (rows * pixels), u = n / pixels % rows, v = n % pixels;
    float *out = to(b->out, block * b->out_next + u * b->out_step) + v * by;
    float sum = b->add ? *out : 0;
    const float *w = at(b->w, u * b->w_step);
    const float *x = at(b->x, block * b->next) + v * step;
    for (size_t c = 0; c < b->channels; c++, x = at(x, b->gap)) {
      for (size_t i = 0; i < b->kernel_h; i++, x = at(x, b->row)) {
        for (size_t j = 0; j < width; j++)
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

static void gradient(const struct train_conv_wg *b, size_t rows, size_t lines, size_t step) {
  lines *= b->blocks;
  for (size_t n = 0; n < rows * lines * 3; n++) {
    size_t u = n / (lines * 3), l = n / 3 % lines, j = n % 3;
    float *dw = to(b->dw, u * b->dw_step) + l * 3 + j;
    float sum = b->add ? *dw : 0;
    const float *dy = at(b->dy, u * b->dy_step);
    const float *x = line_at(b, l);
    for (size_t y = 0; y < b->out_h; y++, x = at(x, b->gap + b->out_w * step * 4)) {
      for (size_t i = 0; i < b->out_w; i++)
        sum = __builtin_fmaf(*dy++, x[i * step + j], sum);
    }
    *dw = sum;
  }
}

#define FW(K, U, V)                                                                                \
  static void train_conv_fw_##K##_##U##x##V(const struct train_conv_fw *block) {                   \
    forward(block, U, V, K);                                                                       \
  }
#define WG(S, U, L)                                                                                \
  static void train_conv_wg_##S##_##U##x##L(const struct train_conv_wg *block) {                   \
    gradient(block, U, L, S);                                                                      \
  }

#endif

#define FW_ROW(K, U) FW(K, U, 1) FW(K, U, 2) FW(K, U, 3) FW(K, U, 4) FW(K, U, 5)
#define FW_ALL(K)    FW_ROW(K, 1) FW_ROW(K, 2) FW_ROW(K, 3) FW_ROW(K, 4)
#define WG_ROW(S, U) WG(S, U, 1) WG(S, U, 2)
#define WG_ALL(S)    WG_ROW(S, 1) WG_ROW(S, 2) WG_ROW(S, 3) WG_ROW(S, 4)
FW_ALL(311)
FW_ALL(321)
FW_ALL(212)
FW_ALL(112)
WG_ALL(1)
WG_ALL(2)

#define FW_TILES(K, U)                                                                             \
  {                                                                                                \
    train_conv_fw_##K##_##U##x1, train_conv_fw_##K##_##U##x2, train_conv_fw_##K##_##U##x3,         \
        train_conv_fw_##K##_##U##x4, train_conv_fw_##K##_##U##x5                                   \
  }
#define FW_TABLE(K)                                                                                \
  { FW_TILES(K, 1), FW_TILES(K, 2), FW_TILES(K, 3), FW_TILES(K, 4) }
#define WG_TILES(S, U)                                                                             \
  { train_conv_wg_##S##_##U##x1, train_conv_wg_##S##_##U##x2 }
#define WG_TABLE(S)                                                                                \
  { WG_TILES(S, 1), WG_TILES(S, 2), WG_TILES(S, 3), WG_TILES(S, 4) }

train_conv_fw_table train_conv_fw_tiles[TRAIN_CONV_KINDS] = {
    [TRAIN_CONV_3] = FW_TABLE(311),
    [TRAIN_CONV_3_BY_2] = FW_TABLE(321),
    [TRAIN_CONV_2_TO_2] = FW_TABLE(212),
    [TRAIN_CONV_1_TO_2] = FW_TABLE(112),
};
train_conv_wg_table train_conv_wg_tiles[2] = {WG_TABLE(1), WG_TABLE(2)};
