// deploy/read/dataset.c
#include "dataset.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <zlib.h>

#include "deploy/memory.h"
#include "sim/piped_file.h"

enum { LINE_MOST = 4096, IDX_MOST = 1 << 28 };

static bool fail(struct net_error *error, int status, const char *path, const char *reason) {
  net_fail(error, "%.300s: %s", path, reason);
  if (error)
    error->status = status;
  return false;
}

static void append(struct dataset *d, char *file, int32_t label) {
  MEMORY_APPEND(d->files, d->count);
  MEMORY_APPEND(d->labels, d->count);
  d->files[d->count] = file, d->labels[d->count++] = label;
}

// ---------------------------------------------------------------------------- directories

static int visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static bool read_directory(struct dataset *d, struct net_error *error) {
  struct dirent **files = NULL;
  int count = scandir(d->path, &files, visible, alphasort);
  for (int i = 0; i < count; i++) {
    append(d, memory_format("%s/%s", d->path, files[i]->d_name), 0);
    free(files[i]);
  }
  free(files);
  free(d->labels);
  d->labels = NULL;
  return count > 0 || fail(error, EX_NOINPUT, d->path, count < 0 ? strerror(errno) : "no files");
}

// ---------------------------------------------------------------------------- lists

// A path that is not absolute counts from the list's directory.
static char *resolved(const char *list, const char *path) {
  const char *slash = strrchr(list, '/');
  if (*path == '/' || !slash || piped_file_is(list))
    return memory_text(path);
  return memory_format("%.*s/%s", (int)(slash - list), list, path);
}

static void trim(char *line) {
  size_t n = strlen(line);
  while (n && strchr(" \t\r\n", line[n - 1]))
    line[--n] = 0;
}

// A comment begins the row, or stands behind a blank.
static void cut_comment(char *line) {
  for (char *c = strchr(line, '#'); c; c = strchr(c + 1, '#')) {
    if (c == line || c[-1] == ' ' || c[-1] == '\t') {
      *c = 0;
      return;
    }
  }
}

// The label is the last word.
static bool read_row(struct dataset *d, char *line) {
  char *last = strrchr(line, '\t'), *end;
  last = last ? last : strrchr(line, ' ');
  long value = last ? strtol(last + 1, &end, 10) : -1;
  if (!last || end == last + 1 || *end || value < 0 || value > INT32_MAX)
    return false;
  *last = 0;
  trim(line);
  append(d, resolved(d->path, line), (int32_t)value);
  return true;
}

static bool read_rows(struct dataset *d, struct net_error *error) {
  FILE *list = fopen(d->path, "r");
  if (!list)
    return fail(error, EX_NOINPUT, d->path, "cannot be opened");
  bool good = true;
  uint32_t row = 1;
  for (char line[LINE_MOST]; good && fgets(line, sizeof line, list); row++) {
    cut_comment(line);
    trim(line);
    good = !*line || read_row(d, line);
    if (!good) {
      net_fail(error, "%.300s:%u: not a file and a label, a number from 0 on", d->path, row);
      if (error)
        error->status = EX_DATAERR;
    }
  }
  fclose(list);
  return good && (d->count || fail(error, EX_DATAERR, d->path, "no rows"));
}

// ---------------------------------------------------------------------------- IDX

