#include "observe/gdb_packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

static enum gdb_input outside(struct gdb_reader *r, uint8_t byte) {
  switch (byte) {
  case '$':
    r->where = GDB_INSIDE;
    r->length = 0;
    r->sum = 0;
    r->bad = false;
    return GDB_MORE;
  case 3:
    return GDB_INTERRUPT;
  case '+':
    return GDB_ACK;
  case '-':
    return GDB_NACK;
  default:
    return GDB_MORE;
  }
}

static void take(struct gdb_reader *r, uint8_t byte) {
  if (r->length < GDB_PACKET_MOST)
    r->text[r->length++] = (char)byte;
  else
    r->bad = true;
}

static enum gdb_input inside(struct gdb_reader *r, uint8_t byte) {
  if (r->where == GDB_INSIDE && byte == '#') {
    r->where = GDB_SUM_HIGH;
    return GDB_MORE;
  }
  if (byte == '$' && r->where == GDB_INSIDE) // the one before was cut off
    return outside(r, byte);
  r->sum = (uint8_t)(r->sum + byte);
  if (r->where == GDB_ESCAPED) {
    r->where = GDB_INSIDE;
    take(r, byte ^ 0x20);
  } else if (byte == '}') {
    r->where = GDB_ESCAPED;
  } else {
    take(r, byte);
  }
  return GDB_MORE;
}

static enum gdb_input checksum(struct gdb_reader *r, uint8_t byte) {
  int value = digit((char)byte);
  r->bad |= value < 0;
  if (r->where == GDB_SUM_HIGH) {
    r->given = (uint8_t)((unsigned)value << 4);
    r->where = GDB_SUM_LOW;
    return GDB_MORE;
  }
  r->given = (uint8_t)(r->given | (value & 15));
  r->where = GDB_OUTSIDE;
  r->text[r->length] = '\0';
  return r->bad || r->given != r->sum ? GDB_DAMAGED : GDB_PACKET;
}

enum gdb_input gdb_reader_feed(struct gdb_reader *r, uint8_t byte) {
  switch (r->where) {
  case GDB_INSIDE:
  case GDB_ESCAPED:
    return inside(r, byte);
  case GDB_SUM_HIGH:
  case GDB_SUM_LOW:
    return checksum(r, byte);
  default:
    return outside(r, byte);
  }
}

// ---- writing

static const char hex[] = "0123456789abcdef";

static void put(struct gdb_writer *w, char c) {
  if (w->length < sizeof w->text - 4) // room for the checksum
    w->text[w->length++] = c;
}

void gdb_begin(struct gdb_writer *w) {
  w->length = 0;
  put(w, '$');
}

void gdb_text(struct gdb_writer *w, const char *text) {
  while (*text)
    put(w, *text++);
}

void gdb_print(struct gdb_writer *w, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  gdb_text(w, text);
}

void gdb_hex(struct gdb_writer *w, const void *bytes, size_t count) {
  const uint8_t *p = bytes;
  for (size_t i = 0; i < count; i++) {
    put(w, hex[p[i] >> 4]);
    put(w, hex[p[i] & 15]);
  }
}

void gdb_word(struct gdb_writer *w, uint32_t value) {
  uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                     (uint8_t)(value >> 24)};
  gdb_hex(w, bytes, sizeof bytes);
}

void gdb_binary(struct gdb_writer *w, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool escape = bytes[i] && strchr("#$}*", bytes[i]);
    if (escape)
      put(w, '}');
    put(w, escape ? (char)(bytes[i] ^ 0x20) : bytes[i]);
  }
}

void gdb_end(struct gdb_writer *w) {
  uint8_t sum = 0;
  for (size_t i = 1; i < w->length; i++)
    sum = (uint8_t)(sum + (uint8_t)w->text[i]);
  w->text[w->length++] = '#';
  w->text[w->length++] = hex[sum >> 4];
  w->text[w->length++] = hex[sum & 15];
}

// ---- reading what is in a packet

bool gdb_number(const char **p, uint32_t *value) {
  uint64_t n = 0;
  const char *start = *p;
  for (; digit(**p) >= 0; ++*p) {
    n = n << 4 | (unsigned)digit(**p);
    if (n > UINT32_MAX)
      return false;
  }
  *value = (uint32_t)n;
  return *p != start;
}

bool gdb_unhex(const char *text, uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int high = digit(text[0]);
    int low = high < 0 ? -1 : digit(text[1]);
    if (low < 0)
      return false;
    bytes[i] = (uint8_t)(high << 4 | low);
    text += 2;
  }
  return *text == '\0';
}
