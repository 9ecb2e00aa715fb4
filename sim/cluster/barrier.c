#include "cluster/barrier.h"

uint32_t barrier_read(const struct barrier *b, unsigned offset) {
  switch (offset) {
  case BARRIER_TRIGGER_MASK:
    return b->trigger;
  case BARRIER_STATUS:
    return b->status;
  case BARRIER_TARGET_MASK:
    return b->target;
  default:
    return 0;
  }
}

uint32_t barrier_write(struct barrier *next, unsigned offset, uint32_t value) {
  switch (offset) {
  case BARRIER_TRIGGER_MASK:
    next->trigger = value;
    return 0;
  case BARRIER_TARGET_MASK:
    next->target = value;
    return 0;
  case BARRIER_TRIGGER:
    return value;
  default:
    return 0;
  }
}
