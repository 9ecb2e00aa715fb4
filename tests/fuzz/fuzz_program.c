// tests/fuzz/fuzz_program.c: any words as a program; both engines must agree on everything.
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_machine.h"

enum { CYCLES = 400, ENGINES = 2, INPUTS = 64 }; // then new machines: they keep all code they saw

static struct pulpsim *machine[ENGINES];
static struct pulpsim_snapshot *fresh[ENGINES];

static bool prepare(void) {
  static unsigned inputs;
  if (++inputs % INPUTS == 0)
    for (unsigned i = 0; i < ENGINES; i++) {
      pulpsim_snapshot_free(fresh[i]);
      pulpsim_free(machine[i]);
      machine[i] = NULL;
      fresh[i] = NULL;
    }
  for (unsigned i = 0; i < ENGINES; i++) {
    if (machine[i])
      continue;
    machine[i] = tiny_machine(i ? PULPSIM_PLAIN : PULPSIM_FAST);
    fresh[i] = machine[i] ? pulpsim_save(machine[i]) : NULL;
    if (!fresh[i])
      return false;
  }
  return true;
}

static void set_registers(struct pulpsim *sim, const uint8_t *data, size_t size) {
  uint32_t seed = 1;
  for (size_t i = 0; i < size; i++)
    seed = (seed ^ data[i]) * 16777619;
  for (unsigned i = 1; i < 64; i++) {
    seed = seed * 1664525 + 1013904223;
    // Most of them point into the memory, so that accesses hit it.
    pulpsim_set_register(sim, 0, i, seed >> 28 ? seed >> 16 & (TINY_MEMORY - 1) : seed);
  }
}

static size_t code_size(size_t size) {
  size_t most = TINY_MEMORY - TINY_START - 64;
  return size < most ? size : most;
}

static void run(struct pulpsim *sim, const struct pulpsim_snapshot *start, const uint8_t *data,
                size_t size) {
  pulpsim_restore(sim, start);
  if (size)
    pulpsim_write(sim, TINY_START, data, code_size(size));
  set_registers(sim, data, size);
  pulpsim_run(sim, CYCLES);
}

// Whether the program ended in what it had written outside its code, where all was zero: 8 bytes
// on either side of the end.
static bool ended_in_data(const struct pulpsim *sim, const uint8_t *memory, size_t size) {
  uint32_t pc = pulpsim_pc(sim, 0), end = TINY_START + (uint32_t)code_size(size);
  for (uint32_t i = pc < 8 ? 0 : pc - 8; i < pc + 8 && i < TINY_MEMORY; i++)
    if ((i < TINY_START || i >= end) && memory[i])
      return true;
  return false;
}

// When both came to the end of the program in time, they did the same. A run that is cut off may
// be caught at different points within a cycle; a program that wrote over its own code, or ran what
// it wrote, which has no meaning without fence.i, may have run the old or the new instructions.
static void compare(const uint8_t *code, size_t size) {
  uint8_t memory[ENGINES][TINY_MEMORY];
  for (unsigned i = 0; i < ENGINES; i++) {
    pulpsim_read(machine[i], 0, memory[i], TINY_MEMORY);
    if (pulpsim_state(machine[i]) == PULPSIM_READY ||
        (size && memcmp(memory[i] + TINY_START, code, code_size(size)) != 0) ||
        ended_in_data(machine[i], memory[i], size))
      return;
  }
  if (pulpsim_state(machine[0]) != pulpsim_state(machine[1]))
    abort();
  for (unsigned i = 0; i < 64; i++)
    if (pulpsim_register(machine[0], 0, i) != pulpsim_register(machine[1], 0, i))
      abort();
  if (memcmp(memory[0], memory[1], TINY_MEMORY) != 0)
    abort();
}

int fuzz_program(const uint8_t *data, size_t size) {
  if (!prepare())
    return 0;
  for (unsigned i = 0; i < ENGINES; i++)
    run(machine[i], fresh[i], data, size);
  compare(data, size);
  return 0;
}
