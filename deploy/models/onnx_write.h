// deploy/models/onnx_write.h: writes an ONNX model: what a chain of float layers needs.
//
// A model is a Protocol Buffers message; names and numbers of the fields are those of onnx.proto
// (ONNX 1.12), the encoding is that of protobuf.dev/programming-guides/encoding.
#ifndef ONNX_WRITE_H
#define ONNX_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A message that grows. Begin with {0}; `failed` says that memory ran out, once and for all.
struct onnx_message {
  uint8_t *bytes;
  size_t size, room;
  bool failed;
};

// An attribute of a node: one float, one integer, or `count` integers.
struct onnx_attribute {
  const char *name;
  enum { ONNX_FLOAT = 1, ONNX_INT = 2, ONNX_INTS = 7 } type;
  float f;
  uint32_t count;
  int64_t i[4];
};

// Add to a graph. Lists of names end with NULL.
void onnx_add_node(struct onnx_message *graph, const char *operator, const char * const * inputs,
                   const char *output, const struct onnx_attribute *attributes, uint32_t count);
void onnx_add_floats(struct onnx_message *graph, const char *name, const float *data,
                     const uint32_t *dims, uint32_t rank);
enum onnx_end { ONNX_INPUT = 11, ONNX_OUTPUT = 12 };
void onnx_add_end(struct onnx_message *graph, enum onnx_end which, const char *name,
                  const uint32_t *dims, uint32_t rank);

// Writes the model of this graph; false if that cannot be done (errno). The graph is used up.
bool onnx_write(const char *path, struct onnx_message *graph, const char *name, uint32_t opset);

#endif
