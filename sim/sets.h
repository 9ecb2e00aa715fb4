// sim/sets.h: the instruction sets of a machine.
#ifndef PULPSIM_SETS_H
#define PULPSIM_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"
#include "sim/config.h"

// Those that a configuration has, a bit each.
uint32_t sets_enabled(const struct pulpsim_config *config);

// A set that a machine can have, and the setting with which it does.
struct set_setting {
  enum isa_set set;
  const char *setting;
};

// The set that this machine has not and in which `word` is an instruction, whose text at `pc` goes
// to `text`. NULL: there is none.
const struct set_setting *sets_elsewhere(const struct pulpsim_config *config, uint32_t word,
                                         uint32_t pc, char *text, size_t size);

#endif
