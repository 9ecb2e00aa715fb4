// tests/cluster/stretch_stream.h: a long transfer of the DMA in each round of a program
// (stretch_program.h): the same in all rounds but chosen ones, so that what the DMA asks for comes
// again, or nearly so.
#ifndef PULPSIM_TESTS_STRETCH_STREAM_H
#define PULPSIM_TESTS_STRETCH_STREAM_H

#include "line.h"

enum { STRETCH_STREAM_ROUNDS = 14 }; // at most: the DMA has 16 identifiers, and none is freed

// In rounds in which the counter's lowest bits are `when`, `by` is added.
struct stretch_deviation {
  unsigned mask, when, by;
};

struct stretch_stream {
  bool inwards;   // to L1: what is in L2 where the program is. Else from L1, to L2's data ...
  uint32_t first; // ... from here on, to places of each round's own
  uint32_t l1, bytes;
  unsigned row, stride; // of L1, in bytes; row 0: it is in one piece
  struct stretch_deviation length, place, step;
};

// By chance. `own` is where the words of L1 lie that the cores access, and `apart` others: it
// touches none but those from 512 bytes in front of one of the two to STRETCH_STREAM_MOST behind.
enum { STRETCH_STREAM_MOST = 0x1400 };
void stretch_stream_choose(struct line *l, struct stretch_stream *s, uint32_t own, uint32_t apart);

// Has the core that comes here start it; `rounds` is its counter. a0 .. a2 and `temp` change.
void stretch_stream_start(struct line *l, const struct stretch_stream *s, int rounds, int temp);

#endif
