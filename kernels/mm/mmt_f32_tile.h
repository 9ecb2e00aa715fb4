// kernels/mm/mmt_f32_tile.h: blocks of a matrix product in registers; see mmt_f32_tile.S.
#ifndef MMT_F32_TILE_H
#define MMT_F32_TILE_H

#include <stdint.h>

enum { MMT_TILE_ROWS = 8, MMT_TILE_COLS = 8, MMT_TILE_ACC = 25 };

struct mmt_operand {
  const void *at;
  uint32_t step; // A plain: from row to row; transposed: from k to k + 1
                 // B plain: from k to k + 1; transposed: from column to column
  uint32_t next; // from block to block
};

// `blocks` blocks of U x V elements of C, one after the other. All strides in bytes.
struct mmt_tile {
  struct mmt_operand a, b;
  void *c;
  uint32_t c_step; // from row to row
  uint32_t c_next;
  uint32_t k;      // >= 1; 16-bit floats: pairs
  uint32_t blocks; // >= 1
  uint32_t add;    // 0: C = A * B, else C += A * B
  // Read by tiles of kinds ntr and tnr only: k elements (pairs) this many times, between which
  // the operands' places jump by so many bytes.
  uint32_t runs; // >= 1
  uint32_t a_jump, b_jump;
  union {
    float factor;  // kind ntp of floats, with an `add` not 0: C += factor * (A * B')
    uint32_t relu; // kind tnp of floats: not 0: C = what is not less than 0, or +0
  };
};

typedef void mmt_tile_fn(const struct mmt_tile *tile);

// By rows - 1 and columns - 1 of a block; NULL where there is none.
typedef mmt_tile_fn *const mmt_tiles[MMT_TILE_ROWS][MMT_TILE_COLS];

extern mmt_tiles mmt_tiles_s_nn, mmt_tiles_s_nt, mmt_tiles_s_tn; // float: A * B, A * B', A' * B
// The same as in the published kernels: k unrolled by one, or (1x1 only) by two.
extern mmt_tiles mmt_tiles_s_nn1, mmt_tiles_s_nt1, mmt_tiles_s_tn1;
extern mmt_tiles mmt_tiles_s_nn2, mmt_tiles_s_nt2, mmt_tiles_s_tn2;
// A single column, by rows - 1: float, binary16, bfloat16, A * B'. In L1, for products so short
// that a word from L2 (20 cycles) counts.
typedef mmt_tile_fn *mmt_column_tiles[MMT_TILE_ROWS];
extern mmt_column_tiles mmt_column_tiles_s_nt, mmt_column_tiles_h_nt, mmt_column_tiles_ah_nt;
// Up to 4x4 and 4x6, k in runs: A * B', A' * B.
extern mmt_tiles mmt_tiles_s_ntr, mmt_tiles_h_ntr, mmt_tiles_ah_ntr;
extern mmt_tiles mmt_tiles_s_tnr, mmt_tiles_h_tnr, mmt_tiles_ah_tnr;
// 5x4, 6x4, 4x5 and 5x5, A * B' of lines of MMT_TILE_PITCH floats behind each other, of which k,
// an odd number, are taken.
// `add`: see there. No steps are read.
extern mmt_tiles mmt_tiles_s_ntp;
// The same, 4x4 and 4x6, lines of MMT_TILE_PITCH_PAIRS pairs; `add` is 0.
extern mmt_tiles mmt_tiles_h_ntp, mmt_tiles_ah_ntp;
// 4x4 to 6x4, A' * B, where a step's rows are followed by those of the next, and so are columns.
extern mmt_tiles mmt_tiles_s_tnp, mmt_tiles_h_tnp, mmt_tiles_ah_tnp;
// The same, a step's rows MMT_TILE_STEP floats from those of the next.
extern mmt_tiles mmt_tiles_s_tns;
// binary16, bfloat16, in pairs along k: A * B', A' * B
extern mmt_tiles mmt_tiles_h_nt, mmt_tiles_h_tn, mmt_tiles_ah_nt, mmt_tiles_ah_tn;

#endif
