// sim/cluster/mchan_channel.h: a channel of the DMA, mchan.h: one direction.
#ifndef PULPSIM_MCHAN_CHANNEL_H
#define PULPSIM_MCHAN_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "soc/l2.h"
#include "soc/soc_bus.h"

enum {
  MCHAN_QUEUE = 16, // commands
  MCHAN_BURST = 256,
  MCHAN_BURSTS = 8, // outstanding
  // Rings: room for all that is under way, and some more; powers of two.
  MCHAN_ON_BUS = 16,
  MCHAN_WRITING = 4,
  MCHAN_SPANS = 8,
  MCHAN_PAIRS = 4, // room for all that are under way, and one more
  MCHAN_EXT_WORDS = 8,
};

struct mchan_command {
  uint32_t len; // bytes - 1
  uint32_t tcdm, ext;
  uint8_t id, port, ext_slot, tcdm_slot;
  bool to_tcdm, increment, ext_2d, tcdm_2d, event, irq, broadcast;
};

struct mchan_row { // 2D description
  uint32_t count, stride;
};

// ---- what decides

enum mchan_stage { // queues, of two entries each
  // struct mchan_item, but for the tag:
  MCHAN_ROWS,       // rows
  MCHAN_BURST_EXT,  // bursts for the external side
  MCHAN_BURST_TCDM, // and for the TCDM side (without increment, as the next)
  MCHAN_BURST_ALIGN,
  // struct mchan_span:
  MCHAN_BEAT0, // 32-bit accesses of the two TCDM ports
  MCHAN_BEAT1,
  // struct mchan_pair:
  MCHAN_WORD0, // their data
  MCHAN_WORD1,
  // id:
  MCHAN_DONE0, // ends of bursts on the two TCDM ports
  MCHAN_DONE1,
  // struct mchan_pair:
  MCHAN_READ0, // TCDM reads under way
  MCHAN_READ1,
  // struct mchan_ext_word:
  MCHAN_DATA, // 64-bit words of the external side
  // len, ext, tag:
  MCHAN_ADDRESS, // AXI register slices: AR or AW,
  // struct mchan_ext_word:
  MCHAN_WRITE, // W,
  // R: struct mchan_ext_word; B: tag:
  MCHAN_REPLY, // R or B
  MCHAN_STAGES,
};

// Of the queues, bit i of a set is about stage i.
struct mchan_control {
  uint16_t valid, full; // has an entry, has two
  uint32_t flags;       // of enum mchan_flag
};

