// tests/cluster/guest.h: small programs for the cluster, put together in the test.
//
// All cores run the same words from the start of L2. The registers that guest_begin() sets up:
// s11 event unit (0x1020_4000), s10 TCDM, s9 L2 data, s8 cluster peripherals (0x1020_0000), s7 DMA
// port (0x1020_4400), t6 test device, t5 core number.
#ifndef PULPSIM_TESTS_GUEST_H
#define PULPSIM_TESTS_GUEST_H

#include <stdint.h>

#include "sim/pulpsim.h"

enum {
  ZERO = 0,
  T0 = 5,
  T1 = 6,
  T2 = 7,
  S0 = 8,
  S1 = 9,
  A0 = 10,
  A1 = 11,
  A2 = 12,
  A3 = 13,
  A4 = 14,
  A5 = 15,
  A6 = 16,
  A7 = 17,
  S2 = 18,
  S3 = 19,
  S4 = 20,
  S7 = 23,
  S8 = 24,
  S9 = 25,
  S10 = 26,
  S11 = 27,
  T3 = 28,
  T4 = 29,
  T5 = 30,
  T6 = 31,
};

enum {
  GUEST_TCDM = 0x10000000,
  GUEST_L2 = 0x1c000000,
  GUEST_DATA = 0x1c010000,
  GUEST_PERIPHERALS = 0x10200000,
  GUEST_EVENT_UNIT = 0x10204000,
  GUEST_DMA = 0x10204400,
  GUEST_SOC_CONTROL = 0x1a104000,
  GUEST_CONTROLLER = 31 << 5,
  GUEST_WORDS = 4096,
};

struct guest {
  uint32_t word[GUEST_WORDS];
  unsigned count;
};

void guest_begin(struct guest *g);
// The core ends with exit code 0.
void guest_end(struct guest *g);

// Any instruction.
void word(struct guest *g, uint32_t value);
void li(struct guest *g, int rd, uint32_t value);
void addi(struct guest *g, int rd, int rs1, int imm);
void add(struct guest *g, int rd, int rs1, int rs2);
void sll(struct guest *g, int rd, int rs1, int rs2);
void lw(struct guest *g, int rd, int offset, int rs1);
void sw(struct guest *g, int rs2, int offset, int rs1);
void sb(struct guest *g, int rs2, int offset, int rs1);
void elw(struct guest *g, int rd, int offset, int rs1); // event load
void nops(struct guest *g, unsigned n);
// Marker: one store; the value is x`rs2`.
void mark(struct guest *g, int rs2);
// Ideal barrier of the test device: cores go on in the same cycle.
void meet(struct guest *g);
// The code that follows is for core `core` only, up to the matching end_only().
unsigned only(struct guest *g, unsigned core);
void end_only(struct guest *g, unsigned place);
// Backward branch to word `target` while x`rs1` != 0.
void loop_while(struct guest *g, int rs1, unsigned target);

// A machine of that name with the program loaded, to begin at `entry`. `settings`: as below.
struct pulpsim *guest_machine(const struct guest *g, const char *machine, uint32_t entry,
                              unsigned cores, const char *settings, enum pulpsim_engine engine);
// A machine with the program loaded. `settings`: "key=value key=value ..." beyond cluster-rtl's.
struct pulpsim *guest_load(const struct guest *g, unsigned cores, const char *settings);
struct pulpsim *guest_load_on(const struct guest *g, unsigned cores, const char *settings,
                              enum pulpsim_engine engine);
// The same on pulp-open, from `entry` on. Such a program ends with guest_exit().
struct pulpsim *guest_boot(const struct guest *g, uint32_t entry, unsigned cores,
                           const char *settings, enum pulpsim_engine engine);
void guest_exit(struct guest *g);
// Runs to the end, which must be an exit with code 0.
void guest_run(struct pulpsim *sim);
// guest_end(), guest_load() and guest_run().
struct pulpsim *guest_finish(struct guest *g, unsigned cores, const char *settings);
// Runs to an end that must be a trap or a deadlock whose reason holds `text`.
void guest_fails(struct pulpsim *sim, const char *text);

// Cycle of marker `index` of a core, counted from the release of reset.
uint64_t guest_mark(struct pulpsim *sim, unsigned core, unsigned index);
// Cycles of a core with the cause of that name.
uint64_t guest_stalls(struct pulpsim *sim, unsigned core, const char *cause);
uint32_t guest_word(const struct pulpsim *sim, uint32_t address);
// Of each core, every cycle has one cause.
void guest_check_causes(struct pulpsim *sim, const char *what);

#endif
