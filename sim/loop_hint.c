#include "sim/loop_hint.h"

#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/machine.h"

enum { LEAST_PERCENT = 5 }; // of the cores' cycles: below it, loops are not what costs

struct found {
  unsigned count;
  uint32_t first;
};

static uint32_t word_at(const struct pulpsim *sim, uint32_t address) {
  uint32_t word = 0;
  return pulpsim_read(sim, address, &word, 4) ? word : 0;
}

static bool is_wide(uint32_t word) {
  return (word & 3) == 3;
}

// Where the loop begins that this instruction sets up; 0 if it sets up none.
static uint32_t loop_begin(const struct isa_insn *insn, uint32_t pc) {
  const char *name = isa_encs[insn->enc].mnemonic;
  if (isa_ops[insn->op].cls != ISA_CLASS_HWLOOP)
    return 0;
  if (strncmp(name, "lp.setup", 8) == 0)
    return pc + 4;
  return strcmp(name, "lp.starti") == 0 ? pc + (uint32_t)insn->imm : 0;
}

static void search(const struct pulpsim *sim, const struct elf_symbol *function,
                   struct found *found) {
  for (uint32_t at = 0; at + 4 <= function->size;) {
    uint32_t pc = function->address + at, word = word_at(sim, pc), begin;
    struct isa_insn insn;
    bool known = isa_decode(sim->decoder, word, &insn);
    at += is_wide(word) ? 4 : 2;
    begin = known ? loop_begin(&insn, pc) : 0;
    if ((begin & 3) != 2 || !is_wide(word_at(sim, begin)))
      continue;
    if (found->count++ == 0)
      found->first = begin;
  }
}

static bool waits_for_fetch(const struct pulpsim_stats *stats) {
  uint64_t cycles = 0, waits = 0;
  for (unsigned i = 0; i < stats->core_count; i++) {
    cycles += stats->core[i].total.cycles;
    waits += stats->core[i].total.stalls[CAUSE_FETCH];
  }
  return waits * 100 >= cycles * LEAST_PERCENT && waits > 0;
}

bool loop_hint(struct pulpsim *sim, char *text, size_t size) {
  struct found found = {0};
  uint32_t offset = 0;
  if (!sim->elf || !waits_for_fetch(pulpsim_stats(sim)))
    return false;
  for (size_t i = 0; i < sim->elf->symbol_count; i++)
    if (sim->elf->symbols[i].kind == ELF_FUNCTION)
      search(sim, &sim->elf->symbols[i], &found);
  if (found.count == 0)
    return false;
  const char *name = pulpsim_symbol_at(sim, found.first, &offset);
  snprintf(text, size,
           "%u hardware loop%s at 2 modulo 4 with a 32-bit instruction, whose fetch costs a cycle "
           "in every pass; the first: 0x%08x (%.80s+0x%x); align with .balign 4",
           found.count, found.count == 1 ? " begins" : "s begin", (unsigned)found.first,
           name ? name : "?", (unsigned)offset);
  return true;
}
