// sim/soc/unit_names.h: what the chips have where, for messages about what nobody models.
#ifndef PULPSIM_UNIT_NAMES_H
#define PULPSIM_UNIT_NAMES_H

#include <stdint.h>

// The unit that pulp-open has at `address`, with where that is; NULL: none. Source: memory maps of
// the chip `pulp` in pulp-sdk (archi/chips/pulp: memory_map.h, properties.h).
const char *unit_name(uint32_t address);

#endif
