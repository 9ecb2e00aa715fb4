// deploy/models/onnx_write.c
#include "onnx_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Protocol Buffers

enum wire { VARINT = 0, BYTES = 2, FIXED32 = 5 };

static void append(struct onnx_message *m, const void *bytes, size_t size) {
  if (m->size + size > m->room && !m->failed) {
    size_t room = (m->size + size) * 2;
    uint8_t *more = realloc(m->bytes, room);
    if (more) {
      m->bytes = more;
      m->room = room;
    } else {
      m->failed = true;
    }
  }
  if (m->failed || size == 0)
    return;
  memcpy(m->bytes + m->size, bytes, size);
  m->size += size;
}

static void varint(struct onnx_message *m, uint64_t value) {
  for (; value > 127; value >>= 7)
    append(m, &(uint8_t){(uint8_t)(value | 128)}, 1);
  append(m, &(uint8_t){(uint8_t)value}, 1);
}

static void integer(struct onnx_message *m, uint32_t field, int64_t value) {
  varint(m, field << 3 | VARINT);
  varint(m, (uint64_t)value);
}

static void bytes(struct onnx_message *m, uint32_t field, const void *data, size_t size) {
  varint(m, field << 3 | BYTES);
  varint(m, size);
  append(m, data, size);
}

static void text(struct onnx_message *m, uint32_t field, const char *value) {
  bytes(m, field, value, strlen(value));
}

// The bytes of a float, the lowest first.
static void number(struct onnx_message *m, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  append(m,
         (const uint8_t[4]){(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                            (uint8_t)(bits >> 24)},
         4);
}

// A message within a message; the inner one is used up.
static void inside(struct onnx_message *m, uint32_t field, struct onnx_message *inner) {
  m->failed = m->failed || inner->failed;
  if (!m->failed)
    bytes(m, field, inner->bytes, inner->size);
  free(inner->bytes);
  *inner = (struct onnx_message){0};
}

// ---- ONNX: the numbers are those of the fields

static void add_attribute(struct onnx_message *node, const struct onnx_attribute *a) {
  struct onnx_message m = {0};
  text(&m, 1, a->name);
  if (a->type == ONNX_FLOAT) {
    varint(&m, 2 << 3 | FIXED32);
    number(&m, a->f);
  } else if (a->type == ONNX_INT) {
    integer(&m, 3, a->i[0]);
  } else {
    for (uint32_t i = 0; i < a->count; i++)
      integer(&m, 8, a->i[i]);
  }
  integer(&m, 20, (int64_t)a->type);
  inside(node, 5, &m);
}

void onnx_add_node(struct onnx_message *graph, const char *operator, const char * const * inputs,
                   const char *output, const struct onnx_attribute *attributes, uint32_t count) {
  struct onnx_message m = {0};
  for (; *inputs; inputs++)
    text(&m, 1, *inputs);
  text(&m, 2, output);
  text(&m, 3, output); // the node's name: that of its output
  text(&m, 4, operator);
  for (uint32_t i = 0; i < count; i++)
    add_attribute(&m, &attributes[i]);
  inside(graph, 1, &m);
}

void onnx_add_floats(struct onnx_message *graph, const char *name, const float *data,
                     const uint32_t *dims, uint32_t rank) {
  struct onnx_message m = {0}, raw = {0};
  uint32_t count = 1;
  for (uint32_t i = 0; i < rank; count *= dims[i++])
    integer(&m, 1, dims[i]);
  integer(&m, 2, 1); // float
  text(&m, 8, name);
  for (uint32_t i = 0; i < count; i++)
    number(&raw, data[i]);
  inside(&m, 9, &raw);
  inside(graph, 5, &m);
}

void onnx_add_end(struct onnx_message *graph, enum onnx_end which, const char *name,
                  const uint32_t *dims, uint32_t rank) {
  struct onnx_message info = {0}, type = {0}, tensor = {0}, shape = {0};
  for (uint32_t i = 0; i < rank; i++) {
    struct onnx_message dim = {0};
    integer(&dim, 1, dims[i]);
    inside(&shape, 1, &dim);
  }
  integer(&tensor, 1, 1); // float
  inside(&tensor, 2, &shape);
  inside(&type, 1, &tensor);
  text(&info, 1, name);
  inside(&info, 2, &type);
  inside(graph, which, &info);
}

bool onnx_write(const char *path, struct onnx_message *graph, const char *name, uint32_t opset) {
  struct onnx_message model = {0}, set = {0};
  integer(&model, 1, 7); // version of the format: of ONNX 1.7 and later
  text(&model, 2, "pulpsim");
  text(graph, 2, name);
  inside(&model, 7, graph);
  text(&set, 1, "");
  integer(&set, 2, opset);
  inside(&model, 8, &set);
  bool good = !model.failed;
  errno = good ? 0 : ENOMEM;
  FILE *file = good ? fopen(path, "wb") : NULL;
  good = file && fwrite(model.bytes, 1, model.size, file) == model.size;
  good = file && fclose(file) == 0 && good;
  free(model.bytes);
  return good;
}
