#include "cluster/mutex.h"

uint32_t mutex_edge(struct mutex *m, uint32_t lock, bool unlock, uint32_t message) {
  uint32_t asking = m->waiting | lock;
  uint32_t owner = 0;
  if (!m->locked) {
    if (lock)
      owner = asking & -asking;
    m->locked = lock != 0;
  } else if (unlock) {
    owner = asking & -asking;
    m->locked = asking != 0;
  }
  m->waiting = asking & ~owner;
  if (unlock)
    m->message = message;
  return owner;
}
