#include "observe/backtrace.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pulpsim.h"

enum { REGISTERS = 32, RA = 1, SP = 2 };

struct frame {
  uint32_t pc, r[REGISTERS];
};

struct unwinder {
  const struct pulpsim *sim;
  Elf *elf;
  Dwarf *dwarf;
  Dwarf_CFI *cfi[2]; // of .debug_frame and .eh_frame; NULL: none
};

static void open_program(struct unwinder *u) {
  size_t size;
  const void *bytes = pulpsim_program(u->sim, &size);
  elf_version(EV_CURRENT);
  u->elf = bytes ? elf_memory((char *)(uintptr_t)bytes, size) : NULL;
  if (!u->elf)
    return;
  u->dwarf = dwarf_begin_elf(u->elf, DWARF_C_READ, NULL);
  u->cfi[0] = u->dwarf ? dwarf_getcfi(u->dwarf) : NULL;
  u->cfi[1] = dwarf_getcfi_elf(u->elf);
}

static void close_program(struct unwinder *u) {
  if (u->cfi[1])
    dwarf_cfi_end(u->cfi[1]);
  dwarf_end(u->dwarf);
  elf_end(u->elf);
}

// What these few operations, which compilers use for RISC-V, compute: a register or the frame's
// address, and something added.
static bool compute(const struct frame *f, uint32_t cfa, const Dwarf_Op *ops, size_t count,
                    uint32_t *value) {
  if (count == 0)
    return false;
  if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
    *value = f->r[ops[0].atom - DW_OP_breg0] + (uint32_t)ops[0].number;
  else if (ops[0].atom == DW_OP_bregx && ops[0].number < REGISTERS)
    *value = f->r[ops[0].number] + (uint32_t)ops[0].number2;
  else if (ops[0].atom == DW_OP_call_frame_cfa)
    *value = cfa;
  else
    return false;
  if (count > 1 && ops[1].atom != DW_OP_plus_uconst)
    return false;
  *value += count > 1 ? (uint32_t)ops[1].number : 0;
  return count <= 2;
}

// A register of the caller. False if nobody knows it.
static bool recover(const struct unwinder *u, Dwarf_Frame *rules, const struct frame *f,
                    uint32_t cfa, int number, uint32_t *value) {
  Dwarf_Op memory[3], *ops = NULL;
  size_t count = 0;
  uint32_t address;
  if (dwarf_frame_register(rules, number, memory, &ops, &count) != 0)
    return false;
  if (count == 0) { // the same, or lost
    *value = f->r[number];
    return ops == NULL;
  }
  return compute(f, cfa, ops, count, &address) && pulpsim_read(u->sim, address, value, 4);
}

static Dwarf_Frame *rules_at(const struct unwinder *u, uint32_t pc) {
  Dwarf_Frame *rules = NULL;
  for (unsigned i = 0; i < 2 && !rules; i++)
    if (u->cfi[i] && dwarf_cfi_addrframe(u->cfi[i], pc, &rules) != 0)
      rules = NULL;
  return rules;
}

// Goes to the caller. `behind`: the pc is behind a call, whose rules are meant.
static bool go_up(const struct unwinder *u, struct frame *f, bool behind) {
  Dwarf_Frame *rules = rules_at(u, f->pc - behind);
  struct frame up = *f;
  Dwarf_Op *ops;
  size_t count;
  if (!rules && behind)
    return false;
  bool known = !rules; // of a function without them, ra is taken
  up.pc = f->r[RA];
  if (rules && dwarf_frame_cfa(rules, &ops, &count) == 0 && compute(f, 0, ops, count, &up.r[SP])) {
    for (int i = 1; i < REGISTERS; i++)
      if (i != SP && !recover(u, rules, f, up.r[SP], i, &up.r[i]))
        up.r[i] = 0;
    up.pc = up.r[RA];
    known = true;
  }
  free(rules);
  bool moved = known && up.pc && (up.pc != f->pc || up.r[SP] != f->r[SP]);
  *f = up;
  return moved && pulpsim_symbol_at(u->sim, up.pc, NULL);
}

unsigned backtrace_find(const struct pulpsim *sim, unsigned core, uint32_t pc, uint32_t *caller,
                        unsigned most) {
  struct unwinder u = {.sim = sim};
  struct frame f = {.pc = pc};
  unsigned count = 0;
  open_program(&u);
  for (unsigned i = 1; i < REGISTERS; i++)
    f.r[i] = pulpsim_register(sim, core, i);
  while (count < most && go_up(&u, &f, count > 0))
    caller[count++] = f.pc;
  close_program(&u);
  return count;
}
