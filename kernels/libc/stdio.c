// kernels/libc/stdio.c: stdin, stdout and stderr. Each core has a line of its own, which is shown
// whole, so that the cores' lines do not mix.
#include <stdio.h>
#include <unistd.h>

#include "kernels/libc/host.h"
#include "kernels/rt/rt.h"

enum { LINE = 256, STREAMS = 2 };

static struct line {
  unsigned used;
  char text[LINE];
} lines[RT_MAX_CORES][STREAMS];

static int show(unsigned stream) {
  struct line *l = &lines[rt_core_id()][stream];
  int written = l->used ? write((int)stream + STDOUT_FILENO, l->text, l->used) : 0;
  l->used = 0;
  return written < 0 ? EOF : 0;
}

static int put(unsigned stream, char c) {
  struct line *l = &lines[rt_core_id()][stream];
  l->text[l->used++] = c;
  return (c == '\n' || l->used == LINE) && show(stream) < 0 ? EOF : (unsigned char)c;
}

static int put_out(char c, FILE *f) {
  (void)f;
  return put(0, c);
}

static int put_error(char c, FILE *f) {
  (void)f;
  return put(1, c);
}

static int flush_out(FILE *f) {
  (void)f;
  return show(0);
}

static int flush_error(FILE *f) {
  (void)f;
  return show(1);
}

static int get(FILE *f) {
  unsigned char c;
  (void)f;
  return read(STDIN_FILENO, &c, 1) == 1 ? c : _FDEV_EOF;
}

void host_flush(void) {
  show(0);
  show(1);
}

// NOLINTBEGIN(misc-non-copyable-objects): nobody copies them
static FILE in = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);
static FILE out = FDEV_SETUP_STREAM(put_out, NULL, flush_out, _FDEV_SETUP_WRITE);
static FILE error = FDEV_SETUP_STREAM(put_error, NULL, flush_error, _FDEV_SETUP_WRITE);
// NOLINTEND(misc-non-copyable-objects)
FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &error;
