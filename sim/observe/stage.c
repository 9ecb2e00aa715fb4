#include "observe/stage.h"

#include <signal.h>

static void *work_on(void *self) {
  struct stage *s = self;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->waiting && !s->stop)
      pthread_cond_wait(&s->change, &s->lock);
    if (!s->waiting)
      break;
    unsigned i = s->first;
    pthread_mutex_unlock(&s->lock);
    s->work(s->self, s->piece[i].bytes, s->piece[i].count);
    pthread_mutex_lock(&s->lock);
    s->first = (i + 1) % STAGE_PIECES;
    s->waiting--;
    pthread_cond_signal(&s->change);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

void stage_start(struct stage *s) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->change, NULL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  s->runs = pthread_create(&s->thread, NULL, work_on, s) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void stage_give(struct stage *s, const char *bytes, size_t count) {
  if (!s->runs) {
    s->work(s->self, bytes, count);
    return;
  }
  pthread_mutex_lock(&s->lock);
  while (s->waiting == STAGE_PIECES)
    pthread_cond_wait(&s->change, &s->lock);
  unsigned i = (s->first + s->waiting++) % STAGE_PIECES;
  s->piece[i].bytes = bytes;
  s->piece[i].count = count;
  pthread_cond_signal(&s->change);
  pthread_mutex_unlock(&s->lock);
}

void stage_stop(struct stage *s) {
  if (!s->runs)
    return;
  pthread_mutex_lock(&s->lock);
  s->stop = true;
  pthread_cond_signal(&s->change);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  s->runs = false;
}
