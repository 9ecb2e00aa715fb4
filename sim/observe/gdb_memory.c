// Memory, as the debugger reads and writes it.
#include <string.h>

#include "observe/gdb_commands.h"

void gdb_read_memory(struct gdb *g, const char *p) {
  uint32_t address, count;
  uint8_t byte;
  if (!gdb_number(&p, &address) || *p++ != ',' || !gdb_number(&p, &count) || *p ||
      !pulpsim_read(g->sim, address, &byte, 1)) {
    gdb_text(&g->writer, "E01");
    return;
  }
  for (uint32_t i = 0; i < count && i < GDB_PACKET_MOST / 2; i++)
    if (pulpsim_read(g->sim, address + i, &byte, 1))
      gdb_hex(&g->writer, &byte, 1);
    else
      break;
}

// Whether these are other bytes, and more than a patch of an instruction.
static bool replaces(const struct gdb *g, uint32_t address, const uint8_t *bytes, uint32_t count) {
  static uint8_t before[GDB_PACKET_MOST];
  return count > 4 && pulpsim_symbol_at(g->sim, address, NULL) &&
         pulpsim_read(g->sim, address, before, count) && memcmp(before, bytes, count) != 0;
}

void gdb_write_memory(struct gdb *g, const char *p, const char *end, bool binary) {
  uint32_t address, count;
  static uint8_t bytes[GDB_PACKET_MOST];
  bool good = gdb_number(&p, &address) && *p++ == ',' && gdb_number(&p, &count) && *p++ == ':' &&
              count <= sizeof bytes;
  if (good && binary && (size_t)(end - p) == count)
    memcpy(bytes, p, count);
  else if (good)
    good = !binary && gdb_unhex(p, bytes, count);
  if (good && replaces(g, address, bytes, count))
    g->replaced = true;
  if (good && count && !pulpsim_write(g->sim, address, bytes, count))
    good = false;
  if (good && count)
    history_forget(&g->history);
  gdb_text(&g->writer, good ? "OK" : "E01");
}
