// sim/core/handover.h: where the cycle model may give a core back to folded execution.
#ifndef PULPSIM_HANDOVER_H
#define PULPSIM_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

enum handover_kind {
  HANDOVER_NONE,
  HANDOVER_REDIRECTED, // the fetch was sent to `pc`, and nothing else is under way
  HANDOVER_IN_LINE,    // RI5CY: nothing is but the instruction at `pc`, which has just entered ID
};

// What the state of the pipeline behind a clock edge says of that, as far as the pipeline's control
// decides: see pipeline_handover().
struct handover {
  uint8_t kind;      // enum handover_kind
  uint8_t fetches;   // under way
  uint8_t cause;     // of the redirection's cycles
  bool begins_round; // the instruction in ID is the first of a hardware loop's next round
  uint32_t pc;
};

#endif
