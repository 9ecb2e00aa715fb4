// tests/sim/tiny_elf.h: a program of a few words, as a file.
#ifndef TINY_ELF_H
#define TINY_ELF_H

#include <stddef.h>
#include <stdint.h>

// Writes an ELF file with one segment at `address`, entry at its start, holding `count` words.
// Fails the test on an error.
void tiny_elf_write(const char *path, uint32_t address, const uint32_t *words, size_t count);

#endif
