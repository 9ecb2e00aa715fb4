// sim/observe/stage.h: a thread that takes pieces of work, one after the other: a stage of a
// pipeline.
#ifndef PULPSIM_STAGE_H
#define PULPSIM_STAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// What is done with a piece: `count` bytes, which stay as they are until then.
typedef void stage_work(void *self, const char *bytes, size_t count);

struct stage { // zeroed but for the first two
  stage_work *work;
  void *self;
  bool runs, stop;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  const char *bytes; // the piece in work; NULL: none
  size_t count;
};

// Starts the thread, which takes no signals.
void stage_start(struct stage *s);

// Hands a piece over, once the one before is done; `bytes` is not NULL. Without a thread (not yet,
// or the host would not give one), the caller does the work.
void stage_give(struct stage *s, const char *bytes, size_t count);

// Waits until all is done, and ends the thread. Nothing happens if it has not been started.
void stage_stop(struct stage *s);

#endif
