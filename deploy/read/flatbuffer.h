// deploy/read/flatbuffer.h: FlatBuffers read in place, whatever the file holds.
//
// A buffer is a tree of tables; a table's fields are found through its table of offsets, and may be
// absent (https://flatbuffers.dev/internals: little-endian, offsets from where they stand). Every
// access is checked against the file's size: one beyond it gives 0 and sets `bad`, which the reader
// looks at when it is done.
#ifndef FLATBUFFER_H
#define FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flatbuffer {
  const uint8_t *data;
  size_t size;
  bool bad;
};

// A vector: where its elements begin, and how many there are; all of them lie in the file.
struct flatbuffer_vector {
  size_t at;
  uint32_t count;
};

size_t flatbuffer_root(struct flatbuffer *fb); // of the root table

// Scalar fields of the table at `table`, or `otherwise` if absent.
int32_t flatbuffer_i32(struct flatbuffer *fb, size_t table, int field, int32_t otherwise);
uint8_t flatbuffer_u8(struct flatbuffer *fb, size_t table, int field, uint8_t otherwise);
float flatbuffer_float(struct flatbuffer *fb, size_t table, int field, float otherwise);

// The table that a field refers to; 0: absent.
size_t flatbuffer_table(struct flatbuffer *fb, size_t table, int field);

// The vector that a field refers to, with elements of `size` bytes; empty if absent.
struct flatbuffer_vector flatbuffer_vector(struct flatbuffer *fb, size_t table, int field,
                                           size_t size);

// Elements; i < count.
size_t flatbuffer_item_table(struct flatbuffer *fb, struct flatbuffer_vector vector, uint32_t i);
int32_t flatbuffer_item_i32(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i);
int64_t flatbuffer_item_i64(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i);
float flatbuffer_item_float(const struct flatbuffer *fb, struct flatbuffer_vector v, uint32_t i);

#endif