static uint32_t big_endian(const uint8_t *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// The bytes behind the header of an IDX file with so many dimensions; NULL with the sentence.
static uint8_t *read_idx(const char *path, uint32_t dimensions, uint32_t *sizes,
                         struct net_error *error) {
  uint8_t header[16];
  int bytes = 4 + 4 * (int)dimensions;
  gzFile file = gzopen(path, "rb");
  bool good = file || fail(error, EX_NOINPUT, path, strerror(errno));
  if (good &&
      (gzread(file, header, (unsigned)bytes) != bytes || big_endian(header) != 0x800 + dimensions))
    good = fail(error, EX_DATAERR, path, "not an IDX file of bytes");
  uint64_t size = 1;
  for (uint32_t i = 0; good && i < dimensions; i++) {
    sizes[i] = big_endian(header + 4 + 4 * (size_t)i);
    size *= sizes[i];
    if (size == 0 || size > IDX_MOST)
      good = fail(error, EX_DATAERR, path, "empty, or larger than 256 MiB");
  }
  uint8_t *data = good ? memory_new(size, 1) : NULL;
  if (good && gzread(file, data, (unsigned)size) != (int)size) {
    fail(error, EX_DATAERR, path, "ends too early");
    free(data);
    data = NULL;
  }
  if (file)
    gzclose(file);
  return data;
}

static const char idx_images[] = "images-idx3", idx_labels[] = "labels-idx1";

static bool read_images(struct dataset *d, struct net_error *error) {
  uint32_t sizes[3], labels;
  d->pixels = read_idx(d->path, 3, sizes, error);
  if (!d->pixels)
    return false;
  d->h = sizes[1], d->w = sizes[2];
  const char *at = strstr(d->path, idx_images);
  char *path = memory_format("%.*s%s%s", (int)(at - d->path), d->path, idx_labels,
                             at + sizeof idx_images - 1);
  uint8_t *classes = read_idx(path, 1, &labels, error);
  bool good = classes && (labels == sizes[0] ||
                          fail(error, EX_DATAERR, path, "has not a label for every image"));
  free(path);
  d->count = sizes[0];
  d->labels = memory_new(d->count, sizeof *d->labels);
  for (uint32_t i = 0; good && i < d->count; i++)
    d->labels[i] = classes[i];
  free(classes);
  return good;
}

// ---------------------------------------------------------------------------- all

struct dataset *dataset_open(const char *path, struct net_error *error) {
  struct dataset *d = memory_new(1, sizeof *d);
  struct stat status;
  const char *kept = piped_file(path);
  d->path = memory_text(kept ? kept : path);
  bool good = (kept && stat(kept, &status) == 0) || fail(error, EX_NOINPUT, path, strerror(errno));
  if (good && S_ISDIR(status.st_mode))
    good = read_directory(d, error);
  else if (good && piped_file_refusal(&status))
    good = fail(error, EX_NOINPUT, path, piped_file_refusal(&status));
  else if (good)
    good = strstr(path, idx_images) ? read_images(d, error) : read_rows(d, error);
  if (good)
    return d;
  dataset_free(d);
  return NULL;
}

void dataset_free(struct dataset *d) {
  if (!d)
    return;
  for (uint32_t i = 0; d->files && i < d->count; i++)
    free(d->files[i]);
  free(d->files);
  free(d->labels);
  free(d->pixels);
  free(d->path);
  free(d);
}

static bool get(const struct dataset *d, uint32_t i, struct sample_raw raw,
                const struct sample_options *options, struct sample *sample,
                struct net_error *error) {
  if (d->files)
    return sample_read(d->files[i], raw, options, sample, error);
  const uint8_t *pixels = d->pixels + (size_t)i * d->h * d->w;
  return sample_pixels(d->path, pixels, d->h, d->w, options, sample, error);
}

static bool named(const struct dataset *d, uint32_t i, const struct net_error *reason,
                  struct net_error *error) {
  net_fail(error, "%.200s: %.250s", d->files ? d->files[i] : d->path, reason->text);
  error->status = reason->status;
  return false;
}

bool dataset_codes(const struct dataset *d, uint32_t i, const struct net_tensor *t,
                   const struct sample_options *options, int32_t *codes, struct net_error *error) {
  struct sample sample;
  struct net_error reason = {.text = ""};
  if (!get(d, i, sample_raw_of(t), options, &sample, error))
    return false;
  bool good = sample_codes(&sample, t, codes, &reason);
  sample_free(&sample);
  return good || named(d, i, &reason, error);
}

bool dataset_reals(const struct dataset *d, uint32_t i, const struct net_tensor *t,
                   const struct sample_options *options, float *values, struct net_error *error) {
  struct sample sample;
  struct net_error reason = {.text = ""};
  struct sample_raw raw = sample_raw_of(t);
  if (!(t->scale > 0))
    raw.type = SAMPLE_F32;
  if (!get(d, i, raw, options, &sample, error))
    return false;
  size_t count = (size_t)t->h * t->w * t->c, *order = memory_new(count, sizeof *order);
  bool good = sample_order(&sample, t, order, &reason);
  double scale = t->scale > 0 ? t->scale : 1;
  int32_t shift = sample.kind == SAMPLE_PIXELS && t->is_signed ? 128 : 0;
  for (size_t k = 0; good && k < count; k++) {
    double x = sample.values[order[k]];
    values[k] = (float)(sample.kind == SAMPLE_REALS ? x : scale * (x - shift - t->zero));
    if (!isfinite(values[k])) {
      good = net_fail(&reason, "element %zu is %.9g, and no finite float", k, x);
      reason.status = EX_DATAERR;
    }
  }
  free(order);
  sample_free(&sample);
  return good || named(d, i, &reason, error);
}
