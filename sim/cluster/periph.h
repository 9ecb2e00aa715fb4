// sim/cluster/periph.h: the peripheral interconnect: what the cores reach behind the demultiplexer.
//
// Every access takes the same path (pulp_cluster `data_periph_demux`, `xbar_pe_wrap`; eu.tsv):
// in cycle T the core's request enters a queue of its own; from T + 1 on it competes for its slave,
// one grant per slave and cycle through a fair tree; the slave answers, at the earliest in the
// cycle after its grant; one cycle after the answer the core is granted, and its data follow in the
// next. A single access to a slave that answers at once thus costs 4 cycles, blocking.
//
// Slaves are found by address bits 13:10 of the cluster's peripheral window; everything outside the
// cluster is one more slave (ext.h).
#ifndef PULPSIM_PERIPH_H
#define PULPSIM_PERIPH_H

#include <stdbool.h>

#include "engine/engine.h"

struct core;

enum { PERIPH_PORTS = 17 }; // 16 cores, then the port for masters outside the cluster

enum periph_slave_id {
  PERIPH_CONTROL,
  PERIPH_TIMER,
  PERIPH_EVENT_UNIT, // two windows of 1 kB
  PERIPH_EVENT_UNIT_HIGH,
  PERIPH_ACCELERATOR,
  PERIPH_ICACHE,
  PERIPH_DMA,
  PERIPH_DMA_FC,
  PERIPH_EXT,
  PERIPH_ERROR, // answers zero
  PERIPH_SLAVES,
};

struct periph_access {
  uint32_t addr, data; // data of a store, right-aligned
  uint8_t size;        // 1, 2, 4 bytes
  bool write;
  uint8_t port;
  struct core *core; // NULL: a master outside the cluster
};

// `access` is called in the cycle in which the slave grants; it must lead to one periph_respond().
// `ready` (NULL: always) tells whether the slave can grant in this cycle; it must not depend on
// what other actors of rank ARBITERS do in the same cycle. A slave whose grant does depend on that
// has `announce` instead: it is told in which cycle a request comes, looks at it then and in
// every later cycle with periph_offered(), and takes it with periph_take().
struct periph_slave {
  void *self;
  bool (*ready)(const void *self, unsigned port, cycle_t now);
  void (*access)(void *self, const struct periph_access *access, cycle_t now);
  void (*announce)(void *self, cycle_t when);
};

struct periph {
  struct engine *engine;
  unsigned actor; // rank: arbiter
  unsigned cores;
  uint32_t window; // base of the cluster's peripheral window
  struct periph_slave slave[PERIPH_SLAVES];
  uint32_t requests[PERIPH_SLAVES]; // ports that compete for the slave
  uint32_t requested;               // slaves for which some do, of those without `announce`
  uint8_t pointer[PERIPH_SLAVES];
  struct periph_access access[PERIPH_PORTS];
  cycle_t enter[PERIPH_PORTS]; // first cycle in which the port competes; CYCLE_NEVER: idle
  cycle_t grant[PERIPH_PORTS]; // cycle of the grant to the core; CYCLE_NEVER: not answered yet
  uint32_t data[PERIPH_PORTS];
  uint32_t waiting; // ports with an access under way
  // The answer to a master outside the cluster, in the cycle of the answer.
  void (*outside)(void *self, uint32_t data, cycle_t now);
  void *outside_self;
};

// `window`: address of the cluster's peripherals (0x1020_0000 for cluster 0).
void periph_init(struct periph *p, struct engine *e, unsigned actor, unsigned cores,
                 uint32_t window);

void periph_attach(struct periph *p, enum periph_slave_id id, struct periph_slave slave);

// The access in c->acc leaves the core in this cycle. Rank CORES.
void periph_request(struct periph *p, struct core *c);

// A master outside the cluster asks for `addr` in the cluster's window; one at a time.
void periph_request_outside(struct periph *p, const struct periph_access *access);

// The request that the arbitration of this cycle offers to the slave, or NULL. Rank ARBITERS.
const struct periph_access *periph_offered(const struct periph *p, enum periph_slave_id id,
                                           cycle_t now);
void periph_take(struct periph *p, enum periph_slave_id id, cycle_t now);

// The slave answers port `port` in cycle `valid` (later than its grant).
void periph_respond(struct periph *p, unsigned port, uint32_t data, cycle_t valid);

// The slave reports that nothing is at the address: the access never completes. The core stops.
void periph_fault(struct periph *p, unsigned port, cycle_t now);

#endif
