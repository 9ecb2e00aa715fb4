// sim/core/fold.h: what a straight line of code costs, found by running the cycle model on it.
//
// Engines that execute decoded blocks need the distance between the cycles T in which consecutive
// instructions leave ID. It is asked of the cycle model itself, once per block, so
// that every rule has one home. The line is run without effect: accesses are aligned and
// granted at once, branches are not taken, except the last instruction's if the caller says
// so, divisors have their leading bit set.
//
// The gaps are exact when the line is entered by a redirect (jump, taken branch, trap return), or
// by falling in from a line whose last instructions are put in front (`lead`), and
//   - instruction words come at once (ideal memory, or every word hits),
//   - no float result is in flight at the entry. With both FPU latencies 0 only a division can be;
//     otherwise run the cycle model, or put its instruction in front,
//   - no hardware loop ends inside the line.
// What is not static, and how it adds up:
//   - serial division of D cycles (fold_divider): the gap behind it grows by D - 3
//   - an access that crosses a word: by 1
//   - a data grant k cycles late: by k, less what a jump (jal, jalr) behind it can hide: a
//     jump redirects the fetch in its first cycle in ID, even while it waits there; ask with
//     `access`, `late` and `crosses`
//   - float division: nothing itself, but see the second condition
//   - a trap: the cycle model, or 4 cycles from the trapping instruction's T to the
//     handler's first (5 on CV32E40P for an illegal word: the bubble behind it)
// For illegal hardware loops (bodies of one or two instructions, jumps or branches inside,
// ends that are no instruction, equal ends), late instruction memory and pipelined FPUs the
// caller uses the cycle model.
#ifndef PULPSIM_FOLD_H
#define PULPSIM_FOLD_H

#include "core/id_insn.h"

struct fold;

struct fold_gap {
  uint8_t cycles;             // from T of an instruction to T of the next: 1 and its stalls
  uint8_t stall[CAUSE_COUNT]; // why
};

enum { FOLD_LINE_MAX = 64, FOLD_NOP = 0x13, FOLD_SHORT_NOP = 0x01 };

struct fold_line {
  const uint32_t *word; // instruction words; upper half ignored where compressed
  unsigned count;       // 1..FOLD_LINE_MAX
  unsigned lead;        // the first so many only set the scene
  uint32_t pc;
  bool leaves; // the last instruction is a jump or a taken branch, to `target`
  uint32_t target;
  uint32_t landing; // the instruction there
  // What-if: the access of instruction `access` (from the end: 1 is the last but one) crosses a
  // word, and its first grant comes `late` cycles late. 0: all are aligned and granted at once.
  unsigned access, late;
  bool crosses;
};

// NULL when out of memory. `decoder` must outlive it.
struct fold *fold_new(const struct id_config *config, const struct isa_decoder *decoder);
void fold_free(struct fold *f);

// gap[i]: from instruction lead + i to the next; the last one leads to the instruction at `target`
// or behind the line. Returns false if an instruction traps or the line does not run straight.
bool fold_costs(struct fold *f, const struct fold_line *line, struct fold_gap *gap);

// Of the line last run: the first byte behind what the fetch had asked for of the line, and of what
// is behind it, when the last instruction left ID.
uint32_t fold_reach(const struct fold *f);

// Cycles of the serial divider, in all: 3 to 35.
unsigned fold_divider(bool is_signed, uint32_t divisor);

#endif
