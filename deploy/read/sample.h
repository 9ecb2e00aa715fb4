// deploy/read/sample.h: one input of a network, from a file.
//
//   .npy          NumPy's format (NEP 1): integers of 8 to 64 bits, floats of 32 and 64, C order
//   .png          8 bits, by libpng; .ppm, .pgm: P6, P5 with 255 levels. Height x width x channels
//   others        raw: as many elements as the input has, in the model's type and order. Models
//                 that take floats and quantize them: codes, or floats, as the size says
//
// Pixels are brought to real numbers as (pixel - mean) / scale if a mean or a scale is given;
// without they are the codes of unsigned inputs, and of signed ones those less 128.
#ifndef SAMPLE_H
#define SAMPLE_H

#include "deploy/net/net.h"

enum { SAMPLE_RANK = 8, SAMPLE_CHANNELS = 4 };

enum sample_kind {
  SAMPLE_CODES, // whole numbers: codes
  SAMPLE_REALS,
  SAMPLE_PIXELS
};

struct sample {
  enum sample_kind kind;
  uint32_t rank;
  size_t dims[SAMPLE_RANK];
  size_t count;
  double *values; // row-major
};

struct sample_options {
  bool scaled; // a mean or a scale was given
  double mean[SAMPLE_CHANNELS], scale[SAMPLE_CHANNELS];
  uint32_t means, scales; // how many; 1: for all channels
  bool bgr;               // channels in the order blue, green, red
  bool grey;              // one channel: 0.299 R + 0.587 G + 0.114 B
};

// Raw files' elements; those of bytes hold floats where the file has four times as many bytes.
enum sample_type { SAMPLE_U8, SAMPLE_I8, SAMPLE_F32 };
struct sample_raw {
  enum sample_type type;
  size_t count;
};
// Those of an input in codes.
struct sample_raw sample_raw_of(const struct net_tensor *input);

// Texts of --mean, --scale ("123.7,116.3,103.5") and --channels (rgb, bgr, grey). False with the
// sentence.
bool sample_option(struct sample_options *options, const char *name, const char *text,
                   struct net_error *error);

bool sample_read(const char *path, struct sample_raw raw, const struct sample_options *options,
                 struct sample *sample, struct net_error *error);
// ... whose contents are these.
bool sample_parse(const char *path, const uint8_t *bytes, size_t size, struct sample_raw raw,
                  const struct sample_options *options, struct sample *sample,
                  struct net_error *error);
// ... which are pixels of one channel already.
bool sample_pixels(const char *path, const uint8_t *pixels, uint32_t h, uint32_t w,
                   const struct sample_options *options, struct sample *sample,
                   struct net_error *error);
void sample_free(struct sample *sample);

// The sample's elements in the order height, width, channels for this input: as they are, or turned
// from channels, height, width where the sample's shape says so, or, if it says nothing, the
// input's `planes`. `order[i]`: the sample's element. False, with the sentence, if there are not as
// many.
bool sample_order(const struct sample *sample, const struct net_tensor *input, size_t *order,
                  struct net_error *error);

// As codes of the tensor: reals are quantized by its scale and zero, rounded to nearest (halves as
// its `even` has it) and clipped; if the scale is not known they must be whole.
bool sample_codes(const struct sample *sample, const struct net_tensor *tensor, int32_t *codes,
                  struct net_error *error);

#endif
