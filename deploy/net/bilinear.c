// deploy/net/bilinear.c: see bilinear.h.
#include "bilinear.h"

bool bilinear_of(int64_t factor, bool half_pixel, struct bilinear *line) {
  if (factor < 1 || factor > 127)
    return false;
  const uint8_t f = (uint8_t)factor, less = (uint8_t)(f - 1);
  if (!half_pixel)
    *line = (struct bilinear){f, f, 1, 0, less};
  else if (f % 2)
    *line = (struct bilinear){f, f, 1, less / 2, less / 2};
  else
    *line = (struct bilinear){(uint8_t)(2 * f), (uint8_t)(2 * f), 2, less, less};
  return true;
}
