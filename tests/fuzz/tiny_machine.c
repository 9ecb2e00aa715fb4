#include "tests/fuzz/tiny_machine.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void quiet(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

// One segment of one instruction: j .
static bool write_program(char *path) {
  struct {
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    uint32_t code[2];
  } file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = EM_RISCV,
                       .e_version = EV_CURRENT,
                       .e_entry = TINY_START,
                       .e_phoff = sizeof(Elf32_Ehdr),
                       .e_ehsize = sizeof(Elf32_Ehdr),
                       .e_phentsize = sizeof(Elf32_Phdr),
                       .e_phnum = 1},
            .segment = {.p_type = PT_LOAD,
                        .p_offset = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
                        .p_vaddr = TINY_START,
                        .p_paddr = TINY_START,
                        .p_filesz = 8,
                        .p_memsz = 8,
                        .p_flags = PF_R | PF_X,
                        .p_align = 4},
            .code = {0x0000006f, 0x00000013}};
  int fd = mkstemp(path);
  if (fd < 0)
    return false;
  bool written = write(fd, &file, sizeof file) == (ssize_t)sizeof file;
  close(fd);
  return written;
}

struct pulpsim *tiny_machine(enum pulpsim_engine engine) {
  struct pulpsim_error error;
  char path[] = "/tmp/pulpsim-fuzz-XXXXXX";
  struct pulpsim_config *k = pulpsim_config_new("cv32e40p", &error);
  struct pulpsim *sim = NULL;
  if (k && pulpsim_config_set(k, "memory.size=4096", &error))
    sim = pulpsim_new(k, &error);
  pulpsim_config_free(k);
  if (!sim || !pulpsim_set_engine(sim, engine) || !write_program(path))
    return NULL;
  bool loaded = pulpsim_load(sim, path, &error);
  unlink(path);
  if (!loaded)
    return NULL;
  pulpsim_on_output(sim, quiet, NULL);
  return sim;
}
