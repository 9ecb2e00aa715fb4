#include "observe/check_memory.h"

#include <stdlib.h>

#include "engine/out_of_memory.h"

// The last commands are kept: a ring. Those before are taken to have ended.
enum { PAGE_WORDS = 1024, PAGES = 1 << 20, COMMANDS = 4096, IDENTIFIERS = 16 };

struct check_memory {
  struct word *page[PAGES];
  uint32_t commands;
  uint32_t first[IDENTIFIERS]; // number of the first that has not ended; 0: none
  struct check_transfer transfer[COMMANDS];
};

struct check_memory *check_memory_new(void) {
  return calloc(1, sizeof(struct check_memory));
}

void check_memory_free(struct check_memory *memory) {
  if (!memory)
    return;
  for (size_t i = 0; i < PAGES; i++)
    free(memory->page[i]);
  free(memory);
}

struct word *check_memory_word(struct check_memory *memory, uint32_t address) {
  struct word **page = &memory->page[address >> 12];
  if (!*page)
    *page = must_have(calloc(PAGE_WORDS, sizeof **page));
  return &(*page)[address >> 2 & (PAGE_WORDS - 1)];
}

// ---- commands

// Number `command` counts from 1; NULL: long ago.
static const struct check_transfer *transfer_of(const struct check_memory *memory,
                                                uint32_t command) {
  bool kept = command != 0 && memory->commands - command < COMMANDS;
  return kept ? &memory->transfer[(command - 1) % COMMANDS] : NULL;
}

static bool runs(const struct check_memory *memory, const struct word_moved *m, uint8_t bytes,
                 uint64_t cycle) {
  const struct check_transfer *t = transfer_of(memory, m->command);
  return t && (m->bytes & bytes) && t->given < cycle && cycle < t->ended;
}

const struct check_transfer *check_memory_race(const struct check_memory *memory,
                                               const struct word *word, uint8_t bytes, bool write,
                                               uint64_t cycle) {
  if (runs(memory, &word->filled, bytes, cycle))
    return transfer_of(memory, word->filled.command);
  if (write && runs(memory, &word->taken, bytes, cycle))
    return transfer_of(memory, word->taken.command);
  return NULL;
}

static void note_bytes(struct check_memory *memory, uint32_t address, uint32_t bytes, bool fill) {
  for (uint32_t at = address, end = address + bytes; at != end;) {
    uint32_t offset = at & 3, count = 4 - offset < end - at ? 4 - offset : end - at;
    uint8_t mask = (uint8_t)(((1u << count) - 1) << offset);
    struct word *w = check_memory_word(memory, at);
    *(fill ? &w->filled : &w->taken) = (struct word_moved){memory->commands, mask};
    if (fill)
      w->known |= mask;
    at += count;
  }
}

static void note_side(struct check_memory *memory, const struct pulpsim_dma_side *side,
                      uint32_t bytes, bool fill) {
  uint32_t address = side->address, row = side->row ? side->row : 1;
  for (; bytes > row; bytes -= row, address += side->stride)
    note_bytes(memory, address, row, fill);
  note_bytes(memory, address, bytes, fill);
}

static bool is_behind_rows(const struct check_memory *memory,
                           const struct pulpsim_dma_command *command) {
  uint32_t first = memory->first[command->transfer];
  for (uint32_t i = first; i && i <= memory->commands; i++) {
    const struct check_transfer *t = transfer_of(memory, i);
    if (t && t->identifier == command->transfer && t->two_d)
      return true;
  }
  return false;
}

void check_memory_command(struct check_memory *memory, const struct pulpsim_dma_command *command) {
  const struct check_transfer t = {.given = command->cycle,
                                   .ended = UINT64_MAX,
                                   .identifier = (uint8_t)command->transfer,
                                   .core = (uint8_t)command->core,
                                   .two_d = command->two_d,
                                   .behind_rows = is_behind_rows(memory, command)};
  memory->transfer[memory->commands++ % COMMANDS] = t;
  if (!memory->first[t.identifier])
    memory->first[t.identifier] = memory->commands;
  note_side(memory, &command->l1, command->bytes, command->to_l1);
  if (!command->fixed)
    note_side(memory, &command->ext, command->bytes, !command->to_l1);
}

void check_memory_ended(struct check_memory *memory, unsigned transfer, uint64_t cycle) {
  for (uint32_t i = memory->first[transfer]; i && i <= memory->commands; i++) {
    struct check_transfer *t = &memory->transfer[(i - 1) % COMMANDS];
    if (transfer_of(memory, i) && t->identifier == transfer)
      t->ended = cycle;
  }
  memory->first[transfer] = 0;
}
