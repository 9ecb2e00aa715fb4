// deploy/read/onnx_tensor.h: between the ONNX reader's files: a TensorProto as an array.
#ifndef DEPLOY_ONNX_TENSOR_H
#define DEPLOY_ONNX_TENSOR_H

#include "deploy/graph/array.h"
#include "deploy/net/net.h"
#include "onnx.pb-c.h"

// Copies type, shape and values, those in a file beside the model (its path; NULL: none) too. A
// tensor of strings becomes an array without data.
bool onnx_tensor(const Onnx__Tensor *tensor, const char *model, struct array *array,
                 struct net_error *error);

// Parsing with a bound on what a small file can make it allocate.
ProtobufCAllocator *onnx_allocator(size_t file_size);

#endif
