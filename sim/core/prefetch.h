// sim/core/prefetch.h: instruction fetch of the CV32E40P, cycle by cycle.
//
// Three parts in a row: a controller that asks for one aligned word per cycle and never has more
// than two words asked for or buffered, a two-word FIFO that responses bypass when it is
// empty, and an aligner that cuts instructions out of the words. The program counter of an
// instruction is what the aligner says, not what the fetch address was: that is how
// illegal hardware loops go wrong in the way they do.
//
// Facts: cv32e40p_prefetch_controller.sv, cv32e40p_fifo.sv, cv32e40p_obi_interface.sv,
// cv32e40p_aligner.sv (6033d2b).
#ifndef PULPSIM_PREFETCH_H
#define PULPSIM_PREFETCH_H

#include "core/core.h"

enum { PREFETCH_DEPTH = 2 };

// What the next instruction's position within the fetched words is.
enum __attribute__((packed)) aligner_state {
  ALIGNER_WORD,        // starts at bit 0 of the word at hand
  ALIGNER_CROSSING,    // its first half is kept from the word before
  ALIGNER_DELAYED,     // starts at bit 0 of a word that was held back for one cycle
  ALIGNER_HALF_TARGET, // jump target in the upper half of the word
};

// What the rest of the core tells the fetch in a cycle.
struct fetch_command {
  bool enable;    // the controller wants instructions
  bool redirect;  // jump, taken branch, trap: fetch from `target`
  bool loop_back; // hardware loop: after the word that is due, continue at `loop_start`
  uint32_t target;
  uint32_t loop_start;
};

// What either core's fetch shows in this cycle.
struct fetch_port {
  bool request;             // there is one on the bus ...
  uint32_t request_address; // ... for this word
  bool responds;            // data arrive ...
  uint32_t response;        // ... this word
  bool valid;               // an instruction is ready for ID ...
  uint32_t instruction;     // ... its bits (upper half meaningless if compressed) ...
  uint32_t pc;              // ... and its address
};

struct prefetch {
  struct fetch_port port; // its first member
  // What nobody looks at before it is written is 0, so that states that act alike are equal.
  MEMBERS(prefetch_state, state, {
    uint32_t word[PREFETCH_DEPTH]; // the FIFO, oldest first
    uint32_t address;              // last address taken by the bus interface
    uint32_t registered_address;
    uint32_t pc;         // of the instruction that the aligner shows
    uint32_t loop_pc;    // where it goes back to
    uint16_t half;       // upper half of the word before
    uint8_t count;       // words in the FIFO
    uint8_t outstanding; // requests granted whose data have not come
    uint8_t flush;       // responses to throw away
    uint8_t flush_later; // the same, once the loop's last word has come
    bool flush_waits;    // `flush_later` is armed
    bool redirect_waits; // a redirect's address has not been taken by the bus yet
    bool registered;     // a request is on the bus, not granted: its address stays
    bool loop_armed;     // a loop-back arrived while the aligner stood still
    enum aligner_state aligner;
    uint8_t unused;
  });

  // Of this cycle, valid between prefetch_request() and prefetch_edge().
  bool asks; // a new transaction is offered to the bus interface
  uint32_t asks_address;
  bool fetch_valid;              // a word is at the aligner
  enum aligner_state next_state; // if ID takes it
  uint32_t next_pc;
};

// First half of a cycle, once the port says what arrives: request on the bus, instruction offered
// to ID.
void prefetch_request(struct prefetch *f, const struct fetch_command *cmd);

// Clock edge. `granted`: the bus took `request`. `taken`: there is a word at the aligner, and ID
// takes what is offered (if it is valid), and is not halted.
void prefetch_edge(struct prefetch *f, const struct fetch_command *cmd, bool granted, bool taken);

#endif
