#include "observe/sink.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/out_of_memory.h"

enum { BUFFER = 1 << 17, TEXT = 1 << 17, ZSTD_LEVEL = 3, GZIP_LEVEL = 1 };

enum packing { PLAIN, GZIP, ZSTD };

struct sink {
  struct sink_space space; // in the buffer that is being filled
  FILE *file;
  gzFile gzip;
  ZSTD_CCtx *zstd;
  enum packing packing;
  int error; // errno of the first write that failed
  char path[256];
  // One buffer is filled while the other is compressed and written by a thread: that would cost
  // the simulation as much time as making the text.
  unsigned filling;
  _Alignas(8) char buffer[2][BUFFER];
  char packed[BUFFER];
  struct {
    sink_renderer *render; // NULL: the buffers hold text
    void *self;
    char text[TEXT];
  } lines;
  struct {
    bool runs, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    const char *bytes; // to be written; NULL: nothing
    size_t count;
  } writer;
};

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

static void fill(struct sink *s, unsigned buffer) {
  s->filling = buffer;
  s->space.next = s->buffer[buffer];
  s->space.end = s->buffer[buffer] + BUFFER;
}

static size_t used(const struct sink *s) {
  return (size_t)(s->space.next - s->buffer[s->filling]);
}

struct sink *sink_open(const char *path, struct pulpsim_error *error) {
  struct sink *s = must_have(calloc(1, sizeof *s));
  snprintf(s->path, sizeof s->path, "%s", path);
  s->packing = ends_in(path, ".gz") ? GZIP : ends_in(path, ".zst") ? ZSTD : PLAIN;
  errno = 0;
  if (strcmp(path, "-") == 0)
    s->file = stdout;
  else if (s->packing == GZIP)
    s->gzip = gzopen(path, "wb1");
  else
    s->file = fopen(path, "wb");
  if (s->packing == ZSTD && s->file)
    s->zstd = ZSTD_createCCtx();
  if (s->packing == ZSTD && s->zstd)
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
  bool open = s->packing == GZIP ? s->gzip != NULL : s->file != NULL;
  if (open && (s->packing != ZSTD || s->zstd)) {
    fill(s, 0);
    return s;
  }
  snprintf(error->text, sizeof error->text, "%s: cannot be written: %s", path,
           errno ? strerror(errno) : "out of memory");
  if (s->file)
    fclose(s->file);
  free(s);
  return NULL;
}

static void note_error(struct sink *s) {
  if (!s->error)
    s->error = errno ? errno : EIO;
}

static void pack_zstd(struct sink *s, const char *bytes, size_t count, ZSTD_EndDirective end) {
  ZSTD_inBuffer in = {bytes, count, 0};
  for (size_t left = 1; left || in.pos < in.size;) {
    ZSTD_outBuffer out = {s->packed, sizeof s->packed, 0};
    left = ZSTD_compressStream2(s->zstd, &out, &in, end);
    if (ZSTD_isError(left) || fwrite(s->packed, 1, out.pos, s->file) != out.pos) {
      note_error(s);
      return;
    }
    if (end == ZSTD_e_continue)
      left = 0;
  }
}

static void put(struct sink *s, const char *bytes, size_t count, bool last) {
  errno = 0;
  if (s->packing == ZSTD)
    pack_zstd(s, bytes, count, last ? ZSTD_e_end : ZSTD_e_continue);
  else if (s->packing == GZIP && count)
    gzwrite(s->gzip, bytes, (unsigned)count) == (int)count ? (void)0 : note_error(s);
  else if (count && fwrite(bytes, 1, count, s->file) != count)
    note_error(s);
}

static void put_records(struct sink *s, const char *records, size_t count, bool last) {
  const char *end = records + count;
  while (records < end) {
    size_t length = s->lines.render(s->lines.self, &records, end, s->lines.text, TEXT);
    put(s, s->lines.text, length, false);
  }
  if (last)
    put(s, NULL, 0, true);
}

static void put_buffer(struct sink *s, const char *bytes, size_t count, bool last) {
  if (s->lines.render)
    put_records(s, bytes, count, last);
  else
    put(s, bytes, count, last);
}

// ---- the writer

static void *write_buffers(void *self) {
  struct sink *s = self;
  pthread_mutex_lock(&s->writer.lock);
  for (;;) {
    while (!s->writer.bytes && !s->writer.stop)
      pthread_cond_wait(&s->writer.change, &s->writer.lock);
    if (!s->writer.bytes)
      break;
    pthread_mutex_unlock(&s->writer.lock);
    put_buffer(s, s->writer.bytes, s->writer.count, false);
    pthread_mutex_lock(&s->writer.lock);
    s->writer.bytes = NULL;
    pthread_cond_signal(&s->writer.change);
  }
  pthread_mutex_unlock(&s->writer.lock);
  return NULL;
}

// Signals are for the thread that simulates. Without a thread everything is written at once.
static void start_writer(struct sink *s) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_mutex_init(&s->writer.lock, NULL);
  pthread_cond_init(&s->writer.change, NULL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  s->writer.runs = pthread_create(&s->writer.thread, NULL, write_buffers, s) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void hand_over(struct sink *s) {
  pthread_mutex_lock(&s->writer.lock);
  while (s->writer.bytes)
    pthread_cond_wait(&s->writer.change, &s->writer.lock);
  s->writer.bytes = s->buffer[s->filling];
  s->writer.count = used(s);
  pthread_cond_signal(&s->writer.change);
  pthread_mutex_unlock(&s->writer.lock);
}

static void stop_writer(struct sink *s) {
  pthread_mutex_lock(&s->writer.lock);
  s->writer.stop = true;
  pthread_cond_signal(&s->writer.change);
  pthread_mutex_unlock(&s->writer.lock);
  pthread_join(s->writer.thread, NULL);
  s->writer.runs = false;
}

// ---- filling

// stdout is the program's as well: what is written when must not be left to chance.
void sink_flush(struct sink *s) {
  if (!s->writer.runs && s->file != stdout)
    start_writer(s);
  if (s->writer.runs)
    hand_over(s);
  else
    put_buffer(s, s->buffer[s->filling], used(s), false);
  fill(s, s->filling ^ 1);
}

void sink_write(struct sink *s, const char *bytes, size_t count) {
  while (count) {
    size_t part = count < SINK_MOST ? count : SINK_MOST;
    memcpy(sink_room(s, part), bytes, part);
    sink_advance(s, part);
    bytes += part;
    count -= part;
  }
}

void sink_print(struct sink *s, const char *format, ...) {
  char text[SINK_MOST];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > 0)
    sink_write(s, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void sink_render(struct sink *s, sink_renderer *render, void *self) {
  put(s, s->buffer[s->filling], used(s), false);
  fill(s, s->filling);
  s->lines.render = render;
  s->lines.self = self;
}

bool sink_close(struct sink *s, struct pulpsim_error *error) {
  if (s->writer.runs)
    stop_writer(s);
  put_buffer(s, s->buffer[s->filling], used(s), true);
  errno = 0;
  if (s->gzip && gzclose(s->gzip) != Z_OK)
    note_error(s);
  if (s->file && (s->file == stdout ? fflush(stdout) : fclose(s->file)) != 0)
    note_error(s);
  ZSTD_freeCCtx(s->zstd);
  int failed = s->error;
  if (failed)
    snprintf(error->text, sizeof error->text, "%s: not written completely: %s", s->path,
             strerror(failed));
  free(s);
  return !failed;
}
