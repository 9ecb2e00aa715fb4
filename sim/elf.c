// sim/elf.c: reads executables through libelf and refuses what cannot be run.
#include "sim/elf.h"

#include <errno.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/config.h"
#include "sim/elf_symbols.h"

// e_flags of RISC-V (psABI, "File Header"); not in every libelf.
enum {
  FLAG_FLOAT_ABI = 0x6,
  FLAG_FLOAT_SOFT = 0x0,
  FLAG_FLOAT_SINGLE = 0x2,
  FLAG_RVE = 0x8,
  MACHINE_RISCV = 243,
  FILE_LIMIT = 256 << 20
};

// An image while it is being read.
struct reader {
  struct elf_image *image;
  Elf *elf;
  const char *path;
  char *error;
};

static bool refuse(const struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct reader *r, const char *format, ...) {
  int used = snprintf(r->error, ELF_ERROR_SIZE, "%.200s: ", r->path);
  va_list args;
  va_start(args, format);
  vsnprintf(r->error + used, ELF_ERROR_SIZE - (size_t)used, format, args);
  va_end(args);
  return false;
}

static uint64_t fnv1a(const uint8_t *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

// ---- header

static bool check_ident(const struct reader *r) {
  const uint8_t *e = r->image->file;
  if (r->image->file_size < EI_NIDENT || memcmp(e, ELFMAG, SELFMAG) != 0)
    return refuse(r, "not an ELF file; give a program linked for the simulated machine");
  if (e[EI_CLASS] != ELFCLASS32)
    return refuse(r, "a 64-bit ELF file; the cores are 32-bit, compile with -march=rv32imc");
  if (e[EI_DATA] != ELFDATA2LSB)
    return refuse(r, "a big-endian ELF file; the cores are little-endian");
  if (r->image->file_size < sizeof(Elf32_Ehdr))
    return refuse(r, "truncated: the file ends inside the ELF header");
  return true;
}

static bool check_header(const struct reader *r, const Elf32_Ehdr *h) {
  if (h->e_machine != MACHINE_RISCV)
    return refuse(r, "an ELF file for machine %u; the cores are RISC-V (machine 243)",
                  (unsigned)h->e_machine);
  if (h->e_type == ET_REL)
    return refuse(r, "an object file; link it into a program first");
  if (h->e_type == ET_DYN)
    return refuse(r, "position-independent; link it with -static -no-pie");
  if (h->e_type != ET_EXEC)
    return refuse(r, "not an executable (ELF type %u)", (unsigned)h->e_type);
  if (h->e_flags & FLAG_RVE)
    return refuse(r, "compiled for RV32E; the cores have 32 registers, compile with -mabi=ilp32");
  unsigned abi = h->e_flags & FLAG_FLOAT_ABI;
  if (abi != FLAG_FLOAT_SOFT && abi != FLAG_FLOAT_SINGLE)
    return refuse(r,
                  "its float ABI is %s; the cores have single-precision floats at most, compile "
                  "with -mabi=ilp32f or ilp32",
                  abi == 0x4 ? "ilp32d" : "ilp32q");
  r->image->entry = h->e_entry;
  r->image->float_abi = abi == FLAG_FLOAT_SINGLE ? ELF_FLOAT_SINGLE : ELF_FLOAT_SOFT;
  return true;
}

static bool is_whole(const struct reader *r, const char *what, uint32_t begin, uint64_t size) {
  uint64_t end = begin + size;
  if (begin == 0 || end <= r->image->file_size)
    return true;
  return refuse(r, "truncated: the %s headers end at %llu and the file at %zu", what,
                (unsigned long long)end, r->image->file_size);
}

// A file without section headers runs, with neither symbols nor regions; one that has lost them on
// its way here should not go unnoticed.
static bool check_tables(const struct reader *r, const Elf32_Ehdr *h) {
  return is_whole(r, "program", h->e_phoff, h->e_phnum * sizeof(Elf32_Phdr)) &&
         is_whole(r, "section", h->e_shoff, h->e_shnum * sizeof(Elf32_Shdr));
}

// ---- segments

static bool add_segment(const struct reader *r, unsigned index, const Elf32_Phdr *p) {
  struct elf_image *image = r->image;
  if (p->p_filesz > p->p_memsz)
    return refuse(r, "segment %u: larger in the file (%u bytes) than in memory (%u)", index,
                  (unsigned)p->p_filesz, (unsigned)p->p_memsz);
  if ((uint64_t)p->p_offset + p->p_filesz > image->file_size)
    return refuse(r, "segment %u: truncated, its bytes end at %llu and the file at %zu", index,
                  (unsigned long long)p->p_offset + p->p_filesz, image->file_size);
  if ((uint64_t)p->p_paddr + p->p_memsz > UINT64_C(1) << 32)
    return refuse(r, "segment %u: 0x%08x and %u bytes reach beyond the 32-bit address space", index,
                  (unsigned)p->p_paddr, (unsigned)p->p_memsz);
  image->segments[image->segment_count++] = (struct elf_segment){
      .address = p->p_paddr,
      .file_size = p->p_filesz,
      .memory_size = p->p_memsz,
      .data = image->file + p->p_offset,
      .executable = (p->p_flags & PF_X) != 0,
      .writable = (p->p_flags & PF_W) != 0,
  };
  return true;
}

static int by_address(const void *a, const void *b) {
  const struct elf_segment *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

static bool check_segments(const struct reader *r) {
  const struct elf_image *image = r->image;
  if (image->segment_count == 0)
    return refuse(r, "no segment to load; was it linked?");
  for (size_t i = 0; i < image->segment_count; i++) {
    const struct elf_segment *s = &image->segments[i];
    if (i > 0 && s[-1].address + (uint64_t)s[-1].memory_size > s->address)
      return refuse(r, "two segments overlap at 0x%08x; check the linker script",
                    (unsigned)s->address);
  }
  return true;
}

// The linker script of riscv-tests takes the execute permission from the segment (its FLAGS() are
// those of a section); there the section says that it is code.
static void find_code(struct elf_image *image, const Elf32_Shdr *h) {
  if (!(h->sh_flags & SHF_EXECINSTR) || image->entry - h->sh_addr >= h->sh_size)
    return;
  for (size_t i = 0; i < image->segment_count; i++)
    if (image->entry - image->segments[i].address < image->segments[i].memory_size)
      image->segments[i].executable = true;
}

static bool check_entry(const struct reader *r) {
  const struct elf_image *image = r->image;
  bool found = false;
  for (size_t i = 0; i < image->segment_count; i++) {
    const struct elf_segment *s = &image->segments[i];
    found |= s->executable && image->entry - s->address < s->memory_size;
  }
  if (!found)
    return refuse(r, "the entry 0x%08x lies in no executable segment; define _start or ENTRY()",
                  (unsigned)image->entry);
  return image->entry % 2 == 0 || refuse(r, "the entry 0x%08x is odd", (unsigned)image->entry);
}

static bool read_segments(const struct reader *r) {
  size_t count = 0;
  if (elf_getphdrnum(r->elf, &count) != 0 || count > UINT16_MAX)
    return refuse(r, "unreadable program headers: %s", elf_errmsg(-1));
  const Elf32_Phdr *headers = count ? elf32_getphdr(r->elf) : NULL;
  if (count && !headers)
    return refuse(r, "truncated or damaged program headers: %s", elf_errmsg(-1));
  r->image->segments = calloc(count ? count : 1, sizeof *r->image->segments);
  if (!r->image->segments)
    return refuse(r, "out of memory");
  for (size_t i = 0; i < count; i++) {
    Elf32_Phdr h; // libelf's may be misaligned when the file's are
    memcpy(&h, (const char *)headers + i * sizeof h, sizeof h);
    if (h.p_type == PT_LOAD && h.p_memsz > 0 && !add_segment(r, (unsigned)i, &h))
      return false;
  }
  qsort(r->image->segments, r->image->segment_count, sizeof *r->image->segments, by_address);
  return check_segments(r);
}

// ---- sections

// .riscv.attributes: 'A', then subsections; the arch string is tag 5 of file scope (psABI,
// "Attributes"). It is the only text in there that starts with "rv", so that is what is looked for.
static void read_arch(struct elf_image *image, const uint8_t *data, size_t size) {
  for (size_t i = 0; i + 4 < size; i++) {
    if (memcmp(data + i, "\5rv", 3) == 0 && memchr(data + i, 0, size - i)) {
      image->arch = (const char *)data + i + 1;
      return;
    }
  }
}

static bool read_section(const struct reader *r, const char *name, const Elf32_Shdr *h) {
  struct elf_image *image = r->image;
  const uint8_t *data = image->file + h->sh_offset;
  if ((uint64_t)h->sh_offset + h->sh_size > image->file_size)
    return refuse(r, "truncated: section %.60s ends at %llu and the file at %zu", name,
                  (unsigned long long)h->sh_offset + h->sh_size, image->file_size);
  if (strcmp(name, ".pulpsim.regions") == 0) {
    image->regions_address = h->sh_addr;
    image->regions_size = h->sh_size;
  } else if (strcmp(name, ".pulpsim.stack") == 0 && h->sh_size == 8) {
    memcpy(&image->stack_top, data, 4);
    memcpy(&image->stack_size, data + 4, 4);
  } else if (strcmp(name, ".riscv.attributes") == 0) {
    read_arch(image, data, h->sh_size);
  } else if (strcmp(name, ".debug_line") == 0) {
    image->has_debug = h->sh_size > 0;
  } else if (h->sh_type == SHT_SYMTAB && !elf_symbols_read(image, r->elf, h)) {
    return refuse(r, "out of memory");
  }
  return true;
}

static bool read_sections(const struct reader *r) {
  size_t names;
  if (elf_getshdrstrndx(r->elf, &names) != 0)
    return true; // no section headers: runs all the same, without symbols
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn)) != NULL;) {
    Elf32_Shdr h;
    const Elf32_Shdr *header = elf32_getshdr(scn);
    if (!header)
      continue;
    memcpy(&h, header, sizeof h); // may be misaligned when the file's is
    find_code(r->image, &h);
    const char *name = elf_strptr(r->elf, names, h.sh_name);
    if (name && h.sh_type != SHT_NOBITS && !read_section(r, name, &h))
      return false;
  }
  return true;
}

