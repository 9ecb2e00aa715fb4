// tests/fuzz/fuzz_packet.c: any bytes from a debugger's connection: frames, escapes, checksums, and
// the numbers and bytes in packets. What is written can be read back.
#include <stdlib.h>
#include <string.h>

#include "sim/observe/gdb_packet.h"
#include "tests/fuzz/fuzz.h"

enum { BYTES_MOST = 256 };

// A packet with these bytes as its text is read as the same ones.
static void check_round_trip(const char *bytes, size_t size) {
  static struct gdb_writer writer;
  static struct gdb_reader reader;
  if (size > BYTES_MOST)
    return;
  gdb_begin(&writer);
  gdb_binary(&writer, bytes, size);
  gdb_end(&writer);
  reader.where = GDB_OUTSIDE;
  enum gdb_input last = GDB_MORE;
  for (size_t i = 0; i < writer.length; i++) {
    if (last != GDB_MORE)
      abort(); // complete before its end
    last = gdb_reader_feed(&reader, (uint8_t)writer.text[i]);
  }
  if (last != GDB_PACKET || reader.length != size || memcmp(reader.text, bytes, size) != 0)
    abort();
}

// "ADDRESS,COUNT:HEX", the form that most commands have.
static void read_parts(const char *text) {
  static uint8_t bytes[BYTES_MOST];
  static struct gdb_writer writer;
  uint32_t number;
  const char *start = text;
  while (gdb_number(&text, &number) && text != start && (*text == ',' || *text == ':'))
    start = ++text;
  size_t count = strlen(text) / 2;
  if (count > BYTES_MOST || !gdb_unhex(text, bytes, count))
    return;
  gdb_begin(&writer);
  gdb_hex(&writer, bytes, count);
  for (size_t i = 0; i < 2 * count; i++)
    if ((writer.text[1 + i] | 0x20) != (text[i] | 0x20))
      abort();
}

int fuzz_packet(const uint8_t *data, size_t size) {
  static struct gdb_reader reader;
  reader.where = GDB_OUTSIDE;
  for (size_t i = 0; i < size; i++) {
    if (gdb_reader_feed(&reader, data[i]) != GDB_PACKET)
      continue;
    if (reader.length > size || strlen(reader.text) > reader.length)
      abort();
    check_round_trip(reader.text, reader.length);
    read_parts(reader.text);
  }
  check_round_trip((const char *)data, size);
  char text[BYTES_MOST + 1];
  size_t length = size < BYTES_MOST ? size : BYTES_MOST;
  if (length)
    memcpy(text, data, length);
  text[length] = '\0';
  read_parts(text);
  return 0;
}
