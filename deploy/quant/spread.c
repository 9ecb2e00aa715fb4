// deploy/quant/spread.c
#include "spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "deploy/memory.h"

enum { PROCESSES_MOST = 64 };

struct outcome {
  enum { OPEN, DONE, FAILED } state;
  struct net_error error;
};

// Memory that all processes share.
struct table {
  struct outcome *outcomes;
  char *results;
};

static void *shared(size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED)
    return at;
  fputs("pulpsim-deploy: no memory\n", stderr); // as memory.h has it
  exit(EX_SOFTWARE);
}

// False: no process can be had.
static bool begin(const struct spread *s, const struct table *t, uint32_t i) {
  struct outcome *o = &t->outcomes[i];
  fflush(NULL); // what is buffered would be written twice
  pid_t child = fork();
  if (child)
    return child > 0;
  o->state = s->work(s->context, i, t->results + i * s->size, &o->error) ? DONE : FAILED;
  _exit(0);
}

static bool has_failed(const struct table *t, uint32_t begun) {
  for (uint32_t i = 0; i < begun; i++) {
    if (t->outcomes[i].state == FAILED)
      return true;
  }
  return false;
}

// In order, so that the first piece that fails has begun before any behind it can end the work.
static void work(const struct spread *s, const struct table *t, uint32_t processes) {
  uint32_t running = 0, begun = 0;
  while (begun < s->count && !has_failed(t, begun)) {
    if (running == processes && waitpid(-1, NULL, 0) > 0)
      running--;
    if (running == processes || !begin(s, t, begun))
      break;
    running++, begun++;
  }
  while (running && waitpid(-1, NULL, 0) > 0)
    running--;
}

static bool outcome(const struct spread *s, const struct table *t, struct net_error *error) {
  for (uint32_t i = 0; i < s->count; i++) {
    const struct outcome *o = &t->outcomes[i];
    if (o->state == DONE)
      continue;
    if (error && o->state == FAILED) {
      *error = o->error;
      return false;
    }
    if (error)
      error->status = EX_OSERR;
    return net_fail(error,
                    "a process that works on this model has ended before its time, or could not be "
                    "begun: too little memory?");
  }
  return true;
}

static uint32_t processes_for(const struct spread *s, uint32_t asked) {
  long cores = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = s->count < PROCESSES_MOST ? s->count : PROCESSES_MOST;
  return cores < 1 ? 1 : cores < (long)most ? (uint32_t)cores : most;
}

void *spread(const struct spread *s, uint32_t processes, struct net_error *error) {
  size_t outcomes = (s->count + 1) * sizeof(struct outcome), results = s->count * s->size + 1;
  struct table t = {shared(outcomes), shared(results)};
  work(s, &t, processes_for(s, processes));
  void *copy = outcome(s, &t, error) ? memory_copy(t.results, results, 1) : NULL;
  munmap(t.outcomes, outcomes);
  munmap(t.results, results);
  return copy;
}
