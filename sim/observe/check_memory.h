// sim/observe/check_memory.h: what is known of each word of memory: who has touched it when, and
// what the DMA has been told to do with it.
#ifndef PULPSIM_CHECK_MEMORY_H
#define PULPSIM_CHECK_MEMORY_H

#include "sim/pulpsim.h"

// Of the DMA's last command about a word: its number, from 1 on (0: none), and which bytes.
struct word_moved {
  uint32_t command;
  uint8_t bytes;
};

// Times are cycles of the accesses, 0: none.
struct word {
  uint64_t written, read;
  uint32_t write_pc, read_pc, data;
  uint8_t writer, reader, write_bytes, read_bytes;
  uint8_t stored, known;           // bytes that were stored to; that somebody has written
  struct word_moved filled, taken; // the DMA writes it, reads it
};

struct check_memory;

struct check_memory *check_memory_new(void); // NULL: out of memory
void check_memory_free(struct check_memory *memory);

struct word *check_memory_word(struct check_memory *memory, uint32_t address);

// The DMA's commands, and the ends of all that there are under an identifier.
void check_memory_command(struct check_memory *memory, const struct pulpsim_dma_command *command);
void check_memory_ended(struct check_memory *memory, unsigned transfer, uint64_t cycle);

struct check_transfer {
  uint64_t given, ended; // UINT64_MAX: not yet
  uint8_t identifier, core;
  bool two_d;
  bool behind_rows; // behind one in two dimensions under the same identifier
};

// The command under way at `cycle` that an access of these bytes is in the way of; NULL: none.
const struct check_transfer *check_memory_race(const struct check_memory *memory,
                                               const struct word *word, uint8_t bytes, bool write,
                                               uint64_t cycle);

#endif
