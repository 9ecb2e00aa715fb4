#include "bench/compiler.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Whether it is no assembler's; its name and flags.
static const char *producer(Dwarf_Die *unit) {
  Dwarf_Attribute attribute;
  if (dwarf_srclang(unit) == DW_LANG_Mips_Assembler)
    return NULL;
  const char *text = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
  return text && strncmp(text, "GNU AS", 6) != 0 ? text : NULL;
}

const char *compiler_of(const char *elf, char text[COMPILER_TEXT]) {
  *text = '\0';
  int file = open(elf, O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (dwarf && !*text && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
    const char *found = producer(&die);
    if (found)
      snprintf(text, COMPILER_TEXT, "%s", found);
  }
  dwarf_end(dwarf);
  if (file >= 0)
    close(file);
  return text;
}
