// deploy/cli/calibration.h: the inputs that a command calibrates with, and their options.
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <getopt.h>

#include "deploy/lower/real.h"
#include "deploy/quant/quantize.h"
#include "deploy/read/sample.h"

enum { CALIBRATION_SAMPLES = 512, CALIBRATION_OPTIONS = 7, CALIBRATION_FIRST = 2000 };

struct calibration {
  const char *data, *input_type; // NULL: none
  uint32_t samples;              // at most
  struct sample_options sample;
  struct tidy_shape shape;
};

// Rows for getopt_long(), with values from CALIBRATION_FIRST on.
extern const struct option calibration_options[CALIBRATION_OPTIONS];
// One of them. False with the sentence.
bool calibration_take(struct calibration *calibration, int option, const char *text,
                      struct net_error *error);

// The text of --input-shape.
bool calibration_shape(const char *text, struct tidy_shape *shape, struct net_error *error);

// Inputs of the data set (dataset.h), spread evenly, for the network's input, whose scale and zero
// become those of the input type. calibration_free() in any case.
bool calibration_load(const struct calibration *calibration, struct real_net *real,
                      struct quantize_samples *samples, struct net_error *error);
// ... of another data set, at most so many.
bool calibration_load_from(const struct calibration *calibration, const char *data, uint32_t most,
                           const struct real_net *real, struct quantize_samples *samples,
                           struct net_error *error);
void calibration_free(struct quantize_samples *samples);

#endif
