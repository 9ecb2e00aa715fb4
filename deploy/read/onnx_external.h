// deploy/read/onnx_external.h: tensors whose values are in a file beside the model.
//
// Source: ONNX, "External Data" (https://onnx.ai/onnx/repo-docs/ExternalData.html): keys location
// (a path from the model's directory on), offset and length, numbers as text. Exporters write it
// above 2 GiB, PyTorch's newer one always.
#ifndef DEPLOY_ONNX_EXTERNAL_H
#define DEPLOY_ONNX_EXTERNAL_H

#include "deploy/net/net.h"
#include "onnx.pb-c.h"

// Reads the `size` bytes that the tensor must have into `data`. Only files within the model's
// directory are read; `model` is its path, NULL for one that has none. False with the sentence.
bool onnx_external(const Onnx__Tensor *tensor, const char *model, void *data, size_t size,
                   struct net_error *error);

#endif
