// tests/sim/tiny_elf.c: a program of a few words, as a file.
#include "tiny_elf.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

void tiny_elf_write(const char *path, uint32_t address, const uint32_t *words, size_t count) {
  uint32_t size = (uint32_t)(count * sizeof *words),
           start = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
  Elf32_Ehdr header = {.e_type = ET_EXEC,
                       .e_machine = EM_RISCV,
                       .e_version = EV_CURRENT,
                       .e_entry = address,
                       .e_phoff = sizeof header,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof(Elf32_Phdr),
                       .e_phnum = 1};
  Elf32_Phdr segment = {.p_type = PT_LOAD,
                        .p_offset = start,
                        .p_vaddr = address,
                        .p_paddr = address,
                        .p_filesz = size,
                        .p_memsz = size,
                        .p_flags = PF_R | PF_W | PF_X};
  memcpy(header.e_ident, "\177ELF\1\1\1", 7);
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  fwrite(&header, sizeof header, 1, f);
  fwrite(&segment, sizeof segment, 1, f);
  fwrite(words, sizeof *words, count, f);
  ck_assert_int_eq(fclose(f), 0);
}
