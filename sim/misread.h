// sim/misread.h: words that are another instruction of a set which this machine has not.
//
// XpulpNN, and CORE-V in part, are encoded where XpulpV2's cores look at fewer bits than its
// assemblers set to 0 (pulp-platform/riscv riscv_decoder.sv; CV32E40P user manual, "Instruction Set
// Extensions"): such a word runs, as something else. The other way round, XpulpV2's words on a
// machine with CORE-V, nothing in the word shows it.
#ifndef PULPSIM_MISREAD_H
#define PULPSIM_MISREAD_H

#include <stdbool.h>
#include <stddef.h>

struct pulpsim;

// Behind a run: a sentence about a word that a core had in its decoder lately, that no assembler of
// this machine's sets makes, and that is an instruction of another set. Of a run that has ended
// with a deadlock, or with a trap that is not about such a word, also about a word of the program's
// functions that is an instruction of another set alone. False if there is none to say.
bool misread_note(const struct pulpsim *sim, char *text, size_t size);

#endif
