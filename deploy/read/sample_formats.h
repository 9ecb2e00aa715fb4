// deploy/read/sample_formats.h: the formats that sample.c reads.
#ifndef SAMPLE_FORMATS_H
#define SAMPLE_FORMATS_H

#include "sample.h"

// "PATH: reason", EX_DATAERR; false.
bool sample_fail(struct net_error *error, const char *path, const char *reason);

bool sample_npy(const char *path, const uint8_t *bytes, size_t size, struct sample *sample,
                struct net_error *error);
bool sample_png(const char *path, const uint8_t *bytes, size_t size, struct sample *sample,
                struct net_error *error);
bool sample_ppm(const char *path, const uint8_t *bytes, size_t size, struct sample *sample,
                struct net_error *error);

#endif
