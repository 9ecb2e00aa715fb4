// deploy/read/onnx.h: reads ONNX files into op graphs, and ONNX's single tensors.
//
// The file is protobuf (deploy/read/onnx.proto); operator sets 1 to 21 of ONNX's own domain, and
// any of others: whether an operator is supported is decided where it is used. What is wrong with
// the file ends in EX_DATAERR, what is only not supported in EX_UNAVAILABLE, a file that cannot be
// read in EX_NOINPUT; the sentence says where.
#ifndef DEPLOY_ONNX_H
#define DEPLOY_ONNX_H

#include "deploy/graph/graph.h"

enum { ONNX_OPSET_MAX = 21 };

// Whether the bytes begin as a ModelProto does: with one of its fields.
bool onnx_is(const void *bytes, size_t size);
// `path`: that of the file, in whose directory external data may be; NULL: it has none.
struct graph *onnx_parse(const void *bytes, size_t size, const char *path, struct net_error *error);
// A TensorProto alone, as conformance tests store inputs and outputs.
bool onnx_parse_tensor(const void *bytes, size_t size, struct array *array,
                       struct net_error *error);

#endif
