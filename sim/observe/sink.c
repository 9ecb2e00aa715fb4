#include "observe/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/out_of_memory.h"
#include "observe/fst.h"
#include "observe/stage.h"
#include "sim/result_file.h"

enum { PRINT = 4096, BUFFER = 1 << 17, TEXT = 1 << 18, ZSTD_LEVEL = 3 };
enum { BUFFERS = STAGE_PIECES + 1 }; // one is being filled

// Room in the file system that is asked for at once, behind the first so many bytes: to write there
// takes a sixth less time.
enum { AHEAD = 1 << 24, AHEAD_FROM = 1 << 20 };

enum packing { PLAIN, GZIP, ZSTD, FST };

// While one buffer is filled, others are compressed and written by a thread: that would cost the
// simulation as much time as making the text. Where the buffers hold records, a thread in between
// makes text of them.
struct sink {
  struct sink_space space; // in the buffer that is being filled
  struct result_file result;
  struct fst fst;
  FILE *file;  // its, or stdout, or the FST's
  gzFile gzip; // ... which it goes through
  ZSTD_CCtx *zstd;
  enum packing packing;
  int error;  // errno of the first write that failed
  bool ahead; // `file` can have room ahead of what is written
  off_t written, room;
  char path[256];
  bool started; // the threads
  unsigned filling;
  _Alignas(8) char buffer[BUFFERS][BUFFER];
  struct {
    sink_renderer *render; // NULL: the buffers hold text
    void *self;
    struct stage stage;
    struct sink_text out;
    char text[BUFFERS][TEXT];
    unsigned filling;
  } lines;
  struct stage writer;
  char packed[BUFFER];
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

static void keep_error(struct sink *s) {
  if (!s->error)
    s->error = errno ? errno : EIO;
}

static void pack_zstd(struct sink *s, const char *bytes, size_t count, ZSTD_EndDirective end) {
  ZSTD_inBuffer in = {bytes, count, 0};
  for (size_t left = 1; left || in.pos < in.size;) {
    ZSTD_outBuffer out = {s->packed, sizeof s->packed, 0};
    left = ZSTD_compressStream2(s->zstd, &out, &in, end);
    if (ZSTD_isError(left) || fwrite(s->packed, 1, out.pos, s->file) != out.pos) {
      keep_error(s);
      return;
    }
    if (end == ZSTD_e_continue)
      left = 0;
  }
}

static void look_ahead(struct sink *s, size_t count) {
  s->written += (off_t)count;
  if (!s->ahead || s->written < AHEAD_FROM || s->written + AHEAD / 2 < s->room)
    return;
  off_t from = s->room > s->written ? s->room : s->written;
  s->ahead = fallocate(fileno(s->file), FALLOC_FL_KEEP_SIZE, from, AHEAD) == 0;
  if (s->ahead)
    s->room = from + AHEAD;
}

// What is left of it is given back. It lies behind the end of the file: if that fails, nothing is
// wrong with what was written.
static void end_ahead(struct sink *s) {
  if (s->room && fflush(s->file) == 0 && ftruncate(fileno(s->file), s->written) != 0)
    errno = 0;
}

// `last`: nothing comes behind it.
static void put(struct sink *s, const char *bytes, size_t count, bool last) {
  errno = 0;
  if (s->packing == ZSTD)
    pack_zstd(s, bytes, count, last ? ZSTD_e_end : ZSTD_e_continue);
  else if (s->packing == GZIP && count)
    gzwrite(s->gzip, bytes, (unsigned)count) == (int)count ? (void)0 : keep_error(s);
  else if (count && fwrite(bytes, 1, count, s->file) != count)
    keep_error(s);
  else if (s->packing == PLAIN)
    look_ahead(s, count);
}

// ---- the threads

static void write_text(void *self, const char *bytes, size_t count) {
  put(self, bytes, count, false);
}

static void begin_text(struct sink *s, unsigned buffer) {
  s->lines.filling = buffer;
  s->lines.out = (struct sink_text){s->lines.text[buffer], s->lines.text[buffer] + TEXT, s};
}

void sink_text_flush(struct sink_text *out) {
  struct sink *s = out->sink;
  const char *text = s->lines.text[s->lines.filling];
  stage_give(&s->writer, text, (size_t)(out->next - text));
  begin_text(s, (s->lines.filling + 1) % BUFFERS);
}

static void render_records(void *self, const char *records, size_t count) {
  struct sink *s = self;
  s->lines.render(s->lines.self, records, count, &s->lines.out);
}

static void open_file(struct sink *s, const char *path) {
  static const struct {
    const char *end;
    enum packing packing;
  } kinds[] = {{".gz", GZIP}, {".zst", ZSTD}, {".fst", FST}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ends_in(path, kinds[i].end))
      s->packing = kinds[i].packing;
  errno = 0;
  s->file = strcmp(path, "-") == 0 ? stdout : result_file_open(&s->result, path);
  if (s->packing == FST && s->file)
    s->file = s->result.part ? fst_open(&s->fst, s->result.part) : (errno = ESPIPE, NULL);
  if (s->packing == GZIP && s->file)
    s->gzip = gzdopen(dup(fileno(s->file)), "wb1");
  if (s->packing == ZSTD && s->file)
    s->zstd = ZSTD_createCCtx();
  if (s->packing == ZSTD && s->zstd)
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
}

struct sink *sink_open(const char *path, struct pulpsim_error *error) {
  struct sink *s = must_have(calloc(1, sizeof *s));
  struct stat st;
  snprintf(s->path, sizeof s->path, "%s", path);
  open_file(s, path);
  s->ahead = s->packing == PLAIN && s->file && s->file != stdout &&
             fstat(fileno(s->file), &st) == 0 && S_ISREG(st.st_mode);
  if (s->file && (s->packing != ZSTD || s->zstd) && (s->packing != GZIP || s->gzip)) {
    s->writer = (struct stage){.work = write_text, .self = s};
    s->lines.stage = (struct stage){.work = render_records, .self = s};
    fill(s, 0);
    return s;
  }
  snprintf(error->text, sizeof error->text, "%s: cannot be written: %s", path,
           s->packing == FST && errno == ENOEXEC  ? "vcd2fst is not installed (package gtkwave)"
           : s->packing == FST && errno == ESPIPE ? "FST needs a plain file"
           : errno                                ? strerror(errno)
                                                  : "out of memory");
  result_file_close(&s->result, false);
  free(s);
  return NULL;
}

// stdout is the program's as well: what is written when must not be left to chance, so there is no
// thread.
static void start(struct sink *s) {
  s->started = true;
  if (s->file == stdout)
    return;
  stage_start(&s->writer);
  if (s->lines.render)
    stage_start(&s->lines.stage);
}

// ---- filling

static void give_buffer(struct sink *s) {
  stage_give(s->lines.render ? &s->lines.stage : &s->writer, s->buffer[s->filling], used(s));
  fill(s, (s->filling + 1) % BUFFERS);
}

void sink_flush(struct sink *s) {
  if (!s->started)
    start(s);
  give_buffer(s);
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
  char text[PRINT];
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
  begin_text(s, 0);
  s->lines.render = render;
  s->lines.self = self;
}

bool sink_close(struct sink *s, struct pulpsim_error *error) {
  give_buffer(s);
  stage_stop(&s->lines.stage);
  if (s->lines.render)
    sink_text_flush(&s->lines.out);
  stage_stop(&s->writer);
  put(s, NULL, 0, true);
  end_ahead(s);
  errno = 0;
  if (s->gzip && gzclose(s->gzip) != Z_OK)
    keep_error(s);
  if (s->packing == FST && !fst_close(&s->fst, s->result.part))
    keep_error(s);
  if (s->file == stdout ? fflush(stdout) != 0 : !result_file_close(&s->result, !s->error))
    keep_error(s);
  ZSTD_freeCCtx(s->zstd);
  int failed = s->error;
  if (failed)
    snprintf(error->text, sizeof error->text, "%s: not written completely: %s", s->path,
             strerror(failed));
  free(s);
  return !failed;
}
