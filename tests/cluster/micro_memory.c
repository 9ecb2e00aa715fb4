// tests/cluster/micro_memory.c: DMA, L2, instruction cache.
#include <check.h>
#include <stdio.h>

#include "micro.h"

enum { IN = 1 << 17, FLAGS = 1 << 18 | 1 << 20, TWO_D = 1 << 19 };

struct shape {
  uint32_t bytes, row; // row 0: one dimension; else rows lie 512 bytes apart outside
};

// From the store of the command's last word to the event, which is 4 cycles before the next
// instruction of a core that sleeps on it.
static uint64_t transfer(bool in, struct shape s, const char *settings) {
  const uint32_t command[] = {s.bytes | FLAGS | (in ? IN : 0) | (s.row ? TWO_D : 0), GUEST_TCDM,
                              GUEST_DATA, s.row, 512};
  unsigned words = s.row ? 5 : 3;
  guest_begin(&micro);
  li(&micro, T1, 0x100);
  sw(&micro, T1, 0, S11);
  for (unsigned i = 0; i < words; i++)
    li(&micro, A1 + (int)i, command[i]);
  lw(&micro, A0, 0, S7);
  for (unsigned i = 0; i + 1 < words; i++)
    sw(&micro, A1 + (int)i, 0, S7);
  mark(&micro, ZERO);
  sw(&micro, A1 + (int)words - 1, 0, S7);
  elw(&micro, T2, 0x3c, S11);
  mark(&micro, ZERO);
  guest_end(&micro);
  micro_run(1, settings);
  return micro_cycles(0) - 5; // and the event load itself
}

static const char near[] = "cluster.dma.memory_latency=1", far[] = "cluster.dma.memory_latency=15";

static void one_dimension(uint32_t bytes, const char *rtl) {
  struct shape s = {bytes, 0};
  micro_row(
      "| %u | %llu | %llu | %llu | %llu | %s |\n", bytes,
      (unsigned long long)transfer(true, s, near), (unsigned long long)transfer(false, s, near),
      (unsigned long long)transfer(true, s, far), (unsigned long long)transfer(false, s, far), rtl);
}

static void two_dimensions(uint32_t bytes, uint32_t row, const char *rtl) {
  struct shape s = {bytes, row};
  const char four[] = "cluster.dma.memory_latency=4";
  micro_row("| %u x %u B | %llu | %llu | %s |\n", bytes / row, row,
            (unsigned long long)transfer(true, s, four),
            (unsigned long long)transfer(false, s, four), rtl);
}

void micro_dma(void) {
  micro_row(
      "\n**DMA**: cycles from the store of the command's last word to the event, L: latency of\n"
      "the memory outside. RTL in the same order.\n\n"
      "| bytes | in, L = 1 | out, L = 1 | in, L = 15 | out, L = 15 | RTL "
      "|\n|---|---|---|---|---|---|\n");
  static const char *const rtl[] = {
      "16, 16, 30, 30",         "16, 16, 30, 30",     "18, 18, 32, 32",
      "20, 20, 34, 34",         "24, 24, 38, 38",     "32, 32, 46, 46",
      "48, 48, 62, 62",         "82, 83, 96, 97",     "150, 153, 164, 167",
      "286, 293, 300, 307",     "558, 573, 572, 587", "1102, 1133, 1116, 1147",
      "2190, 2253, 2204, 2267",
  };
  for (unsigned i = 0; i < 13; i++)
    one_dimension(4u << i, rtl[i]);
  micro_row("\nIn two dimensions (rows 512 bytes apart outside, L = 4):\n\n"
            "| rows | in | out | RTL |\n|---|---|---|---|\n");
  two_dimensions(1024, 64, "176, 191");
  two_dimensions(1024, 16, "272, 272");
  two_dimensions(256, 4, "144, 207");
  two_dimensions(4096, 256, "560, 575");
}

// One load from L2 of each core, all at once.
static uint64_t load(unsigned cores, unsigned latency) {
  char settings[32];
  guest_begin(&micro);
  meet(&micro);
  mark(&micro, ZERO);
  lw(&micro, A0, 0, S9);
  mark(&micro, ZERO);
  guest_end(&micro);
  snprintf(settings, sizeof settings, "l2.latency=%u", latency);
  micro_run(cores, settings);
  return micro_slowest(cores);
}

