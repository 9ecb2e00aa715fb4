#include "whole_program.h"

#include <check.h>

#include "isa_ops.h"
#include "line.h"
#include "mixed_program.h"

enum { BEGIN = 13, VECTORS = 64, BARRIER = 0x21c };
enum { DMA_IN = 1 << 17, DMA_MOVES = 1 << 18, DMA_2D = 1 << 19, DMA_EVENT = 1 << 20 };

// Waits for all cores, as RI5CY encodes it.
static void wait_for_all(struct guest *g) {
  word(g, (uint32_t)BARRIER << 20 | S11 << 15 | 6u << 12 | T3 << 7 | 0x03); // p.elw
}

static void shift_left(struct guest *g, int reg, uint32_t bits) {
  word(g, bits << 20 | (uint32_t)reg << 15 | 1u << 12 | (uint32_t)reg << 7 | 0x13);
}

static void boot(struct guest *g, unsigned cores) {
  addi(g, T0, T5, 0);
  shift_left(g, T0, 2);
  word(g, (uint32_t)S8 << 20 | T0 << 15 | T0 << 7 | 0x33); // add t0, t0, s8
  li(g, T1, GUEST_L2 + 4 * VECTORS);
  sw(g, T1, 0x40, T0); // boot address of the core
  li(g, T0, GUEST_PERIPHERALS + 0x1000);
  addi(g, T1, ZERO, -1);
  sw(g, T1, 0x400, T0); // instruction cache
  li(g, T1, 0x70000);
  sw(g, T1, 0, S11);
  addi(g, T1, ZERO, (1 << cores) - 1);
  sw(g, T1, 0x200, S11);
  sw(g, T1, 0x20c, S11);
  wait_for_all(g);
  nops(g, 1);
}

// ---- traffic

static void push_transfer(struct guest *g, struct line *l) {
  bool in = line_below(l, 2), rows = line_below(l, 4) == 0;
  uint32_t bytes = 1 + line_below(l, line_below(l, 2) ? 64 : 3000), row = 1 + line_below(l, 200);
  uint32_t near = GUEST_TCDM + 0x400 + line_below(l, 0x2000);
  uint32_t far =
      in ? GUEST_L2 + line_below(l, 0x1000) : GUEST_DATA + 0x1000 + line_below(l, 0x1000);
  if (rows)
    bytes = row * (1 + line_below(l, 8));
  uint32_t command[] = {bytes | DMA_MOVES | DMA_EVENT | (in ? DMA_IN : 0) | (rows ? DMA_2D : 0),
                        near, far, row + line_below(l, 100), row};
  for (unsigned i = 0; i < (rows ? 5 : 3); i++) {
    li(g, A1, command[i]);
    sw(g, A1, 0, S7);
  }
}

// Until no transfer is under way.
static void wait_for_transfers(struct guest *g) {
  unsigned again = g->count;
  lw(g, A4, 4, S7);
  shift_left(g, A4, 16);
  loop_while(g, A4, again);
}

static void transfers(struct guest *g, struct line *l) {
  lw(g, A0, 0, S7);
  for (unsigned n = 1 + line_below(l, 8); n; n--) {
    push_transfer(g, l);
    if (line_below(l, 3) == 0)
      wait_for_transfers(g);
  }
  wait_for_transfers(g);
}

static void access(struct guest *g, struct line *l, unsigned core) {
  int base = line_below(l, 4) ? S9 : S10, offset = (int)(4 * line_below(l, 16));
  if (line_below(l, 2))
    lw(g, A0 + (int)line_below(l, 4), offset, base);
  else
    sw(g, A0, offset + 64 * (int)core, base);
}

static void accesses(struct guest *g, struct line *l, unsigned core) {
  addi(g, A5, ZERO, 1 + (int)line_below(l, 60));
  unsigned again = g->count;
  for (unsigned n = 1 + line_below(l, 4); n; n--) {
    access(g, l, core);
    nops(g, line_below(l, 6));
  }
  addi(g, A5, A5, -1);
  loop_while(g, A5, again);
}

static void traffic(struct guest *g, uint64_t seed, unsigned cores) {
  static struct line l;
  line_begin(&l, seed, false);
  guest_begin(g);
  boot(g, cores);
  for (unsigned core = 0; core < cores; core++) {
    unsigned over = only(g, core);
    if (core == 0)
      transfers(g, &l);
    else
      accesses(g, &l, core);
    end_only(g, over);
  }
}

// ---- anything else

static uint64_t flavour(uint64_t seed) {
  return seed & ~(uint64_t)UINT32_MAX;
}

static void mixed(struct guest *g, uint64_t seed, unsigned cores) {
  static struct isa_decoder *decoder[2];
  struct mixed_machine m = {.cores = cores,
                            .floats = flavour(seed) == WHOLE_PROGRAM_FLOATS,
                            .caches = flavour(seed) == WHOLE_PROGRAM_CACHES};
  m.sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_ZICSR) |
           ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV) | ISA_BIT(ISA_XPULPV2) |
           (m.floats ? ISA_BIT(ISA_RV32F) : 0);
  if (!decoder[m.floats])
    decoder[m.floats] = isa_decoder_new(m.sets, true);
  m.decoder = decoder[m.floats];
  ck_assert_ptr_nonnull(m.decoder);
  mixed_program(g, seed, &m);
  // It begins with guest_begin(), a jump over the vectors, and room in front of them.
  unsigned all = g->count, over = g->word[BEGIN] >> 21 & 0x3ff;
  g->count = BEGIN;
  boot(g, cores);
  ck_assert_uint_lt(g->count, VECTORS);
  word(g, line_jal(2 * over - 4 * (g->count - BEGIN)));
  g->count = all - 3; // meet() and guest_end() are for a bench with a test device
}

void whole_program(struct guest *g, uint64_t seed) {
  unsigned cores = flavour(seed) == WHOLE_PROGRAM_ALONE ? 1 : WHOLE_CORES;
  if (seed % 4 == 0 && flavour(seed) <= WHOLE_PROGRAM_ALONE)
    traffic(g, seed, cores);
  else
    mixed(g, seed, cores);
  wait_for_all(g);
  guest_exit(g);
}

bool whole_traced(unsigned encoding) {
  switch (isa_encs[encoding].op) {
  case ISA_OP_fence:
  case ISA_OP_fence_i:
  case ISA_OP_mret:
  case ISA_OP_wfi:
  case ISA_OP_ecall:
  case ISA_OP_ebreak:
    return false;
  default:
    return true;
  }
}

uint64_t whole_hash(const uint32_t *word, unsigned words) {
  struct fetch_trace t = {0};
  for (unsigned i = 0; i < words; i++)
    if (word[i])
      fetch_trace_note(&t, i, word[i]);
  return t.hash;
}
