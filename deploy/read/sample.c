// deploy/read/sample.c
#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "sample_formats.h"
#include "sim/piped_file.h"

enum { FILE_MOST = 1 << 28 };

bool sample_fail(struct net_error *error, const char *path, const char *reason) {
  net_fail(error, "%.300s: %s", path, reason);
  if (error)
    error->status = EX_DATAERR;
  return false;
}

// ---------------------------------------------------------------------------- options

static bool read_list(const char *text, double *values, uint32_t *count) {
  for (*count = 0; *count < SAMPLE_CHANNELS;) {
    char *end;
    values[*count] = strtod(text, &end);
    if (end == text || !isfinite(values[*count]) || (*end && *end != ','))
      return false;
    ++*count;
    if (!*end)
      return true;
    text = end + 1;
  }
  return false;
}

bool sample_option(struct sample_options *o, const char *name, const char *text,
                   struct net_error *error) {
  if (error)
    error->status = EX_USAGE;
  if (strcmp(name, "--channels") == 0) {
    o->bgr = strcmp(text, "bgr") == 0;
    o->grey = strcmp(text, "grey") == 0 || strcmp(text, "gray") == 0;
    return o->bgr || o->grey || strcmp(text, "rgb") == 0 ||
           net_fail(error, "--channels %s: choose rgb, bgr or grey", text);
  }
  o->scaled = true;
  bool mean = strcmp(name, "--mean") == 0;
  if (!read_list(text, mean ? o->mean : o->scale, mean ? &o->means : &o->scales))
    return net_fail(error, "%s %s: give one number, or one for each channel with commas", name,
                    text);
  for (uint32_t i = 0; !mean && i < o->scales; i++) {
    if (!(fabs(o->scale[i]) > 0))
      return net_fail(error, "--scale %s: pixels are divided by it, 0 is of no use", text);
  }
  return true;
}

// ---------------------------------------------------------------------------- files

// Inputs are read more than once: their type, then their values.
static uint8_t *contents(const char *path, size_t *size, struct net_error *error) {
  const char *kept = path, *why;
  FILE *file = piped_file_open(&kept, &why);
  if (!file) {
    sample_fail(error, path, why);
    if (error)
      error->status = EX_NOINPUT;
    return NULL;
  }
  uint8_t *bytes = NULL;
  size_t room = 1 << 16;
  for (*size = 0;; room *= 2) {
    bytes = memory_grow(bytes, room, 1);
    *size += fread(bytes + *size, 1, room - *size, file);
    if (*size < room || room >= FILE_MOST)
      break;
  }
  bool good = !ferror(file) && *size < FILE_MOST;
  fclose(file);
  if (good)
    return bytes;
  free(bytes);
  sample_fail(error, path, "cannot be read, or is larger than 256 MiB");
  return NULL;
}

static bool has_suffix(const char *path, const char *suffix) {
  size_t n = strlen(path), m = strlen(suffix);
  return n >= m && strcasecmp(path + n - m, suffix) == 0;
}

struct sample_raw sample_raw_of(const struct net_tensor *t) {
  return (struct sample_raw){t->is_signed ? SAMPLE_I8 : SAMPLE_U8, (size_t)t->h * t->w * t->c};
}

static void read_raw(const uint8_t *bytes, size_t size, struct sample_raw raw, struct sample *s) {
  bool real = raw.type == SAMPLE_F32 || size == 4 * raw.count;
  size_t width = real ? 4 : 1;
  s->kind = real ? SAMPLE_REALS : SAMPLE_CODES;
  s->rank = 1, s->count = s->dims[0] = size / width;
  s->values = memory_new(s->count, sizeof *s->values);
  for (size_t i = 0; i < s->count; i++) {
    float value = 0;
    if (real)
      memcpy(&value, bytes + 4 * i, 4);
    s->values[i] = real ? (double)value : raw.type == SAMPLE_I8 ? (int8_t)bytes[i] : bytes[i];
  }
}

// ---------------------------------------------------------------------------- pixels

static void to_grey(struct sample *s) {
  size_t pixels = s->dims[0] * s->dims[1], channels = s->dims[2];
  for (size_t i = 0; i < pixels; i++) {
    const double *p = s->values + i * channels;
    s->values[i] = channels < 3 ? p[0] : 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
  }
  s->dims[2] = 1, s->count = pixels;
}

static void swap_red_and_blue(struct sample *s) {
  for (size_t i = 0; i + 2 < s->count; i += s->dims[2]) {
    double red = s->values[i];
    s->values[i] = s->values[i + 2], s->values[i + 2] = red;
  }
}

static bool scale_pixels(struct sample *s, const struct sample_options *o) {
  size_t channels = s->dims[2];
  if ((o->means > 1 && o->means != channels) || (o->scales > 1 && o->scales != channels))
    return false;
  for (size_t i = 0; i < s->count; i++) {
    double mean = o->means ? o->mean[o->means > 1 ? i % channels : 0] : 0;
    double scale = o->scales ? o->scale[o->scales > 1 ? i % channels : 0] : 1;
    s->values[i] = (s->values[i] - mean) / scale;
  }
  s->kind = SAMPLE_REALS;
  return true;
}

static bool prepare_pixels(const char *path, const struct sample_options *o, struct sample *s,
                           struct net_error *error) {
  if (o->grey)
    to_grey(s);
  if (o->bgr && s->dims[2] >= 3)
    swap_red_and_blue(s);
  return !o->scaled || scale_pixels(s, o) ||
         sample_fail(error, path, "has another number of channels than --mean or --scale");
}

