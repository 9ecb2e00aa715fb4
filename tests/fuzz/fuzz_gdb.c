// tests/fuzz/fuzz_gdb.c: any bytes from a debugger: framing, commands, registers, monitor, reverse.
#include <stdlib.h>
#include <string.h>

#include "sim/observe/gdb.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_machine.h"

enum { RESETS = 256 }; // then a new machine: it keeps all code that it ever saw

static struct pulpsim *machine;
static struct pulpsim_snapshot *fresh;
static struct gdb *server;
static bool changed; // the machine is not as it was
static unsigned resets;

static void discard(void) {
  if (server)
    gdb_release(server);
  free(server);
  pulpsim_snapshot_free(fresh);
  pulpsim_free(machine);
  server = NULL;
  fresh = NULL;
  machine = NULL;
  resets = 0;
}

static bool prepare(void) {
  if (resets > RESETS)
    discard();
  if (server && changed) {
    resets++;
    changed = false;
    pulpsim_restore(machine, fresh);
  }
  if (server) {
    gdb_reset(server);
    return true;
  }
  machine = tiny_machine(PULPSIM_FAST);
  server = machine ? calloc(1, sizeof *server) : NULL;
  if (!server)
    return false;
  gdb_init(server, machine);
  server->slice = 16;
  fresh = pulpsim_save(machine);
  return fresh != NULL;
}

// Whether a command may change the machine.
static bool changes(const char *text) {
  return strchr("cCsSGPMXbv", text[0]) || strncmp(text, "qR", 2) == 0;
}

// A packet as it comes, without frame: what is behind the checksum.
static void command(const uint8_t *data, size_t size) {
  static char text[GDB_PACKET_MOST + 1];
  if (size == 0 || size > GDB_PACKET_MOST)
    return;
  memcpy(text, data, size);
  text[size] = '\0';
  changed |= changes(text);
  gdb_handle(server, text, size);
  if (server->writer.length < 4 || server->writer.text[0] != '$')
    abort(); // every answer is a packet
}

// Lines are commands; a line that begins with 0x01 goes through the framing instead.
int fuzz_gdb(const uint8_t *data, size_t size) {
  if (!prepare())
    return 0;
  while (size > 0) {
    const uint8_t *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    if (length && data[0] == 1) {
      for (size_t i = 1; i < length; i++)
        if (gdb_reader_feed(&server->reader, data[i]) == GDB_PACKET && server->reader.length)
          command((const uint8_t *)server->reader.text, server->reader.length);
    } else {
      command(data, length);
    }
    size_t used = end ? length + 1 : length;
    data += used;
    size -= used;
  }
  return 0;
}
