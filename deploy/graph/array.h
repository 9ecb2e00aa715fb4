// deploy/graph/array.h: an N-dimensional array of numbers, as a file's tensors are.
//
// Row-major, the last dimension varies fastest. A rank of 0 is a scalar of one element. Types have
// the numbers of ONNX's TensorProto.DataType.
#ifndef DEPLOY_ARRAY_H
#define DEPLOY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum array_type {
  ARRAY_NONE = 0,
  ARRAY_F32 = 1,
  ARRAY_U8 = 2,
  ARRAY_I8 = 3,
  ARRAY_U16 = 4,
  ARRAY_I16 = 5,
  ARRAY_I32 = 6,
  ARRAY_I64 = 7,
  ARRAY_STRING = 8, // known by name, never stored
  ARRAY_BOOL = 9,
  ARRAY_F16 = 10,
  ARRAY_F64 = 11,
  ARRAY_U32 = 12,
  ARRAY_U64 = 13,
  ARRAY_BF16 = 16,
};

enum {
  ARRAY_RANK = 8,           // dimensions at most
  ARRAY_ELEMENTS = 1 << 28, // elements at most: what is larger is a mistake or an attack
  ARRAY_SHAPE_TEXT = 24 * ARRAY_RANK,
};

struct array {
  enum array_type type; // ARRAY_NONE: not known
  int rank;
  int64_t dims[ARRAY_RANK];
  void *data; // NULL: type and shape are known, values are not; else owned
};

const char *array_type_name(enum array_type type);
size_t array_type_size(enum array_type type); // 0: a type that cannot be stored
bool array_type_is_float(enum array_type type);
bool array_type_is_signed(enum array_type type);

bool array_shape_ok(const struct array *array); // dims >= 0, no more than ARRAY_ELEMENTS
size_t array_count(const struct array *array);  // elements; 1 for a scalar
bool array_same_shape(const struct array *a, const struct array *b);
void array_set_shape(struct array *array, enum array_type type, int rank, const int64_t *dims);
// "1x3x32x32", or "scalar"; returns `text`.
const char *array_shape_text(const struct array *array, char text[ARRAY_SHAPE_TEXT]);

void array_allocate(struct array *array); // zeroed data for the shape, which must be ok
void array_copy(struct array *to, const struct array *from); // with the data; `to` is overwritten
void array_clear(struct array *array);                       // frees the data, keeps type and shape

// One element, converted. Integers are exact; floats become integers by truncation, saturating.
double array_get(const struct array *array, size_t i);
int64_t array_get_int(const struct array *array, size_t i);
// Integers are cut to the type's bits, floats rounded to nearest.
void array_set(struct array *array, size_t i, double value);
void array_set_int(struct array *array, size_t i, int64_t value);

#endif
