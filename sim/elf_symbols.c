// sim/elf_symbols.c: symbols by address and by name.
#include "sim/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

static bool is_usable(const Elf32_Sym *s, const char *name) {
  unsigned type = ELF32_ST_TYPE(s->st_info);
  if (!name || !*name || s->st_shndx == SHN_UNDEF)
    return false;
  // $x and $d mark code and data, .L labels are the compiler's own.
  if (*name == '$' || strncmp(name, ".L", 2) == 0)
    return false;
  return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE;
}

static enum elf_symbol_kind kind_of(const Elf32_Sym *s) {
  unsigned type = ELF32_ST_TYPE(s->st_info);
  return type == STT_FUNC ? ELF_FUNCTION : type == STT_OBJECT ? ELF_OBJECT : ELF_LABEL;
}

// Among symbols of one address those that say most come last: functions, and sized ones.
static int by_address(const void *a, const void *b) {
  const struct elf_symbol *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if ((x->kind == ELF_LABEL) != (y->kind == ELF_LABEL))
    return x->kind == ELF_LABEL ? -1 : 1;
  if ((x->size == 0) != (y->size == 0))
    return x->size == 0 ? -1 : 1;
  return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
  const struct elf_symbol *x = a, *y = b;
  return strcmp(x->name, y->name);
}

// Keeps one symbol per address, and no label inside of a function or object: what remains tells
// what contains an address. Absolute symbols were left out before.
static size_t keep_containers(struct elf_symbol *s, size_t count) {
  size_t kept = 0;
  uint64_t end = 0; // of the last sized symbol kept
  for (size_t i = 0; i < count; i++) {
    bool last_of_address = i + 1 == count || s[i + 1].address != s[i].address;
    if (!last_of_address || (s[i].address < end && s[i].kind == ELF_LABEL))
      continue;
    if (s[i].size)
      end = (uint64_t)s[i].address + s[i].size;
    s[kept++] = s[i];
  }
  return kept;
}

bool elf_symbols_read(struct elf_image *image, Elf *elf, const Elf32_Shdr *header) {
  size_t count = header->sh_size / sizeof(Elf32_Sym);
  if (image->names || count == 0)
    return true; // a second table would be a mistake; the first one counts
  image->names = calloc(count, sizeof *image->names);
  image->symbols = calloc(count, sizeof *image->symbols);
  if (!image->names || !image->symbols)
    return false;
  for (size_t i = 0; i < count; i++) {
    Elf32_Sym s;
    memcpy(&s, image->file + header->sh_offset + i * sizeof s, sizeof s);
    const char *name = elf_strptr(elf, header->sh_link, s.st_name);
    if (!is_usable(&s, name))
      continue;
    struct elf_symbol symbol = {s.st_value, s.st_size, name, kind_of(&s)};
    image->names[image->name_count++] = symbol;
    if (s.st_shndx != SHN_ABS)
      image->symbols[image->symbol_count++] = symbol;
  }
  qsort(image->names, image->name_count, sizeof *image->names, by_name);
  qsort(image->symbols, image->symbol_count, sizeof *image->symbols, by_address);
  image->symbol_count = keep_containers(image->symbols, image->symbol_count);
  return true;
}

// A symbol without a size goes up to the next one, but not beyond its segment; one that is in none
// is no more than an address.
static bool is_behind(const struct elf_image *image, uint32_t symbol, uint32_t address) {
  for (size_t i = 0; i < image->segment_count; i++) {
    const struct elf_segment *s = &image->segments[i];
    if (symbol - s->address <= s->memory_size)
      return address - s->address >= s->memory_size;
  }
  return address != symbol;
}

const struct elf_symbol *elf_symbol_at(const struct elf_image *image, uint32_t address) {
  size_t low = 0, high = image->symbol_count; // the answer is before `high`
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (image->symbols[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const struct elf_symbol *s = &image->symbols[low - 1];
  if (s->size ? address - s->address >= s->size : is_behind(image, s->address, address))
    return NULL;
  return s;
}

const struct elf_symbol *elf_symbol_named(const struct elf_image *image, const char *name) {
  struct elf_symbol key = {.name = name};
  if (!image->names)
    return NULL;
  return bsearch(&key, image->names, image->name_count, sizeof key, by_name);
}
