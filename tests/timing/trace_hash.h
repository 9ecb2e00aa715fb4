// tests/timing/trace_hash.h: what a program did, in one number (FNV-1a): first every instruction
// that left ID, then every store, each in order.
#ifndef TESTS_TIMING_TRACE_HASH_H
#define TESTS_TIMING_TRACE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_HASH_SEED UINT64_C(0xcbf29ce484222325)

static inline uint64_t trace_hash(uint64_t hash, uint64_t value) {
  for (unsigned i = 0; i < 8; i++)
    hash = (hash ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
  return hash;
}

static inline uint64_t trace_hash_departure(uint64_t hash, uint64_t cycle, uint32_t pc,
                                            bool traps) {
  return trace_hash(trace_hash(hash, cycle << 32 | pc), traps);
}

static inline uint64_t trace_hash_store(uint64_t hash, uint32_t address, uint32_t size,
                                        uint32_t value) {
  return trace_hash(trace_hash(hash, (uint64_t)size << 32 | address), value);
}

#endif
