// sim/elf_check.c: whether a machine can run a program.
#include "sim/elf.h"

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
