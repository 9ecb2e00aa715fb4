// deploy/tune/kernels.h: the kernels that the tuner knows: those of mmt_f32.def, and others that
// the one generator of tiles makes as well (kernels/mm/mmt_f32_tile.S).
//
// Numbers are those of a layer's `matmul`: 0 the kernel by shape, 1 + an id of the list, and behind
// these the others: every block there is, its loop as long as the instruction cache allows, split
// each way; and the published blocks, one step of k a pass, in a grid.
#ifndef TUNE_KERNELS_H
#define TUNE_KERNELS_H

#include "deploy/net/net.h"
#include "kernels/mm/mmt_split.h"

enum { TUNE_KERNELS_MOST = 255 };

unsigned tune_kernel_count(void);                   // with the list, without 0
struct mmt_block tune_kernel_block(uint8_t matmul); // not 0
const char *tune_kernel_name(uint8_t matmul);       // "auto", "4x6_grid", "5x4_rows", ...

static inline bool tune_kernel_is_listed(uint8_t matmul) {
  return matmul <= MMT_F32_COUNT;
}

// Appends the kernel as an entry of mmt_f32.def, unless the file has it. False with the sentence.
bool tune_kernel_save(uint8_t matmul, const char *path, struct net_error *error);

#endif
