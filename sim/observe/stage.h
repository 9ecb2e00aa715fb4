// sim/observe/stage.h: a thread that takes pieces of work, one after the other: a stage of a
// pipeline.
#ifndef PULPSIM_STAGE_H
#define PULPSIM_STAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// What is done with a piece: `count` bytes, which stay as they are until then.
typedef void stage_work(void *self, const char *bytes, size_t count);

enum { STAGE_PIECES = 3 }; // that wait or are in work

struct stage { // zeroed but for the first two
  stage_work *work;
  void *self;
  bool runs, stop;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  struct {
    const char *bytes;
    size_t count;
  } piece[STAGE_PIECES]; // a ring
  unsigned first, waiting;
};

// Starts the thread, which takes no signals.
void stage_start(struct stage *s);

// Hands a piece over, once STAGE_PIECES - 1 at most are left of those before. Without a thread (not
// yet, or the host would not give one), the caller does the work.
void stage_give(struct stage *s, const char *bytes, size_t count);

// Waits until all is done, and ends the thread. Nothing happens if it has not been started.
void stage_stop(struct stage *s);

#endif