// Cycles that `n` loads from L2 wait on pulp-open, where all share the way there, alone or beside a
// DMA transfer of 16 kB; and what the rest of the program waits.
static uint64_t shared_wait(int n, bool dma, const char *settings) {
  guest_begin(&micro);
  li(&micro, A1, 16384 | FLAGS | IN);
  li(&micro, A2, GUEST_TCDM);
  if (dma) {
    lw(&micro, A0, 0, S7);
    sw(&micro, A1, 0, S7);
    sw(&micro, A2, 0, S7);
    sw(&micro, S9, 0, S7);
    nops(&micro, 60);
  }
  for (int i = 0; i < n; i++) {
    lw(&micro, A0, 4 * i, S9);
    nops(&micro, (unsigned)i % 8); // not in step with the transfer
  }
  guest_exit(&micro);
  return micro_l2_wait(settings);
}

static double shared_load(bool dma, const char *settings) {
  enum { LOADS = 64 };
  uint64_t rest = shared_wait(0, false, settings);
  return 1 + (double)(shared_wait(LOADS, dma, settings) - rest) / LOADS;
}

void micro_l2(void) {
  micro_row("\n**L2**: cycles of a load, of all cores at once, the slowest; L = `l2.latency`.\n\n"
            "| L | 1 core | 2 | 4 | 8 | RTL |\n|---|---|---|---|---|---|\n");
  for (unsigned latency = 1; latency <= 15; latency += 14) {
    micro_row("| %u |", latency);
    for (unsigned cores = 1; cores <= 8; cores *= 2)
      micro_row(" %llu |", (unsigned long long)load(cores, latency));
    micro_row(" %u, %u, %u, %u |\n", 5 + latency, 6 + latency, 8 + latency, 12 + latency);
  }
  micro_row(
      "\nOn `pulp-open` the DMA, the caches' refills and the cores' accesses share one port to\n"
      "L2, a 64-bit transfer per cycle of its clock and direction, in the order of addresses: as\n"
      "seen on the whole cluster's RTL with 8 bytes. Cycles of a load, 64 in a row:\n\n"
      "| l2.port_bytes | alone | beside a DMA transfer |\n|---|---|---|\n");
  for (unsigned bytes = 8; bytes; bytes /= 2) {
    char settings[64];
    snprintf(settings, sizeof settings, "cluster.icache.model=ideal l2.port_bytes=%u", bytes);
    micro_row("| %u | %.2f | %.2f |\n", bytes, shared_load(false, settings),
              shared_load(true, settings));
  }
}

// 16 lines in a straight line, three times: cold, in the private cache, and, behind a flush of
// that, in the shared one.
static void straight(unsigned latency, bool prefetch, uint64_t cycles[3]) {
  char settings[128];
  guest_begin(&micro);
  li(&micro, S0, GUEST_PERIPHERALS + 0x1400);
  li(&micro, T1, 1);
  sw(&micro, T1, 0, S0);
  li(&micro, S1, 3);
  nops(&micro, (4 - micro.count % 4) % 4 + 8);
  unsigned again = micro.count;
  nops(&micro, 3);
  mark(&micro, ZERO);
  nops(&micro, 63);
  mark(&micro, ZERO);
  nops(&micro, 2);
  addi(&micro, S1, S1, -1);
  addi(&micro, T1, S1, -1);                           // before the last round
  word(&micro, (uint32_t)T1 << 15 | 1 << 12 | 0x463); // bne t1, x0, 8
  sw(&micro, S1, 8, S0);                              // flush of the private caches
  loop_while(&micro, S1, again);
  guest_end(&micro);
  snprintf(settings, sizeof settings,
           "cluster.icache.model=hier cluster.icache.refill_latency=%u cluster.icache.prefetch=%s",
           latency, prefetch ? "true" : "false");
  micro_run(1, settings);
  for (unsigned i = 0; i < 3; i++)
    cycles[i] = micro_between(2 * i) + 1; // the marker is one of them
}

static void lines(unsigned latency, const char *rtl) {
  uint64_t plain[3], ahead[3];
  straight(latency, false, plain);
  straight(latency, true, ahead);
  micro_row("| %u | %llu | %llu | %llu | %llu | %s |\n", latency, (unsigned long long)plain[0],
            (unsigned long long)plain[2], (unsigned long long)plain[1],
            (unsigned long long)ahead[0], rtl);
}

void micro_icache(void) {
  micro_row(
      "\n**Instruction cache**: cycles of 64 instructions of 32 bits in a straight line, L =\n"
      "`cluster.icache.refill_latency`. RTL per line of 16 bytes: 12 + L cold, 7 from the\n"
      "shared level, 4 warm, 9 + L cold with the prefetcher; these are 16 lines.\n\n"
      "| L | cold | from the shared level | warm | cold, prefetch | RTL |\n"
      "|---|---|---|---|---|---|\n");
  lines(1, "208, 112, 64, 160");
  lines(15, "432, 112, 64, 384");
  lines(40, "832, 112, 64, 784");
}
