// sim/core/segment.h: several recorded cycles of the cycle model in a row, as one.
//
// A segment begins with a cycle whose requests are known and answered: its fetch hits; an access in
// EX is granted, and its data come in the next cycle. What follows is known up to the next answer
// from outside: the next access, which way a branch goes, a hardware loop's end, a jump. It is put
// together from what is recorded of its cycles (memo_state.h), and holds as long as memory holds
// the same words and the core's cache their lines. What its instructions do is a line of
// micro-operations (exec.h); what it counts is kept by how often each core has come through, until
// somebody looks.
#ifndef PULPSIM_SEGMENT_H
#define PULPSIM_SEGMENT_H

#include "core/chain.h"
#include "core/exec.h"
#include "core/memo_state.h"
#include "engine/limit.h"

// Less than CORE_QUANTUM; as many as are always left behind a miss, see struct pipeline_code.
enum { SEGMENT_CYCLES = 32, AWAITS_CYCLES = 2 };

// How the last instruction that leaves ID has a say in what follows.
enum segment_end {
  SEGMENT_PLAIN,
  SEGMENT_ACCESSES, // it may cross a word
  SEGMENT_BRANCHES,
  SEGMENT_LOOPS, // it writes registers of a hardware loop
};

struct segment {
  // Looked at each time: a line of the host's cache.
  _Alignas(64) struct uop *uop;
  struct segment *next[2]; // that follows by whether a branch at the end is taken; NULL: ask
  struct segment *lost;    // the one cycle that is made if another core gets the bank, or NULL
  struct segment *in_line; // the part of it in front of its second line of code, or NULL
  uint16_t cycles, number;
  bool asks;                    // begins with an access that is granted
  bool turns;                   // where it leads depends on a hardware loop, or it changes one
  uint8_t ends;                 // enum segment_end
  bool arrives, floats, awaits; // awaits: code, which does not come, and asks for none
  bool stores;                  // in its first cycle, to a window in which its code is, too
  uint8_t last_cause, words;
  uint8_t uops;         // but for the end
  uint8_t alone;        // how often it has begun where no chain does
  uint8_t losses;       // ... another core has got the bank, and that was not known
  uint8_t ended;        // bit per result of the end: where it leads has been looked at
  uint8_t decrement[2]; // by the loops
  memo_link chain;      // that begins with it; 0: none is known
  // Looked at when its code, or the context, may have changed.
  uint64_t lines;                 // of the core's cache, a bit each, in which its code lies, ...
  uint32_t line_first;            // ... from this one on; no bit: nobody asks
  uint32_t code_first, code_span; // bytes that are asked for, one behind the other; 0: none
  memo_link word;                 // they
  uint64_t written;               // of the code, then the words were the same
  uint32_t loop_first, loop_span; // what loops are compared with, but in the first cycle ...
  uint32_t end_pc[2];             // ... and behind it, by the result of its end
  uint32_t near_first, near_span; // RI5CY: no loop that ends elsewhere has a say; else everywhere
  uint8_t loops, end_loops[2];    // ... enum loops_seen: by whom
  // Looked at where it leads is not known, or where it has been left.
  struct segment_turn {    // where it leads if it turns: if loops do nothing, or this
    memo_link to;          // 0: not known
    uint32_t start, loops; // of memo_loops()
  } turn[2];
  uint32_t address;              // on the instruction port in the last cycle
  uint32_t last_word;            // that is asked for, and comes in the cycle behind if it `arrives`
  memo_link first_at, first_now; // how it begins: state, case
  memo_link last_at, last_now, last_result; // the last cycle
};

// What a segment counts, as in struct core_counters.
struct segment_counts {
  uint64_t which; // a bit each: those that are not 0
  union {
    struct {
      uint8_t insns, macs, stall[CAUSE_COUNT], event[EVENT_COUNT];
    };
    uint8_t counter[COUNTERS];
  };
};

enum { SEGMENTS = LIMIT(1 << 14, 3), SEGMENT_UOPS = LIMIT(1 << 18, 512) };
enum { SEGMENT_WORDS = SEGMENT_UOPS };
// Cores' uses of one segment do not all meet in one set of the host's caches.
enum { SEGMENT_USES_APART = 16 };

// All segments of the pipelines that share their states.
struct segments {
  unsigned count, uops, words, chains;
  struct uop uop[SEGMENT_UOPS];
  uint32_t word[SEGMENT_WORDS];
  struct chain chain[CHAINS];
  struct segment segment[SEGMENTS];
  struct segment_counts counts[SEGMENTS]; // of each
  struct segment_uses {
    struct segment_use of[SEGMENTS + SEGMENT_USES_APART];
  } use[SEGMENT_CORES];
};

// How the last cycle of `s` ends, by whether a branch is taken.
static inline const struct memo_result *segment_last_result(const struct pipeline *p,
                                                            const struct segment *s) {
  return memo_follow(p->walk.memo, s->last_result);
}

// Of a segment and a core, as in struct segment_use.
static inline uint64_t *segment_valid(const struct core *c, const struct segment *s) {
  return &c->ahead.use->of[s->number].valid;
}
static inline uint64_t *segment_entered(const struct core *c, const struct segment *s) {
  return &c->ahead.use->of[s->number].entered;
}

// Puts together the segment from state `s` with requests `now`, the access among them granted; NULL
// if there is none, or if it is not known yet how it goes on. `finally`: then it ends there.
struct segment *segment_new(struct pipeline *p, struct memo_state *s, struct memo_case *now,
                            bool finally);

// Another core gets the bank that `s` asks for, and all else is as if it had got it: s->lost, which
// was NULL, once it is known.
struct segment *segment_of_loss(const struct core *c, struct segment *s);

// `s` does not hold: what does of it, in front of its second line of code; NULL: nothing.
struct segment *segment_in_line(const struct core *c, struct segment *s);

// Whether loop `l` may act, with some count, where those who look at it compare it with
// first..first+span.
static inline bool segment_meets_loop(uint8_t loops_seen, const struct hwloop *l, uint32_t first,
                                      uint32_t span) {
  if (loops_seen == LOOPS_BY_FETCH)
    return l->last - first <= span;
  return loops_seen && controller_meets_loop((enum controller_state)loops_seen, l, first, span);
}

// Whether `s` holds, of which that is not known.
bool segment_holds_again(const struct core *c, struct segment *s);

// The following are for who has run segments to cycle `t`.

// `s` has been run, up to cycle `t`: finds what follows. NULL: it is not known; core.ahead.stop
// says why.
struct segment *segment_follow(struct core *c, struct segment *s, cycle_t t);

// `s` has been run, up to cycle `t`; `next`, which follows, is not.
enum segment_stop segment_leave(struct core *c, const struct segment *s, const struct segment *next,
                                cycle_t t);

// Adds to the counters what `s` counts in so many times.
void segment_count(struct core_counters *k, const struct segment_counts *s, uint64_t times);

// Adds what core `c` has counted in segments to c->count.
void segments_count(struct segments *all, struct core *c);

#endif
