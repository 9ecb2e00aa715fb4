// sim/elf.h: programs for the simulated machine: 32-bit little-endian RISC-V executables.
//
// elf_open() reads a file and refuses, with one sentence each, what cannot be run: no ELF, wrong
// class, byte order, machine or type, truncated or contradictory tables, overlapping segments, an
// entry outside the code. What depends on the machine is asked separately.
#ifndef PULPSIM_ELF_H
#define PULPSIM_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pulpsim_config;

enum { ELF_ERROR_SIZE = 512 };

// A PT_LOAD segment with memory_size > 0. Bytes beyond file_size are zero.
struct elf_segment {
  uint32_t address; // physical: where it is loaded
  uint32_t file_size, memory_size;
  const uint8_t *data;
  bool executable, writable;
};

enum elf_symbol_kind { ELF_LABEL, ELF_FUNCTION, ELF_OBJECT };

struct elf_symbol {
  uint32_t address, size; // size 0: up to the next symbol, or the segment's end
  const char *name;
  enum elf_symbol_kind kind;
};

enum elf_float_abi { ELF_FLOAT_SOFT, ELF_FLOAT_SINGLE };

struct elf_image {
  uint32_t entry;
  enum elf_float_abi float_abi;
  bool has_debug;   // DWARF line information
  const char *arch; // of .riscv.attributes, e.g. "rv32i2p0_m2p0_c2p0"; "" if it has none
  uint64_t hash;    // of elf_image_hash(); 0: not known
  size_t segment_count;
  struct elf_segment *segments; // by ascending address
  size_t symbol_count;
  struct elf_symbol *symbols; // by ascending address: what contains an address
  size_t name_count;
  struct elf_symbol *names;               // by name: everything that has one
  uint32_t regions_address, regions_size; // section .pulpsim.regions; size 0 if there is none
  uint32_t stack_top, stack_size; // of core 0, each; section .pulpsim.stack; size 0: unknown
  uint8_t *file;
  size_t file_size;
};

// Returns NULL on failure. Free with elf_free(), which accepts NULL.
struct elf_image *elf_open(const char *path, char error[ELF_ERROR_SIZE]);
void elf_free(struct elf_image *image);

// FNV-1a, 64 bits, of the file.
uint64_t elf_image_hash(struct elf_image *image);

// The same from memory; `bytes` is copied. `path` stands in messages.
struct elf_image *elf_from_memory(const void *bytes, size_t size, const char *path,
                                  char error[ELF_ERROR_SIZE]);

// Whether this machine can run the program: float ABI and instruction sets.
bool elf_check_machine(const struct elf_image *image, const struct pulpsim_config *config,
                       char error[ELF_ERROR_SIZE]);

// The extension that the program was compiled for and no machine has, such as "a": the one whose
// instruction `word` is, if that is known, else the first; false if there is none. `name` takes
// what fits.
bool elf_foreign_extension(const struct elf_image *image, uint32_t word, char *name, size_t size);

// A memory of the machine, for elf_check_ranges().
struct elf_range {
  const char *name; // "L2"
  uint32_t base, size;
};

// Whether each segment lies in one of the memories.
bool elf_check_ranges(const struct elf_image *image, const struct elf_range *ranges, size_t count,
                      char error[ELF_ERROR_SIZE]);

// The symbol that contains `address`, or NULL.
const struct elf_symbol *elf_symbol_at(const struct elf_image *image, uint32_t address);

// The symbol of that name, or NULL.
const struct elf_symbol *elf_symbol_named(const struct elf_image *image, const char *name);

#endif
