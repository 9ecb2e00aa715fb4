// sim/cluster/code_lines.h: what a core sees of its private instruction cache without asking it.
//
// Lines within a window of memory have a bit each, so that a line, or a range of them, is looked up
// in a few instructions. The window lies around a line that was filled lately; others are looked up
// in the cache's directory.
#ifndef PULPSIM_CODE_LINES_H
#define PULPSIM_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/engine.h"

// Epochs leave low bits to whoever compares more than one number.
enum { CODE_EPOCH_SHIFT = 24 };
#define CODE_EPOCH (UINT64_C(1) << CODE_EPOCH_SHIFT)

enum { CODE_LINES = 8192 };

struct code_lines {
  uint8_t line_shift;
  // From this cycle on it takes fetches, as long as they hit and nobody else acts. CYCLE_NEVER: not
  // known.
  cycle_t takes_from;
  uint64_t epoch; // changes, by CODE_EPOCH, when what it holds cannot be relied on any more
  uint32_t first; // line with which the window begins
  uint8_t there[CODE_LINES / 8 + 8]; // by the cache; the last 8 only to be read with others
};

// Not because of a fetch that it has taken.
static inline void code_lines_take(struct code_lines *f, cycle_t from) {
  if (from > f->takes_from)
    f->epoch += CODE_EPOCH;
  f->takes_from = from;
}

static inline bool code_lines_cover(const struct code_lines *f, uint32_t line) {
  return line - f->first < CODE_LINES;
}

// The following are for lines that it covers.
static inline bool code_lines_have(const struct code_lines *f, uint32_t line) {
  uint32_t i = line - f->first;
  return f->there[i / 8] >> (i % 8) & 1;
}

// All of first..last.
static inline bool code_lines_have_all(const struct code_lines *f, uint32_t first, uint32_t last) {
  uint32_t i = first - f->first, behind = last - first;
  for (;; i += 56, behind -= 56) {
    uint64_t there;
    memcpy(&there, f->there + i / 8, sizeof there);
    there >>= i % 8;
    if (behind < 56)
      return ~there << (63 - behind) == 0;
    if (~there << 8)
      return false;
  }
}

#endif
