// sim/cluster/icache_front.h: what a core sees of its private instruction cache without asking it.
//
// Lines within a window of memory have a bit each, so that a line, or a range of them, is looked up
// in a few instructions. The window lies around a line that was filled lately; others are looked up
// in the cache's directory.
#ifndef PULPSIM_ICACHE_FRONT_H
#define PULPSIM_ICACHE_FRONT_H

#include <stdbool.h>
#include <stdint.h>

enum { FRONT_LINES = 8192 };

struct icache_front {
  bool takes; // fetches, in this cycle and, while they hit and nobody else acts, in those behind it
  uint8_t line_shift;
  uint32_t epoch;                  // changes whenever the contents do
  uint32_t first;                  // line with which the window begins
  uint64_t held[FRONT_LINES / 64]; // by the cache
};

static inline bool icache_front_covers(const struct icache_front *f, uint32_t line) {
  return line - f->first < FRONT_LINES;
}

// The following are for lines that it covers.
static inline bool icache_front_holds(const struct icache_front *f, uint32_t line) {
  uint32_t i = line - f->first;
  return f->held[i / 64] >> (i % 64) & 1;
}

// The first line in from..to-1 that is not held; `to`: none is.
static inline uint32_t icache_front_gap(const struct icache_front *f, uint32_t from, uint32_t to) {
  while (from < to) {
    uint32_t i = from - f->first;
    uint64_t gaps = ~f->held[i / 64] >> (i % 64);
    if (gaps) {
      uint32_t gap = from + (uint32_t)__builtin_ctzll(gaps);
      return gap < to ? gap : to;
    }
    from += 64 - i % 64;
  }
  return to;
}

#endif
