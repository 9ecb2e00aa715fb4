// deploy/read/flatbuffer.c
#include "flatbuffer.h"

#include <string.h>

static uint64_t number(struct flatbuffer *fb, size_t at, size_t size) {
  uint64_t value = 0;
  if (at > fb->size || fb->size - at < size) {
    fb->bad = true;
    return 0;
  }
  for (size_t i = 0; i < size; i++)
    value |= (uint64_t)fb->data[at + i] << 8 * i;
  return value;
}

// An offset counts from where it stands; 0 refers to nothing.
static size_t follow(struct flatbuffer *fb, size_t at) {
  size_t offset = number(fb, at, 4);
  if (!offset || offset >= fb->size - at) {
    fb->bad = true;
    return 0;
  }
  return at + offset;
}

size_t flatbuffer_root(struct flatbuffer *fb) {
  return follow(fb, 0);
}

// Where a field stands; 0: absent.
static size_t field_at(struct flatbuffer *fb, size_t table, int field) {
  if (!table)
    return 0;
  int64_t offsets = (int64_t)table - (int32_t)(uint32_t)number(fb, table, 4);
  if (offsets < 0 || (size_t)offsets >= fb->size) {
    fb->bad = true;
    return 0;
  }
  size_t entry = 4 + 2 * (size_t)field;
  if (entry + 2 > number(fb, (size_t)offsets, 2))
    return 0;
  size_t offset = number(fb, (size_t)offsets + entry, 2);
  return offset ? table + offset : 0;
}

int32_t flatbuffer_i32(struct flatbuffer *fb, size_t table, int field, int32_t otherwise) {
  size_t at = field_at(fb, table, field);
  return at ? (int32_t)(uint32_t)number(fb, at, 4) : otherwise;
}

uint8_t flatbuffer_u8(struct flatbuffer *fb, size_t table, int field, uint8_t otherwise) {
  size_t at = field_at(fb, table, field);
  return at ? (uint8_t)number(fb, at, 1) : otherwise;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float flatbuffer_float(struct flatbuffer *fb, size_t table, int field, float otherwise) {
  size_t at = field_at(fb, table, field);
  return at ? float_of((uint32_t)number(fb, at, 4)) : otherwise;
}

size_t flatbuffer_table(struct flatbuffer *fb, size_t table, int field) {
  size_t at = field_at(fb, table, field);
  return at ? follow(fb, at) : 0;
}

struct flatbuffer_vector flatbuffer_vector(struct flatbuffer *fb, size_t table, int field,
                                           size_t size) {
  size_t at = flatbuffer_table(fb, table, field);
  if (!at)
    return (struct flatbuffer_vector){0, 0};
  uint64_t count = number(fb, at, 4);
  if (count * size > fb->size - at - 4 || fb->bad) {
    fb->bad = true;
    return (struct flatbuffer_vector){0, 0};
  }
  return (struct flatbuffer_vector){at + 4, (uint32_t)count};
}

size_t flatbuffer_item_table(struct flatbuffer *fb, struct flatbuffer_vector vector, uint32_t i) {
  return follow(fb, vector.at + 4 * (size_t)i);
}

static uint64_t item(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i,
                     size_t size) {
  struct flatbuffer inside = *fb; // a vector's elements lie in the file
  return number(&inside, v.at + size * i, size);
}

int32_t flatbuffer_item_i32(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i) {
  return (int32_t)(uint32_t)item(fb, v, i, 4);
}

int64_t flatbuffer_item_i64(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i) {
  return (int64_t)item(fb, v, i, 8);
}

float flatbuffer_item_float(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i) {
  return float_of((uint32_t)item(fb, v, i, 4));
}