enum mchan_flag {
  // A pair of bits each, for TCDM ports 0 and 1.
  MCHAN_GRANTED = 3,         // in this cycle
  MCHAN_PASSED = 3 << 2,     // to TCDM: the word has no bytes to write
  MCHAN_READING = 3 << 4,    // from TCDM: data come
  MCHAN_STALLED = 3 << 6,    // ... and have had no place before
  MCHAN_WRITTEN = 1 << 8,    // from TCDM: memory takes a word in this cycle
  MCHAN_ANSWERS = 1 << 9,    // memory offers an answer
  MCHAN_SENDING = 1 << 10,   // to TCDM: within a burst's data; from TCDM: behind the first of them
  MCHAN_ADDRESSED = 1 << 11, // from TCDM: address sent, no data yet
  MCHAN_NO_TAG = 1 << 12,    // all are in use
  MCHAN_BEATS = 1 << 13,     // within a burst's accesses
  // The aligner:
  MCHAN_ALIGN = 15 << 14,    // enum mchan_align_state
  MCHAN_OUT_LATER = 1 << 18, // the first byte's lane is higher on the way out than on the way in
  MCHAN_IN_FITS = 1 << 19,   // the last byte is in the word in which the burst's full words end: on
  MCHAN_OUT_FITS = 1 << 20,  // the way in, on the way out
  MCHAN_LAST_IN = 1 << 21,   // the next word in is the burst's last
  MCHAN_FIRST_WAITS = 1 << 22, // held up: the word that is to go out is the burst's first
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

// Which bytes of the aligner's word count.
enum mchan_strobe { STROBE_WHOLE, STROBE_FIRST, STROBE_LAST, STROBE_LAST_BUT_ONE, STROBES };

// What is counted, in a lane of a vector each: all is counted at once. What moves in a cycle
// depends on who gets the banks; nobody could predict branches.
enum mchan_lane {
  LANE_ASK0,  // accesses made by TCDM port 0,
  LANE_ASK1,  // by port 1
  LANE_END0,  // from TCDM: ended reads of port 0,
  LANE_END1,  // of port 1
  LANE_BEATS, // accesses that have gone into BEAT0 and BEAT1
  LANE_EXT, // 64-bit words that have passed from the first queue of the external side to the second
  LANE_TAKEN, // that the aligner has taken,
  LANE_GIVEN, // given
  MCHAN_LANES
};
typedef uint16_t mchan_lanes __attribute__((vector_size(2 * MCHAN_LANES)));

// What a clock edge does.
struct mchan_cycle {
  struct mchan_control next; // but for what only the data tell, see mchan_units.h
  uint16_t pushed, popped;   // entries go into these queues, and out of those
  uint8_t strobe;            // enum mchan_strobe, of the word that the aligner gives
  uint8_t offers;            // TCDM ports that then have an access to make
  bool rare;                 // more moves than words: bursts, addresses, replies
  mchan_lanes steps;         // all ones: one is counted
};

// ---- what it is about

// An entry of a queue; enum mchan_stage tells which members a queue carries. What goes through
// several queues on its way stays in one place, a ring, and the queues tell how far it is. Places
// in rings are counted on and on; the lowest bits count.
struct mchan_item {
  uint32_t len; // bytes - 1
  uint32_t tcdm, ext;
  uint8_t id;  // transfer
  uint8_t tag; // burst
  bool increment;
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

struct mchan_span { // accesses of one burst
  uint32_t tcdm;    // of port 0, a multiple of 8
  uint16_t count;   // of each port
  uint8_t id;
};

struct mchan_cursor { // where a port is in the bursts
  uint8_t span;       // place of the one that it is in, or comes to
  uint16_t rest;      // accesses of that behind the end of TCDM, where it begins again
};

struct mchan_pair { // words of both TCDM ports
  uint32_t word[2]; // of port 0, of port 1
  uint8_t strobe;   // to TCDM: bytes that count
};

struct mchan_aligner {
  uint64_t word[2];        // a ring of 16 bytes
  uint8_t in;              // word to be written
  uint8_t from;            // byte with which the next word out begins
  uint8_t strobe[STROBES]; // bytes that count
};

// From TCDM they go through DATA and WRITE, to TCDM through REPLY and DATA.
struct mchan_ext_word {
  uint64_t data;
  uint8_t strobe; // from TCDM: bytes that count
  uint8_t tag;    // to TCDM
};

struct mchan_burst {           // on the bus
  const struct memory *memory; // NULL: nothing is there
  uint32_t addr;               // of the next word
  uint32_t count;              // words from it on
  cycle_t due;                 // the next word does not come before this cycle
  uint8_t tag;
};

struct mchan_tag { // what a tag of the bus stands for
  uint32_t len, tcdm;
  uint8_t id, lane;
};

struct mchan_channel {
  bool awake; // there is something in it
  struct mchan_control control;
  uint16_t first;    // of the queues: which of the two entries is the head
  uint8_t requested; // TCDM ports that ask, a bit each
  uint8_t ext_place; // of the next word to or from memory
  uint8_t tags;      // in use
  uint8_t accepted;  // to TCDM: tag of the burst whose words pass
  uint8_t spans;     // tail of the ring
  uint32_t tcdm[2];  // address of a port's next access, port 0's half
  // How many are still to come: accesses of a burst, up to the end of TCDM, from the next on; words
  // of a burst, for the aligner but one.
  mchan_lanes count;
  // In the ring `pair`: of ports, when they ask; from TCDM, of what the aligner takes; to TCDM,
  // gives. In the ring `ext`: of what passes; to TCDM, of what the aligner takes; from TCDM, gives.
  mchan_lanes place;
  struct mchan_aligner aligner;
  struct mchan_pair pair[MCHAN_PAIRS];
  struct mchan_ext_word ext[MCHAN_EXT_WORDS];
  struct mchan_cursor at[4]; // of the first four lanes
  struct mchan_span span[MCHAN_SPANS];
  unsigned bus_first, bus_count;
  unsigned writing_first, writing_count;
  unsigned queue_first, queue_count, queue_was;
  struct mchan_unpacker unpacker;
  struct mchan_splitter splitter;
  struct mchan_burst bus[MCHAN_ON_BUS];
  struct mchan_burst writing[MCHAN_WRITING];
  struct mchan_item item[MCHAN_STAGES][2];
  struct mchan_tag tag[MCHAN_BURSTS];
  struct mchan_command queue[MCHAN_QUEUE];
};

#endif
