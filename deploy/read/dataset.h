// deploy/read/dataset.h: many inputs of a network, with their classes where these are known.
//
//   a directory   its files, in the order of their names; no labels
//   a list        text: rows of a file (from the list's directory on) and a label, with tabs or
//                 spaces between; '#' begins a comment
//   an IDX file   of images, as MNIST's: bytes, 0x803, three dimensions, as it is or compressed by
//                 gzip; labels are in the file whose name has "labels-idx1" for "images-idx3"
//                 (http://yann.lecun.com/exdb/mnist). Images are pixels.
#ifndef DATASET_H
#define DATASET_H

#include "sample.h"

struct dataset {
  char *path;
  uint32_t count;
  char **files;    // [count]; IDX: NULL
  int32_t *labels; // [count]; NULL: none
  uint8_t *pixels; // IDX: [count][h][w]
  uint32_t h, w;
};

// NULL with the sentence.
struct dataset *dataset_open(const char *path, struct net_error *error);
void dataset_free(struct dataset *dataset);

// Number `i` as codes of the tensor (sample_codes), or as the numbers they stand for, height,
// width, channels: codes of files in real numbers are those of the tensor where it has a scale.
// False with the sentence, which names the file.
bool dataset_codes(const struct dataset *dataset, uint32_t i, const struct net_tensor *tensor,
                   const struct sample_options *options, int32_t *codes, struct net_error *error);
bool dataset_reals(const struct dataset *dataset, uint32_t i, const struct net_tensor *tensor,
                   const struct sample_options *options, float *values, struct net_error *error);

#endif
