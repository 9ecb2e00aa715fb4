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
// a port collects the words of a command and hands it to an arbiter; a queue of 16 commands
// feeds one channel per direction. A channel splits 2D transfers into rows, rows into bursts that
// end at 256-byte boundaries of the external address, and works on up to 8 bursts at a time. Data
// pass an aligner, 8 bytes per cycle, that turns the byte lanes of one side into those of the
// other; each direction has two 32-bit ports into TCDM. An identifier's event comes when all its
// bursts are complete on both sides.
//
// Every part is a small state machine between two-entry queues, evaluated once per cycle while
// anything is under way; when all of it waits for memory, nothing is evaluated until memory
// answers.
#ifndef PULPSIM_MCHAN_H
#define PULPSIM_MCHAN_H

#include <stdbool.h>

#include "cluster/tcdm.h"
#include "engine/engine.h"
#include "soc/l2.h"
#include "soc/soc_bus.h"

struct core;
struct event_unit;
struct periph;

enum {
  MCHAN_IDS = 16,
  MCHAN_PORTS = 18, // cores, then the two plugs of the peripheral interconnect
  MCHAN_QUEUE = 16,
  MCHAN_SLOTS = 4, // 2D descriptions per side
  MCHAN_BURST = 256,
  MCHAN_BURSTS = 8,  // outstanding per direction
  MCHAN_ON_BUS = 16, // room for these and some more; powers of two
  MCHAN_WRITING = 4,
  MCHAN_PAIRS = 8, // room for all that are under way; powers of two
  MCHAN_EXT_WORDS = 4,
};

// ---- what travels between the parts

// An entry of a queue; enum mchan_stage tells which members a queue carries.
struct mchan_item {
  uint32_t len; // bytes - 1
  uint32_t tcdm, ext;
  uint8_t id;  // transfer
  uint8_t tag; // burst
  bool increment;
};

// The queues of a channel, of two entries each: bit i of a set is about enum mchan_stage i.
struct mchan_fifos {
  unsigned valid, full; // has an entry, has two
  unsigned first;       // which of the two entries is the head
  struct mchan_item item[16][2];
};

// Within a cycle the queues do not change: what goes in and out is noted here, and done at the
// clock edge.
struct mchan_moves {
  unsigned pushed, popped; // queues
};

