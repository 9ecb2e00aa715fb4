// sim/observe/gdb_packet.h: packets of GDB's remote serial protocol: framing, checksums, hex,
// escapes. (Debugging with GDB, appendix E.) Pure: bytes in, events and packets out.
#ifndef PULPSIM_GDB_PACKET_H
#define PULPSIM_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GDB_PACKET_MOST = 16384 };

enum gdb_input {
  GDB_MORE,      // nothing complete yet
  GDB_PACKET,    // `text` holds a packet, unescaped, with a 0 behind it
  GDB_DAMAGED,   // wrong checksum or too long: ask for it again
  GDB_INTERRUPT, // Ctrl-C
  GDB_ACK,
  GDB_NACK
};

struct gdb_reader {
  enum { GDB_OUTSIDE, GDB_INSIDE, GDB_ESCAPED, GDB_SUM_HIGH, GDB_SUM_LOW } where;
  uint8_t sum, given;
  bool bad;
  size_t length;
  char text[GDB_PACKET_MOST + 1];
};

enum gdb_input gdb_reader_feed(struct gdb_reader *r, uint8_t byte);

// A packet being written: "$", text, "#", checksum.
struct gdb_writer {
  size_t length;
  char text[2 * GDB_PACKET_MOST + 64];
};

void gdb_begin(struct gdb_writer *w);
void gdb_text(struct gdb_writer *w, const char *text);
void gdb_print(struct gdb_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_hex(struct gdb_writer *w, const void *bytes, size_t count);    // two digits a byte
void gdb_word(struct gdb_writer *w, uint32_t value);                    // little endian, 8 digits
void gdb_binary(struct gdb_writer *w, const char *bytes, size_t count); // escaped
void gdb_end(struct gdb_writer *w);

// A hexadecimal number at *p; *p moves behind it. False if there is none or it has more than 32
// bits.
bool gdb_number(const char **p, uint32_t *value);

// Bytes as hex digits; false unless exactly `count` of them stand there.
bool gdb_unhex(const char *text, uint8_t *bytes, size_t count);

#endif
