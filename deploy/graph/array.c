// deploy/graph/array.c: see array.h.
#include "deploy/graph/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/graph/half.h"
#include "deploy/memory.h"

static const struct type {
  const char *name;
  uint8_t size;
  bool is_float, is_signed;
} types[] = {
    [ARRAY_NONE] = {"unknown", 0, false, false},  [ARRAY_F32] = {"float32", 4, true, true},
    [ARRAY_U8] = {"uint8", 1, false, false},      [ARRAY_I8] = {"int8", 1, false, true},
    [ARRAY_U16] = {"uint16", 2, false, false},    [ARRAY_I16] = {"int16", 2, false, true},
    [ARRAY_I32] = {"int32", 4, false, true},      [ARRAY_I64] = {"int64", 8, false, true},
    [ARRAY_STRING] = {"string", 0, false, false}, [ARRAY_BOOL] = {"bool", 1, false, false},
    [ARRAY_F16] = {"float16", 2, true, true},     [ARRAY_F64] = {"float64", 8, true, true},
    [ARRAY_U32] = {"uint32", 4, false, false},    [ARRAY_U64] = {"uint64", 8, false, false},
    [ARRAY_BF16] = {"bfloat16", 2, true, true},
};

static const struct type *type_of(enum array_type type) {
  bool known = (size_t)type < sizeof types / sizeof *types && types[type].name;
  return &types[known ? type : ARRAY_NONE];
}

const char *array_type_name(enum array_type type) {
  return type_of(type)->name;
}
size_t array_type_size(enum array_type type) {
  return type_of(type)->size;
}
bool array_type_is_float(enum array_type type) {
  return type_of(type)->is_float;
}
bool array_type_is_signed(enum array_type type) {
  return type_of(type)->is_signed;
}

bool array_shape_ok(const struct array *array) {
  if (array->rank < 0 || array->rank > ARRAY_RANK)
    return false;
  int64_t count = 1;
  for (int i = 0; i < array->rank; i++) {
    if (array->dims[i] < 0 || array->dims[i] > ARRAY_ELEMENTS)
      return false;
    if (array->dims[i] && count > ARRAY_ELEMENTS / array->dims[i])
      return false;
    count *= array->dims[i] ? array->dims[i] : 1;
  }
  return true;
}

size_t array_count(const struct array *array) {
  size_t count = 1;
  for (int i = 0; i < array->rank; i++)
    count *= (size_t)array->dims[i];
  return count;
}

bool array_same_shape(const struct array *a, const struct array *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

void array_set_shape(struct array *array, enum array_type type, int rank, const int64_t *dims) {
  array->type = type;
  array->rank = rank;
  for (int i = 0; i < rank && i < ARRAY_RANK; i++)
    array->dims[i] = dims[i];
}

const char *array_shape_text(const struct array *array, char text[ARRAY_SHAPE_TEXT]) {
  size_t used = 0;
  snprintf(text, ARRAY_SHAPE_TEXT, "scalar");
  for (int i = 0; i < array->rank; i++)
    used += (size_t)snprintf(text + used, ARRAY_SHAPE_TEXT - used, "%s%lld", i ? "x" : "",
                             (long long)array->dims[i]);
  return text;
}

void array_allocate(struct array *array) {
  free(array->data);
  array->data = memory_new(array_count(array), array_type_size(array->type));
}

void array_copy(struct array *to, const struct array *from) {
  *to = *from;
  if (from->data)
    to->data = memory_copy(from->data, array_count(from), array_type_size(from->type));
}

void array_clear(struct array *array) {
  free(array->data);
  array->data = NULL;
}

double array_get(const struct array *array, size_t i) {
  switch (array->type) {
  case ARRAY_F32:
    return (double)((const float *)array->data)[i];
  case ARRAY_F64:
    return ((const double *)array->data)[i];
  case ARRAY_F16:
    return half_to_double(((const uint16_t *)array->data)[i]);
  case ARRAY_BF16:
    return bfloat_to_double(((const uint16_t *)array->data)[i]);
  case ARRAY_U64:
    return (double)((const uint64_t *)array->data)[i];
  default:
    return (double)array_get_int(array, i);
  }
}

static int64_t saturated(double value) {
  if (isnan(value))
    return 0;
  if (value >= 0x1p63)
    return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

int64_t array_get_int(const struct array *array, size_t i) {
  switch (array->type) {
  case ARRAY_U8:
  case ARRAY_BOOL:
    return ((const uint8_t *)array->data)[i];
  case ARRAY_I8:
    return ((const int8_t *)array->data)[i];
  case ARRAY_U16:
    return ((const uint16_t *)array->data)[i];
  case ARRAY_I16:
    return ((const int16_t *)array->data)[i];
  case ARRAY_I32:
    return ((const int32_t *)array->data)[i];
  case ARRAY_U32:
    return ((const uint32_t *)array->data)[i];
  case ARRAY_I64:
  case ARRAY_U64:
    return ((const int64_t *)array->data)[i];
  case ARRAY_F32:
  case ARRAY_F64:
  case ARRAY_F16:
  case ARRAY_BF16:
    return saturated(array_get(array, i));
  default:
    return 0;
  }
}

void array_set(struct array *array, size_t i, double value) {
  switch (array->type) {
  case ARRAY_F32:
    ((float *)array->data)[i] = (float)value;
    break;
  case ARRAY_F64:
    ((double *)array->data)[i] = value;
    break;
  case ARRAY_F16:
    ((uint16_t *)array->data)[i] = half_from_double(value);
    break;
  case ARRAY_BF16:
    ((uint16_t *)array->data)[i] = bfloat_from_double(value);
    break;
  case ARRAY_BOOL:
    ((uint8_t *)array->data)[i] = value != 0;
    break;
  case ARRAY_U64:
    ((uint64_t *)array->data)[i] = value >= 0x1p63    ? (uint64_t)(value - 0x1p63) + (1ull << 63)
                                   : value <= -0x1p63 ? 0
                                                      : (uint64_t)saturated(value);
    break;
  default:
    array_set_int(array, i, saturated(value));
  }
}

void array_set_int(struct array *array, size_t i, int64_t value) {
  switch (array->type) {
  case ARRAY_U8:
  case ARRAY_I8:
    ((uint8_t *)array->data)[i] = (uint8_t)value;
    break;
  case ARRAY_BOOL:
    ((uint8_t *)array->data)[i] = value != 0;
    break;
  case ARRAY_U16:
  case ARRAY_I16:
    ((uint16_t *)array->data)[i] = (uint16_t)value;
    break;
  case ARRAY_I32:
  case ARRAY_U32:
    ((uint32_t *)array->data)[i] = (uint32_t)value;
    break;
  case ARRAY_I64:
  case ARRAY_U64:
    ((int64_t *)array->data)[i] = value;
    break;
  case ARRAY_F32:
  case ARRAY_F64:
  case ARRAY_F16:
  case ARRAY_BF16:
    array_set(array, i, (double)value);
    break;
  default:
    break;
  }
}
