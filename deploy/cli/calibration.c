// deploy/cli/calibration.c
#include "calibration.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "deploy/memory.h"

static int visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static bool read_values(const char *path, const struct net_tensor *t, const struct calibration *s,
                        float *values, struct net_error *error) {
  size_t count = (size_t)t->h * t->w * t->c;
  struct sample sample;
  enum sample_raw raw =
      t->scale > 0 ? t->is_signed ? SAMPLE_RAW_I8 : SAMPLE_RAW_U8 : SAMPLE_RAW_F32;
  if (!sample_read(path, raw, &s->sample, &sample, error))
    return false;
  struct net_error reason = {.text = ""};
  size_t *order = memory_new(count, sizeof *order);
  bool good = sample_order(&sample, t->h, t->w, t->c, order, &reason);
  double scale = t->scale > 0 ? t->scale : 1;
  int32_t shift = sample.kind == SAMPLE_PIXELS && t->is_signed ? 128 : 0;
  for (size_t i = 0; good && i < count; i++) {
    double x = sample.values[order[i]];
    values[i] = (float)(sample.kind == SAMPLE_REALS ? x : scale * (x - shift - t->zero));
  }
  if (!good) {
    net_fail(error, "%.200s: %.250s", path, reason.text);
    error->status = reason.status;
  }
  free(order);
  sample_free(&sample);
  return good;
}

void calibration_free(struct quantize_samples *samples) {
  for (uint32_t i = 0; i < samples->count; i++)
    free(samples->values[i]);
  free(samples->values);
}

// Spread evenly over the directory's files, in the order of their names.
static bool read_all(const struct net *net, const struct calibration *s,
                     struct quantize_samples *samples, struct net_error *error) {
  struct dirent **files = NULL;
  int count = scandir(s->directory, &files, visible, alphasort);
  if (count <= 0) {
    error->status = DEPLOY_NO_INPUT;
    return net_fail(error, "--calibrate %s: %s", s->directory,
                    count < 0 ? strerror(errno) : "no files");
  }
  const struct net_tensor *t = &net->tensors[net->inputs[0]];
  uint32_t taken = (uint32_t)count < s->samples ? (uint32_t)count : s->samples;
  samples->values = memory_new(taken, sizeof *samples->values);
  bool good = true;
  for (uint32_t i = 0; good && i < taken; i++) {
    char *path =
        memory_format("%s/%s", s->directory, files[(uint64_t)i * (uint64_t)count / taken]->d_name);
    samples->values[i] = memory_new((size_t)t->h * t->w * t->c, sizeof(float));
    samples->count++;
    good = read_values(path, t, s, samples->values[i], error);
    free(path);
  }
  for (int i = 0; i < count; i++)
    free(files[i]);
  free(files);
  return good;
}

static bool set_input_type(const char *text, struct net_tensor *t, struct net_error *error) {
  char type[8] = "";
  double scale = 0;
  int zero = 0, end = 0;
  error->status = DEPLOY_USAGE;
  if (!text)
    return true;
  if (sscanf(text, "%7[^:]:%lf:%d%n", type, &scale, &zero, &end) != 3 ||
      text[end] || // NOLINT(cert-err34-c)
      !(scale > 0) || (strcmp(type, "int8") != 0 && strcmp(type, "uint8") != 0))
    return net_fail(error, "--input-type %s: give int8:SCALE:ZERO or uint8:SCALE:ZERO", text);
  t->scale = scale, t->zero = zero, t->is_signed = *type == 'i';
  int32_t least = t->is_signed ? -128 : 0;
  error->status = zero >= least && zero <= least + 255 ? 0 : DEPLOY_USAGE;
  return !error->status || net_fail(error, "--input-type %s: the zero is no code", text);
}

bool calibration_load(const struct calibration *calibration, struct real_net *real,
                      struct quantize_samples *samples, struct net_error *error) {
  *samples = (struct quantize_samples){NULL, 0};
  return set_input_type(calibration->input_type, &real->net->tensors[real->net->inputs[0]],
                        error) &&
         read_all(real->net, calibration, samples, error);
}

enum { INPUT_TYPE = 2000, INPUT_SHAPE, SAMPLES, CALIBRATE, MEAN, SCALE, CHANNELS };

const struct option calibration_options[CALIBRATION_OPTIONS] = {
    {"calibrate", required_argument, NULL, CALIBRATE},
    {"samples", required_argument, NULL, SAMPLES},
    {"input-type", required_argument, NULL, INPUT_TYPE},
    {"input-shape", required_argument, NULL, INPUT_SHAPE},
    {"mean", required_argument, NULL, MEAN},
    {"scale", required_argument, NULL, SCALE},
    {"channels", required_argument, NULL, CHANNELS}};

static bool read_shape(const char *text, struct lower_real_options *shape) {
  int end = 0;
  // NOLINTNEXTLINE(cert-err34-c): five digits fit
  return sscanf(text, "%5ux%5ux%5u%n", &shape->c, &shape->h, &shape->w, &end) == 3 && !text[end] &&
         shape->c && shape->h && shape->w;
}

bool calibration_take(struct calibration *c, int option, const char *text,
                      struct net_error *error) {
  static const char *const flags[] = {"--mean", "--scale", "--channels"};
  if (option == CALIBRATE)
    c->directory = text;
  else if (option == INPUT_TYPE)
    c->input_type = text;
  else if (option == INPUT_SHAPE)
    return read_shape(text, &c->shape) ||
           net_fail(error, "--input-shape %s: give channels, height and width, as 3x48x192", text);
  else if (option == SAMPLES)
    c->samples = (uint32_t)strtoul(text, NULL, 10);
  else
    return sample_option(&c->sample, flags[option - MEAN], text, error);
  return option != SAMPLES || (c->samples > 0 && c->samples < 1000000) ||
         net_fail(error, "--samples %s: give 1 to 999999", text);
}
