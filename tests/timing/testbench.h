// tests/timing/testbench.h: one core on the cycle model, 16 MiB of memory at 0, a test device.
//
// The device: a store to 0x80000000 ends the run, one to 0x80000008 records a marker, a load from
// 0x8000000c reads the cycle, loads from 0x80000100 on are granted `event_grant` cycles late.
// Cycles are counted as in the tables measured on the RTL.
#ifndef TESTS_TIMING_TESTBENCH_H
#define TESTS_TIMING_TESTBENCH_H

#include "core/pipeline.h"

struct fpu_share;

enum { TESTBENCH_MARKERS = 64, TESTBENCH_SIZE = 16 << 20 };

struct testbench_delays {
  uint8_t fetch_grant, fetch_data, data_grant, data_data; // beyond the ideal
  unsigned event_grant;
  uint32_t interrupts; // seed of interrupt_plan(); 0: none
};

struct testbench_marker {
  uint32_t value;
  cycle_t cycle;
  uint64_t instructions;
};

struct testbench_result {
  bool exited;
  uint32_t status;
  cycle_t cycles;        // of the exit
  uint64_t instructions; // up to and including the exit's cycle
  struct testbench_marker marker[TESTBENCH_MARKERS];
  unsigned markers;
  uint64_t trace;  // FNV-1a of (cycle, pc, trap) of all instructions that left ID
  uint64_t traced; // how many
};

struct testbench;

// `config`: "int" (CV32E40P without floats), "fpXY" (with latencies X and Y), "zfXY" (floats in x
// registers), "ri5cy", "ri5cyfp" and "ri5cyfpXY" (RI5CY with floats; latencies 0 if not given).
struct testbench *testbench_new(const char *config);
void testbench_free(struct testbench *b);
uint32_t testbench_sets(const struct testbench *b);
const struct isa_decoder *testbench_decoder(const struct testbench *b);
const struct id_config *testbench_config(const struct testbench *b);

// Clocks the core in every cycle, also where nothing can change.
void testbench_skip_nothing(struct testbench *b, bool on);

// Whether an instruction that leaves ID is in the RTL's traces too: RI5CY's have no traps, fences
// and returns.
bool testbench_seen(const struct core *c, const struct isa_insn *insn, bool traps);

// Called for each instruction that leaves ID.
void testbench_watch(struct testbench *b, pipeline_watch *watch, void *self);

// Called, with the same `self`, for each store (both parts of one that crosses a word) as it is
// granted.
void testbench_watch_stores(struct testbench *b, void (*watch)(void *self, const struct access *a));

// Runs an ELF file, or a plain image from address 0 with its entry, for at most `limit` cycles.
// Also checks that every cycle of the core has a cause.
void testbench_run_elf(struct testbench *b, const uint8_t *elf, size_t size,
                       const struct testbench_delays *delays, cycle_t limit,
                       struct testbench_result *r);
void testbench_run_image(struct testbench *b, const uint8_t *image, size_t size, uint32_t entry,
                         const struct testbench_delays *delays, cycle_t limit,
                         struct testbench_result *r);

// Runs one image per core on cores that share float units, clocked together in every cycle. All of
// the same configuration, which has floats.
void testbench_run_together(struct testbench *const b[], unsigned count, struct fpu_share *units,
                            uint8_t *const image[], size_t size, uint32_t entry, cycle_t limit,
                            struct testbench_result r[]);

#endif
