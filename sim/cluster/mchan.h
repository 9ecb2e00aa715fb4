// sim/cluster/mchan.h: the cluster's DMA (mchan): transfers between TCDM and everything outside.
//
// Each core has a port of its own (0x1020_4400; two more on the peripheral interconnect):
//
//   +0 read: allocate a transfer identifier      +4 read: [15:0] running, [31:16] allocated
//   +0 write, in this order: command, TCDM address, external address,
//      [bytes per row, stride of the external side], [the same of the TCDM side]
//   +4 write: free the identifiers whose bits are set
//
//   command, version 7: [16:0] bytes, 17 direction (1: to TCDM), 18 increment the external
//   address, 19 external side in 2D, 20 event, 21 interrupt event, 22 tell all cores, 23
//   TCDM side in 2D. Version 6 (GAP8): 16 bits of length, flags one bit lower, one word of
//   [15:0] bytes per row | [31:16] stride, no 2D on the TCDM side.
//
// How it works, and how long it takes (the public RTL's parts; dma.tsv, dma2.tsv, dma3.tsv):
// a port collects the words of a command and hands it to an arbiter; a queue of as many commands as
// identifiers feeds one channel per direction. A channel splits 2D transfers into rows, rows into
// bursts that end at 256-byte boundaries of the external address, and works on up to 8 bursts at a
// time. Data pass an aligner, 8 bytes per cycle, that turns the byte lanes of one side into those
// of the other; each direction has two 32-bit ports into TCDM. An identifier's event comes when all
// its bursts are complete on both sides.
//
// Every part is a small state machine between two-entry queues, evaluated once per cycle while
// anything is under way; when all of it waits for memory, nothing is evaluated until memory
// answers.
#ifndef PULPSIM_MCHAN_H
#define PULPSIM_MCHAN_H

#include "cluster/mchan_channel.h"
#include "cluster/tcdm.h"

struct core;
struct event_unit;
struct periph;

enum {
  MCHAN_IDS = 16,
  MCHAN_PORTS = 18, // cores, then the two plugs of the peripheral interconnect
  MCHAN_SLOTS = 4,  // 2D descriptions per side
};

// ---- a port

enum mchan_state {
  MCHAN_IDLE,
  MCHAN_ANSWER, // answers a status read or a free
  MCHAN_COMMAND,
  MCHAN_TCDM,
  MCHAN_EXT,
  MCHAN_EXT_TAKEN,
  MCHAN_EXT_COUNT,
  MCHAN_EXT_STRIDE,
  MCHAN_EXT_STRIDE_TAKEN,
  MCHAN_TCDM_COUNT,
  MCHAN_TCDM_STRIDE,
  MCHAN_LAST_TAKEN,
  MCHAN_BUSY,  // until the arbiter has taken the command
  MCHAN_BUSY2, // until its channel has begun
};

// Words wait in three queues of two.
struct mchan_words {
  uint32_t tcdm[2], ext[2];
  struct mchan_command command[2];
  uint8_t commands, tcdms, exts;
  uint8_t had_commands, had_tcdms, had_exts; // at the beginning of the cycle
};

struct mchan_port {
  uint8_t state; // enum mchan_state
  bool moved;    // decided by a request in this cycle
  bool barrier;  // a command of this port has not passed the arbiter
  bool needs_ext_2d, needs_tcdm_2d;
  bool ext_described, tcdm_described; // a description was completed in this cycle
  uint8_t id, ext_slot, tcdm_slot;
  uint32_t count; // bytes per row, until its stride comes
  struct mchan_words words;
  // The request: a core's access or the plug's.
  struct core *core;
  bool requested, write;
  uint8_t plug; // port of the interconnect that asked
  uint32_t addr, data;
  struct core *owner; // issued the last command: whom to report faults of the transfer to
};

struct mchan_slots {
  struct mchan_row row[MCHAN_SLOTS];
  uint8_t busy;
  uint8_t pointer; // of the arbiter among ports
};

struct mchan_sync {   // per transfer identifier
  uint16_t tcdm, ext; // bursts not complete
  uint32_t unsplit;   // bytes of commands given that are no bursts yet
  bool was_pending;
  bool event, irq, broadcast; // as commanded
  uint8_t port;
  bool ended, end_event, end_irq, end_broadcast; // event to be delivered
  uint8_t end_port;
  struct core *owner; // whom to report faults to
};

struct mchan {
  struct engine *engine;
  unsigned actor;      // rank: units; its clock
  unsigned port_actor; // rank: arbiters; the ports
  unsigned cores, version;
  struct tcdm *tcdm;
  unsigned tcdm_port;      // first of the four
  const struct memory *l1; // its bytes
  uint32_t tcdm_mask;      // what the DMA keeps of a TCDM address
  const struct soc_bus *bus;
  struct event_unit *event_unit;
  struct periph *periph;
  struct l2_port memory[2]; // from TCDM, to TCDM
  int delivering;           // identifier whose event is on the lines in this cycle, or -1
  unsigned ports;
  struct mchan_port port[MCHAN_PORTS];
  cycle_t announced; // cycle of the last request that the interconnect has told of
  uint16_t ids;      // identifiers that there are
  uint16_t allocated, freed;
  uint8_t id_pointer, command_pointer;
  struct mchan_slots ext_slots, tcdm_slots;
  unsigned queued, queued_was; // commands in both queues
  struct mchan_sync sync[MCHAN_IDS];
  uint16_t live;                   // identifiers whose `sync` is to be looked at
  uint32_t awake;                  // ports that are asked for something or hold something
  struct mchan_channel channel[2]; // from TCDM, to TCDM; see mchan_to_tcdm()
  // Tells about transfers: begin when a channel takes a command, end with the event of the last one
  // under this identifier.
  void (*observe)(void *self, unsigned id, bool begin, cycle_t now, uint32_t bytes);
  // Tells of a command that has passed the arbiter; a side in one dimension is one row.
  void (*observe_command)(void *self, const struct mchan_command *command,
                          const struct mchan_row *ext, const struct mchan_row *tcdm, cycle_t now);
  void *observe_self;
};

struct mchan_params {
  struct engine *engine;
  unsigned actor, port_actor;
  unsigned cores;     // ports for cores
  unsigned version;   // 6 or 7
  unsigned transfers; // 1..MCHAN_IDS: identifiers, and commands in the queue
  struct tcdm *tcdm;
  const struct memory *l1; // the bytes of `tcdm`
  const struct soc_bus *bus;
  struct event_unit *event_unit;
  struct periph *periph;
  struct l2_port read, write; // external memory
};

void mchan_init(struct mchan *d, const struct mchan_params *params);

// Core-private port: the access in c->acc is high from this cycle on. Rank CORES.
void mchan_request(struct mchan *d, struct core *c);

// Why a port waits forever if nobody asks for anything else; NULL: it does not, or there is nothing
// to say about it. Nobody frees an identifier; or ports that ask at once for a transfer in two
// dimensions on both sides have got a place for one side's description each (`twd_trans_queue`
// grants the sides on their own): those places are never freed, as nobody fetches what is in them
// (`ctrl_fsm` starts over).
const char *mchan_stuck(const struct mchan *d);

#endif