// ---- whole

static bool read_image(struct reader *r) {
  if (!check_ident(r))
    return false;
  elf_version(EV_CURRENT);
  r->elf = elf_memory((char *)r->image->file, r->image->file_size);
  const Elf32_Ehdr *header = r->elf ? elf32_getehdr(r->elf) : NULL;
  if (!header)
    return refuse(r, "damaged ELF header: %s", elf_errmsg(-1));
  return check_header(r, header) && check_tables(r, header) && read_segments(r) &&
         read_sections(r) && check_entry(r);
}

// Takes over `file`.
static struct elf_image *from_buffer(uint8_t *file, size_t size, const char *path, char *error) {
  struct elf_image *image = calloc(1, sizeof *image);
  struct reader r = {.image = image, .path = path, .error = error};
  if (!image || !file) {
    refuse(&r, "out of memory");
    free(file);
    free(image);
    return NULL;
  }
  image->file = file;
  image->file_size = size;
  image->arch = "";
  bool ok = read_image(&r);
  elf_end(r.elf);
  if (ok)
    return image;
  elf_free(image);
  return NULL;
}

struct elf_image *elf_from_memory(const void *bytes, size_t size, const char *path,
                                  char error[ELF_ERROR_SIZE]) {
  uint8_t *copy = malloc(size ? size : 1);
  if (copy)
    memcpy(copy, bytes, size);
  return from_buffer(copy, size, path, error);
}

struct elf_image *elf_open(const char *path, char error[ELF_ERROR_SIZE]) {
  struct stat info;
  uint8_t *bytes = NULL;
  size_t size = 0;
  FILE *f = fopen(path, "rb");
  if (f && fstat(fileno(f), &info) == 0) {
    if (!S_ISREG(info.st_mode))
      errno = S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
    else if (info.st_size > FILE_LIMIT)
      errno = EFBIG;
    else
      bytes = malloc((size_t)info.st_size + 1);
  }
  if (bytes)
    size = fread(bytes, 1, (size_t)info.st_size, f);
  if (!bytes)
    snprintf(error, ELF_ERROR_SIZE, "%.300s: cannot read the program: %s", path,
             errno == ESPIPE ? "it is no file" : strerror(errno));
  if (f)
    fclose(f);
  return bytes ? from_buffer(bytes, size, path, error) : NULL;
}

uint64_t elf_image_hash(struct elf_image *image) {
  if (!image->hash)
    image->hash = fnv1a(image->file, image->file_size);
  return image->hash;
}

void elf_free(struct elf_image *image) {
  if (!image)
    return;
  free(image->segments);
  free(image->symbols);
  free(image->names);
  free(image->file);
  free(image);
}
