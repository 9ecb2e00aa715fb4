// kernels/train/train_patches.h: what the taps of a window see, gathered for a matrix product
// (im2col by parts): a line for each tap, an element for each position of the window.
#ifndef TRAIN_PATCHES_H
#define TRAIN_PATCHES_H

#include <stdint.h>

// One axis: at position n, tap t sees element n * step + offset + t * apart; +0 where there is
// none.
struct train_axis {
  uint32_t size, step, taps; // elements; 1..15; 1..15
  int32_t offset, apart;     // apart: 1, or -1 for a window that looks back
};

// A rectangle of positions, counted row by row.
struct train_rectangle {
  uint32_t y, rows, x, columns;
};

// dst[(c * down.taps + i) * across.taps + j][position], lines `pitch` floats apart, of `channels`
// planes. The cores share the lines; the caller puts a barrier behind it.
void train_gather_patches(float *dst, uint32_t pitch, const float *planes, uint32_t channels,
                          const struct train_axis *down, const struct train_axis *across,
                          struct train_rectangle positions);

// `count` words `step` bytes apart, to places `to_step` bytes apart; by the calling core.
void train_pick(float *to, uint32_t to_step, const float *from, uint32_t step, uint32_t count);

// `rows` times `columns` words: along a row and from row to row so many bytes apart; by the calling
// core.
struct train_rows {
  uint32_t step, row_step;
};
void train_pick_rows(float *to, struct train_rows to_by, const float *from, struct train_rows by,
                     uint32_t rows, uint32_t columns);

// Elements y * step_y + x * step_x of each plane of h x w floats, that of position (0, 0) at `at`
// of the first, are set to those of src, lines `pitch` floats apart; to +0 if src is NULL. The
// cores share the rows.
struct train_lattice {
  float *at;
  uint32_t plane, row_step, step; // floats: from plane to plane, from row to row, along a row
  uint32_t planes, rows, columns;
};
void train_scatter(const struct train_lattice *to, const float *src, uint32_t pitch);

#endif
