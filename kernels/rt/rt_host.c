// kernels/rt/rt_host.c: cores as threads, DMA as copies that are complete at once.
#include "rt_host.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

static unsigned core_count = 1;
static _Thread_local unsigned core_id;
static pthread_barrier_t barrier;

struct core {
  unsigned id;
  int (*program)(void *user);
  void *user;
  int result;
  pthread_t thread;
};

static void *core_main(void *argument) {
  struct core *core = argument;
  core_id = core->id;
  core->result = core->program(core->user);
  return NULL;
}

int rt_host_run(unsigned cores, int (*program)(void *user), void *user) {
  struct core core[RT_MAX_CORES];
  if (cores < 1 || cores > RT_MAX_CORES || pthread_barrier_init(&barrier, NULL, cores) != 0)
    return -1;
  core_count = cores;
  for (unsigned i = 0; i < cores; i++) {
    core[i] = (struct core){.id = i, .program = program, .user = user};
    if (i > 0 && pthread_create(&core[i].thread, NULL, core_main, &core[i]) != 0)
      abort(); // the others would wait at the barrier for ever
  }
  core_main(&core[0]);
  int result = core[0].result;
  for (unsigned i = 1; i < cores; i++) {
    pthread_join(core[i].thread, NULL);
    if (result == 0)
      result = core[i].result;
  }
  core_count = 1;
  pthread_barrier_destroy(&barrier);
  return result;
}

int rt_host_first(unsigned cores, int (*program)(void *user), void *user) {
  core_count = cores;
  int result = program(user);
  core_count = 1;
  return result;
}

unsigned rt_host_core_id(void) {
  return core_id;
}
unsigned rt_host_core_count(void) {
  return core_count;
}

int rt_argument(unsigned index, char *text, unsigned size) {
  (void)index;
  (void)text;
  (void)size;
  return -1;
}

int rt_argument_number(unsigned index, int otherwise) {
  (void)index;
  return otherwise;
}

void rt_barrier(void) {
  if (core_count > 1)
    pthread_barrier_wait(&barrier);
}

_Noreturn void rt_exit(int status) {
  exit(status);
}

// What lies behind a 2-D transfer under its identifier may be lost (rt.h).
static _Thread_local bool last_is_2d;

static void move(void *to, const void *from, uint32_t bytes) {
  if (last_is_2d) {
    fputs("rt_dma: a 2-D transfer must be the last under its identifier\n", stderr);
    abort();
  }
  memcpy(to, from, bytes);
}

unsigned rt_dma_open(void) {
  last_is_2d = false;
  return 0;
}

void rt_dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  move(l1, ext, bytes);
}

void rt_dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  move(ext, l1, bytes);
}

void rt_dma_also_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride) {
  for (size_t i = 0; i < rows; i++)
    move((char *)l1 + i * row_bytes, (const char *)ext + i * stride, row_bytes);
  last_is_2d = true;
}

void rt_dma_also_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                        uint32_t stride) {
  for (size_t i = 0; i < rows; i++)
    move((char *)ext + i * stride, (const char *)l1 + i * row_bytes, row_bytes);
  last_is_2d = true;
}

unsigned rt_dma_in(void *l1, const void *ext, uint32_t bytes) {
  unsigned id = rt_dma_open();
  rt_dma_also_in(l1, ext, bytes);
  return id;
}

unsigned rt_dma_out(void *ext, const void *l1, uint32_t bytes) {
  unsigned id = rt_dma_open();
  rt_dma_also_out(ext, l1, bytes);
  return id;
}

unsigned rt_dma_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                      uint32_t stride) {
  unsigned id = rt_dma_open();
  rt_dma_also_in_2d(l1, ext, rows, row_bytes, stride);
  return id;
}

unsigned rt_dma_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride) {
  unsigned id = rt_dma_open();
  rt_dma_also_out_2d(ext, l1, rows, row_bytes, stride);
  return id;
}

void rt_dma_wait(unsigned id) {
  (void)id;
}

void rt_dma_wait_set(uint32_t ids) {
  (void)ids;
}

void rt_dma_drain(unsigned id) {
  (void)id;
}

void rt_copy_words(void *dst, const void *src, uint32_t words) {
  memcpy(dst, src, (size_t)words * 4);
}

void rt_copy_rows(void *dst, const void *src, uint32_t words, uint32_t rows, uint32_t dst_stride,
                  uint32_t src_stride) {
  for (size_t row = 0; row < rows; row++)
    memcpy((char *)dst + row * dst_stride, (const char *)src + row * src_stride, (size_t)words * 4);
}

void rt_zero_words(void *dst, uint32_t words) {
  memset(dst, 0, (size_t)words * 4);
}

int rt_printf(const char *format, ...) {
  va_list args;
  va_start(args, format);
  int count = vprintf(format, args);
  va_end(args);
  return count;
}
