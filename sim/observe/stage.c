#include "observe/stage.h"

#include <signal.h>

static void *work_on(void *self) {
  struct stage *s = self;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->bytes && !s->stop)
      pthread_cond_wait(&s->change, &s->lock);
    if (!s->bytes)
      break;
    pthread_mutex_unlock(&s->lock);
    s->work(s->self, s->bytes, s->count);
    pthread_mutex_lock(&s->lock);
    s->bytes = NULL;
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
  while (s->bytes)
    pthread_cond_wait(&s->change, &s->lock);
  s->bytes = bytes;
  s->count = count;
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
