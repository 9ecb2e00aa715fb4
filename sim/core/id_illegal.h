// sim/core/id_illegal.h: what ID compares for words that are no instruction.
#ifndef PULPSIM_ID_ILLEGAL_H
#define PULPSIM_ID_ILLEGAL_H

#include "core/id_insn.h"

void id_illegal_fill(struct id_insn *id, uint32_t word, const struct id_config *cfg);

// RI5CY traps on compressed words that the manual calls hints.
bool id_ri5cy_refuses(uint32_t word);

#endif
