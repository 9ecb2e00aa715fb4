// sim/core/ri5cy_words.h: words that no assembler emits and RI5CY executes all the same, because
// its decoder does not look at every field: as another instruction.
//
// Facts: riscv_decoder.sv, riscv_alu.sv, riscv_mult.sv (RI5CY, November 2019), and which words that
// decoder takes, under Verilator.
#ifndef PULPSIM_RI5CY_WORDS_H
#define PULPSIM_RI5CY_WORDS_H

#include <stdbool.h>
#include <stdint.h>

// A word that means what `word` does, which is none of the core's instruction sets; or `word`.
// `floats`: there are float units.
uint32_t ri5cy_reads_as(uint32_t word, bool floats);

#endif
