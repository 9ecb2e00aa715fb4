// sim/core/prefetch_ri5cy.h: instruction fetch of the 2019 RI5CY, cycle by cycle.
//
// One word is asked for at a time; words wait in a FIFO of four that carries the address of
// each and hands instructions out of its head. A hardware loop's jump is recognised when
// the address at the head equals a loop's end: the fetch then continues at the loop's start,
// and the word that comes from there replaces the second entry of the FIFO.
//
// Facts: riscv_prefetch_buffer.sv, riscv_fetch_fifo.sv, riscv_if_stage.sv (November 2019).
#ifndef PULPSIM_PREFETCH_RI5CY_H
#define PULPSIM_PREFETCH_RI5CY_H

#include "core/prefetch.h"

enum { FETCH_FIFO_DEPTH = 4 };

enum __attribute__((packed)) fetch_bus_state {
  BUS_IDLE,
  BUS_WAIT_GRANT,
  BUS_WAIT_DATA,
  BUS_WAIT_ABORTED
};

enum __attribute__((packed)) fetch_loop_state {
  LOOP_NONE,
  LOOP_IN,       // the end has been seen; the start is to be asked for
  LOOP_FETCHING, // it has been asked for
  LOOP_DONE,     // it has come
  LOOP_UNALIGNED_COMPRESSED,
  LOOP_UNALIGNED,
};

struct fetch_entry {
  uint32_t address, word;
  bool valid;
  bool loop; // comes from a hardware loop's start (entries 0 and 1 only)
  uint16_t unused;
};

struct prefetch_ri5cy {
  struct fetch_port port; // its first member
  MEMBERS(prefetch_ri5cy_state, state, {
    struct fetch_entry fifo[FETCH_FIFO_DEPTH]; // 0 where they are not valid
    uint32_t address;                          // of the last request
    enum fetch_bus_state bus;
    enum fetch_loop_state loop;
    uint16_t unused;
  });

  // Of this cycle, valid between the calls below.
  bool push;      // the response enters the FIFO
  bool stored;    // the FIFO's head holds a whole instruction without what comes in this cycle
  bool from_loop; // it is the first of a loop's next round
  bool upper_compressed, lower_compressed;
  uint8_t loop_seen; // bit of the hardware loop that ends here, or 0 (set by the caller)
  uint32_t loop_start;
  bool masked;  // go to the loop's start with the next request
  bool restart; // drop what is in IF and fetch the loop's start
  bool moves, asks_loop;
};

// The FIFO's output of this cycle, once the port says what arrives.
void prefetch_ri5cy_look(struct prefetch_ri5cy *f);

// The request of this cycle. `loop_seen` and `loop_start`: a hardware loop ends at port.pc.
void prefetch_ri5cy_request(struct prefetch_ri5cy *f, const struct fetch_command *cmd);

// Clock edge. `ready`: ID takes what is offered.
void prefetch_ri5cy_edge(struct prefetch_ri5cy *f, const struct fetch_command *cmd, bool granted,
                         bool ready);

// What IF offers next may be the first of a loop's next round: the loop's end has been seen.
bool prefetch_ri5cy_follows_loop(const struct prefetch_ri5cy *f);

#endif
