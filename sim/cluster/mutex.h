// sim/cluster/mutex.h: one hardware mutex of the event unit.
//
// A core asks by reading the mutex register and is given the mutex by an event; the lowest core
// that waits comes first. Storing to the register passes the mutex on, with a message that
// the next owner reads.
#ifndef PULPSIM_MUTEX_H
#define PULPSIM_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

struct mutex {
  bool locked;
  uint32_t waiting; // cores that asked and have not got it
  uint32_t message;
};

// One cycle: cores that begin to ask, whether anybody unlocks, and the message stored
// then. Returns the core that gets the mutex as a bit, or 0.
uint32_t mutex_edge(struct mutex *m, uint32_t lock, bool unlock, uint32_t message);

#endif
