// sim/observe/check_copies.c: see check_copies.h.
#include "observe/check_copies.h"

#include "isa/isa.h"
#include "isa_ops.h"

enum { STORED = 1 }; // of a store's sources: rs1, rs2, perhaps an index
enum { WHOLE = 15 };

// Of the bits of a register those in which bytes.
static uint8_t bytes_of(uint32_t bits) {
  uint8_t bytes = 0;
  for (unsigned i = 0; i < 4; i++)
    bytes |= (uint8_t)((bits >> 8 * i & 0xff ? 1 : 0) << i);
  return bytes;
}

// rd = rs: addi with 0, or c.mv.
static bool moves(const struct pulpsim_insn_event *e) {
  unsigned op = isa_encs[e->encoding].op;
  return (op == ISA_OP_addi && e->size == 4 && e->word >> 20 == 0) ||
         (op == ISA_OP_add && e->size == 2 && e->word >> 12 == 8);
}

static uint32_t immediate(const struct pulpsim_insn_event *e) {
  if (e->size == 4)
    return (uint32_t)((int32_t)e->word >> 20);
  return (e->word >> 2 & 31) | (e->word & 1 << 12 ? ~31u : 0);
}

// The bytes of its source that decide what the instruction does.
static uint8_t looked_at(const struct pulpsim_insn_event *e, unsigned source) {
  if (moves(e) || (e->memory_write && e->has_memory && source == STORED))
    return 0;
  switch (isa_encs[e->encoding].op) {
  case ISA_OP_andi:
    return bytes_of(immediate(e));
  case ISA_OP_slli:
    return bytes_of(UINT32_MAX >> (immediate(e) & 31));
  case ISA_OP_srli:
    return bytes_of(UINT32_MAX << (immediate(e) & 31));
  case ISA_OP_p_extbs:
  case ISA_OP_p_extbz:
    return 1;
  case ISA_OP_p_exths:
  case ISA_OP_p_exthz:
    return 3;
  default:
    return WHOLE;
  }
}

bool check_copies_used(struct check_copies *copies, const struct pulpsim_insn_event *e,
                       struct check_load *used) {
  for (unsigned i = 0; i < e->read_count; i++) {
    struct check_load *load = &copies->of[e->core][e->read[i].number];
    if (!load->cycle || !(load->unwritten & looked_at(e, i)))
      continue;
    *used = *load;
    load->cycle = 0;
    return true;
  }
  return false;
}

uint8_t check_copies_stored(const struct check_copies *copies, const struct pulpsim_insn_event *e) {
  if (!e->memory_write || e->read_count <= STORED)
    return 0;
  const struct check_load *load = &copies->of[e->core][e->read[STORED].number];
  return load->cycle ? (uint8_t)(load->unwritten << (e->memory_address & 3)) & WHOLE : 0;
}

void check_copies_end(struct check_copies *copies, const struct pulpsim_insn_event *e,
                      uint8_t unwritten) {
  struct check_load result = {.cycle = 0};
  if (moves(e) && e->read_count)
    result = copies->of[e->core][e->read[e->read_count - 1].number];
  if (unwritten) {
    bool extended = e->memory_size < 4 && unwritten >> (e->memory_size - 1);
    result = (struct check_load){e->cycle, e->pc, e->memory_address, extended ? WHOLE : unwritten};
  }
  for (unsigned i = 0; i < e->write_count; i++) {
    copies->of[e->core][e->write[i].number] = result;
    result.cycle = 0; // rd stands first
  }
}
