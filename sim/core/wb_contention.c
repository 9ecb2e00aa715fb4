// What RI5CY loses when a float result takes the ALU's write port.
//
// Two units pass values on through that port's forwarding path. A high product is worked out in
// steps, each of which adds its part to what the port had in the one before; and the second half of
// an access that crosses a word goes 4 behind what the port had with the first, unless that moves a
// pointer. Where a float result is on the port in that cycle, they take it for their own. Only with
// core.fpu.results=rtl; else both are right.
//
// Facts: riscv_mult.sv, riscv_id_stage.sv (mult_operand_c_ex_o, alu_operand_a_ex_o),
// riscv_ex_stage.sv (RI5CY, November 2019); tests/data/timing/hashes.tsv.
#include "core/pipeline_stages.h"
#include "isa_ops.h"

static uint32_t low(uint32_t x) {
  return x & 0xffff;
}
static int64_t high(uint32_t x, bool is_signed) {
  return is_signed ? (int32_t)x >> 16 : (int64_t)(x >> 16);
}

// Low by low, low by high, high by low, high by high; the sum of the second and of the third part
// is one of 33 bits.
static uint32_t high_product(const struct ex_stage *ex, uint32_t a, uint32_t b) {
  unsigned op = ex->insn.insn.op;
  int64_t a_high = high(a, op != ISA_OP_mulhu), b_high = high(b, op == ISA_OP_mulh);
  uint32_t sum = low(a) * low(b) >> 16;
  if (ex->sums_taken & 1)
    sum = ex->sum[0];
  int64_t wide = sum + low(a) * b_high;
  bool carry = wide >> 32 & 1;
  sum = ex->sums_taken & 2 ? ex->sum[1] : (uint32_t)wide;
  wide = sum - ((int64_t)carry << 32) + low(b) * a_high;
  sum = ex->sums_taken & 4 ? ex->sum[2] : (uint32_t)(wide >> 16);
  return sum + (uint32_t)(a_high * b_high);
}

void wb_contention_product(struct pipeline *p, cycle_t now) {
  struct ex_stage *ex = &p->ex;
  struct core *c = p->core;
  uint64_t step = now - ex->entered; // in the first of five, nothing is added yet
  if (ex->insn.unit != ID_MULH || !ex->alu_we || !ex->alu_rd || step < 1 || step > 3)
    return;
  ex->sum[step - 1] = c->r[p->fpu.result_rd];
  ex->sums_taken |= (uint8_t)(1 << (step - 1));
  uint8_t rs1 = ex->insn.insn.rs1, rs2 = ex->insn.insn.rs2;
  uint32_t a = rs1 == ex->alu_rd ? ex->before : c->r[rs1];
  uint32_t b = rs2 == ex->alu_rd ? ex->before : c->r[rs2];
  c->r[ex->alu_rd] = high_product(ex, a, b);
}

void wb_contention_access(struct pipeline *p) {
  struct ex_stage *ex = &p->ex;
  ex->astray = p->core->fpnew06 && p->fpu.alu_port && !ex->alu_we;
  if (ex->astray)
    ex->second_at = p->core->r[p->fpu.result_rd] + 4;
}

uint32_t wb_contention_loaded(uint32_t first, uint32_t second, unsigned offset, unsigned size) {
  if (offset == 0)
    return second;
  if (size < 4 && offset < 3)
    return second >> 8 * offset;
  return second << 8 * (4 - offset) | first >> 8 * offset;
}
