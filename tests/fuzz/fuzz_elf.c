// tests/fuzz/fuzz_elf.c: any file as a program.
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"
#include "sim/elf.h"
#include "sim/elf_symbols.h"
#include "sim/observe/lines.h"
#include "tests/fuzz/fuzz.h"

static struct pulpsim_config config;

static void use(const struct elf_image *image) {
  char error[ELF_ERROR_SIZE] = "";
  static const struct elf_range ranges[] = {{"L1", 0x10000000, 0x10000},
                                            {"L2", 0x1c000000, 0x80000}};
  bool fits = elf_check_ranges(image, ranges, 2, error);
  if (!fits && !error[0])
    abort(); // a refusal has a reason
  (void)elf_check_machine(image, &config, error);
  uint32_t sum = 0;
  for (size_t i = 0; i < image->segment_count; i++)
    for (uint32_t k = 0; k < image->segments[i].file_size; k += 64)
      sum += image->segments[i].data[k];
  for (uint32_t i = 0; i < 64; i++) {
    const struct elf_symbol *s = elf_symbol_at(image, image->entry + 8 * i);
    sum += s ? (uint32_t)strlen(s->name) : 0;
  }
  const struct elf_symbol *s = elf_symbol_named(image, "main");
  struct lines *lines = lines_new(image->file, image->file_size);
  const char *file;
  unsigned line;
  if (lines)
    lines_find(lines, s ? s->address : sum, &file, &line);
  lines_free(lines);
}

int fuzz_elf(const uint8_t *data, size_t size) {
  char error[ELF_ERROR_SIZE] = "";
  if (!config.cluster_cores)
    config_init(&config);
  struct elf_image *image = elf_from_memory(data, size, "input", error);
  if (image)
    use(image);
  else if (!error[0])
    abort();
  elf_free(image);
  return 0;
}
