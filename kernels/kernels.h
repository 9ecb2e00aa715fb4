// kernels/kernels.h: every operator, for C and C++.
#ifndef KERNELS_H
#define KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/mm/mm_f32.h"
#include "kernels/mm/mm_i8.h"
#include "kernels/mm/mmt_f16.h"
#include "kernels/mm/mmt_f32.h"
#include "kernels/nn/nn_act.h"
#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_add_tflite.h"
#include "kernels/nn/nn_argmax.h"
#include "kernels/nn/nn_concat.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_depthwise.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_lookup.h"
#include "kernels/nn/nn_mixed.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/nn/nn_requant.h"
#include "kernels/nn/nn_requant_i32.h"
#include "kernels/nn/nn_rescale.h"
#include "kernels/rt/rt.h"
#include "kernels/status.h"
#include "kernels/tile/tile.h"
#include "kernels/tile/tile_kernel.h"
#include "kernels/tile/tile_layer.h"
#include "kernels/tile/tile_stream.h"
#include "kernels/train/train_act.h"
#include "kernels/train/train_attention.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_conv_transpose2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_elem.h"
#include "kernels/train/train_im2col.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_norm.h"
#include "kernels/train/train_optim.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_rnn.h"
#include "kernels/train/train_softmax.h"
#include "kernels/vec/vec_axpy.h"

#ifdef __cplusplus
}
#endif

#endif
