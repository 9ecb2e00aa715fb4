// sim/core/wb_contention.h: what RI5CY loses when a float result takes the ALU's write port.
//
// Two units pass values on through that port's forwarding path. A high product is worked out in
// steps, each of which adds its part to what the port had in the one before; and the second half of
// an access that crosses a word goes 4 behind what the port had with the first, unless that moves a
// pointer. Where a float result is on the port in that cycle, they take it for their own. Only with
// core.fpu.results=rtl; else both are right.
//
// Facts: riscv_mult.sv, riscv_id_stage.sv (mult_operand_c_ex_o, alu_operand_a_ex_o),
// riscv_ex_stage.sv (RI5CY, November 2019); tests/data/timing/hashes.tsv.
#ifndef PULPSIM_WB_CONTENTION_H
#define PULPSIM_WB_CONTENTION_H

#include <stdint.h>

struct pipeline;

// In every cycle `now`, once the ports are known: a high product in EX takes a float result.
void wb_contention_product(struct pipeline *p, uint64_t now);

// At the edge at which the second half of an access takes EX: where it goes.
void wb_contention_access(struct pipeline *p);

// Of a crossing load, from the words of both halves: bytes from `offset` on in the first, and from
// there on in the second. For a halfword in one word, those of the second.
uint32_t wb_contention_loaded(uint32_t first, uint32_t second, unsigned offset, unsigned size);

#endif