struct mchan_command {
  uint32_t len; // bytes - 1
  uint32_t tcdm, ext;
  uint8_t id, port, ext_slot, tcdm_slot;
  bool to_tcdm, increment, ext_2d, tcdm_2d, event, irq, broadcast;
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

struct mchan_row { // 2D description
  uint32_t count, stride;
};

struct mchan_slots {
  struct mchan_row row[MCHAN_SLOTS];
  uint8_t busy;
  uint8_t pointer; // of the arbiter among ports
};

// ---- a channel: one direction

enum mchan_stage {
  // len, tcdm, ext, id, increment:
  MCHAN_ROWS,       // rows
  MCHAN_BURST_EXT,  // bursts for the external side
  MCHAN_BURST_TCDM, // and for the TCDM side (without increment, as the next)
  MCHAN_BURST_ALIGN,
  // struct mchan_pairs:
  MCHAN_BEAT0, // 32-bit accesses of the two TCDM ports
  MCHAN_BEAT1,
  MCHAN_WORD0, // their data
  MCHAN_WORD1,
  // id:
  MCHAN_DONE0, // ends of bursts on the two TCDM ports
  MCHAN_DONE1,
  // struct mchan_pairs:
  MCHAN_READ0, // TCDM reads under way
  MCHAN_READ1,
  // struct mchan_ext_words:
  MCHAN_DATA, // 64-bit words of the external side
  // len, ext, tag:
  MCHAN_ADDRESS, // AXI register slices: AR or AW,
  // struct mchan_ext_words:
  MCHAN_WRITE, // W,
  // R: struct mchan_ext_words; B: tag:
  MCHAN_REPLY, // R or B
  MCHAN_STAGES,
};

struct mchan_splitter { // 2D
  bool run, two_d;
  struct mchan_command command;
  uint32_t left, ext_left, tcdm_left;
  uint32_t ext_base, tcdm_base;
  struct mchan_row ext_row, tcdm_row;
};

struct mchan_unpacker { // bursts
  bool run, increment;
  uint8_t id;
  uint32_t left, current; // bytes - 1
  uint32_t tcdm, ext;
  uint32_t bursts, count;
};

struct mchan_beats { // accesses of one burst
  bool run;
  uint8_t id;
  uint32_t tcdm, beats, count;
};

enum mchan_align_state {
  ALIGN_IDLE,
  ALIGN_FIRST,
  ALIGN_SECOND,
  ALIGN_THIRD,
  ALIGN_RUN,
  ALIGN_PUSH_STALL,
  ALIGN_POP_STALL,
  ALIGN_THIRD_LAST,
  ALIGN_SECOND_LAST,
  ALIGN_LAST,
};

struct mchan_aligner {
  uint8_t state;
  uint64_t word[2];
  uint8_t in, out; // lane of the first byte on the way in and out
  uint32_t len, count;
  uint32_t words; // that go in, minus one
  bool in_odd, out_odd;
  uint8_t stall_strobe;
};

struct mchan_burst {           // on the bus
  const struct memory *memory; // NULL: nothing is there
  uint32_t addr;
  uint32_t beats, next;
  cycle_t first; // cycle of beat 0
  uint8_t tag;
};

struct mchan_tag { // what a tag of the bus stands for
  uint32_t len, tcdm;
  uint8_t id, lane;
};

// What goes through several queues on its way stays in one place, a ring, and the queues tell how
// far it is: counters are the places of heads and tails, modulo 256.

struct mchan_pair { // an access of both TCDM ports
  uint32_t word[2]; // of port 0, of port 1
  uint32_t tcdm;    // of port 0, a multiple of 8
  uint8_t id, last; // of its burst
  uint8_t strobe;   // to TCDM: bytes that count
};

struct mchan_pairs {
  struct mchan_pair pair[MCHAN_PAIRS];
  uint8_t begun;   // tail of BEAT0 and BEAT1
  uint8_t beat[2]; // head of BEAT0, BEAT1; to TCDM also of WORD0, WORD1
  uint8_t read[2]; // from TCDM: head of READ0, READ1
  uint8_t words;   // from TCDM: head of WORD0 and WORD1; to TCDM: their tail
};

struct mchan_ext_word {
  uint64_t data;
  uint8_t strobe; // from TCDM: bytes that count
  uint8_t tag;    // to TCDM
  bool last;      // of its burst
};

// From TCDM they go through DATA and WRITE, to TCDM through REPLY and DATA.
struct mchan_ext_words {
  struct mchan_ext_word word[MCHAN_EXT_WORDS];
  uint8_t in, passed, out; // tail of the first queue, its head, head of the second
};

struct mchan_channel {
  bool awake; // there is something in it
  struct mchan_fifos fifos;
  struct mchan_splitter splitter;
  struct mchan_unpacker unpacker;
  struct mchan_beats beats;
  struct mchan_aligner aligner;
  struct mchan_command queue[MCHAN_QUEUE];
  unsigned queue_first, queue_count, queue_was;
  uint8_t tags; // in use
  struct mchan_tag tag[MCHAN_BURSTS];
  struct mchan_burst bus[MCHAN_ON_BUS]; // a ring
  unsigned bus_first, bus_count;
  bool sending;   // to TCDM: within a burst's data; from TCDM: after the first word of a burst
  bool addressed; // from TCDM: address sent, no data yet
  uint32_t write_beats, write_count;
  struct mchan_burst writing[MCHAN_WRITING]; // a ring
  unsigned writing_first, writing_count;
  // TCDM ports 0 and 1 of this channel, this cycle; a bit each.
  uint8_t requested, granted, stalled, reading;
  struct mchan_pairs pairs;
  struct mchan_ext_words words;
  bool answering; // memory offers `answer` in this cycle
  uint64_t answer;
  bool written; // memory takes a word in this cycle
};

struct mchan_sync {   // per transfer identifier
  uint16_t tcdm, ext; // bursts not complete
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
  uint16_t allocated, freed;
  uint8_t id_pointer, command_pointer;
  struct mchan_slots ext_slots, tcdm_slots;
  unsigned queued, queued_was; // commands in both queues
  struct mchan_sync sync[MCHAN_IDS];
  uint16_t live;                   // identifiers whose `sync` is to be looked at
  uint32_t awake;                  // ports that are asked for something or hold something
  struct mchan_channel channel[2]; // from TCDM, to TCDM; see mchan_to_tcdm()
  // Tells about transfers: begin when a channel takes the command, end with the event.
  void (*observe)(void *self, unsigned id, bool begin, cycle_t now, uint32_t bytes);
  void *observe_self;
};

struct mchan_params {
  struct engine *engine;
  unsigned actor, port_actor;
  unsigned cores;   // ports for cores
  unsigned version; // 6 or 7
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
// to say about it. Ports that ask at once for a transfer in two dimensions on both sides may get a
// place for one side's description each (`twd_trans_queue` grants the sides on their own); those
// places are never freed, as nobody fetches what is in them (`ctrl_fsm` starts over).
const char *mchan_stuck(const struct mchan *d);

#endif
