// kernels/train/train_type.h: types of a tensor's elements.
//
// A layer that has a `type` takes all its tensors in it: their pointers are `void *` and aligned to
// 4 bytes. It is the last member, so an initializer that leaves it out means floats. Arithmetic is
// binary32 throughout: an element is widened when it is read and rounded to the nearest (ties to
// even) when it is written. 16-bit types need a machine that has them (core.smallfloat).
#ifndef TRAIN_TYPE_H
#define TRAIN_TYPE_H

enum train_type {
  TRAIN_F32,  // binary32: float
  TRAIN_FP16, // binary16, as uint16_t
  TRAIN_BF16, // bfloat16, as uint16_t
  TRAIN_TYPES
};

#endif
