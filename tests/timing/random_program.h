// tests/timing/random_program.h: programs by chance, from a seed.
//
// A program is a memory image from address 0: a trap handler that skips what trapped, set-up code
// that gives every register a value, the random part, and an exit through the test device at
// 0x80000000. The random part has all enabled instructions, drawn from the rows, with loads,
// stores and jumps that mostly go somewhere sensible, hardware loops of all shapes, legal or not,
// compressed and crossing instructions. It may run for ever; whoever runs it sets a limit.
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include "isa/isa.h"

enum {
  RANDOM_PROGRAM_SIZE = 0x4000,
  RANDOM_PROGRAM_ENTRY = 0x80,
  RANDOM_PROGRAM_DATA = 0x2000, // 8 KiB of data in the image
};

// What the random part is made of.
enum random_flavour {
  RANDOM_MIXED, // everything
  RANDOM_PLAIN, // well-behaved: no traps, no illegal loops, branches go forward
  RANDOM_LOOPS, // mostly hardware loops
  RANDOM_MEMORY,
  RANDOM_FLOAT,
  RANDOM_INTERRUPTS, // as mixed; all interrupts are enabled and return at once
  RANDOM_COUNTERS, // as mixed; RI5CY's performance counters are set up, and what they say is stored
  RANDOM_FLAVOURS
};

struct random_program {
  uint64_t seed;
  const struct isa_decoder *decoder;
  uint32_t sets;
  enum random_flavour flavour;
  unsigned length; // instructions in the random part, about
  bool crossing;   // float_program(): accesses to any address, and high products
};

// Fills `image`. The same description gives the same bytes on every host.
void random_program(const struct random_program *what, uint8_t image[RANDOM_PROGRAM_SIZE]);

// The image's data alone, from RANDOM_PROGRAM_DATA on: they follow from the seed.
void random_program_data(uint64_t seed, uint8_t image[RANDOM_PROGRAM_SIZE]);

// Writes an image as a minimal ELF executable. Returns false on an I/O error.
bool random_program_write_elf(const uint8_t image[RANDOM_PROGRAM_SIZE], const char *path);

#endif
