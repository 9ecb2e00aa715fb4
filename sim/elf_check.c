// sim/elf_check.c: whether a machine can run a program.
#include "sim/elf.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/config.h"

static bool is_corev(const struct pulpsim_config *c) {
  if (c->core_isa == CONFIG_ISA_AUTO)
    return c->core_model == CONFIG_MODEL_CV32E40P;
  return c->core_isa == CONFIG_ISA_COREV;
}

bool elf_check_machine(const struct elf_image *image, const struct pulpsim_config *config,
                       char error[ELF_ERROR_SIZE]) {
  const char *e = NULL;
  bool corev = is_corev(config);
  if (image->float_abi == ELF_FLOAT_SINGLE && !config->core_fpu_present)
    e = "passes floats in float registers (ilp32f), and this machine has no float unit; compile "
        "with -mabi=ilp32 or set core.fpu.present=true";
  else if (image->float_abi == ELF_FLOAT_SINGLE && config->core_zfinx)
    e = "passes floats in float registers (ilp32f), and this machine keeps floats in the integer "
        "registers; compile with -mabi=ilp32 or set core.zfinx=false";
  else if (corev && strstr(image->arch, "xpulp"))
    e = "uses XpulpV2 instructions, and this machine has the CORE-V encoding; set "
        "core.isa=xpulpv2 or compile for xcv*";
  else if (!corev && strstr(image->arch, "_xcv"))
    e = "uses CORE-V instructions, and this machine has the XpulpV2 encoding; set core.isa=corev "
        "or compile for xpulpv2";
  else if (!config->core_xpulpnn && strstr(image->arch, "xpulpnn"))
    e = "uses XpulpNN instructions, whose words are others on this machine; set core.xpulpnn=true";
  if (e)
    snprintf(error, ELF_ERROR_SIZE, "the program %s", e);
  return e == NULL;
}

// ---- extensions

static bool is_known(const char *name) {
  static const char *const known[] = {"zicsr", "zifencei", "zmmul", "zca", "zcf", "zfinx"};
  if (strncmp(name, "xpulp", 5) == 0 || strncmp(name, "xcv", 3) == 0)
    return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(name, known[i]) == 0)
      return true;
  return strlen(name) == 1 && strchr("iemfc", *name);
}

static size_t without_digits(const char *text, size_t length) {
  while (length > 0 && isdigit((unsigned char)text[length - 1]))
    length--;
  return length;
}

// Of "zba1p0" the first three.
static size_t without_version(const char *text, size_t length) {
  size_t minor = without_digits(text, length);
  bool versioned = minor < length && minor > 1 && text[minor - 1] == 'p';
  size_t major = versioned ? without_digits(text, minor - 1) : length;
  return major > 0 && major < minor ? major : length;
}

// The next extension of an architecture's name. Those of one letter stand one behind the other,
// others end at a '_' (RISC-V ISA manual, "ISA Extension Naming Conventions"). Returns what is
// behind it; NULL at the end.
static const char *next_extension(const char *arch, char *name, size_t size) {
  arch += strspn(arch, "_");
  if (!*arch)
    return NULL;
  static const char digits[] = "0123456789";
  bool is_long = strchr("zsx", *arch) != NULL;
  size_t length = is_long ? strcspn(arch, "_") : 1, behind = length;
  size_t major = is_long ? 0 : strspn(arch + 1, digits);
  if (is_long)
    length = without_version(arch, length);
  behind += major;
  if (major && arch[behind] == 'p')
    behind += 1 + strspn(arch + behind + 1, digits);
  snprintf(name, size, "%.*s", (int)length, arch);
  return arch + behind;
}

// The extension of one letter that a word is of, by its major opcode, width or format (RISC-V ISA
// manual, "RV32/64G Instruction Set Listings"); 0: none that can be foreign.
static char extension_of(uint32_t word) {
  enum { AMO = 0x2f, LOAD_FP = 0x07, STORE_FP = 0x27, OP_V = 0x57, OP_FP = 0x53 };
  uint32_t opcode = word & 0x7f, width = word >> 12 & 7, format = word >> 25 & 3;
  bool fused = opcode == 0x43 || opcode == 0x47 || opcode == 0x4b || opcode == 0x4f;
  if ((word & 3) != 3) // c.fld, c.fsd, c.fldsp, c.fsdsp
    return (word & 1) == 0 && (word >> 13 & 3) == 1 ? 'd' : 0;
  if (opcode == AMO)
    return 'a';
  if (opcode == LOAD_FP || opcode == STORE_FP)
    return width == 3 ? 'd' : width == 4 ? 'q' : width == 2 ? 0 : 'v';
  if (opcode == OP_FP || fused)
    return format == 1 ? 'd' : format == 3 ? 'q' : 0;
  return opcode == OP_V ? 'v' : 0;
}

bool elf_foreign_extension(const struct elf_image *image, uint32_t word, char *name, size_t size) {
  const char *arch = strncmp(image->arch, "rv32", 4) == 0 ? image->arch + 4 : "";
  char next[32], of = extension_of(word);
  bool found = false;
  while ((arch = next_extension(arch, next, sizeof next))) {
    bool meant = of && next[0] == of && !next[1];
    if (is_known(next) || (found && !meant))
      continue;
    snprintf(name, size, "%s", next);
    found = true;
    if (meant)
      break;
  }
  return found;
}

// ---- addresses

static bool is_inside(const struct elf_segment *s, const struct elf_range *r) {
  uint32_t offset = s->address - r->base; // wraps to something large when below
  return offset < r->size && s->memory_size <= r->size - offset;
}

bool elf_check_ranges(const struct elf_image *image, const struct elf_range *ranges, size_t count,
                      char error[ELF_ERROR_SIZE]) {
  for (size_t i = 0; i < image->segment_count; i++) {
    const struct elf_segment *s = &image->segments[i];
    size_t hit = 0;
    while (hit < count && !is_inside(s, &ranges[hit]))
      hit++;
    if (hit < count)
      continue;
    int used = snprintf(error, ELF_ERROR_SIZE,
                        "the program's segment at 0x%08x (%u bytes) lies outside the machine's "
                        "memories:",
                        (unsigned)s->address, (unsigned)s->memory_size);
    for (size_t k = 0; k < count && used < ELF_ERROR_SIZE; k++)
      used += snprintf(error + used, (size_t)(ELF_ERROR_SIZE - used), "%s %s 0x%08x..0x%08x",
                       k ? "," : "", ranges[k].name, (unsigned)ranges[k].base,
                       (unsigned)(ranges[k].base + (ranges[k].size - 1)));
    return false;
  }
  return true;
}
