// deploy/read/sample_image.c: pictures: PNG by libpng, PPM and PGM by hand.
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "sample_formats.h"

enum { SIDE_MOST = 8192 };

static void take_pixels(struct sample *s, const uint8_t *pixels, size_t h, size_t w, size_t c) {
  *s = (struct sample){.kind = SAMPLE_PIXELS, .rank = 3, .dims = {h, w, c}, .count = h * w * c};
  s->values = memory_new(s->count, sizeof *s->values);
  for (size_t i = 0; i < s->count; i++)
    s->values[i] = pixels[i];
}

// Grey stays grey, everything else becomes RGB; transparency is dropped.
bool sample_png(const char *path, const uint8_t *bytes, size_t size, struct sample *s,
                struct net_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&image, bytes, size))
    return sample_fail(error, path, image.message);
  bool colour = image.format & PNG_FORMAT_FLAG_COLOR;
  if (image.width > SIDE_MOST || image.height > SIDE_MOST) {
    png_image_free(&image);
    return sample_fail(error, path, "a picture of more than 8192 rows or columns");
  }
  image.format = colour ? PNG_FORMAT_RGBA : PNG_FORMAT_GA; // all channels: nothing is composed
  uint8_t *pixels = memory_new(PNG_IMAGE_SIZE(image), 1);
  bool good = png_image_finish_read(&image, NULL, pixels, 0, NULL);
  size_t channels = colour ? 3 : 1, count = (size_t)image.width * image.height;
  for (size_t i = 0; good && i < count; i++)
    memmove(pixels + i * channels, pixels + i * (channels + 1), channels);
  if (good)
    take_pixels(s, pixels, image.height, image.width, channels);
  free(pixels);
  return good || sample_fail(error, path, image.message);
}

// Numbers of a header; comments reach to the end of the line.
static bool header_number(const uint8_t *bytes, size_t size, size_t *at, size_t *value) {
  while (*at < size && (strchr(" \t\r\n", bytes[*at]) || bytes[*at] == '#')) {
    if (bytes[*at] == '#')
      while (*at < size && bytes[*at] != '\n')
        ++*at;
    else if (!bytes[(*at)++])
      return false;
  }
  size_t digits = 0;
  for (*value = 0; *at < size && bytes[*at] >= '0' && bytes[*at] <= '9' && digits < 6; digits++)
    *value = *value * 10 + (bytes[(*at)++] - '0');
  return digits > 0;
}

bool sample_ppm(const char *path, const uint8_t *bytes, size_t size, struct sample *s,
                struct net_error *error) {
  size_t at = 2, w, h, levels;
  if (size < 3 || bytes[0] != 'P' || (bytes[1] != '5' && bytes[1] != '6'))
    return sample_fail(error, path, "not a binary PGM (P5) or PPM (P6)");
  size_t channels = bytes[1] == '6' ? 3 : 1;
  if (!header_number(bytes, size, &at, &w) || !header_number(bytes, size, &at, &h) ||
      !header_number(bytes, size, &at, &levels) || levels != 255 || !w || !h || w > SIDE_MOST ||
      h > SIDE_MOST)
    return sample_fail(error, path, "a header without sizes up to 8192 and 255 levels");
  at++;
  if (at > size || size - at < w * h * channels)
    return sample_fail(error, path, "fewer pixels than the header says");
  take_pixels(s, bytes + at, h, w, channels);
  return true;
}
