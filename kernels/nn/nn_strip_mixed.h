// kernels/nn/nn_strip_mixed.h: the inner loops of the mixed-precision layers: 1..4 pixels, as
// columns of `compute` bits per element (or bytes as they stand in memory), times blocks of four
// filters of `weight` bits. In assembly on the target (nn_strip_mixed.S), in C on the host
// (nn_strip_mixed.c).
//
// Compute words: four, eight or sixteen elements of 8, 4 or 2 bits; the columns of four pixels are
// interleaved word by word (nn_im2col.h). A step takes compute / weight compute words: one
// word of weights per filter. In each lane of that word the top weight belongs to the first
// compute word of the step, so that a mask, or a shift and a mask, makes the operand of a dot
// product: the weight times 2^(compute - weight). The sums are shifted back at the end.
#ifndef NN_STRIP_MIXED_H
#define NN_STRIP_MIXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A packed block: `steps` times the four filters' words, then their {kappa, lambda}.
static inline uint32_t nn_mixed_block_size(uint32_t steps) {
  return steps * 16 + 32;
}

enum { NN_STRIP_ROWS = 1 };

struct nn_strip_mixed;

// The end of a block by a scheme (nn_finish.h). On the target called with the strip's registers, by
// assembly only; on the host filter f's output, of the sum and the block's pair of words for it.
#ifdef __riscv
typedef void nn_finish_fn(void);
#else
typedef void nn_finish_fn(const struct nn_strip_mixed *strip, uint8_t *pixel, uint32_t f,
                          uint32_t sum, const uint32_t *pair);
#endif

struct nn_strip_mixed { // the assembly knows these offsets
  const void *columns;  // aligned to 4; 8 bytes behind them may be read; or the first pixel
  const void *blocks;
  void *out;           // first pixel's first filter
  uint32_t out_stride; // bytes from pixel to pixel
  uint32_t steps;      // at least 1, of equally wide activations and weights 2
  uint32_t count;      // blocks, at least 1
  uint32_t shift;
  nn_finish_fn *finish; // this and the rest: for out = 0, see nn_finish_prepare()
  const void *row;
  uint32_t row_step;
  const void *row_last;
  uint32_t limit, factor;
  uint32_t strips; // at least 1: so many times four pixels, columns and outputs behind one another;
                   // more than 1 only where nn_strip_mixed_repeats(), or rows
  uint32_t shifts; // of NN_TFLITE: four times all channels'; row is here then
  uint32_t a_stride; // rows: bytes from pixel to pixel
};

typedef void nn_strip_mixed_fn(const struct nn_strip_mixed *strip);

// Whether a strip of four pixels goes on to the next ones itself.
static inline bool nn_strip_mixed_repeats(uint32_t compute, uint32_t weight, uint32_t out) {
  return compute == weight && compute < 8 && out > 0 && out < 32;
}

// Four filters' outputs are `out` / 2 bytes; for out = 32 they are the sums plus lambda, for
// out = 0 what `finish` makes of the sums, for out = NN_STRIP_ROWS the same, of bytes by bytes as
// they stand in memory, whole words of them; a row of shifts is begun anew by each four pixels.
// NULL for a combination that does not exist; compute below 8 needs XpulpNN. `is_signed`: bytes
// are. `pixels` is 1..4.
nn_strip_mixed_fn *nn_strip_mixed(uint32_t compute, bool is_signed, uint32_t weight, uint32_t out,
                                  uint32_t pixels);

#endif
