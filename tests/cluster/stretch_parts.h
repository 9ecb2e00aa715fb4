// tests/cluster/stretch_parts.h: what the parts of a program share that stretch_program.h
// describes: where its words are, what its registers hold, what is chosen.
#ifndef PULPSIM_TESTS_STRETCH_PARTS_H
#define PULPSIM_TESTS_STRETCH_PARTS_H

#include "line.h"
#include "stretch_program.h"
#include "stretch_stream.h"

// L1 from S10 on, in bytes: words that all cores read and write; pointers among them; one row of
// banks (or two) per core; code; what the registers hold at the end.
enum {
  SHARED = 0,
  POINTERS = 64,
  OWN = 0x400, // + hart id * OWN_SIZE: the same bank for all cores
  OWN_SIZE = 128,
  CODE = 0x1800,
  LEFT = 0x2000,     // + hart id * OWN_SIZE
  TRANSFER = 0x3000, // what the DMA alone accesses
};

// Beside guest.h's: own row, where stores go mostly, whether this is a chosen round, counters, what
// has been loaded.
enum {
  OWN_ROW = S3,
  TARGET = S2,
  CHOSEN = T0,
  TEMP = T1,
  TO_SHARED = T2,
  ROUNDS = S0,
  TURNS = S1,
  SUM = S4,
};

struct stretch {
  struct line *l;
  struct stretch_program what;
  struct stretch_stream stream;
};

// By chance: less than `n`.
unsigned stretch_below(struct stretch *s, unsigned n);

void stretch_op_imm(struct stretch *s, uint32_t f3, int rd, int rs1, int imm);
void stretch_load(struct stretch *s, uint32_t size, int rd, int rs1, uint32_t offset);
void stretch_store(struct stretch *s, uint32_t size, int rs2, int rs1, uint32_t offset);

// What is between is executed only if x`rs1` is not 0.
unsigned stretch_skip(struct stretch *s);
void stretch_skip_end(struct stretch *s, unsigned place, int rs1);

uint32_t stretch_shared_word(struct stretch *s);

// CHOSEN is 1 in some turns or rounds, or when a word that others write says so; else 0.
void stretch_choose(struct stretch *s);

// TARGET: the core's own word, or in chosen turns one that all cores share, in the same bank.
void stretch_aim(struct stretch *s);

#endif
