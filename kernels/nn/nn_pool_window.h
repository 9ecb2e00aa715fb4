// kernels/nn/nn_pool_window.h: any window, words of it at a time. In assembly on the target
// (nn_pool_window.S), in C on the host (nn_pool_window.c).
#ifndef NN_POOL_WINDOW_H
#define NN_POOL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct nn_pool_window { // the assembly knows these offsets
  const uint8_t *first; // pixel's first word
  uint32_t rows;        // at least 1
  uint32_t columns;     // at least 1
  uint32_t pixel;       // bytes from pixel to pixel
  uint32_t next;        // bytes from behind a row to the next
};

// The largest elements of `pairs` (at least 1) times two words. Any alignment. bits 8, 4, 2.
typedef void nn_max_window_fn(uint8_t *out, const struct nn_pool_window *window, uint32_t pairs);
nn_max_window_fn *nn_max_window(uint32_t bits, bool is_signed);

// The sums of one word's elements, `flip` applied (exclusive or) to each word first. Element e of
// the word adds up in parts[e % P], lane e / P: for 8 bits P = 2, lanes of 16 bits; for 4 bits 2,
// 8; for 2 bits 4, 8. So many pixels fit: NN_SUMS_MOST.
#define NN_SUMS_MOST(bits) ((bits) == 8 ? 257u : (bits) == 4 ? 17u : 85u)
typedef void nn_window_sums_fn(uint32_t parts[4], const struct nn_pool_window *window,
                               uint32_t flip);
nn_window_sums_fn nn_window_sums_8, nn_window_sums_4, nn_window_sums_2;

// Windows side by side: each has `shared` columns of the one before (the first one only `before` of
// them), `alone` ones, and `shared` ones of the next.
struct nn_average_run { // the assembly knows these offsets
  const uint8_t *first; // the first window's first pixel
  uint32_t rows;        // at least 1
  uint32_t before, alone, shared;
  uint32_t row;     // bytes from a pixel to the one below
  uint32_t column;  // from below a column to the next column's first pixel
  uint32_t next;    // from behind a window's columns to where the next window goes on
  uint32_t windows; // at least 1
  uint32_t pixel;   // bytes from window to window of the output
};

// Averages of `pairs` (at least 1) times two words of bytes, unsigned or flipped signed ones, of
// windows of at most NN_AVERAGE_MOST pixels: of each sum, and what is added to it, the product with
// `factor`, shifted. Sums below `limit`, what is added to them included, become less by one, of
// signed ones.
enum { NN_AVERAGE_MOST = 128, NN_AVERAGE_SHIFT = 15 }; // at least
struct nn_average_by { // the assembly knows these offsets; all but the shift in both halves
  uint32_t add, limit, factor, shift;
};
typedef void nn_average_run_fn(uint8_t *out, const struct nn_average_run *run, uint32_t pairs,
                               const struct nn_average_by *by);
nn_average_run_fn nn_average_run_8u, nn_average_run_8s;

#endif
