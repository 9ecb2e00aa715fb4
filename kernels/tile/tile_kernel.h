// kernels/tile/tile_kernel.h: the kernels that execute tiles (tile_layer.h). A layer names its own,
// so that a program holds no others.
#ifndef TILE_KERNEL_H
#define TILE_KERNEL_H

#include "tile_layer.h"

struct tile_kernel {
  const char *name;
  // All cores; the caller puts a barrier behind it.
  enum kernel_status (*run)(const struct tile_layer *layer, const struct tile *tile, uint8_t *l1);
  uint32_t (*scratch)(const struct tile_layer *layer, const struct tile *tile); // NULL: no bytes
  // Sets what the description has beside, but for `first`. For as many cores as there are.
  void (*prepare)(struct tile_layer *layer); // NULL: nothing
};

// What only the plan asks of a kernel, on the host: programs hold nothing of it.
#ifdef __riscv
#define TILE_PLANS(function) (0 ? (function) : NULL)
#else
#define TILE_PLANS(function) (function)
#endif

extern const struct tile_kernel tile_conv;      // nn_conv2d_u8_i8_u8
extern const struct tile_kernel tile_rows;      // nn_strip_u8.h: 1 x 1, all channels in fours
extern const struct tile_kernel tile_planes;    // nn_dw_3.h: 3 x 3 and 3 x less, 8 bits, fours
extern const struct tile_kernel tile_quads;     // nn_dw_quad.h: 3 x 3, columns two apart, the same
extern const struct tile_kernel tile_mixed;     // nn_mixed_conv2d
extern const struct tile_kernel tile_direct;    // nn_direct: any convolution
extern const struct tile_kernel tile_depthwise; // nn_depthwise
extern const struct tile_kernel tile_linear;    // nn_linear_u8_i8_u8, of a 1 x 1 input
extern const struct tile_kernel tile_sums;      // nn_linear_u8_i8_i32, then lambda is added
extern const struct tile_kernel tile_maxpool;
extern const struct tile_kernel tile_avgpool;
extern const struct tile_kernel tile_average; // nn_avgpool_by
extern const struct tile_kernel tile_global;  // averages of all pixels: uint8, channels in fours
extern const struct tile_kernel tile_add;     // nn_add
extern const struct tile_kernel tile_lookup;  // nn_lookup
extern const struct tile_kernel tile_parts;   // nn_mixed_conv2d, of the input's channels in parts

// A core's share of a tile by `share`, or the description's.
typedef void tile_share_fn(const struct tile_layer *layer, const struct tile *tile, uint32_t core,
                           struct tile_share *share);
void tile_shares(struct tile_layer *layer, tile_share_fn *share); // sets the description's
const struct tile_share *tile_mine(const struct tile_layer *layer, const struct tile *tile,
                                   tile_share_fn *share, struct tile_share *own);
tile_share_fn tile_share_bands; // of rows and channels, as nn_depthwise.h

// The parameters of the layer's requantization behind a tile's filters.
uint32_t tile_requant_bytes(const struct tile_layer *layer);
struct nn_requant_i32 tile_requant_of(const struct tile_layer *layer, const uint8_t *filters);

// Where each array is, in bytes from the first.
struct tile_parameters {
  uint32_t wide_bias, factor, bias, thresholds, shifts, end;
};
struct tile_parameters tile_parameters(const struct tile_layer *layer);

// Behind the kernel and a barrier: outputs outside low..high become these.
enum kernel_status tile_clip(const struct tile_layer *layer, const struct tile *tile, uint8_t *l1);

#endif
