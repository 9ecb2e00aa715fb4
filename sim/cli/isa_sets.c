// sim/cli/isa_sets.c: instruction sets by name.
#include "sim/cli/isa_sets.h"

#include <string.h>
#include <strings.h>

#include "isa/isa.h"

uint32_t isa_sets_base(void) {
  return ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_RV32F) |
         ISA_BIT(ISA_RV32CF) | ISA_BIT(ISA_ZICSR) | ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV);
}

bool isa_sets_add(uint32_t *sets, const char *name) {
  for (unsigned i = 0; i < ISA_SET_COUNT; i++) {
    if (strcasecmp(name, isa_set_names[i]) == 0) {
      *sets |= ISA_BIT(i);
      return true;
    }
  }
  return false;
}
