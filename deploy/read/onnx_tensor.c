// deploy/read/onnx_tensor.c: see onnx_tensor.h.
//
// Values are either in raw_data, little-endian, or in the list that belongs to the type: 32-bit
// integers for all that have up to 32 bits, 16-bit floats as their bits (onnx.proto, TensorProto).
#include "deploy/read/onnx_tensor.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "deploy/read/onnx.h"
#include "deploy/read/onnx_external.h"

enum { EXTERNAL = 1 }; // TensorProto.DataLocation

static bool fail(struct net_error *error, const Onnx__Tensor *tensor, int status,
                 const char *what) {
  snprintf(error->text, sizeof error->text, "tensor '%.80s': %s", tensor->name ? tensor->name : "",
           what);
  error->status = status;
  return false;
}

static bool set_shape(const Onnx__Tensor *tensor, struct array *array, struct net_error *error) {
  if (tensor->n_dims > ARRAY_RANK)
    return fail(error, tensor, EX_UNAVAILABLE, "more than 8 dimensions");
  *array = (struct array){.rank = (int)tensor->n_dims};
  array->type = tensor->data_type > 0 ? (enum array_type)tensor->data_type : ARRAY_NONE;
  for (size_t i = 0; i < tensor->n_dims; i++)
    array->dims[i] = tensor->dims[i];
  if (!array_shape_ok(array))
    return fail(error, tensor, EX_DATAERR, "a dimension is negative, or the tensor too large");
  if (array->type != ARRAY_STRING && array_type_size(array->type) == 0)
    return fail(error, tensor, EX_UNAVAILABLE,
                "its type is not supported (integers, floats and bool are)");
  return true;
}

struct source {
  size_t count;
  const int32_t *words; // one of these, by the tensor's type
  const int64_t *longs;
  const uint64_t *naturals;
  const float *floats;
  const double *doubles;
};

static struct source source_of(const Onnx__Tensor *t, enum array_type type) {
  switch (type) {
  case ARRAY_F32:
    return (struct source){.count = t->n_float_data, .floats = t->float_data};
  case ARRAY_F64:
    return (struct source){.count = t->n_double_data, .doubles = t->double_data};
  case ARRAY_I64:
    return (struct source){.count = t->n_int64_data, .longs = t->int64_data};
  case ARRAY_U32:
  case ARRAY_U64:
    return (struct source){.count = t->n_uint64_data, .naturals = t->uint64_data};
  default:
    return (struct source){.count = t->n_int32_data, .words = t->int32_data};
  }
}

static void copy_one(struct array *array, size_t i, const struct source *from) {
  if (from->floats)
    array_set(array, i, (double)from->floats[i]);
  else if (from->doubles)
    array_set(array, i, from->doubles[i]);
  else if (from->longs)
    array_set_int(array, i, from->longs[i]);
  else if (from->naturals)
    array_set_int(array, i, (int64_t)from->naturals[i]);
  else if (!from->words)
    return;
  else if (array->type == ARRAY_F16 || array->type == ARRAY_BF16)
    ((uint16_t *)array->data)[i] = (uint16_t)from->words[i];
  else
    array_set_int(array, i, from->words[i]);
}

bool onnx_tensor(const Onnx__Tensor *tensor, const char *model, struct array *array,
                 struct net_error *error) {
  if (!set_shape(tensor, array, error))
    return false;
  if (array->type == ARRAY_STRING)
    return true;
  size_t count = array_count(array);
  if (tensor->data_location == EXTERNAL) {
    array_allocate(array);
    if (onnx_external(tensor, model, array->data, count * array_type_size(array->type), error))
      return true;
    array_clear(array);
    return false;
  }
  struct source from = source_of(tensor, array->type);
  if (tensor->has_raw_data && tensor->raw_data.len == count * array_type_size(array->type)) {
    array->data = memory_copy(tensor->raw_data.data, tensor->raw_data.len, 1);
    return true;
  }
  if (from.count != count || tensor->raw_data.len)
    return fail(error, tensor, EX_DATAERR, "it has not as many values as its shape says");
  array_allocate(array);
  for (size_t i = 0; i < count; i++)
    copy_one(array, i, &from);
  return true;
}

// protobuf-c allocates a structure per message: of two bytes, for an empty one. What is allowed is
// far above what real files need, and stops a small file that wants gigabytes.
static size_t left;

static void *limited(void *data, size_t size) {
  (void)data;
  if (size > left)
    return NULL;
  left -= size;
  return malloc(size);
}

static void release(void *data, void *block) {
  (void)data;
  free(block);
}

ProtobufCAllocator *onnx_allocator(size_t file_size) {
  static ProtobufCAllocator allocator = {limited, release, NULL};
  left = (64u << 20) + 32 * file_size;
  return &allocator;
}

bool onnx_parse_tensor(const void *bytes, size_t size, struct array *array,
                       struct net_error *error) {
  ProtobufCAllocator *allocator = onnx_allocator(size);
  Onnx__Tensor *tensor = onnx__tensor__unpack(allocator, size, bytes);
  if (!tensor) {
    *error = (struct net_error){.text = "not an ONNX tensor", .status = EX_DATAERR};
    return false;
  }
  bool ok = onnx_tensor(tensor, NULL, array, error);
  onnx__tensor__free_unpacked(tensor, allocator);
  return ok;
}
