// tests/fuzz/fuzz_sample.c: any bytes as an input of a network, in the format that the first says.
#include <stdlib.h>

#include "deploy/read/sample.h"
#include "tests/fuzz/fuzz.h"

int fuzz_sample(const uint8_t *data, size_t size) {
  static const char *const names[] = {"a.npy", "a.ppm", "a.png", "a.bin"};
  struct sample_options options = {.grey = size && *data & 4, .bgr = size && *data & 8};
  struct net_error error = {.text = ""};
  struct sample sample;
  if (!size)
    return 0;
  if (!sample_parse(names[*data & 3], data + 1, size - 1, (struct sample_raw){SAMPLE_I8, 4},
                    &options, &sample, &error)) {
    if (!*error.text || !error.status)
      abort(); // a refusal has a reason
    return 0;
  }
  double sum = 0;
  for (size_t i = 0; i < sample.count; i++)
    sum += sample.values[i];
  volatile double kept = sum; // every element has been read
  (void)kept;
  struct net_tensor t = {.name = (char[]){"x"}, .h = 2, .w = 2, .c = 1, .bits = 8, .scale = 0.5};
  int32_t codes[4];
  (void)sample_codes(&sample, &t, codes, &error);
  sample_free(&sample);
  return 0;
}
