// sim/elf_symbols.h: the symbol table of an image; used by elf.c only.
#ifndef PULPSIM_ELF_SYMBOLS_H
#define PULPSIM_ELF_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>

#include "sim/elf.h"

// Fills in `symbols` and `names` of `image` from the symbol table `header`, whose bytes are
// known to lie within the file. Damaged entries are left out. Returns false when out of memory.
bool elf_symbols_read(struct elf_image *image, Elf *elf, const Elf32_Shdr *header);

#endif