bool sample_parse(const char *path, const uint8_t *bytes, size_t size, struct sample_raw raw,
                  const struct sample_options *options, struct sample *sample,
                  struct net_error *error) {
  *sample = (struct sample){.kind = SAMPLE_CODES};
  bool good = true;
  if (has_suffix(path, ".npy"))
    good = sample_npy(path, bytes, size, sample, error);
  else if (has_suffix(path, ".png"))
    good = sample_png(path, bytes, size, sample, error);
  else if (has_suffix(path, ".ppm") || has_suffix(path, ".pgm"))
    good = sample_ppm(path, bytes, size, sample, error);
  else
    read_raw(bytes, size, raw, sample);
  if (good && sample->kind == SAMPLE_PIXELS)
    good = prepare_pixels(path, options, sample, error);
  if (!good)
    sample_free(sample);
  return good;
}

bool sample_pixels(const char *path, const uint8_t *pixels, uint32_t h, uint32_t w,
                   const struct sample_options *options, struct sample *s,
                   struct net_error *error) {
  *s = (struct sample){.kind = SAMPLE_PIXELS, .rank = 3, .dims = {h, w, 1}};
  s->count = (size_t)h * w;
  s->values = memory_new(s->count, sizeof *s->values);
  for (size_t i = 0; i < s->count; i++)
    s->values[i] = pixels[i];
  if (prepare_pixels(path, options, s, error))
    return true;
  sample_free(s);
  return false;
}

bool sample_read(const char *path, struct sample_raw raw, const struct sample_options *options,
                 struct sample *sample, struct net_error *error) {
  size_t size;
  uint8_t *bytes = contents(path, &size, error);
  bool good = bytes && sample_parse(path, bytes, size, raw, options, sample, error);
  if (!bytes)
    sample->values = NULL;
  free(bytes);
  return good;
}

void sample_free(struct sample *sample) {
  free(sample->values);
  sample->values = NULL;
}

// ---------------------------------------------------------------------------- order and codes

// Whether the sample's dimensions are these, those of 1 aside.
static bool has_dims(const struct sample *s, const size_t dims[3]) {
  size_t left[SAMPLE_RANK] = {0}, asked[SAMPLE_RANK] = {0}, n = 0, m = 0;
  for (uint32_t i = 0; i < s->rank; i++)
    if (s->dims[i] != 1)
      left[n++] = s->dims[i];
  for (uint32_t i = 0; i < 3; i++)
    if (dims[i] != 1)
      asked[m++] = dims[i];
  return memcmp(left, asked, sizeof left) == 0;
}

// Channels first or last: the dimensions say so; where both orders are possible, or all elements
// are in one dimension, the model. False: neither.
static bool find_order(const struct sample *s, const struct net_tensor *t, bool *first) {
  bool chw = has_dims(s, (size_t[]){t->c, t->h, t->w}) && s->kind != SAMPLE_PIXELS;
  bool hwc = has_dims(s, (size_t[]){t->h, t->w, t->c});
  bool flat = has_dims(s, (size_t[]){s->count, 1, 1}) && s->kind != SAMPLE_PIXELS;
  *first = (chw || flat) && (t->planes || (!hwc && !flat));
  return chw || hwc || flat;
}

bool sample_order(const struct sample *s, const struct net_tensor *t, size_t *order,
                  struct net_error *error) {
  size_t pixels = (size_t)t->h * t->w, count = pixels * t->c;
  if (s->count != count) {
    if (error)
      error->status = EX_DATAERR;
    return net_fail(error, "%zu elements, but the input is %u x %u x %u", s->count, t->h, t->w,
                    t->c);
  }
  bool turned;
  if (!find_order(s, t, &turned)) {
    if (error)
      error->status = EX_DATAERR;
    return net_fail(error,
                    "as many elements as the input, which is %u x %u x %u (height, width, "
                    "channels), but of another shape",
                    t->h, t->w, t->c);
  }
  for (size_t i = 0; i < count; i++)
    order[i] = turned ? i % t->c * pixels + i / t->c : i;
  return true;
}

// ONNX divides floats (deploy/op/op_quant.h).
static double quotient_of(double value, const struct net_tensor *t) {
  return t->even ? nearbyint((double)((float)value / (float)t->scale)) : round(value / t->scale);
}

static bool code_of(const struct sample *s, const struct net_tensor *t, double value,
                    int32_t *code) {
  int32_t least = t->is_signed ? -(1 << (t->bits - 1)) : 0, most = least + (1 << t->bits) - 1;
  double x = value;
  if (isnan(value))
    return false;
  if (s->kind == SAMPLE_PIXELS)
    x += least;
  else if (s->kind == SAMPLE_REALS && t->scale > 0)
    x = fmin(fmax(quotient_of(value, t) + t->zero, least), most);
  *code = x >= least && x <= most ? (int32_t)x : 0;
  return x >= least && x <= most && x - floor(x) <= 0;
}

bool sample_codes(const struct sample *s, const struct net_tensor *t, int32_t *codes,
                  struct net_error *error) {
  size_t *order = memory_new((size_t)t->h * t->w * t->c, sizeof *order);
  bool good = sample_order(s, t, order, error);
  for (size_t i = 0; good && i < s->count; i++) {
    if (!code_of(s, t, s->values[order[i]], &codes[i])) {
      good = net_fail(error, "element %zu is %.9g, which is no code of '%.100s' (%s, %u bits)", i,
                      s->values[order[i]], t->name, t->is_signed ? "signed" : "unsigned", t->bits);
      if (error)
        error->status = EX_DATAERR;
    }
  }
  free(order);
  return good;
}
