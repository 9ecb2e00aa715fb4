// deploy/cli/calibration.c
#include "calibration.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "deploy/memory.h"
#include "deploy/read/dataset.h"

void calibration_free(struct quantize_samples *samples) {
  for (uint32_t i = 0; i < samples->count; i++)
    free(samples->values[i]);
  free(samples->values);
  free(samples->labels);
}

bool calibration_load_from(const struct calibration *s, const char *data, uint32_t most,
                           const struct real_net *real, struct quantize_samples *samples,
                           struct net_error *error) {
  *samples = (struct quantize_samples){NULL, NULL, 0};
  struct dataset *d = dataset_open(data, error);
  if (!d)
    return false;
  const struct net_tensor *t = &real->net->tensors[real->net->inputs[0]];
  uint32_t taken = d->count < most ? d->count : most;
  samples->values = memory_new(taken, sizeof *samples->values);
  samples->labels = d->labels ? memory_new(taken, sizeof *samples->labels) : NULL;
  bool good = true;
  for (uint32_t i = 0; good && i < taken; i++) {
    uint32_t which = (uint32_t)((uint64_t)i * d->count / taken);
    samples->values[i] = memory_new((size_t)t->h * t->w * t->c, sizeof(float));
    samples->count++;
    if (samples->labels)
      samples->labels[i] = d->labels[which];
    good = dataset_reals(d, which, t, &s->sample, samples->values[i], error);
  }
  dataset_free(d);
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
  *samples = (struct quantize_samples){NULL, NULL, 0};
  return set_input_type(calibration->input_type, &real->net->tensors[real->net->inputs[0]],
                        error) &&
         calibration_load_from(calibration, calibration->data, calibration->samples, real, samples,
                               error);
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

bool calibration_shape(const char *text, struct tidy_shape *shape, struct net_error *error) {
  int end = 0;
  // NOLINTNEXTLINE(cert-err34-c): five digits fit
  return (sscanf(text, "%5ux%5ux%5u%n", &shape->c, &shape->h, &shape->w, &end) == 3 && !text[end] &&
          shape->c && shape->h && shape->w) ||
         net_fail(error, "--input-shape %s: give channels, height and width, as 3x48x192", text);
}

// 0: not 1 to 999999.
static uint32_t samples_of(const char *text) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && value < 1000000 ? (uint32_t)value : 0;
}

bool calibration_take(struct calibration *c, int option, const char *text,
                      struct net_error *error) {
  static const char *const flags[] = {"--mean", "--scale", "--channels"};
  if (option == CALIBRATE)
    c->data = text;
  else if (option == INPUT_TYPE)
    c->input_type = text;
  else if (option == INPUT_SHAPE)
    return calibration_shape(text, &c->shape, error);
  else if (option == SAMPLES)
    c->samples = samples_of(text);
  else
    return sample_option(&c->sample, flags[option - MEAN], text, error);
  return option != SAMPLES || c->samples || net_fail(error, "--samples %s: give 1 to 999999", text);
}
