// sim/cli/isa_show.h: all that is known of one instruction, for a terminal.
#ifndef PULPSIM_ISA_SHOW_H
#define PULPSIM_ISA_SHOW_H

#include <stdint.h>

#include "isa/isa.h"

// Prints encoding `enc`: meaning, bit fields, timing class, the operation's other encodings, and an
// instruction with its word. `insn`: that instruction; NULL: an example.
void isa_show(unsigned enc, const struct isa_insn *insn);

#endif
