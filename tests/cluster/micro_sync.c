// tests/cluster/micro_sync.c: barriers, fork and join, bank conflicts, shared float units.
#include <check.h>
#include <stdio.h>

#include "micro.h"

enum { ROUNDS = 8, WALK = 64, FLOATS = 64 };

// Masks for barrier and dispatch, and barrier 0 for a team of `cores`.
static void set_up(unsigned cores) {
  guest_begin(&micro);
  li(&micro, T1, 5 << 16);
  sw(&micro, T1, 0, S11);
  li(&micro, T1, (1u << cores) - 1);
  sw(&micro, T1, 0x200, S11);
  sw(&micro, T1, 0x20c, S11);
  sw(&micro, T1, 0x84, S11);
  meet(&micro);
}

void micro_barrier(void) {
  micro_row(
      "**Barrier**: cycles of one of %u in a row, all cores together. RTL: 6, measured for 1 to 8 "
      "cores.\n\n| cores | model | RTL |\n|---|---|---|\n",
      ROUNDS);
  for (unsigned cores = 1; cores <= 8; cores++) {
    set_up(cores);
    mark(&micro, ZERO);
    for (unsigned i = 0; i < ROUNDS; i++)
      elw(&micro, A0, 0x21c, S11);
    mark(&micro, ZERO);
    guest_end(&micro);
    micro_run(cores, "");
    micro_row("| %u | %.2f | 6.00 |\n", cores, (double)micro_slowest(cores) / ROUNDS);
  }
}

// Core 0 dispatches a function and its argument; all take both, do nothing, and meet.
static uint64_t fork_and_join(unsigned cores) {
  set_up(cores);
  mark(&micro, ZERO);
  unsigned master = only(&micro, 0);
  nops(&micro, 20); // the others are asleep by then
  sw(&micro, ZERO, 0x80, S11);
  sw(&micro, ZERO, 0x80, S11);
  end_only(&micro, master);
  elw(&micro, A0, 0x80, S11);
  elw(&micro, A1, 0x80, S11);
  elw(&micro, A2, 0x21c, S11);
  mark(&micro, ZERO);
  guest_end(&micro);
  micro_run(cores, "");
  return micro_cycles(0) - 23; // the choice of the master and the 20 instructions
}

void micro_fork(void) {
  micro_row(
      "\n**Fork and join** of an empty function: core 0 stores function and argument to the\n"
      "dispatch queue, all cores take both, and meet at a barrier; cycles of core 0. RTL: its\n"
      "parts are measured (2 stores, a dispatched word 5 behind its store, a pending one 4, a\n"
      "barrier 6), the whole is unverified.\n\n"
      "| cores | model | RTL |\n|---|---|---|\n");
  for (unsigned cores = 1; cores <= 8; cores++)
    micro_row("| %u | %llu | unverified |\n", cores, (unsigned long long)fork_and_join(cores));
}

static double walk(unsigned cores, int stride, const char *settings) {
  guest_begin(&micro);
  add(&micro, S0, S10, ZERO);
  meet(&micro);
  mark(&micro, ZERO);
  for (unsigned i = 0; i < WALK; i++)
    micro_walk(A0 + (int)(i & 1), S0, 4 * stride);
  mark(&micro, ZERO);
  guest_end(&micro);
  micro_run(cores, settings);
  return (double)micro_slowest(cores) / WALK;
}

static void conflict_matrix(const char *arbiter) {
  static const int strides[] = {0, 1, 2, 4, 8, 16, 17};
  char settings[64];
  snprintf(settings, sizeof settings, "cluster.tcdm.arbiter=%s", arbiter);
  for (unsigned cores = 1; cores <= 8; cores *= 2) {
    micro_row("| %s, %u |", arbiter, cores);
    for (unsigned k = 0; k < sizeof strides / sizeof *strides; k++)
      micro_row(" %.2f |", walk(cores, strides[k], settings));
    micro_row("\n");
  }
}

void micro_conflicts(void) {
  micro_row(
      "\n**Bank conflicts**: cycles per load, the slowest core; %u loads per core, all from the\n"
      "first word on, 16 banks. RTL, lic, 2, 4 and 8 cores: stride 0 2.00, 4.00, 8.00; stride\n"
      "1 1.02, 1.05, 1.11; stride 16 2.00, 4.00, 8.00; stride 17 1.02, 1.05, 1.11. The other\n"
      "strides: unverified as such; 506 runs of other patterns differ by 0.\n\n"
      "| interconnect, cores | stride 0 | 1 word | 2 | 4 | 8 | 16 | 17 |\n"
      "|---|---|---|---|---|---|---|---|\n",
      WALK);
  conflict_matrix("lic");
  conflict_matrix("xbar");
}

static void set_float(unsigned f, uint32_t bits) {
  li(&micro, T1, bits);
  word(&micro, 0xf0000053 | (uint32_t)T1 << 15 | f << 7);
}

static double floats(unsigned cores, uint32_t op, unsigned n, const char *settings) {
  guest_begin(&micro);
  set_float(1, 0x3f800000);
  set_float(2, 0x40400000);
  meet(&micro);
  mark(&micro, ZERO);
  for (unsigned i = 0; i < n; i++)
    word(&micro, op | 2u << 20 | 1u << 15 | (8 + i % 16) << 7);
  word(&micro, 0xe0000053 | 8u << 15 | (uint32_t)A0 << 7);
  mark(&micro, ZERO);
  guest_end(&micro);
  micro_run(cores, settings);
  return (double)(micro_slowest(cores) - 1) / n; // less the move
}

void micro_fpu(void) {
  static const char machine[] = "core.model=ri5cy core.fpu.present=true core.fpu.divider=mvp";
  char settings[160];
  micro_row(
      "\n**Shared float units**: cycles per operation, the slowest core; %u independent\n"
      "additions, or 4 divisions, on all cores at once. RTL: who is served is the same in 225,806\n"
      "cycles of requests, and these operations leave ID in the same cycles with 4 units (8 "
      "cores)\n"
      "and with 2 (2 and 4), divisions on shared units too (1 to 8). 1 unit: unverified.\n\n"
      "| cores | private | 4 units | 2 units | 1 unit | division, private | division, shared |\n"
      "|---|---|---|---|---|---|---|\n",
      FLOATS);
  for (unsigned cores = 1; cores <= 8; cores *= 2) {
    micro_row("| %u | %.2f |", cores, floats(cores, 0x53, FLOATS, machine));
    for (unsigned units = 4; units; units /= 2) {
      snprintf(settings, sizeof settings, "%s cluster.fpu.sharing=shared cluster.fpu.units=%u",
               machine, units);
      micro_row(" %.2f |", floats(cores, 0x53, FLOATS, settings));
    }
    micro_row(" %.2f |", floats(cores, 0x18000053, 4, machine));
    micro_row(" %.2f |\n", floats(cores, 0x18000053, 4, settings));
  }
}
